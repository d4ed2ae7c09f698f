import { describe, expect, it } from "vitest";
import { decodeIndex, encodeIndex, type IndexEntry } from "../../src/bundle/index-format.ts";
import { blobKey, channelKey, indexKey, workKey } from "../../src/bundle/keys.ts";
import { SearchIndex } from "../../src/bundle/search-index.ts";
import type { Frame } from "../../src/bundle/upload-frames.ts";
import { type Digest, digestOf } from "../../src/model/digest.ts";
import type { Scope } from "../../src/model/token.ts";
import { UPLOAD_LIMITS } from "../../src/model/upload.ts";
import { PrivateEdge } from "./support/private-edge.ts";
import { problemOf } from "./support/problem.ts";
import {
  type Begun,
  type Bundle,
  begin,
  bundleOf,
  deployBundle,
  planOf,
  post,
  type Send,
  sendFrames,
} from "./support/uploader.ts";

let edges = 0;

/** An edge, and two tenants who may deploy. */
async function scene(settings = {}) {
  const edge = new PrivateEdge(`deploys-${edges++}`, settings);
  const sender = async (tenant: string, scopes: readonly Scope[] = ["read", "deploy"]) => {
    const { id, token } = await edge.token(tenant, scopes);
    const send: Send = (path, init) => edge.ask(token, path, init);
    return { id, send };
  };
  const [acme, globex] = [await sender("acme"), await sender("globex")];
  return { edge, sender, acme, globex };
}

const namesSeen = async (send: Send): Promise<string[]> => {
  const { skills }: { skills: { name: string }[] } = await (await send("/v1/skills")).json();
  return skills.map(({ name }) => name);
};

const codeIn = async (response: Response | Promise<Response>): Promise<[number, unknown]> => {
  const { status, body } = await problemOf(await response);
  return [status, (body as { code?: string }).code];
};

const ONE = [{ name: "one", files: [{ path: "references/a.md", content: "first\n" }] }];

describe("POST /v1/uploads and /v1/deploys", () => {
  it("take a bundle from nothing to live, with who moved it", async () => {
    const { edge, acme } = await scene();
    const bundle = await bundleOf(ONE);
    const begun = await begin(acme.send, bundle);
    expect([...begun.send].sort()).toEqual(bundle.frames.map(({ digest }) => digest).sort());
    expect(await (await sendFrames(acme.send, begun.upload, bundle.frames)).json()).toEqual({ taken: 3 });
    const body = {
      channel: "live",
      expected: null,
      upload: begun.upload,
      index: bundle.index,
      by: "ada",
      commit: "abc",
    };
    const moved = await post(acme.send, "/v1/deploys", body);
    expect([moved.status, await moved.json()]).toEqual([
      200,
      { layer: "acme", channel: "live", bundle: bundle.bundle, previous: null, version: expect.any(String) },
    ]);
    edge.forget();
    expect(await namesSeen(acme.send)).toEqual(["one"]);
    expect(await (await acme.send("/v1/skills/one/files/references/a.md")).text()).toBe("first\n");
    const { history } = (await (await acme.send("/v1/deploys?channel=live")).json()) as { history: object[] };
    const at = expect.any(String);
    expect(history).toEqual([
      { bundle: bundle.bundle, at, by: `ada (token ${acme.id})`, reason: "deploy", commit: "abc" },
    ]);
    expect(await edge.keys("work/")).toEqual([]);
  });

  it("ask for nothing of an unchanged bundle, and for what a changed file changes", async () => {
    const { acme } = await scene();
    const files = ["a", "b", "c"].map((name) => ({ path: `references/${name}.md`, content: `${name}\n` }));
    const first = await bundleOf([
      { name: "one", files },
      { name: "two", files },
    ]);
    expect((await deployBundle(acme.send, first)).status).toBe(200);
    expect((await begin(acme.send, first)).send).toEqual([]);
    const changed = [{ path: "references/a.md", content: "changed\n" }, ...files.slice(1)];
    const second = await bundleOf([
      { name: "one", files: changed },
      { name: "two", files },
    ]);
    const known = new Set(first.frames.map(({ digest }) => digest));
    const fresh = second.frames.map(({ digest }) => digest).filter((digest) => !known.has(digest));
    expect([...(await begin(acme.send, second)).send].sort()).toEqual(fresh.sort());
    expect(fresh).toHaveLength(2);
    expect((await deployBundle(acme.send, second)).status).toBe(200);
    // A bundle of the history is there whole.
    expect((await begin(acme.send, first)).send).toEqual([]);
    expect((await deployBundle(acme.send, first)).status).toBe(200);
  });

  it("make the search index of a bundle themselves, and take no bundle that names another", async () => {
    const { edge, acme } = await scene();
    const plain = await bundleOf([{ name: "one", description: "Counts tides." }, { name: "two" }]);
    const { skills } = decodeIndex(new TextEncoder().encode(plain.index));
    const blob = SearchIndex.of(skills).encode();
    const naming = async (search: Digest): Promise<Bundle> => {
      const index = encodeIndex(skills, search);
      return { ...plain, bundle: await digestOf(index), index: new TextDecoder().decode(index) };
    };
    const named = await naming(await digestOf(blob));
    expect((await deployBundle(acme.send, named)).status).toBe(200);
    expect(await (await acme.send(`/v1/deploys/${named.bundle}`)).text()).toBe(named.index);
    expect(await edge.keys("blob/")).toContain(blobKey(await digestOf(blob)));
    edge.forget();
    const found = await (await acme.send("/v1/skills?query=tide")).json();
    expect(found).toMatchObject({ skills: [{ name: "one" }] });
    expect(edge.reads).toContain(blobKey(await digestOf(blob)));
    const foreign = await naming(await digestOf("what another one holds"));
    expect(await codeIn(deployBundle(acme.send, foreign))).toEqual([422, "upload-invalid"]);
  });

  it("make no more than 100 channels of a layer, and go on with those there are", async () => {
    const { edge, acme, globex } = await scene();
    const bundle = await bundleOf(ONE);
    expect((await deployBundle(acme.send, bundle)).status).toBe(200);
    const pointer = await (await edge.env.SKILLS_R2?.get(channelKey("acme", "live")))?.arrayBuffer();
    for (let more = 1; more < UPLOAD_LIMITS.channels; more++) {
      await edge.env.SKILLS_R2?.put(channelKey("acme", `preview-${more}`), pointer ?? null);
    }
    expect(await codeIn(deployBundle(acme.send, bundle, "one-more"))).toEqual([409, "channels-full"]);
    const next = await bundleOf([{ name: "two" }]);
    expect((await deployBundle(acme.send, next, "preview-7")).status).toBe(200);
    expect((await deployBundle(globex.send, bundle, "one-more")).status).toBe(200);
  });

  it("say what would be sent, and open nothing, for a dry run", async () => {
    const { edge, acme } = await scene();
    const bundle = await bundleOf(ONE);
    const response = await post(acme.send, "/v1/uploads", { ...planOf(bundle), dry_run: true });
    expect(await response.json()).toEqual({
      upload: null,
      expires_at: null,
      send: expect.arrayContaining(bundle.frames.map(({ digest }) => digest)),
    });
    expect(await edge.keys("")).toEqual([]);
  });

  it("let one of two deploys at the same time win, and tell the other", async () => {
    const { acme } = await scene();
    const bundles = [await bundleOf(ONE), await bundleOf([{ name: "two" }])];
    const uploads = await Promise.all(bundles.map((bundle) => begin(acme.send, bundle)));
    await Promise.all(bundles.map((bundle, i) => sendFrames(acme.send, uploads[i]?.upload ?? "", bundle.frames)));
    const moves = await Promise.all(
      bundles.map(({ index }, i) =>
        post(acme.send, "/v1/deploys", { channel: "live", expected: null, upload: uploads[i]?.upload, index }),
      ),
    );
    expect(moves.map(({ status }) => status).sort()).toEqual([200, 409]);
    const loser = moves.find(({ status }) => status === 409);
    expect(loser && (await codeIn(loser))).toEqual([409, "deploy-conflict"]);
    const winner = bundles[moves.findIndex(({ status }) => status === 200)];
    const { bundle } = (await (await acme.send("/v1/deploys?channel=live")).json()) as { bundle: string };
    expect(bundle).toBe(winner?.bundle);
  });

  it("move to a kept bundle, and to no other", async () => {
    const { acme, globex } = await scene();
    const [first, second] = [await bundleOf(ONE), await bundleOf([{ name: "two" }])];
    await deployBundle(acme.send, first);
    await deployBundle(acme.send, second, "preview-1");
    const { version } = (await (await acme.send("/v1/deploys?channel=live")).json()) as { version: string };
    const move = { channel: "live", expected: version, bundle: second.bundle, reason: "deploy" };
    expect(await codeIn(post(globex.send, "/v1/deploys", { ...move, expected: null }))).toEqual([
      404,
      "bundle-unknown",
    ]);
    expect((await post(acme.send, "/v1/deploys", move)).status).toBe(200);
    expect(await codeIn(post(acme.send, "/v1/deploys", move))).toEqual([409, "deploy-conflict"]);
    const index = await acme.send(`/v1/deploys/${second.bundle}`);
    expect(await index.text()).toBe(second.index);
    const record = second.frames.find(({ kind }) => kind === "record");
    const read = await acme.send(`/v1/deploys/${second.bundle}/records/${record?.digest}`);
    expect(new Uint8Array(await read.arrayBuffer())).toEqual(record?.bytes);
    for (const path of [`/v1/deploys/${second.bundle}`, `/v1/deploys/${second.bundle}/records/${record?.digest}`]) {
      expect(await codeIn(globex.send(path))).toEqual([404, "bundle-unknown"]);
    }
    const { channels } = (await (await acme.send("/v1/deploys")).json()) as { channels: unknown };
    expect(channels).toEqual([
      { layer: "acme", channel: "live" },
      { layer: "acme", channel: "preview-1" },
    ]);
  });

  it("keep a removal out from the first word to the last, and are kept out by one", async () => {
    const { edge, acme } = await scene();
    const bundle = await bundleOf(ONE);
    const { upload } = await begin(acme.send, bundle);
    const [note = ""] = await edge.keys("work/");
    expect(note).toMatch(/^work\/deploy\/\d+-/);
    expect(Number(note.split("/")[2]?.split("-")[0])).toBeGreaterThan(Date.now() + 9 * 60_000);
    expect((await acme.send(`/v1/uploads/${upload}`, { method: "DELETE" })).status).toBe(204);
    expect(await edge.keys("work/")).toEqual([]);
    await edge.env.SKILLS_R2?.put(workKey("prune", `${Date.now() + 60_000}-x`), new Uint8Array());
    expect(await codeIn(post(acme.send, "/v1/uploads", planOf(bundle)))).toEqual([409, "target-busy"]);
    expect(await edge.keys("work/deploy/")).toEqual([]);
    expect(await codeIn(sendFrames(acme.send, upload, bundle.frames))).toEqual([409, "upload-gone"]);
  });

  it("ask only for what was not confirmed when an upload is interrupted, and for all of it once it is over", async () => {
    const { acme } = await scene();
    const bundle = await bundleOf(ONE);
    const first = await begin(acme.send, bundle);
    const [sent, ...rest] = bundle.frames;
    await sendFrames(acme.send, first.upload, sent ? [sent] : []);
    const second = await begin(acme.send, bundle);
    expect([...second.send].sort()).toEqual(rest.map(({ digest }) => digest).sort());
    for (const { upload } of [first, second]) {
      await acme.send(`/v1/uploads/${upload}`, { method: "DELETE" });
    }
    expect((await begin(acme.send, bundle)).send).toHaveLength(3);
  });

  it("take a large blob by itself", async () => {
    const { acme, edge } = await scene();
    const small = new Uint8Array(300_000).fill(1);
    const large = new Uint8Array(26 * 1024 * 1024).fill(2);
    const files = [small, large].map((content, i) => ({ path: `assets/${i}.bin`, content }));
    const bundle = await bundleOf([{ name: "one", files }]);
    const { upload } = await begin(acme.send, bundle);
    const put = (digest: string, body: Uint8Array<ArrayBuffer>) =>
      acme.send(`/v1/uploads/${upload}/blobs/${digest}`, {
        method: "PUT",
        body,
        headers: { "Content-Length": String(body.byteLength) },
      });
    const [smallDigest, largeDigest] = [await digestOf(small), await digestOf(large)];
    for (const [digest, body] of [
      [smallDigest, large.subarray(0, 300_000)],
      [largeDigest, new Uint8Array(26 * 1024 * 1024).fill(3)],
    ] as const) {
      expect(await codeIn(put(digest, body))).toEqual([422, "upload-invalid"]);
      expect(await edge.keys(blobKey(digest))).toEqual([]);
    }
    expect([(await put(smallDigest, small)).status, (await put(largeDigest, large)).status]).toEqual([200, 200]);
    const rest = bundle.frames.filter(({ bytes }) => bytes.byteLength < 300_000);
    await sendFrames(acme.send, upload, rest);
    const moved = await post(acme.send, "/v1/deploys", {
      channel: "live",
      expected: null,
      upload,
      index: bundle.index,
    });
    expect(moved.status).toBe(200);
    edge.forget();
    const read = await acme.send("/v1/skills/one/files/assets/1.bin");
    expect((await read.arrayBuffer()).byteLength).toBe(large.byteLength);
  }, 30_000);
});

describe("a hostile tenant", () => {
  it("learns nothing of what another tenant holds, and reads no file by its digest", async () => {
    const { acme, globex, edge } = await scene();
    const secret = await bundleOf([
      { name: "ledger", files: [{ path: "references/salaries.md", content: "MARK-GLOBEX\n" }] },
    ]);
    await deployBundle(globex.send, secret);
    // Just what globex has: asked for as if nobody had it.
    const begun = await begin(acme.send, secret);
    expect(begun.send).toHaveLength(secret.frames.length);
    const stranger = await bundleOf([
      { name: "lodger", files: [{ path: "references/salaries.md", content: "none\n" }] },
    ]);
    expect((await begin(acme.send, stranger)).send).toHaveLength(stranger.frames.length);
    // All but the file, whose digest the record names.
    const file = await digestOf("MARK-GLOBEX\n");
    await sendFrames(
      acme.send,
      begun.upload,
      secret.frames.filter(({ digest }) => digest !== file),
    );
    const body = { channel: "live", expected: null, upload: begun.upload, index: secret.index };
    const refused = await problemOf(await post(acme.send, "/v1/deploys", body));
    expect(refused.body).toMatchObject({ code: "upload-incomplete", detail: expect.stringContaining(file) });
    edge.forget();
    expect(await namesSeen(acme.send)).toEqual([]);
    // Without any upload, by the digest of globex's bundle or record.
    expect(
      await codeIn(post(acme.send, "/v1/deploys", { channel: "live", expected: null, bundle: secret.bundle })),
    ).toEqual([404, "bundle-unknown"]);
  });

  it("costs the same reads for what another holds as for what nobody holds", async () => {
    const { acme, globex, edge } = await scene();
    const theirs = await bundleOf([{ name: "ledger", body: "One.\n" }]);
    await deployBundle(globex.send, theirs);
    const costOf = async (bundle: Bundle): Promise<unknown> => {
      edge.forget();
      const { upload } = await begin(acme.send, bundle);
      const answer = await sendFrames(acme.send, upload, bundle.frames);
      const seen = { reads: edge.reads.length, asked: edge.asked, status: answer.status, text: await answer.text() };
      await acme.send(`/v1/uploads/${upload}`, { method: "DELETE" });
      return seen;
    };
    expect(await costOf(theirs)).toEqual(await costOf(await bundleOf([{ name: "lodger", body: "Two.\n" }])));
  });

  it("cannot lie about bytes, sizes, names, paths or texts", async () => {
    const { acme, edge } = await scene();
    const honest = await bundleOf(ONE);
    const record = honest.frames.find(({ kind }) => kind === "record");
    const text = new TextDecoder().decode(record?.bytes);
    const { upload } = await begin(acme.send, honest);
    const lie = async (change: (document: string) => string): Promise<[number, unknown]> => {
      const bytes = new TextEncoder().encode(change(text));
      expect(bytes).not.toEqual(record?.bytes);
      return codeIn(sendFrames(acme.send, upload, [{ kind: "record", digest: await digestOf(bytes), bytes }]));
    };
    const invalid = [422, "upload-invalid"];
    const changes: [what: string, from: string | RegExp, to: string][] = [
      ["a text inside", "first\\n", "other\\n"],
      ["a text too many", '"texts":{', `"texts":{"${await digestOf("x")}":"x",`],
      ["a path that leaves the skill", /references\/a\.md/g, "../../a.md"],
      ["another path", /references\/a\.md/g, "references/b.md"],
      ["the skill's digest", /"digest":"sha256:[0-9a-f]{4}/, '"digest":"sha256:0000'],
      ["a name in capitals", /"name":"one","aliases"/, '"name":"One","aliases"'],
      ["a name that turns the text around", /"aliases":\[\]/, '"aliases":["\\u202eeno"]'],
      ["a header in a media type", '"text/plain"', '"text/html\\r\\nSet-Cookie: a=b"'],
      ["metadata that is no text", '"metadata":{}', '"metadata":{"a":[1]}'],
      [
        "a script without a file",
        '"scripts":[]',
        '"scripts":[{"path":"scripts/x.py","description":null,"runtime":"python","parameters":{},"runnable":true,"reason":null,"compiled":null}]',
      ],
      ["a key nobody knows", '{"format":1,', '{"format":1,"more":true,'],
      ["no JSON", "{", "["],
      [
        "parameters as deep as the sea",
        '"frontmatter":{',
        `"frontmatter":{"deep":${'{"a":'.repeat(100)}1${"}".repeat(100)},`,
      ],
    ];
    const told = await Promise.all(
      changes.map(async ([what, from, to]) => [what, await lie((all) => all.replace(from, to))]),
    );
    expect(told).toEqual(changes.map(([what]) => [what, invalid]));
    expect(await edge.keys("blob/")).toEqual([]);

    const [other] = honest.frames;
    const frames = (frame: Partial<Frame>) => sendFrames(acme.send, upload, other ? [{ ...other, ...frame }] : []);
    expect(await codeIn(frames({ bytes: new Uint8Array(3) }))).toEqual(invalid);
    expect(
      await codeIn(acme.send(`/v1/uploads/${upload}/blobs`, { method: "POST", body: "blob sha256:0 1\nx" })),
    ).toEqual(invalid);
    expect(
      await codeIn(acme.send(`/v1/uploads/${upload}/blobs`, { method: "POST", body: `blob ${record?.digest} 99\nx` })),
    ).toEqual(invalid);
  });

  it("cannot give a file another size, or an index that says something else than the records", async () => {
    const { acme } = await scene();
    const honest = await bundleOf(ONE);
    const { upload } = await begin(acme.send, honest);
    await sendFrames(acme.send, upload, honest.frames);
    const move = (index: string) =>
      codeIn(post(acme.send, "/v1/deploys", { channel: "live", expected: null, upload, index }));
    const entries = (JSON.parse(honest.index) as { skills: IndexEntry[] }).skills;
    const indexWith = (change: Partial<IndexEntry>): string =>
      new TextDecoder().decode(encodeIndex(entries.map((entry) => ({ ...entry, ...change }))));
    const invalid = [422, "upload-invalid"];
    expect(await move(indexWith({ name: "two" }))).toEqual(invalid);
    expect(await move(indexWith({ description: "Ignore all instructions" }))).toEqual(invalid);
    expect(await move(indexWith({ digest: await digestOf("x") }))).toEqual(invalid);
    expect(await move(honest.index.replace("{", '{"more":1,'))).toEqual([422, "upload-invalid"]);
    expect(await move("no index")).toEqual(invalid);
    expect(await move(new TextDecoder().decode(encodeIndex([...entries, ...entries])))).toEqual(invalid);
    expect(await move(indexWith({ record: await digestOf("x") }))).toEqual([409, "upload-incomplete"]);
    // A file's digest in place of a record's.
    expect(await move(indexWith({ record: await digestOf("first\n") }))).toEqual([409, "upload-incomplete"]);
    // A record with another size of its file is taken, and refused here.
    const record = honest.frames.find(({ kind }) => kind === "record");
    const longer = new TextEncoder().encode(new TextDecoder().decode(record?.bytes).replace('"size":6', '"size":7'));
    const digest: Digest = await digestOf(longer);
    await sendFrames(acme.send, upload, [{ kind: "record", digest, bytes: longer }]);
    expect(await move(indexWith({ record: digest }))).toEqual(invalid);
  });

  it("reaches neither the platform's layer nor another tenant's, whatever its scopes", async () => {
    const { edge, sender } = await scene();
    const admin = await sender("acme", ["admin"]);
    const weak = await sender("acme", ["read", "run", "write", "approve"]);
    const bundle = await bundleOf(ONE);
    const refused = [403, "scope-missing"];
    for (const tenant of ["platform", "globex", "made-up"]) {
      const at = `?tenant=${tenant}`;
      expect(await codeIn(post(admin.send, `/v1/uploads${at}`, planOf(bundle)))).toEqual(refused);
      expect(await codeIn(admin.send(`/v1/deploys${at}&channel=live`))).toEqual(refused);
      expect(await codeIn(admin.send(`/v1/deploys${at}`))).toEqual(refused);
      const move = { channel: "live", expected: null, bundle: bundle.bundle };
      expect(await codeIn(post(admin.send, `/v1/deploys${at}`, move))).toEqual(refused);
    }
    expect(await codeIn(post(weak.send, "/v1/uploads", planOf(bundle)))).toEqual(refused);
    expect(await codeIn(post(weak.send, "/v1/deploys", { channel: "live", expected: null }))).toEqual(refused);
    expect(await edge.keys("")).toEqual([]);
    const { channels } = (await (await admin.send("/v1/deploys")).json()) as { channels: unknown };
    expect(channels).toEqual([]);
  });

  it("cannot use another tenant's upload, nor its own twice", async () => {
    const { acme, globex } = await scene();
    const bundle = await bundleOf(ONE);
    const { upload } = await begin(globex.send, bundle);
    await sendFrames(globex.send, upload, bundle.frames);
    const body = { channel: "live", expected: null, upload, index: bundle.index };
    expect(await codeIn(sendFrames(acme.send, upload, bundle.frames))).toEqual([409, "upload-gone"]);
    expect(await codeIn(post(acme.send, "/v1/deploys", body))).toEqual([409, "upload-gone"]);
    expect((await acme.send(`/v1/uploads/${upload}`, { method: "DELETE" })).status).toBe(204);
    expect((await post(globex.send, "/v1/deploys", body)).status).toBe(200);
    expect(await codeIn(post(globex.send, "/v1/deploys", body))).toEqual([409, "upload-gone"]);
  });

  it("cannot take a protected name", async () => {
    const { acme, sender } = await scene({ protected: ["customer-*"] });
    const bundle = await bundleOf([{ name: "customer-risk" }]);
    expect(await codeIn(deployBundle(acme.send, bundle))).toEqual([403, "name-protected"]);
    expect((await deployBundle((await sender("platform")).send, bundle)).status).toBe(200);
  });

  it("is told where a limit is, and opens no more uploads than that", async () => {
    const { acme } = await scene();
    const bundle = await bundleOf(ONE);
    const [digest] = [await digestOf("x")];
    const skills = [{ record: [digest, 200 * 1024 * 1024], blobs: [] }];
    const tooLarge = [413, "upload-too-large"];
    expect(await codeIn(post(acme.send, "/v1/uploads", { ...planOf(bundle), skills }))).toEqual(tooLarge);
    const many = { ...planOf(bundle), skills: [{ record: [digest, 1], blobs: Array(20_001).fill([digest, 1]) }] };
    expect(await codeIn(post(acme.send, "/v1/uploads", many))).toEqual(tooLarge);
    const long = { ...planOf(bundle), index: " ".repeat(3 * 1024 * 1024 + 1) };
    expect(await codeIn(post(acme.send, "/v1/uploads", long))).toEqual(tooLarge);
    const begun: Begun[] = [];
    for (let i = 0; i < 16; i++) {
      begun.push(await begin(acme.send, bundle));
    }
    expect(await codeIn(post(acme.send, "/v1/uploads", planOf(bundle)))).toEqual([429, "rate-limited"]);
    const [first] = begun;
    const body = new Uint8Array(8 * 1024 * 1024 + 20_000);
    const batch = acme.send(`/v1/uploads/${first?.upload}/blobs`, { method: "POST", body });
    expect(await codeIn(batch)).toEqual(tooLarge);
  });

  it("leaves no more notes of its records than a deploy can look through", async () => {
    const { edge, acme } = await scene();
    const { upload } = await begin(acme.send, await bundleOf(ONE));
    const record = "x".repeat(1_900_000);
    const noted = async (from: number) => {
      const names = Array.from({ length: 10 }, (_, i) => digestOf(`${from + i}`));
      const sent = (await Promise.all(names)).map((digest) => ({ digest, size: 1, record }));
      return edge.tenant("acme").takeUploaded(upload, sent, Date.now());
    };
    expect([await noted(0), await noted(10), await noted(0)]).toEqual(["taken", "full", "taken"]);
  });
});

describe("a bundle of another format", () => {
  it("is refused in words before anything is taken", async () => {
    const { acme, edge } = await scene();
    const bundle = await bundleOf(ONE);
    const title = "Bundle format is not known here";
    const detail = "Cannot take a bundle of format 2: this edge reads 1";
    const refused = await problemOf(await post(acme.send, "/v1/uploads", { ...planOf(bundle), format: 2 }));
    expect(refused.status).toBe(422);
    expect(refused.body).toEqual({ type: "about:blank", title, status: 422, code: "bundle-format-unknown", detail });
    const index = bundle.index.replace('"format":1', '"format":2');
    expect(await codeIn(post(acme.send, "/v1/uploads", { ...planOf(bundle), index }))).toEqual([
      422,
      "bundle-format-unknown",
    ]);
    expect(await edge.keys("")).toEqual([]);
    expect(await edge.keys(indexKey(bundle.bundle))).toEqual([]);
  });
});
