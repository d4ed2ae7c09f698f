import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../../src/cli/main.ts";
import { cli, cliJson, directoryOf, FakeProcess, skillMd, writeFiles } from "../../helpers/cli.ts";

const WAIT = { timeout: 30_000, interval: 50 };
const TOKEN = /es_[a-z-]+_[\w-]{43}/;

interface Ready {
  readonly url: string;
  readonly token: string;
  readonly operator_token: string;
  readonly tenant_tokens: Readonly<Record<string, string>>;
}

let cwd = "";
let host: FakeProcess;
let ended: Promise<number>;
let ready: Ready;

/** Starts `dev` in this process; answers its exit status. */
function startDev(words: readonly string[], process: FakeProcess): Promise<number> {
  return main(["dev", ...words, "--port", "0"], process);
}

async function get(path: string, token = ready.token): Promise<Record<string, unknown>> {
  const response = await fetch(ready.url + path, { headers: { Authorization: `Bearer ${token}` } });
  return (await response.json()) as Record<string, unknown>;
}

async function waitForBody(skill: string, body: string): Promise<void> {
  await vi.waitFor(async () => expect((await get(`/v1/skills/${skill}`)).body).toBe(body), WAIT);
}

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "edge-skills-test-"));
  writeFiles(cwd, {
    "skills/platform/edited/SKILL.md": skillMd("edited", "as it was\n"),
    "skills/platform/edited/scripts/hello.sh": "echo hello\n",
    "skills/platform/broken-all-along/SKILL.md": "no frontmatter",
    "skills/tenants/acme/own/SKILL.md": skillMd("own"),
    "settings.json": '{ "approval": { "run_skill_script": "ask" } }',
  });
  host = new FakeProcess({ cwd });
  const words = ["skills", "--state", "state", "--config", "settings.json", "--json"];
  ended = startDev(words, host);
  await vi.waitFor(() => expect(host.texts.stdout).toContain("ready"), WAIT);
  ready = (JSON.parse(host.texts.stdout) as { ready: Ready }).ready;
}, 60_000);
afterAll(async () => {
  host.emit("SIGTERM");
  await ended;
  rmSync(cwd, { recursive: true, force: true });
}, 60_000);

describe("edge-skills dev", { timeout: 60_000 }, () => {
  it("with --json prints one line when it is ready, and nothing else on standard output", () => {
    const token = expect.stringMatching(TOKEN);
    expect(
      host.texts.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        ready: {
          url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
          token,
          operator_token: token,
          tenant_tokens: { acme: token },
        },
      },
    ]);
    expect(host.texts.stderr).toContain("skills/platform/broken-all-along");
  });

  it("serves what `list` and `show` print", async () => {
    const state = ["--state", "state"];
    const [list, show, acme] = [
      await cliJson(["list", "--tenant", "acme", ...state], { cwd }),
      await cliJson(["show", "edited", ...state], { cwd }),
      await cliJson(["show", "own", "--tenant", "acme", "--from", "live", ...state], { cwd }),
    ];
    const own = ready.tenant_tokens.acme;
    expect(list.document).toEqual(await get("/v1/skills", own));
    expect(show.document).toEqual(await get("/v1/skills/edited"));
    expect(acme.document).toEqual(await get("/v1/skills/own", own));
  });

  it("honours the settings of --config", async () => {
    const response = await fetch(`${ready.url}/v1/tools/run_skill_script`, {
      method: "POST",
      headers: { Authorization: `Bearer ${ready.token}` },
      body: JSON.stringify({ skill_name: "edited", script_name: "scripts/hello.sh" }),
    });
    expect(await response.json()).toMatchObject({ is_error: false, approval: { status: "pending" } });
  });

  it("serves an edit, also one that an editor renames into place, and again", async () => {
    for (const body of ["renamed once\n", "renamed twice\n", "renamed a third time\n"]) {
      writeFiles(cwd, { "beside.md": skillMd("edited", body) });
      renameSync(join(cwd, "beside.md"), join(cwd, "skills/platform/edited/SKILL.md"));
      await waitForBody("edited", body);
    }
    writeFiles(cwd, { "skills/platform/edited/SKILL.md": skillMd("edited", "written\n") });
    await waitForBody("edited", "written\n");
  });

  it("serves a new skill in a new directory, and what is edited in it", async () => {
    writeFiles(cwd, { "skills/platform/group/new/SKILL.md": skillMd("new", "one\n") });
    await waitForBody("new", "one\n");
    writeFiles(cwd, { "skills/platform/group/new/SKILL.md": skillMd("new", "two\n") });
    await waitForBody("new", "two\n");
    rmSync(join(cwd, "skills/platform/group"), { recursive: true });
    await vi.waitFor(async () => expect(await get("/v1/skills/new")).toMatchObject({ code: "skill-not-found" }), WAIT);
    writeFiles(cwd, { "skills/platform/group/new/SKILL.md": skillMd("new", "three\n") });
    await waitForBody("new", "three\n");
  });

  it("keeps the last good bundle over a broken edit and says so, and serves the mended one", async () => {
    writeFiles(cwd, { "skills/platform/edited/SKILL.md": skillMd("edited", "good\n") });
    await waitForBody("edited", "good\n");
    const { bundle } = await get("/v1/skills");
    const told = host.texts.stderr.length;
    writeFiles(cwd, { "skills/platform/edited/SKILL.md": "---\nname: edited\n---\nno description\n" });
    await vi.waitFor(() => expect(host.texts.stderr.slice(told)).toContain("The last good bundle is served."), WAIT);
    expect(host.texts.stderr.slice(told)).toContain("(description-missing)");
    expect(await get("/v1/skills/edited")).toMatchObject({ bundle, body: "good\n" });

    writeFiles(cwd, { "skills/platform/edited/SKILL.md": skillMd("edited", "mended\n") });
    await waitForBody("edited", "mended\n");
  });

  it("sees at once what `deploy` and `rollback` do to its state", async () => {
    const before = (await get("/v1/skills/edited")).body;
    const elsewhere = directoryOf({ "edited/SKILL.md": skillMd("edited", "from elsewhere\n") });
    await cli(["deploy", elsewhere, "--state", "state"], { cwd });
    expect((await get("/v1/skills/edited")).body).toBe("from elsewhere\n");
    await cli(["rollback", "--state", "state"], { cwd });
    expect((await get("/v1/skills/edited")).body).toBe(before);
  });

  it("exits with 3 when the port is taken", async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" ? (address?.port ?? 0) : 0);
      });
    });
    const outcome = await cliJson(["dev", "skills", "--state", "other", "--port", String(port)], { cwd });
    server.close();
    expect(outcome).toMatchObject({ status: 3, document: { error: { code: "port-taken" } } });
  });

  it("tells people address, tokens and calls to try, and ends with 0 when it is told to, its tokens revoked", async () => {
    const people = new FakeProcess({ cwd });
    const status = startDev(["skills", "--state", "people"], people);
    await vi.waitFor(() => expect(people.texts.stdout).toContain("Ctrl-C ends it"), WAIT);
    const { stdout } = people.texts;
    expect(stdout).toMatch(/^edge-skills serves 3 skills at http:\/\/127\.0\.0\.1:\d+\n/);
    expect(stdout).toMatch(
      / {2}token for agents +es_platform_\S+\n {2}token for operators +es_platform_\S+\n {2}token for acme +es_acme_\S+\n/,
    );
    expect(stdout).toMatch(
      /\nTry:\n {2}export TOKEN=es_platform_\S+\n(?: {2}curl -H "Authorization: Bearer \$TOKEN" http\S+.*\n){2}/,
    );
    const tokens = () => cliJson(["token", "list", "--state", "people"], { cwd });
    expect((await tokens()).document).toMatchObject({ tokens: [{ scopes: ["read", "run"] }, { scopes: ["admin"] }] });
    people.emit("SIGINT");
    expect(await status).toBe(0);
    expect((await tokens()).document).toEqual({ tokens: [] });
  });
});
