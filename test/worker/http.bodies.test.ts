/** Bodies that are large or deep where nobody expects it: an isolate answers all tenants, so none of these may take its memory or its stack. */
import { beforeAll, expect, it } from "vitest";
import { encodeFrames } from "../../src/bundle/upload-frames.ts";
import { digestOf } from "../../src/model/digest.ts";
import { PrivateEdge } from "./support/private-edge.ts";
import { problemOf } from "./support/problem.ts";
import { begin, bundleOf, planOf, type Send } from "./support/uploader.ts";

let send: Send;

beforeAll(async () => {
  const edge = new PrivateEdge("bodies", { approval: { run_skill_script: "ask" } });
  await edge.deploy("platform", [
    { name: "guides", files: [{ path: "scripts/run.py", content: "x\n" }], scripts: ["scripts/run.py"] },
  ]);
  const { token } = await edge.token("acme", ["admin"]);
  send = (path, init) => edge.ask(token, path, init);
});

const MANY = `[${"0,".repeat(400_000)}0]`;
const MAP = `{${Array.from({ length: 200_000 }, (_, i) => `"${i}":0`).join()}}`;
const DEEP = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;

const codeOf = async (answer: Promise<Response>) => {
  const { status, body } = await problemOf(await answer);
  return [status, (body as { code?: string }).code];
};

it.each([
  ["POST", "/v1/uploads", `{"format":1,"channel":"live","index":"","skills":${MANY}}`],
  ["POST", "/v1/uploads", `{"format":1,"channel":"live","index":"","skills":[{"record":0,"blobs":${MANY}}]}`],
  ["POST", "/v1/tokens", `{"scopes":${MANY}}`],
  ["PUT", "/v1/runtime/skills/x", `{"files":${MANY}}`],
  ["POST", "/v1/tool-calls", `{"calls":[],"approvals":${MAP}}`],
])("%s %s reads a list no further than to what does not fit: case %#", async (method, path, body) => {
  expect(await codeOf(send(path, { method, body }))).toEqual([400, "request-invalid"]);
});

it("a record or an index that holds too much of the wrong kind is no upload", async () => {
  const one = await bundleOf([{ name: "one" }]);
  const { upload } = await begin(send, one);
  const upset = async (text: string) => {
    const bytes = new TextEncoder().encode(text);
    const body = encodeFrames([{ kind: "record", digest: await digestOf(bytes), bytes }]);
    return codeOf(send(`/v1/uploads/${upload}/blobs`, { method: "POST", body }));
  };
  const [record] = one.frames
    .filter(({ kind }) => kind === "record")
    .map(({ bytes }) => new TextDecoder().decode(bytes));
  const changed = (key: string, value: string) =>
    record?.replace(new RegExp(`"${key}":(?:\\[.*?\\]|\\{.*?\\})`), `"${key}":${value}`) ?? "";
  expect(await upset(changed("aliases", MANY))).toEqual([422, "upload-invalid"]);
  expect(await upset(changed("texts", MAP))).toEqual([422, "upload-invalid"]);
  expect(await upset(changed("metadata", DEEP))).toEqual([422, "upload-invalid"]);
  const packages = Array(20_001).fill(`sha256:${"0".repeat(64)}`);
  const referring = JSON.stringify(packages);
  expect(await upset(record?.replace('"texts":', `"packages":${referring},"texts":`) ?? "")).toEqual([
    413,
    "upload-too-large",
  ]);
  const index = `{"format":1,"skills":${MANY}}\n`;
  expect(
    await codeOf(send("/v1/uploads", { method: "POST", body: JSON.stringify({ ...planOf(one), index }) })),
  ).toEqual([422, "upload-invalid"]);
});

it("JSON that lies deeper than anybody goes down is refused in words at each door", async () => {
  const run = `{"skill_name":"guides","script_name":"scripts/run.py","arguments":${DEEP}}`;
  const headers = { "Idempotency-Key": "one" };
  expect(await codeOf(send("/v1/tools/run_skill_script", { method: "POST", headers, body: run }))).toEqual([
    400,
    "request-invalid",
  ]);
  const calls = JSON.stringify([{ id: "a", function: { name: "run_skill_script", arguments: run } }]);
  const [answer] = (await (
    await send("/v1/tool-calls?format=openai-chat", {
      method: "POST",
      headers: { "X-Skills-Session": "s" },
      body: calls,
    })
  ).json()) as { content: string }[];
  expect(answer?.content).toContain("deep");
});

it("MCP clients are told so too", async () => {
  const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_skill_script","arguments":{"skill_name":"guides","script_name":"scripts/run.py","arguments":${DEEP}}}}`;
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const answer = await send("/mcp", { method: "POST", headers, body: text });
  expect([answer.status < 500, (await answer.text()).length < 10_000]).toEqual([true, true]);
});
