#!/usr/bin/env node
/**
 * Scores a message for risk words from references/risk-words.csv: signals in what a customer writes, promises in what we answer.
 * It counts, it does not understand. Exit status: 0 scored (whatever the level), 2 the call was wrong.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const USAGE = `usage: risk-check.js (--message TEXT | --stdin) [--direction incoming|outgoing] [--json]
Scores a message; prints level, score and reasons.
example: risk-check.js --message "The charger caught fire and I will call my lawyer."`;

const LEVELS = [
  ["high", 6],
  ["medium", 3],
  ["low", 1],
  ["none", 0],
];

class UsageError extends Error {}

function readRules() {
  const text = readFileSync(new URL("../references/risk-words.csv", import.meta.url), "utf8");
  const [, ...lines] = text.trim().split(/\r?\n/);
  return lines.map((line) => {
    const [direction, category, weight, phrase] = line.split(",");
    return { direction, category, weight: Number(weight), phrase };
  });
}

/** Lower case, typographic apostrophes made plain, any run of other signs one blank: so that phrases match across punctuation. */
function plainWords(text) {
  const words = text.normalize("NFKC").toLowerCase().replaceAll("’", "'");
  return ` ${words.replace(/[^\p{L}\p{N}']+/gu, " ").trim()} `;
}

/** Each phrase counts once, however often it occurs. */
function score(message, direction) {
  const words = plainWords(message);
  const hits = readRules().filter((rule) => rule.direction === direction && words.includes(` ${rule.phrase} `));
  const total = hits.reduce((sum, hit) => sum + hit.weight, 0);
  const level = LEVELS.find(([, from]) => total >= from)[0];
  const categories = [...new Set(hits.map((hit) => hit.category))];
  return { direction, level, score: total, categories, hits: hits.map(({ category, phrase, weight }) => ({ category, phrase, weight })) };
}

function show({ direction, level, score, categories, hits }) {
  const advice = { incoming: level === "high" ? "hand over" : "reasons", outgoing: "rewrite" }[direction];
  const head = `risk: ${level}, score ${score}${hits.length > 0 ? `, ${advice}: ${categories.join(", ")}` : ""}`;
  return [head, ...hits.map((hit) => `${hit.category}: ${hit.phrase} (${hit.weight})`)].join("\n");
}

function readArguments(argv) {
  const options = {
    message: { type: "string" },
    stdin: { type: "boolean" },
    direction: { type: "string", default: "incoming" },
    json: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  };
  try {
    return parseArgs({ args: argv, options }).values;
  } catch (error) {
    throw new UsageError(error.message);
  }
}

function run(argv) {
  const { message, stdin, direction, json, help } = readArguments(argv);
  if (help) {
    return USAGE;
  }
  if ((message === undefined) === !stdin) {
    throw new UsageError("give either --message or --stdin");
  }
  if (direction !== "incoming" && direction !== "outgoing") {
    throw new UsageError(`--direction "${direction}" is not one of: incoming outgoing`);
  }
  const result = score(message ?? readFileSync(0, "utf8"), direction);
  return json ? JSON.stringify(result) : show(result);
}

try {
  console.log(run(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError)) {
    throw error;
  }
  console.error(`risk-check.js: ${error.message}`);
  process.exitCode = 2;
}
