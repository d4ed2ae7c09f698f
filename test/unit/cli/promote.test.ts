import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { cli, cliJson, directoryOf, PlatformPool, skillMd, writeFiles } from "../../helpers/cli.ts";
import { ACCOUNT, API_TOKEN, BUCKET, NAMESPACE } from "../../helpers/cloudflare/account.ts";
import { CloudflareStandIn } from "../../helpers/cloudflare/stand-in.ts";
import { serveSite } from "../../helpers/http-site.ts";

const pool = new PlatformPool();
afterAll(() => pool.stop());

const tree = (version: string) => ({
  "skills/platform/common/SKILL.md": skillMd("common", `${version}\n`),
  "skills/tenants/acme/own/SKILL.md": skillMd("own", `${version}\n`),
});

interface Layers {
  readonly layers: readonly { readonly layer: string; readonly bundle: string; readonly previous: string | null }[];
}

describe("edge-skills promote", { timeout: 60_000 }, () => {
  it("makes live what a preview channel has, uploads nothing, and can be rolled back", async () => {
    const cwd = directoryOf(tree("old"));
    const here = { cwd, startPlatform: pool.start, env: { USER: "tester", EDGE_SKILLS_COMMIT: "abc" } };
    const live = (await cliJson(["deploy", "skills"], here)).document as Layers;
    writeFiles(cwd, tree("new"));
    const preview = (await cliJson(["deploy", "skills", "--channel", "preview-1"], here)).document as Layers;
    const report = {
      from: "preview-1",
      to: "live",
      layers: preview.layers.map(({ layer, bundle }, i) => ({
        layer,
        bundle,
        previous: live.layers[i]?.bundle,
        moved: true,
      })),
    };
    const words = ["promote", "preview-1"];
    const would = await cliJson([...words, "--dry-run"], here);
    expect(would).toEqual({ status: 0, document: { ...report, dry_run: true }, stderr: "" });
    const did = await cliJson(words, here);
    expect(did).toEqual({ status: 0, document: { ...report, dry_run: false }, stderr: "" });
    const { document } = await cliJson(["history"], here);
    expect(document).toMatchObject({ history: [{ reason: "deploy", by: "tester", commit: "abc" }, {}] });
    expect((await cli(words, here)).stdout).toMatch(/^(?:\S+ {2}live {2}sha256:\w{64} {2}unchanged\n){2}$/);
    const back = await cliJson(["rollback"], here);
    expect(back.document).toMatchObject({ bundle: live.layers[0]?.bundle });
    const own = await cliJson([...words, "--tenant", "acme", "--to", "night"], here);
    expect((own.document as Layers).layers.map(({ layer, previous }) => [layer, previous])).toEqual([["acme", null]]);
  });

  it("exits with 2 for a channel that has nothing, or is the same, and names those there are", async () => {
    const cwd = directoryOf(tree("old"));
    const here = { cwd, startPlatform: pool.start };
    await cli(["deploy", "skills"], here);
    const { status, stderr } = await cli(["promote", "preview-9"], here);
    expect([status, stderr]).toEqual([2, expect.stringContaining("known: live")]);
    expect((await cli(["promote", "live"], here)).status).toBe(2);
    expect((await cli(["promote", "No Channel"], here)).status).toBe(2);
  });
});

describe("edge-skills deploy --channel", { timeout: 60_000 }, () => {
  it("tells the preview's address when the settings say where the edge is", async () => {
    const standIn = await CloudflareStandIn.start();
    const url = await serveSite(() => Response.json({ status: "ok", bundle_formats: [1] }));
    const place = { kv_namespace_id: NAMESPACE, r2_bucket: BUCKET, url };
    const cwd = directoryOf({ ...tree("old"), "edge-skills.json": JSON.stringify({ targets: { staging: place } }) });
    const env = {
      CLOUDFLARE_API_TOKEN: API_TOKEN,
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
      CLOUDFLARE_API_BASE_URL: standIn.apiBaseUrl,
      EDGE_SKILLS_R2_ENDPOINT: standIn.r2Endpoint,
      EDGE_SKILLS_TARGET: "staging",
    };
    const addresses = [];
    for (const channel of ["preview-123", "live"]) {
      const { document } = await cliJson(["deploy", "skills", "--channel", channel], { cwd, env });
      addresses.push((document as { address: string }).address);
    }
    expect(addresses).toEqual([`${url}/c/preview-123/`, `${url}/`]);
    await standIn.stop();
  });
});

describe("edge-skills completion", () => {
  /** What bash offers for a line, with the cursor at its end. */
  async function offered(line: string): Promise<string[]> {
    const { stdout } = await cli(["completion", "bash"]);
    const words = line.split(" ");
    const script = `${stdout}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _edge_skills; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout: lines, status } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect(status).toBe(0);
    return lines.split("\n").filter((word) => word !== "");
  }

  it("offers commands, the commands of a group, and the flags of a command", async () => {
    const names = [...new Set(COMMANDS.map(({ name }) => name.split(" ")[0] ?? ""))];
    expect((await offered("edge-skills ")).sort()).toEqual(names.sort());
    expect(await offered("edge-skills ro")).toEqual(["rollback"]);
    expect(await offered("edge-skills token ")).toEqual(["create", "list", "revoke"]);
    expect(await offered("edge-skills deploy skills --ch")).toEqual(["--channel"]);
    expect(await offered("edge-skills token create --sc")).toEqual(["--scopes"]);
  });

  it("prints a script for zsh and fish too, and exits with 2 for another shell", async () => {
    const [zsh, fish, other] = await Promise.all(["zsh", "fish", "csh"].map((shell) => cli(["completion", shell])));
    expect(zsh?.stdout).toMatch(/^autoload -U \+X bashcompinit && bashcompinit\n_edge_skills\(\)/);
    expect(fish?.stdout).toContain(
      "complete -c edge-skills -n '__fish_seen_subcommand_from deploy' -l channel -d 'which channel'",
    );
    expect(other?.status).toBe(2);
  });
});
