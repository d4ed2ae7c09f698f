import { describe, expect, it, onTestFinished } from "vitest";
import { decodeIndex } from "../../../src/bundle/index-format.ts";
import { main } from "../../../src/cli/main.ts";
import { layersOf } from "../../../src/pack/layers.ts";
import { packSkills } from "../../../src/pack/pack.ts";
import { createHttpFunctionRunner } from "../../../src/runners/http-function-runner.ts";
import { cli, directoryOf, FakeProcess, skillMd } from "../../helpers/cli.ts";
import { codeOf } from "../../helpers/error-code.ts";
import { jobOf } from "../../helpers/script-job.ts";

const SECRET = "of-this-test-only";

/** Starts the command and answers where it serves; it ends with the test, by Ctrl-C. */
async function serve(words: readonly string[], cwd = "."): Promise<string> {
  const host = new FakeProcess({ cwd, env: { EDGE_SKILLS_FUNCTION_SECRET: SECRET } });
  const ended = main(["function", "serve", "--port", "0", "--json", ...words], host);
  onTestFinished(async () => {
    host.emit("SIGINT");
    expect(await ended).toBe(0);
  });
  const line = await new Promise<string>((resolve) => host.stdout.once("data", resolve));
  return (JSON.parse(line) as { ready: { url: string } }).ready.url;
}

describe("edge-skills function serve", () => {
  it("refuses to start without a secret, and tells how to make one", async () => {
    const { status, stderr } = await cli(["function", "serve", "--port", "0"], { env: {} });
    expect([status, stderr]).toEqual([2, expect.stringContaining("EDGE_SKILLS_FUNCTION_SECRET is not set")]);
    expect(stderr).toContain("openssl rand");
  });

  it("says in its help what it must never run beside", async () => {
    const { stdout } = await cli(["function", "serve", "--help"]);
    expect(stdout.replace(/\s+/g, " ")).toContain("run it in a container or on a machine of its own");
  });

  it("tells of a port that is taken, and of an address that is not this machine's, with what to give instead", async () => {
    const { port } = new URL(await serve([]));
    const env = { EDGE_SKILLS_FUNCTION_SECRET: SECRET };
    expect(await cli(["function", "serve", "--port", port], { env })).toEqual({
      status: 3,
      stdout: "",
      stderr: `error Cannot listen on 127.0.0.1:${port}: something else does (port-taken)\n  give another --port, or 0 for a free one\n`,
    });
    const elsewhere = await cli(["function", "serve", "--port", "0", "--host", "192.0.2.1"], { env });
    expect(elsewhere).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--host is an address of this machine"),
    });
    const beyond = await cli(["function", "serve", "--port", "65536"], { env });
    expect(beyond).toMatchObject({ status: 2, stderr: expect.stringContaining("Cannot serve at 127.0.0.1:65536") });
  });

  it("runs what it is sent; Ctrl-C ends it", async () => {
    const runner = createHttpFunctionRunner({ url: await serve([]), secret: SECRET });
    expect(await runner.run(await jobOf({ source: 'echo "$1"\n', argv: ["hello"] }))).toMatchObject({
      exit_code: 0,
      stdout: "hello\n",
    });
  });

  it("with --from runs scripts of these skills only", async () => {
    const cwd = directoryOf({
      "skills/greet/SKILL.md": skillMd("greet"),
      "skills/greet/scripts/hi.sh": "cat words.txt\n",
      "skills/greet/words.txt": "hi\n",
    });
    const runner = createHttpFunctionRunner({
      url: await serve(["--from", "skills"], cwd),
      secret: SECRET,
      sends: "call",
    });
    const [layer] = (await packSkills({ layers: layersOf([`${cwd}/skills`]) })).layers;
    const [greet] = layer === undefined ? [] : decodeIndex(layer.index).skills;
    const job = await jobOf({ path: "scripts/hi.sh" });
    const known = { ...job, skill: { ...job.skill, digest: greet?.digest ?? job.skill.digest } };
    expect(await runner.run(known)).toMatchObject({ exit_code: 0, stdout: "hi\n" });
    expect(await codeOf(() => runner.run(job))).toBe("runner-failed");
  });
});
