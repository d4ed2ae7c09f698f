/** Owns reading a secret from who calls: all of a pipe, or a line of a terminal that does not show it. Never from the command line. */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { ReadStream } from "node:tty";
import { SkillsError } from "../model/errors.ts";
import { isSecretValue, MAX_SECRET_LENGTH } from "../model/secret.ts";
import { Interrupted } from "./interrupt.ts";
import type { Terminal } from "./terminal.ts";

type Input = NodeJS.ReadableStream & Partial<Pick<ReadStream, "isTTY">>;

/** A secret; the line break at its end is none of it. Throws `request-invalid` for what cannot be one. */
export async function readSecret(input: Input, terminal: Terminal, prompt: string): Promise<string> {
  const text = input.isTTY ? await askedFor(input, terminal, prompt) : await allOf(input);
  const secret = text.replace(/\r?\n$/, "");
  if (!isSecretValue(secret)) {
    throw new SkillsError(
      "request-invalid",
      `Cannot keep this secret: it has to be printable ASCII without blanks around it, ${MAX_SECRET_LENGTH} characters at most`,
      { hint: "give it on standard input: edge-skills secret put NAME < file" },
    );
  }
  return secret;
}

async function allOf(input: Input): Promise<string> {
  let text = "";
  for await (const piece of input) {
    text += piece;
    if (text.length > 2 * MAX_SECRET_LENGTH) {
      break;
    }
  }
  return text;
}

function askedFor(input: Input, terminal: Terminal, prompt: string): Promise<string> {
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  terminal.say(prompt);
  return new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    lines.once("SIGINT", () => reject(new Interrupted("SIGINT")));
    lines.once("close", () => resolve(""));
  }).finally(() => lines.close());
}
