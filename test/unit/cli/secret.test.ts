import { PassThrough } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { readSecret } from "../../../src/cli/secret-input.ts";
import { Terminal } from "../../../src/cli/terminal.ts";
import { cli, cliJson, directoryOf, FakeProcess, PlatformPool } from "../../helpers/cli.ts";
import { codeOf } from "../../helpers/error-code.ts";

const pool = new PlatformPool();
afterAll(() => pool.stop());

/** Reads a secret from what somebody writes; answers it and all that was shown. */
async function readFrom(text: string, isTTY = false): Promise<{ secret: string; shown: string }> {
  const host = new FakeProcess();
  const input: PassThrough & { isTTY?: boolean } = new PassThrough();
  input.isTTY = isTTY;
  const reading = readSecret(input, new Terminal(host), "Secret api, which is not shown:");
  if (isTTY) {
    input.write(text);
  } else {
    input.end(text);
  }
  return { secret: await reading, shown: host.texts.stdout + host.texts.stderr };
}

describe("readSecret()", () => {
  it("takes all of a pipe but the line break at its end", async () => {
    const texts = ["s3cret", "s3cret\n", "s3cret\r\n"];
    expect(await Promise.all(texts.map(async (text) => (await readFrom(text)).secret))).toEqual(
      Array(3).fill("s3cret"),
    );
  });

  it("asks at a terminal, and shows nothing of the answer", async () => {
    expect(await readFrom("s3cret\n", true)).toEqual({ secret: "s3cret", shown: "Secret api, which is not shown:\n" });
  });

  it.each(["", "\n", "two\nlines", " s3cret", "ä", "x".repeat(8_193), "x".repeat(100_000)])(
    "refuses what cannot be one: %j",
    async (text) => {
      expect(await codeOf(() => readFrom(text))).toBe("request-invalid");
    },
  );
});

describe("edge-skills secret", { timeout: 60_000 }, () => {
  it("lists nothing where nothing was put, and tells what is not there", async () => {
    const here = { cwd: directoryOf({}), startPlatform: pool.start };
    expect(await cliJson(["secret", "list", "--tenant", "acme"], here)).toMatchObject({
      status: 0,
      document: { secrets: [] },
    });
    expect(await cliJson(["secret", "rm", "api", "--tenant", "acme"], here)).toMatchObject({
      status: 2,
      document: { error: { code: "secret-unknown" } },
    });
  });

  it.each([
    [["secret", "put", "not a name"], "secret's name"],
    [["secret", "rm", "../tokens"], "secret's name"],
    [["secret", "list", "--tenant", "No"], "tenant"],
    [["secret", "put"], "name"],
    [["secret", "put", "api", "s3cret"], "too many arguments"],
  ])("refuses %j", async (words, problem) => {
    const { status, stderr } = await cli(words, { cwd: directoryOf({}), startPlatform: pool.start });
    expect([status, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});
