import { describe, expect, it, vi } from "vitest";
import { channelKey, indexKey } from "../../src/bundle/keys.ts";
import { decodePointer, encodePointer } from "../../src/bundle/pointer-format.ts";
import type { Block } from "../../src/model/blocks.ts";
import { type Digest, digestOf } from "../../src/model/digest.ts";
import { PrivateEdge } from "./support/private-edge.ts";
import { problemOf } from "./support/problem.ts";

let edges = 0;

/** An edge with a skill in each of two layers, its operator, and somebody who reads. */
async function scene() {
  const edge = new PrivateEdge(`blocks-${edges++}`, {});
  for (const layer of ["platform", "acme"]) {
    await edge.deploy(layer, [{ name: `dose-${layer}`, files: [{ path: "table.txt", content: "table\n" }] }]);
  }
  const operator = await edge.token("platform", ["admin"]);
  const reader = (await edge.token("acme", ["read"])).token;
  const ask = (method: string, path: string, body?: object, token = operator.token) =>
    edge.ask(token, path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return { edge, operator, reader, ask };
}

async function pointerOf(edge: PrivateEdge, layer: string, channel = "live") {
  const bytes = await (await edge.env.SKILLS_R2?.get(channelKey(layer, channel)))?.arrayBuffer();
  return decodePointer(new Uint8Array(bytes ?? new ArrayBuffer(0)));
}

const codeIn = async (response: Response): Promise<[number, unknown]> => {
  const { status, body } = await problemOf(response);
  return [status, (body as { code?: string }).code];
};

const REASON = "tells a wrong dose";

describe("/v1/blocks", () => {
  it("is read from storage each time: while that fails nobody is told an older list", async () => {
    const { edge, ask } = await scene();
    await ask("POST", "/v1/blocks", { digest: await digestOf("table\n"), reason: REASON });
    expect((await ask("GET", "/v1/blocks")).status).toBe(200);
    const { SKILLS_R2: bucket } = edge.env;
    const failing = { ...bucket, get: () => Promise.reject(new Error("storage is down")) } as unknown as R2Bucket;
    edge.env = { ...edge.env, SKILLS_R2: failing };
    edge.forget();
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    expect(await codeIn(await ask("GET", "/v1/blocks"))).toEqual([503, "storage-unavailable"]);
    said.mockRestore();
  });

  it("recalls a file at every door, in every pointer, with who and why, and lifts it", async () => {
    const { edge, operator, reader, ask } = await scene();
    const [digest, along] = [await digestOf("table\n"), await digestOf("a skill of nobody's")];
    const made = { reason: REASON, by: `eve (token ${operator.id})`, at: expect.stringMatching(/^\d{4}-.*Z$/) };
    const blocks = [
      { digest, ...made },
      { digest: along, ...made, with: digest },
    ];
    const added = await ask("POST", "/v1/blocks", { digest, reason: REASON, by: "eve", along: [along, digest] });
    expect([added.status, await added.json()]).toEqual([200, { blocks, next: null }]);
    expect(await (await ask("GET", "/v1/blocks")).json()).toEqual({ seq: 1, blocks });
    for (const layer of ["platform", "acme"]) {
      expect((await pointerOf(edge, layer)).blocked).toEqual({ seq: 1, blocks });
    }
    edge.forget();
    const gone = await edge.ask(reader, "/v1/skills/dose-platform/files/table.txt");
    expect(await codeIn(gone)).toEqual([410, "file-blocked"]);

    const lifted = await ask("DELETE", `/v1/blocks/${digest}`);
    expect([lifted.status, await lifted.json()]).toEqual([200, { blocks, next: null }]);
    expect(await (await ask("GET", "/v1/blocks")).json()).toEqual({ seq: 2, blocks: [] });
    edge.forget();
    expect(await (await edge.ask(reader, "/v1/skills/dose-acme/files/table.txt")).text()).toBe("table\n");
    expect(await codeIn(await ask("DELETE", `/v1/blocks/${digest}`))).toEqual([404, "digest-unknown"]);
  });

  it("is for the platform's operator alone", async () => {
    const { edge, ask } = await scene();
    const digest = await digestOf("table\n");
    for (const [tenant, scope] of [
      ["acme", "admin"],
      ["platform", "deploy"],
    ] as const) {
      const { token } = await edge.token(tenant, [scope]);
      for (const [method, path, body] of [
        ["GET", "/v1/blocks", undefined],
        ["POST", "/v1/blocks", { digest, reason: REASON }],
        ["DELETE", `/v1/blocks/${digest}`, undefined],
        ["POST", "/v1/blocks/spread", { after: "channel/a/b" }],
      ] as const) {
        expect(await codeIn(await ask(method, path, body, token))).toEqual([403, "scope-missing"]);
      }
    }
    expect((await pointerOf(edge, "platform")).blocked).toBeUndefined();
  });

  it.each([
    { digest: "3f9a2c", reason: REASON },
    { reason: REASON },
    { digest: `sha256:${"0".repeat(64)}`, reason: " " },
    { digest: `sha256:${"0".repeat(64)}`, reason: "x".repeat(501) },
    { digest: `sha256:${"0".repeat(64)}`, reason: REASON, along: ["all"] },
  ])("takes nothing else: %j", async (body) => {
    const { edge, ask } = await scene();
    expect(await codeIn(await ask("POST", "/v1/blocks", body))).toEqual([400, "request-invalid"]);
    expect(await edge.keys("blocked")).toEqual([]);
  });

  it("loses none of those that are recalled at the same time", async () => {
    const { ask } = await scene();
    const digests = await Promise.all([1, 2, 3, 4, 5].map((n) => digestOf(`file ${n}`)));
    const answers = await Promise.all(digests.map((digest) => ask("POST", "/v1/blocks", { digest, reason: REASON })));
    expect(answers.map(({ status }) => status)).toEqual(digests.map(() => 200));
    const { seq, blocks } = (await (await ask("GET", "/v1/blocks")).json()) as { seq: number; blocks: Block[] };
    expect([seq, blocks.map(({ digest }) => digest).sort()]).toEqual([5, [...digests].sort()]);
  });

  it("goes on with `next` until every pointer has the list", async () => {
    const { edge, ask } = await scene();
    const pointer = encodePointer(await pointerOf(edge, "platform"));
    const channels = Array.from({ length: 160 }, (_, n) => `preview-${n}`);
    await Promise.all(channels.map((channel) => edge.env.SKILLS_R2?.put(channelKey("acme", channel), pointer)));
    const digest = await digestOf("table\n");
    const { next } = (await (await ask("POST", "/v1/blocks", { digest, reason: REASON })).json()) as { next: string };
    expect(next).toMatch(/^channel\/acme\/preview-/);
    expect((await pointerOf(edge, "platform")).blocked).toBeUndefined();
    expect(await (await ask("POST", "/v1/blocks/spread", { after: next })).json()).toEqual({ next: null });
    for (const [layer, channel] of [["platform", "live"], ...channels.map((name) => ["acme", name])] as const) {
      const { blocked } = await pointerOf(edge, layer ?? "", channel);
      expect(blocked?.blocks.map((block) => block.digest)).toEqual([digest]);
    }
  });

  it("does not lift a bundle whose bytes were purged while a history names it", async () => {
    const { edge, ask } = await scene();
    const { bundle }: { bundle: Digest } = await pointerOf(edge, "acme");
    await ask("POST", "/v1/blocks", { digest: bundle, reason: REASON });
    await edge.env.SKILLS_R2?.delete(indexKey(bundle));
    expect(await codeIn(await ask("DELETE", `/v1/blocks/${bundle}`))).toEqual([409, "bundle-gone"]);
    expect(await codeIn(await ask("GET", `/v1/deploys/${bundle}?tenant=acme`))).toEqual([409, "bundle-gone"]);
    expect((await pointerOf(edge, "acme")).blocked?.blocks.map(({ digest }) => digest)).toEqual([bundle]);
  });
});
