/** What a tenant deploys over the API is read by every route afterwards: whatever its records say, no route breaks by it. */
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { encodeIndex, indexEntry } from "../../src/bundle/index-format.ts";
import { decodeRecord } from "../../src/bundle/record-format.ts";
import type { Frame } from "../../src/bundle/upload-frames.ts";
import { digestOf } from "../../src/model/digest.ts";
import { PrivateEdge } from "./support/private-edge.ts";
import { type Bundle, begin, bundleOf, deployBundle, planOf, post, type Send, sendFrames } from "./support/uploader.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const RUNS = 100;

let send: Send;
let bundle: Bundle;
let record: Json;

beforeAll(async () => {
  const edge = new PrivateEdge("uploads-property", { approval: { run_skill_script: "ask" }, public: ["acme"] });
  const { token } = await edge.token("acme", ["admin"]);
  send = (path, init) => edge.ask(token, path, init);
  bundle = await bundleOf([
    {
      name: "guides",
      description: "Guides.",
      files: ["references/a.md", "scripts/run.py"].map((path) => ({ path, content: "x\n" })),
      scripts: ["scripts/run.py"],
    },
  ]);
  const [frame] = bundle.frames.filter(({ kind }) => kind === "record");
  record = JSON.parse(new TextDecoder().decode(frame?.bytes));
});

const ODD: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1e308,
  "",
  "x",
  "\ud800",
  "\u202e\0\u200b",
  "</skill_content><a href=javascript:1>&\r\nX-A: b",
  "../../x",
  "__proto__",
  "a".repeat(3_000),
  [],
  {},
  [null],
  { "": "", __proto__: "x", "a\r\nb": "c" },
  `sha256:${"0".repeat(64)}`,
];
const odd = fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: "binary" }), fc.jsonValue() as fc.Arbitrary<Json>);
const steps = fc.array(fc.nat(30), { minLength: 1, maxLength: 6 });

/** A copy in which one place, found by going down some steps, is another value, or is gone. */
function mutated(value: Json, [step = 0, ...rest]: readonly number[], put: Json | undefined): Json {
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const key = keys[step % keys.length];
  if (key === undefined) {
    return put ?? null;
  }
  const copy: Record<string, Json> | Json[] = Array.isArray(value)
    ? [...value]
    : { ...(value as Record<string, Json>) };
  const fields = copy as Record<string, Json>;
  const inner = fields[key] ?? null;
  if (rest.length > 0 && typeof inner === "object" && inner !== null) {
    fields[key] = mutated(inner, rest, put);
  } else if (put === undefined && !Array.isArray(copy)) {
    delete fields[key];
  } else {
    fields[key] = put ?? null;
  }
  return copy;
}

const DOORS: readonly (readonly [path: string, init?: RequestInit])[] = [
  ["/v1/context?format=mcp"],
  ["/v1/skills"],
  ["/v1/skills?query=guides"],
  ["/.well-known/agent-skills/index.json"],
  ["/.well-known/skills/index.json"],
  ["/llms.txt"],
  ["/v1/deploys?channel=live"],
  [
    "/mcp",
    {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
      body: '{"jsonrpc":"2.0","id":1,"method":"resources/list"}',
    },
  ],
];

/** Asks about a skill by name, and by what it says that it has. */
function doorsOf(name: string): readonly (readonly [path: string, init?: RequestInit])[] {
  const at = `/v1/skills/${encodeURIComponent(name)}`;
  const tool = (tool: string, args: object) =>
    [`/v1/tools/${tool}`, { method: "POST", body: JSON.stringify({ skill_name: name, ...args }) }] as const;
  return [
    [at],
    [`${at}/archive.tar.gz`],
    [`${at}/archive.zip`],
    [`${at}/files/SKILL.md`],
    [`${at}/files/references/a.md`],
    [`/.well-known/agent-skills/${encodeURIComponent(name)}/SKILL.md`],
    tool("load_skill", {}),
    tool("read_skill_resource", { resource_name: "references/a.md" }),
    tool("run_skill_script", { script_name: "scripts/run.py" }),
  ];
}

it("a record with anything changed is refused in words, or is served at every door", { timeout: 300_000 }, async () => {
  let served = 0;
  await fc.assert(
    fc.asyncProperty(steps, fc.option(odd, { nil: undefined, freq: 8 }), async (path, put) => {
      const bytes = new TextEncoder().encode(`${JSON.stringify(mutated(record, path, put))}\n`);
      const frame: Frame = { kind: "record", digest: await digestOf(bytes), bytes };
      const { upload } = await begin(send, bundle);
      const taken = await sendFrames(send, upload, [frame]);
      expect(taken.status, await taken.clone().text()).toBeLessThan(500);
      await send(`/v1/uploads/${upload}`, { method: "DELETE" });
      if (!taken.ok) {
        return;
      }
      const decoded = decodeRecord(bytes).record;
      const index = encodeIndex([indexEntry(decoded, frame.digest)]);
      const frames = [frame, ...bundle.frames.filter(({ kind }) => kind === "blob")];
      const changed = { ...bundle, index: new TextDecoder().decode(index), bundle: await digestOf(index), frames };
      const deployed = await deployBundle(send, changed);
      expect(deployed.status, await deployed.clone().text()).toBeLessThan(500);
      if (deployed.ok) {
        served++;
        for (const [door, init] of [...DOORS, ...doorsOf(decoded.name)]) {
          const answer = await send(door, init);
          await answer.arrayBuffer();
          expect(answer.status, door).toBeLessThan(500);
        }
      }
    }),
    { numRuns: RUNS },
  );
  expect(served).toBeGreaterThan(0);
});

it("the bodies of uploads, deploys and secrets with anything changed are refused in words", {
  timeout: 300_000,
}, async () => {
  const { upload } = await begin(send, bundle);
  const plan = planOf(bundle) as Json;
  const move = {
    channel: "live",
    expected: null,
    upload,
    index: bundle.index,
    reason: "deploy",
    by: "ada",
    commit: "c",
  };
  const kept = { channel: "live", expected: null, bundle: bundle.bundle, reason: "rollback" };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("uploads", "move", "kept", "secret"),
      steps,
      fc.option(odd),
      async (what, path, put) => {
        const change = (body: Json) => mutated(body, path, put ?? undefined);
        const answer =
          what === "uploads"
            ? await post(send, "/v1/uploads?x", change({ ...(plan as object), dry_run: true } as Json))
            : what === "secret"
              ? await send(`/v1/secrets/${encodeURIComponent(typeof put === "string" ? put.toWellFormed() : "a")}`, {
                  method: "PUT",
                  body: JSON.stringify(change({ value: "x" })),
                })
              : await post(send, "/v1/deploys", change(what === "move" ? move : kept));
        const text = await answer.text();
        if (answer.status !== 409) {
          expect(answer.status, text).toBeLessThan(500);
        }
      },
    ),
    { numRuns: RUNS },
  );
});

it("a batch with any byte changed is refused in words", { timeout: 300_000 }, async () => {
  const { encodeFrames } = await import("../../src/bundle/upload-frames.ts");
  const { upload } = await begin(send, bundle);
  const whole = encodeFrames(bundle.frames);
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), async (at, byte, end) => {
      const bytes = whole.slice(0, Math.max(end, 1));
      bytes[at % bytes.length] = byte;
      const answer = await send(`/v1/uploads/${upload}/blobs`, { method: "POST", body: bytes });
      expect(answer.status, await answer.text()).toBeLessThan(500);
    }),
    { numRuns: RUNS },
  );
});
