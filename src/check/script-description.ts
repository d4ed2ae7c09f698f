/** Owns the one sentence that says what a script does, from its docstring or first comment. Never runs or judges the script. */

import type { Runtime } from "../model/run.ts";
import { argparseDescription } from "./argparse-parameters.ts";

const MAX_LENGTH = 300;
/** How much of a file is looked at; what stands further down is no introduction. */
const MAX_HEAD = 8_192;
const MAX_SOURCE = 512 * 1024;

/** Lines of a first comment that are for tools and lawyers. */
const NOT_FOR_READERS =
  /^(?:-\*-|coding[:=]|vim?:|shellcheck\b|eslint\b|prettier-|biome-|ts-|@ts-|@jsx|pylint:|type:|noqa|fmt:|ruff:|mypy:|isort:|copyright\b|\(c\)\s|©|spdx-|licen[sc]ed? |all rights|\/\/\/ |[-=#*~_\s]*$)/i;

/** The first sentence of what a script says of itself: to its callers (`ArgumentParser(description=…)`), else to its readers; null when it says nothing. */
export function scriptDescription(source: string, runtime: Runtime | null): string | null {
  const head = source
    .slice(0, MAX_HEAD)
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
    .replace(/^#![^\n]*\n/, "");
  if (runtime === "python") {
    const told = argparseDescription(source.slice(0, MAX_SOURCE));
    return sentence(told?.split("\n") ?? []) ?? sentence(docstring(head)) ?? sentence(lineComment(head, "#"));
  }
  if (runtime === "javascript") {
    return sentence(blockComment(head)) ?? sentence(lineComment(head, "//"));
  }
  return sentence(lineComment(head, "#"));
}

/** The text of a module's docstring, which only comments may precede. */
function docstring(head: string): string[] {
  const found = /^(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*[rRuU]?("""|''')/.exec(head);
  if (found?.[1]) {
    const rest = head.slice(found[0].length);
    return (rest.split(found[1], 1)[0] ?? "").split("\n");
  }
  const line = /^(?:[ \t]*(?:#[^\n]*)?\n)*[rRuU]?(?:"([^"\\\n]+)"|'([^'\\\n]+)')[ \t]*(?:\n|$)/.exec(head);
  return line ? [line[1] ?? line[2] ?? ""] : [];
}

function blockComment(head: string): string[] {
  const found = /^\s*(?:(?:"use strict"|'use strict');?\s*)?\/\*+/.exec(head);
  if (!found) {
    return [];
  }
  const inside = head.slice(found[0].length).split("*/", 1)[0] ?? "";
  return inside.split("\n").map((line) => line.replace(/^[ \t]*\*[ \t]?/, ""));
}

/** The first run of comment lines, before any code. */
function lineComment(head: string, sign: string): string[] {
  const lines: string[] = [];
  for (const raw of head.split("\n")) {
    const line = raw.trim();
    if (line.startsWith(sign)) {
      lines.push(
        line
          .slice(sign.length)
          .replace(/^[!#/]+/, "")
          .trim(),
      );
    } else if (line !== "" || lines.some((text) => text !== "" && !NOT_FOR_READERS.test(text))) {
      break;
    }
  }
  return withoutMetadataBlock(lines);
}

/** Without a block of inline metadata (`/// script` … `///`), which Python tools read. */
function withoutMetadataBlock(lines: readonly string[]): string[] {
  let inside = false;
  return lines.filter((line) => {
    const opens = /^\/\/\/ \w+$/.test(line);
    const closes = inside && line === "///";
    const keep = !inside && !opens;
    inside = opens || (inside && !closes);
    return keep;
  });
}

function sentence(lines: readonly string[]): string | null {
  const paragraph: string[] = [];
  for (const line of lines.map((text) => text.trim())) {
    if (
      NOT_FOR_READERS.test(line) ||
      (paragraph.length > 0 && /^(?:@\w|usage\b|args?:|arguments:|examples?:)/i.test(line))
    ) {
      if (paragraph.length > 0) {
        break;
      }
    } else {
      paragraph.push(line.replace(/^@(?:fileoverview|file|description)\s+/i, ""));
    }
  }
  const text = paragraph
    .join(" ")
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  if (!/\p{L}/u.test(text)) {
    return null;
  }
  const end = /[.!?。](?=\s+\p{Lu}|\s*$)/u.exec(text);
  const first = end && end.index > 2 ? text.slice(0, end.index + 1) : text;
  const characters = [...first];
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH - 1).join("")}…` : first;
}
