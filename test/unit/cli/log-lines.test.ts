import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { logTeller } from "../../../src/cli/log-lines.ts";
import { Terminal } from "../../../src/cli/terminal.ts";

function told(line: string): string {
  let text = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  logTeller(new Terminal({ stdout: stream, stderr: stream, env: {} }), (origin) => `--allow ${origin}`)(line);
  return text;
}

const refusal = { skill: "net", tenant: "acme", method: "GET", origin: "https://example.com" };

it.each([
  [
    "a refusal that a rule would put right",
    { level: "warn", message: "network refused", ...refusal, reason: "no rule allows it" },
    'warning skill "net" may not reach https://example.com with GET: no rule allows it (--allow https://example.com)\n',
  ],
  [
    "a refusal that no rule puts right",
    { level: "warn", message: "network refused", ...refusal, reason: "it is the service itself" },
    'warning skill "net" may not reach https://example.com with GET: it is the service itself\n',
  ],
  [
    "an error with its facts",
    { level: "error", message: "Cannot read", code: "storage-unavailable", cause: "a b", list: [1] },
    'error Cannot read code=storage-unavailable cause="a b" list=[1]\n',
  ],
  ["signs that would move the cursor", { level: "error", message: "up\u001b[1A\nnext" }, "error up·[1A·next\n"],
])("logTeller tells %s in one line", (_what, entry, words) => {
  expect(told(JSON.stringify(entry))).toBe(words);
});

it.each(["plain words", '{"event":"skill.load"}', "{ no JSON"])("logTeller leaves %s as it is", (line) => {
  expect(told(line)).toBe(`${line}\n`);
});
