import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/http/openapi.ts";
import { inTime } from "../../src/model/in-time.ts";
import { TOOL_FORMATS } from "../../src/provider/formats.ts";
import { PrivateEdge } from "./support/private-edge.ts";

/** Requests of each route: over 10,000 of all. */
const RUNS = 300;

/** Longer than any request may take here. */
const HANG_MS = 10_000;

let edge: PrivateEdge;
let token = "";

beforeAll(async () => {
  edge = new PrivateEdge("property", { approval: { run_skill_script: "ask" }, public: ["platform"] });
  await edge.deploy("platform", [
    {
      name: "guides",
      files: ["references/a.md", "scripts/run.py"].map((path) => ({ path, content: "x\n" })),
      scripts: ["scripts/run.py"],
    },
  ]);
  token = (await edge.token("acme", ["admin"])).token;
});

const NAMES = [
  "guides",
  "GUIDES",
  "references/a.md",
  "scripts/run.py",
  "..",
  "%00",
  "a".repeat(5_000),
  "",
  "__proto__",
  `sha256:${"0".repeat(64)}`,
  "channel/",
  "\ud800",
];
const name = fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: "binary" }), fc.webPath());
const value: fc.Arbitrary<unknown> = fc.oneof(name, fc.jsonValue(), fc.integer(), fc.constant(null));
const KEYS = [
  "skill_name",
  "resource_name",
  "script_name",
  "query",
  "arguments",
  "offset",
  "limit",
  "stdin",
  "files",
  "limits",
  "approval_id",
  "calls",
  "bundle",
  "approvals",
  "decision",
  "remember",
  "scopes",
  "channel",
  "expires_in",
  "format",
  "index",
  "skills",
  "upload",
  "expected",
  "dry_run",
  "digest",
  "reason",
  "by",
  "along",
  "after",
  "value",
  "jsonrpc",
  "id",
  "method",
  "params",
  "function",
  "name",
  "input",
  "type",
];
const body = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .dictionary(fc.oneof(fc.constantFrom(...KEYS), fc.string()), value)
      .map((item) => JSON.stringify(item)),
  },
  {
    weight: 2,
    arbitrary: fc.array(fc.dictionary(fc.constantFrom(...KEYS), value)).map((item) => JSON.stringify(item)),
  },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
);
const QUERIES = ["format", "query", "cursor", "limit", "wait", "tenant", "x"];
const queries = fc.dictionary(
  fc.constantFrom(...QUERIES),
  fc.oneof(fc.constantFrom(...TOOL_FORMATS, "0", "-1", "1e9"), fc.string()),
  { maxKeys: 3 },
);
const HEADERS = [
  "X-Skills-Bundle",
  "X-Skills-Session",
  "Idempotency-Key",
  "Range",
  "If-None-Match",
  "If-Range",
  "Content-Type",
  "Accept",
  "Origin",
  "MCP-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  "traceparent",
];
const headers = fc.dictionary(
  fc.constantFrom(...HEADERS),
  fc.oneof(
    fc.constantFrom("v1.none.none.none", "bytes=0-1", "*", "application/json", "2026-07-28"),
    fc.string({ unit: "grapheme-ascii" }),
  ),
  { maxKeys: 4 },
);

describe.each(Object.keys(OPERATIONS))("%s", (key) => {
  it("answers whatever it is sent in time, with no 5xx, and says what was wrong", { timeout: 120_000 }, async () => {
    const [method = "", route = ""] = key.split(" ");
    const parts = fc.array(name, { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(parts, queries, headers, body, async (names, query, sent, content) => {
        const path = names.reduce(
          (text, item) => text.replace(/:\w+/, () => encodeURIComponent(item.toWellFormed())),
          route,
        );
        // A wait of the length asked for is no hang, but would take the test's time.
        const asked = new URLSearchParams(Object.entries(query).filter(([item]) => item !== "wait"));
        const init = method === "GET" ? {} : { body: content as BodyInit };
        const asking = edge.ask(token, `${path}?${asked}`, { method, headers: sent, ...init });
        const answer = await inTime(asking, HANG_MS);
        const text = await answer.text();
        expect(answer.status, text).toBeLessThan(500);
        if (answer.status >= 400 && !route.startsWith("/mcp") && answer.headers.get("Content-Type") !== null) {
          expect(JSON.parse(text)).toMatchObject({ status: answer.status, code: expect.any(String) });
        }
      }),
      { numRuns: RUNS },
    );
  });
});
