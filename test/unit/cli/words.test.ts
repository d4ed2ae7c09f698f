import { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { Terminal } from "../../../src/cli/terminal.ts";
import { cli, cliJson, directoryOf, FakeProcess, skillMd } from "../../helpers/cli.ts";

const names = COMMANDS.map(({ name }) => name);
const ESCAPE = "\u001b[";

describe("edge-skills", () => {
  it("lists every command with --help, each group's under its own", async () => {
    const { status, stdout, stderr } = await cli(["--help"]);
    expect([status, stderr]).toEqual([0, ""]);
    for (const name of names) {
      expect(stdout).toMatch(new RegExp(`^  ${name.split(" ")[0]}\\b`, "m"));
    }
    const token = await cli(["token", "--help"]);
    expect(token.stdout).toMatch(/^ {2}create\b[\s\S]*^ {2}list\b[\s\S]*^ {2}revoke\b/m);
  });

  it.each(names)("%s --help tells usage, options and examples, and exits with 0", async (name) => {
    const { status, stdout, stderr } = await cli([...name.split(" "), "--help"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`Usage: edge-skills ${name}`);
    expect(stdout).toContain("Options:");
    expect(stdout).toContain(`Examples:\n  edge-skills ${name}`);
  });

  it.each(names)("%s refuses an unknown flag with 2, in words on standard error", async (name) => {
    const { status, stdout, stderr } = await cli(
      [...name.split(" "), "--out", "out", "--bogus"].filter(
        (word) => ["pack", "export"].includes(name) || !word.endsWith("out"),
      ),
    );
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("unknown option '--bogus'");
  });

  it("prints its version", async () => {
    expect(await cli(["--version"])).toEqual({ status: 0, stdout: "0.1.0\n", stderr: "" });
  });

  it.each([[[]], [["token"]]])(
    "with %j and no command prints help on standard error and exits with 2",
    async (words) => {
      const { status, stdout, stderr } = await cli(words);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("Usage: edge-skills");
    },
  );

  it.each([
    ["an unknown command", ["nope"]],
    ["an unknown command of a group", ["token", "nope"]],
    ["a missing argument", ["show"]],
    ["an argument too many", ["status", "more"]],
    ["pack without --out", ["pack"]],
    ["a target it does not have", ["deploy", "--target", "moon"]],
    ["a channel that cannot be one", ["deploy", "--channel", "../up"]],
    ["a tenant that cannot be one", ["deploy", "--tenant", "platform"]],
    ["scopes it does not know", ["token", "create", "--scopes", "read,fly"]],
    ["no scopes", ["token", "create", "--scopes", ","]],
    ["a port that is no number", ["dev", "--port", "http"]],
    ["a port that is none", ["dev", "--port", "65536"]],
    ["a time limit that is no number", ["run", "a", "b", "--timeout", "1.5"]],
    ["an input that is not there", ["run", "a", "b", "--in", "not-there.csv"]],
    ["settings that are not there", ["dev", "--config", "not-there.json"]],
  ])("exits with 2 for %s, and with --json says so in one document", async (_, words) => {
    const { status, stdout } = await cli(words);
    expect([status, stdout]).toEqual([2, ""]);
    expect(await cliJson(words)).toMatchObject({
      status: 2,
      document: { error: { code: "usage", message: expect.stringMatching(/./) } },
    });
  });

  it.each([
    ["check", "nowhere"],
    ["pack", "nowhere", "-o", "out"],
    ["deploy", "nowhere"],
    ["dev", "nowhere"],
  ])("%s exits with 2 for a directory that is not there", async (...words) => {
    const cwd = directoryOf({});
    const { status, document } = await cliJson(words, { cwd });
    expect([status, document]).toMatchObject([
      2,
      { error: { code: "directory-missing", message: expect.stringMatching(/\/nowhere": there is none$/) } },
    ]);
  });

  it("names the unknown keys of settings, and exits with 2", async () => {
    const cwd = directoryOf({ "edge-skills.json": '{ "limits": { "tiemout_ms": 1 }, "colour": true }' });
    const { status, stderr } = await cli(["list", "--from", "."], { cwd });
    expect(status).toBe(2);
    expect(stderr).toContain('"colour"');
    expect(stderr).toContain('"tiemout_ms"');
  });

  it("names the place where settings are no JSON, and exits with 2", async () => {
    const cwd = directoryOf({ "edge-skills.json": '{\n  "limits": {},,\n}' });
    const { status, stderr } = await cli(["list", "--from", "."], { cwd });
    expect(status).toBe(2);
    expect(stderr).toContain("Cannot read edge-skills.json: it is not JSON: ");
    expect(stderr).toContain("line 2 column 16");
  });

  it("tells with --json what it tells in words: the hint, and the names it knows", async () => {
    const cwd = directoryOf({ "skills/greet/SKILL.md": skillMd("greet") });
    const words = ["show", "gret", "--from", "skills"];
    const { stderr } = await cli(words, { cwd });
    expect(stderr).toBe('error Cannot find skill "gret": no such skill (skill-not-found)\n  known: greet\n');
    expect((await cliJson(words, { cwd })).document).toEqual({
      error: { code: "skill-not-found", message: 'Cannot find skill "gret": no such skill', candidates: ["greet"] },
    });
    expect((await cliJson(["run", "a", "b", "--allow", "example.com"], { cwd })).document).toEqual({
      error: {
        code: "usage",
        message: 'Cannot use --allow "example.com": it is no origin',
        hint: "an origin is scheme, host and port: https://api.example.com",
      },
    });
  });

  it("takes --json behind `--` for the script's", async () => {
    const { status, stdout } = await cli(["run", "a", "b", "--in", "not-there.csv", "--", "--json"]);
    expect([status, stdout]).toEqual([2, ""]);
  });
});

describe("colour and progress", { timeout: 60_000 }, () => {
  const files = { "a/SKILL.md": skillMd("a"), "b/SKILL.md": "---\nname: b\n---\n" };
  const check = (terminal: readonly ("stdout" | "stderr")[], env: Record<string, string> = {}) =>
    cli(["check", "."], { cwd: directoryOf(files), terminal, env });

  it("are shown on a terminal", async () => {
    const { stderr } = await check(["stderr"]);
    expect(stderr).toContain(`${ESCAPE}31merror${ESCAPE}39m`);
    expect(stderr).toContain(`reading skills ${"━".repeat(24)} 2/2`);
  });

  it.each([
    ["standard error is no terminal", ["stdout"], {}],
    ["NO_COLOR is set", ["stdout", "stderr"], { NO_COLOR: "1" }],
    ["the terminal is dumb", ["stdout", "stderr"], { TERM: "dumb" }],
  ] as const)("are left out when %s", async (_, terminal, env) => {
    const { stdout, stderr } = await check(terminal, env);
    expect(stdout + stderr).not.toContain(ESCAPE);
  });

  it("stay out of a result that goes elsewhere than to a terminal", async () => {
    const cwd = directoryOf({ "a/SKILL.md": skillMd("a") });
    const words = ["deploy", ".", "--state", "state", "--dry-run"];
    const { stdout } = await cli(words, { cwd, terminal: ["stderr"] });
    expect(stdout).toMatch(
      /^platform {2}skills: 1 added\n {2}\+ a {2}\d+ bytes\n.+\nplatform {2}live {2}sha256:[0-9a-f]{64} {2}new\n$/,
    );
    const shown = await cli(words, { cwd, terminal: ["stdout"] });
    expect(shown.stdout).toContain(`${ESCAPE}32mnew${ESCAPE}39m`);
  });
});

describe("Terminal", () => {
  it("tells of long work off a terminal with a line every five seconds, and nothing of short work", async () => {
    const host = new FakeProcess();
    let time = 0;
    const terminal = new Terminal({ stdout: host.stdout, stderr: host.stderr, env: {}, now: () => time });
    for (let done = 0; done <= 120; done++) {
      terminal.progress({ what: "uploading", done, total: 120 });
      time += 100;
    }
    terminal.progress({ what: "removing", done: 1, total: 2 });
    await setImmediate();
    expect(host.texts.stderr).toBe("uploading: 50 of 120\nuploading: 100 of 120\n");
  });

  it.each(["stdout", "stderr"] as const)("goes on when nobody reads %s any more", async (name) => {
    const host = new FakeProcess();
    const broken = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(), { code: "EPIPE" })),
    });
    const terminal = new Terminal({ stdout: host.stdout, stderr: host.stderr, env: {}, [name]: broken });
    terminal.result("result");
    terminal.say("words");
    await new Promise((resolve) => broken.once("close", resolve));
    expect(host.texts).toEqual({ stdout: "result\n", stderr: "words\n", [name]: "" });
  });
});
