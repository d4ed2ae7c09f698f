/** Owns `wc`; never where bytes come from. */
import { resolvePath } from "../../files/paths.ts";
import type { Result } from "../inside.ts";
import { readBytes, readOptions, type Surroundings } from "./tool.ts";

export function wc(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "lwcmL", {
    lines: "l",
    words: "w",
    bytes: "c",
    chars: "m",
    "max-line-length": "L",
  });
  const kinds = ["l", "w", "m", "c", "L"].filter((letter) => options.has(letter));
  const wanted = kinds.length === 0 ? ["l", "w", "c"] : kinds;
  const names = options.rest.length === 0 ? ["-"] : options.rest;
  let stderr = "";
  const rows = names.flatMap((name) => {
    try {
      return [
        {
          name: options.rest.length === 0 ? "" : name,
          counts: counted(readBytes(name, around), wanted),
          isInput: name === "-",
        },
      ];
    } catch {
      stderr += `wc: ${name}: No such file or directory\n`;
      return [];
    }
  });
  if (names.length > 1) {
    const total = wanted.map((kind, i) =>
      (kind === "L" ? Math.max : (...all: number[]) => all.reduce((a, b) => a + b, 0))(
        ...rows.map(({ counts }) => counts[i] ?? 0),
        0,
      ),
    );
    rows.push({ name: "total", counts: total, isInput: false });
  }
  // wc makes its columns as wide as the bytes of all files are, and 7 wide for input it cannot ask for its size.
  const sizes = names.reduce(
    (sum, name) =>
      sum +
      (name === "-" ? 0 : ((around.files.peek(resolvePath(around.cwd, name)) as { size?: number } | null)?.size ?? 0)),
    0,
  );
  const isAlone = wanted.length === 1 && names.length === 1;
  const width = isAlone ? 1 : rows.some(({ isInput }) => isInput) ? 7 : String(sizes).length;
  const lines = rows.map(
    ({ name, counts }) =>
      `${counts.map((count) => String(count).padStart(width)).join(" ")}${name === "" ? "" : ` ${name}`}\n`,
  );
  return { stdout: lines.join(""), stderr, exitCode: stderr === "" ? 0 : 1 };
}

function counted(content: Uint8Array, kinds: readonly string[]): number[] {
  const text = kinds.some((kind) => kind !== "c" && kind !== "l") ? new TextDecoder().decode(content) : "";
  return kinds.map((kind) => {
    if (kind === "c") {
      return content.length;
    }
    if (kind === "l") {
      return content.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
    }
    if (kind === "w") {
      return text.match(/\S+/g)?.length ?? 0;
    }
    return kind === "m"
      ? [...text].length
      : text.split("\n").reduce((longest, line) => Math.max(longest, [...line].length), 0);
  });
}
