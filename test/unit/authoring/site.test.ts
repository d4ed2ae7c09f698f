/** `edge-skills import` from a site's `/.well-known/`, against a server on 127.0.0.1. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeTarGz, makeZip } from "../../helpers/archives.ts";
import { cliJson, directoryOf, skillMd } from "../../helpers/cli.ts";

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

type Answer = string | Uint8Array | { readonly status: number; readonly location?: string };

/** A site that answers these paths; all others are 404. */
async function siteWith(pages: Readonly<Record<string, Answer>>): Promise<string> {
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ""];
    if (page === undefined) {
      response.writeHead(404).end("nothing");
    } else if (typeof page === "string" || page instanceof Uint8Array) {
      response.writeHead(200).end(page);
    } else {
      response.writeHead(page.status, page.location === undefined ? {} : { location: page.location }).end();
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const digestOf = (bytes: string | Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const entry = (name: string, type: string, url: string, bytes: string | Uint8Array) => ({
  name,
  type,
  description: `What ${name} does.`,
  url,
  digest: digestOf(bytes),
});
const index = (...skills: readonly object[]) => JSON.stringify({ $schema: SCHEMA, skills, later: true });
const importFrom = (address: string, cwd: string) => cliJson(["import", address, "--to", "to"], { cwd });

const ARCHIVE = makeTarGz([
  { name: "SKILL.md", bytes: Buffer.from(skillMd("kit")) },
  { name: "scripts/a.sh", bytes: Buffer.from("echo a\n") },
]);

describe("import from a site of discovery 0.2.0", () => {
  test("brings single files and archives whose digests are right, and follows redirects", async () => {
    const plain = skillMd("plain");
    const zip = makeZip([{ name: "SKILL.md", bytes: Buffer.from(skillMd("zipped")) }]);
    const site = await siteWith({
      "/.well-known/agent-skills/index.json": index(
        entry("plain", "skill-md", "plain/SKILL.md", plain),
        entry("kit", "archive", "/files/kit.tar.gz", ARCHIVE),
        entry("zipped", "archive", "/old.zip", zip),
      ),
      "/.well-known/agent-skills/plain/SKILL.md": plain,
      "/files/kit.tar.gz": ARCHIVE,
      "/old.zip": { status: 302, location: "/new.zip" },
      "/new.zip": zip,
    });
    const cwd = directoryOf({});
    expect((await importFrom(site, cwd)).status).toBe(0);
    expect(readdirSync(join(cwd, "to"), { recursive: true }).sort()).toEqual([
      "kit",
      "kit/SKILL.md",
      "kit/scripts",
      "kit/scripts/a.sh",
      "plain",
      "plain/SKILL.md",
      "zipped",
      "zipped/SKILL.md",
    ]);
  });

  test("leaves out what does not match its digest, is not there, or is of an unknown kind, and brings the rest", async () => {
    const site = await siteWith({
      "/.well-known/agent-skills/index.json": index(
        { ...entry("changed", "skill-md", "/a.md", "something else") },
        entry("gone", "archive", "/gone.zip", ""),
        entry("image", "container", "/image", ""),
        { ...entry("Bad Name", "skill-md", "/a.md", "") },
        entry("kit", "archive", "/kit", ARCHIVE),
      ),
      "/a.md": skillMd("changed"),
      "/kit": ARCHIVE,
    });
    const cwd = directoryOf({});
    const { status, document } = await importFrom(site, cwd);
    expect([status, document]).toMatchObject([
      1,
      {
        skills: [
          { name: "kit", path: "to/kit", ok: true },
          {
            name: "changed",
            ok: false,
            error: { code: "source-invalid", message: expect.stringContaining("has the digest sha256:") },
          },
          { name: "gone", ok: false, error: { message: expect.stringContaining("is not there") } },
          { name: "image", ok: false, error: { message: expect.stringContaining("type:") } },
          { name: "Bad Name", ok: false, error: { message: expect.stringContaining("name:") } },
        ],
        summary: { skills: 1, errors: 4 },
      },
    ]);
    expect(readdirSync(join(cwd, "to"))).toEqual(["kit"]);
  });

  test("looks below the path that is given before the root", async () => {
    const [deep, root] = [skillMd("deep"), skillMd("root")];
    const site = await siteWith({
      "/docs/.well-known/agent-skills/index.json": index(entry("deep", "skill-md", "deep.md", deep)),
      "/docs/.well-known/agent-skills/deep.md": deep,
      "/.well-known/agent-skills/index.json": index(entry("root", "skill-md", "root.md", root)),
      "/.well-known/agent-skills/root.md": root,
    });
    const named = async (path: string) => (await importFrom(site + path, directoryOf({}))).document;
    expect(await named("/docs/")).toMatchObject({ skills: [{ name: "deep" }] });
    expect(await named("/other")).toMatchObject({ skills: [{ name: "root" }] });
    expect(await named("/docs/.well-known/agent-skills/index.json")).toMatchObject({ skills: [{ name: "deep" }] });
  });
});

describe("import from a site of discovery 0.1.0", () => {
  test("brings the files it lists", async () => {
    const files = ["SKILL.md", "references/a b.md"];
    const site = await siteWith({
      "/.well-known/skills/index.json": JSON.stringify({
        skills: [
          { name: "old", description: "x", files },
          { name: "up", description: "x", files: ["SKILL.md", "../../etc/passwd"] },
        ],
      }),
      "/.well-known/skills/old/SKILL.md": skillMd("old"),
      "/.well-known/skills/old/references/a%20b.md": "text",
    });
    const cwd = directoryOf({});
    expect(await importFrom(site, cwd)).toMatchObject({
      status: 1,
      document: {
        skills: [
          { name: "old", files },
          { name: "up", ok: false, error: { code: "source-invalid" } },
        ],
      },
    });
    expect(readFileSync(join(cwd, "to/old/references/a b.md"), "utf8")).toBe("text");
  });
});

describe("import refuses", () => {
  test.each<[string, Record<string, Answer>, number, string]>([
    ["a site without an index", {}, 1, "source-invalid"],
    ["an index that is a web page", { "/.well-known/agent-skills/index.json": "<!doctype html>" }, 1, "source-invalid"],
    [
      "an index of another kind",
      { "/.well-known/agent-skills/index.json": '{"$schema":"x","skills":[]}' },
      1,
      "source-invalid",
    ],
    ["an index without skills", { "/.well-known/agent-skills/index.json": index() }, 1, "skill-md-missing"],
    ["a site that fails", { "/.well-known/agent-skills/index.json": { status: 500 } }, 3, "source-unavailable"],
  ])("%s", async (_, pages, status, code) => {
    const cwd = directoryOf({});
    expect(await importFrom(await siteWith(pages), cwd)).toMatchObject({ status, document: { error: { code } } });
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("a site that cannot be reached, and an address with a password", async () => {
    const cwd = directoryOf({});
    expect(await importFrom("http://127.0.0.1:9", cwd)).toMatchObject({
      status: 3,
      document: { error: { code: "source-unavailable" } },
    });
    expect(await importFrom("http://me:secret@127.0.0.1:9", cwd)).toMatchObject({
      status: 1,
      document: { error: { code: "source-invalid" } },
    });
  });

  test("nothing when the address is that of an archive", async () => {
    const site = await siteWith({ "/kit.tar.gz": ARCHIVE });
    const { document } = await importFrom(`${site}/kit.tar.gz`, directoryOf({}));
    expect(document).toMatchObject({ skills: [{ name: "kit", path: "to/kit" }] });
  });
});
