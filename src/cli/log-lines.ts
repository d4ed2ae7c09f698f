/** Owns showing people what the Workers of a command log: one readable line each. Never drops one. */
import { printable } from "./source-line.ts";
import type { Terminal } from "./terminal.ts";

const STYLES = { warn: ["yellow", "warning"], error: ["red", "error"] } as const;

/** Reasons of the network that a rule of the operator's would put right. */
const WANTS_RULE = /^no rule allows it$|no rule names it$/;

/** Tells what is logged. @param howToAllow how an origin is let in, for a script that may not reach it */
export function logTeller(terminal: Terminal, howToAllow: (origin: string) => string): (line: string) => void {
  return (line) => {
    const entry = entryOf(line);
    if (entry === null) {
      terminal.say(line);
      return;
    }
    const [colour, word] = STYLES[entry.level];
    terminal.say(`${terminal.style(colour, word)} ${printable(wordsOf(entry.facts, howToAllow))}`);
  };
}

/** Where commands without a flag for it have what scripts may reach. */
export function allowedBySettings(origin: string): string {
  return `"allow": ["${origin}"] lets it, under "egress" in edge-skills.json or in the file of --egress`;
}

interface Entry {
  readonly level: keyof typeof STYLES;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** What an entry of the edge's log says; null for any other line. */
function entryOf(line: string): Entry | null {
  if (!line.startsWith("{")) {
    return null;
  }
  try {
    const { level, ...facts } = JSON.parse(line) as Record<string, unknown>;
    return level === "warn" || level === "error" ? { level, facts } : null;
  } catch {
    return null;
  }
}

function wordsOf({ message, ...facts }: Entry["facts"], howToAllow: (origin: string) => string): string {
  if (message === "network refused") {
    const { skill, method, reason } = facts;
    const origin = String(facts.origin);
    const how = WANTS_RULE.test(String(reason)) ? ` (${howToAllow(origin)})` : "";
    return `skill "${skill}" may not reach ${origin} with ${method}: ${reason}${how}`;
  }
  const rest = Object.entries(facts).map(([name, value]) => `${name}=${textOf(value)}`);
  return [message, ...rest].join(" ");
}

function textOf(value: unknown): string {
  return typeof value === "string" && /^[\w:./-]+$/.test(value) ? value : JSON.stringify(value);
}
