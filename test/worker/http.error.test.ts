import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { blobKey } from "../../src/bundle/keys.ts";
import { newToken } from "../../src/model/token.ts";
import { ask, call, createToken, deploySkills } from "./support/edge.ts";
import { PrivateEdge } from "./support/private-edge.ts";
import { problem, problemOf } from "./support/problem.ts";

let token = "";

beforeAll(async () => {
  await deploySkills("platform", [{ name: "unit-converter" }]);
  token = await createToken("acme");
});

describe("a route that is not there", () => {
  it.each(["/", "/v1", "/v1/skills/", "/v1/tools/format_disk", "/V1/skills", "/v1/skills/a/b", "/healthz/x"])(
    "is a whole problem document: %s",
    async (path) => {
      const response = await ask(token, path, { headers: { Accept: "text/html" } });
      expect(await problemOf(response)).toEqual(
        problem(
          404,
          "route-not-found",
          "Nothing is here",
          `Cannot find ${path}: no such route; /docs has all there are`,
        ),
      );
      expect(response.headers.get("Cache-Control")).toBe("private, no-store");
    },
  );
});

describe("a method that a route does not take", () => {
  const get = ["/healthz", "/v1/context", "/v1/skills", "/v1/skills/a", "/v1/skills/a/files/b"];
  const post = ["load_skill", "search_skills", "read_skill_resource", "run_skill_script"].map((t) => `/v1/tools/${t}`);
  const wrong = [
    ...get.flatMap((path) => ["POST", "PUT", "DELETE"].map((method) => ({ method, path, allow: "GET, HEAD" }))),
    ...post.flatMap((path) => ["GET", "PUT"].map((method) => ({ method, path, allow: "POST" }))),
  ];

  it.each(wrong)("answers 405 with Allow: $method $path", async ({ method, path, allow }) => {
    const response = await ask(null, path, { method });
    const detail = `Cannot ${method} ${path}: it takes ${allow}`;
    expect(await problemOf(response)).toEqual(problem(405, "method-not-allowed", "Method is not allowed here", detail));
    expect(response.headers.get("Allow")).toBe(allow);
  });

  it.each(["/v1/skills/a/files/b/c", "/c/live/v1/skills"])(
    "answers 405 to a method that nobody knows, where there is such a path: %s",
    async (path) => {
      const response = await ask(null, path, { method: "PROPFIND" });
      expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
      expect((await ask(null, "/nowhere", { method: "PROPFIND" })).status).toBe(404);
    },
  );
});

describe("OPTIONS", () => {
  it.each([
    ["/v1/skills", "GET, HEAD"],
    ["/v1/tools/load_skill", "POST"],
    ["/v1/runtime/skills/a", "PUT, DELETE"],
  ])("tells which methods %s takes, and lets no page in that is not named", async (path, allow) => {
    const headers = { Origin: "https://app.example", "Access-Control-Request-Method": "POST" };
    const response = await ask(null, path, { method: "OPTIONS", headers });
    const names = [...response.headers.keys()].filter((name) => name.startsWith("access-control"));
    expect([response.status, response.headers.get("Allow"), names]).toEqual([204, allow, []]);
  });

  it("lets in the pages that the operator names, with the headers that are needed", async () => {
    const edge = new PrivateEdge("options-origins", { origins: ["https://app.example"] });
    const preflight = await edge.ask(null, "/v1/skills", {
      method: "OPTIONS",
      headers: { Origin: "https://app.example" },
    });
    const answer = await edge.ask(null, "/v1/skills", { headers: { Origin: "https://app.example" } });
    const other = await edge.ask(null, "/v1/skills", { headers: { Origin: "https://evil.example" } });
    const allowed = (response: Response) => response.headers.get("Access-Control-Allow-Origin");
    expect([preflight, answer, other].map(allowed)).toEqual(["https://app.example", "https://app.example", null]);
    expect(preflight.headers.get("Access-Control-Allow-Headers")).toContain("Authorization, Content-Type");
    expect(preflight.headers.get("Access-Control-Allow-Methods")).toBe("GET, HEAD");
    expect(answer.headers.get("Access-Control-Expose-Headers")).toContain("X-Skills-Bundle");
  });
});

describe("a request without a good token", () => {
  const missing = problem(
    401,
    "token-missing",
    "Token is missing",
    "Cannot answer without a token: send it as Authorization: Bearer <token>",
  );
  const invalid = problem(401, "token-invalid", "Token is not valid", "Cannot accept the token: it is not valid");

  it.each(["/v1/context", "/v1/skills", "/v1/skills/unit-converter", "/v1/skills/unit-converter/files/SKILL.md"])(
    "answers 401 and how to authenticate: %s",
    async (path) => {
      const [none, wrong] = [await ask(null, path), await ask(newToken("acme"), path)];
      expect([await problemOf(none), none.headers.get("WWW-Authenticate")]).toEqual([missing, "Bearer"]);
      expect([await problemOf(wrong), wrong.headers.get("WWW-Authenticate")]).toEqual([
        invalid,
        'Bearer error="invalid_token"',
      ]);
    },
  );

  it.each([
    ["Basic abc", missing],
    ["Bearer", missing],
    ["Bearer a b", missing],
    ["Bearer nonsense", invalid],
    [`Bearer ${newToken("nobody")}`, invalid],
    [`Bearer ${newToken("platform")}`, invalid],
    ["Bearer es_../../x_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", invalid],
  ])("answers the same whatever is wrong with it: Authorization %s", async (authorization, expected) => {
    expect(await problemOf(await ask(null, "/v1/skills", { headers: { Authorization: authorization } }))).toEqual(
      expected,
    );
  });

  it("answers 401 before it looks at a body", async () => {
    expect((await call(null, "load_skill", "x", { body: "{" })).status).toBe(401);
  });
});

describe("a token without the scope", () => {
  const lacks = (scope: string) =>
    problem(403, "scope-missing", "Token lacks a scope", `Cannot do this: the token lacks the scope "${scope}"`);

  it("answers 403 to a run and is not offered the tool", async () => {
    const reader = await createToken("acme", ["read"]);
    const args = { skill_name: "unit-converter", script_name: "x" };
    expect(await problemOf(await call(reader, "run_skill_script", args))).toEqual(lacks("run"));
    const context = (await (await ask(reader, "/v1/context")).json()) as { tools: { name: string }[] };
    expect(context.tools.map((tool) => tool.name)).toEqual(["load_skill"]);
  });

  it("answers 403 to a read with a token that may only run", async () => {
    const runner = await createToken("acme", ["run"]);
    expect(await problemOf(await ask(runner, "/v1/skills"))).toEqual(lacks("read"));
  });
});

describe("the body of a tool call", () => {
  const ten = 10 * 1024 * 1024;
  const tooLarge = problem(
    413,
    "body-too-large",
    "Request body is too large",
    "Cannot read the request body: it is over 8388608 bytes",
  );

  it("answers 413 to 10 MB, whether its length is told or not", async () => {
    const told = await call(token, "load_skill", null, { body: "x".repeat(ten) });
    const chunk = new Uint8Array(1024 * 1024);
    let left = 10;
    const stream = new ReadableStream({
      pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.close()),
    });
    const untold = await call(token, "load_skill", null, { body: stream });
    expect([await problemOf(told), await problemOf(untold)]).toEqual([tooLarge, tooLarge]);
  });

  it.each(["", "{", "undefined", "{'a':1}", '{"skill_name":"a"}x'])(
    "answers 400 to what is not JSON: %j",
    async (body) => {
      expect(await problemOf(await call(token, "load_skill", null, { body }))).toEqual(
        problem(
          400,
          "json-invalid",
          "Request body is not valid JSON",
          "Cannot read the request body: it is not JSON in UTF-8",
        ),
      );
    },
  );

  it("answers 400 to JSON that is not UTF-8, and never runs with other characters in its place", async () => {
    const body = new TextEncoder().encode('{"skill_name":"?"}').map((byte) => (byte === 0x3f ? 0xff : byte));
    const stream = new ReadableStream({
      start: (controller) => {
        controller.enqueue(body);
        controller.close();
      },
    });
    const told = await problemOf(await call(token, "load_skill", null, { body }));
    const untold = await problemOf(await call(token, "load_skill", null, { body: stream }));
    expect([told.body, untold.body]).toMatchObject([{ code: "json-invalid" }, { code: "json-invalid" }]);
  });

  it.each(["null", "[]", "7", '"text"', "true", "[{}]"])("answers 400 to JSON that is no object: %s", async (body) => {
    expect(await problemOf(await call(token, "load_skill", null, { body }))).toEqual(
      problem(400, "request-invalid", "Request is not valid", "Cannot use the request body: it is not a JSON object"),
    );
  });

  it("answers 200 with is_error to an object that is not the tool's arguments", async () => {
    const response = await call(token, "load_skill", { __proto__: null, skill: "unit-converter" });
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { is_error: true, error: { code: "arguments-invalid", message: 'Cannot use "skill_name": a string is needed' } },
    ]);
  });
});

describe("a request that asks for what cannot be", () => {
  it.each([
    ["/v1/context?format=xml", 400, "format-unknown"],
    ["/v1/skills?limit=0", 400, "request-invalid"],
    ["/v1/skills?cursor=x", 400, "request-invalid"],
    ["/v1/skills/nothing", 404, "skill-not-found"],
    ["/v1/skills/unit-converter/files/nothing", 404, "resource-not-found"],
  ])("%s answers %d %s", async (path, status, code) => {
    const answer = await problemOf(await ask(token, path));
    expect([answer.status, answer.type, answer.body]).toMatchObject([status, "application/problem+json", { code }]);
  });

  it("names candidates for a skill and for a file", async () => {
    const skill = await problemOf(await ask(token, "/v1/skills/unit-convert"));
    expect(skill).toEqual(
      problem(404, "skill-not-found", "Skill is not known", 'Cannot find skill "unit-convert": no such skill', {
        candidates: ["unit-converter"],
      }),
    );
  });
});

describe("a bundle that is damaged", () => {
  const damaged = problem(500, "bundle-damaged", "Stored bundle is damaged", "Stored bundle is damaged");
  let logged: MockInstance<typeof console.error>;

  beforeEach(() => {
    logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  });

  afterEach(() => {
    logged.mockRestore();
  });

  it("is told whole in the log, under the id that the caller was given", async () => {
    await env.SKILLS_R2.put("channel/logged/live", "nonsense");
    const response = await ask(await createToken("logged"), "/v1/skills");
    const entries = logged.mock.calls.map(([line]): Record<string, unknown> => JSON.parse(String(line)));
    expect(entries).toEqual([
      {
        level: "error",
        message: "Cannot read bundle pointer: it is not JSON",
        request_id: response.headers.get("X-Request-Id"),
        code: "bundle-damaged",
        cause: expect.stringMatching(/^SyntaxError: /),
        stack: expect.stringContaining("pointer-format.ts"),
      },
    ]);
  });

  it("answers 500 with nothing of the inside, and goes on with the skills that are whole", async () => {
    const packed = await deploySkills("damaged", [{ name: "whole" }, { name: "broken", body: "Other text.\n" }]);
    const own = await createToken("damaged");
    const record = [...packed.blobs].find(([, bytes]) => new TextDecoder().decode(bytes).includes('"name":"broken"'));
    const [key, bytes] = record ?? ["", new Uint8Array()];

    await env.SKILLS_KV.put(key, bytes.subarray(1));
    expect(await problemOf(await ask(own, "/v1/skills/broken"))).toEqual(damaged);
    expect(await problemOf(await call(own, "load_skill", { skill_name: "broken" }))).toEqual(damaged);
    expect((await ask(own, "/v1/skills/whole")).status).toBe(200);

    await env.SKILLS_KV.put(key, bytes);
    expect((await ask(own, "/v1/skills/broken")).status).toBe(200);
  });

  it("answers 500, never 404, for a file that the bundle promises and storage lacks", async () => {
    const bytes = Uint8Array.of(9, 8, 7, 6);
    const packed = await deploySkills("lacking", [{ name: "holder", files: [{ path: "a.bin", content: bytes }] }]);
    const own = await createToken("lacking");
    const file = packed.records[0]?.files[0];
    const key = file ? blobKey(file.digest) : "";
    await env.SKILLS_KV.delete(key);
    expect(await problemOf(await ask(own, "/v1/skills/holder/files/a.bin"))).toEqual(damaged);
    await env.SKILLS_R2.put(key, bytes);
    expect((await ask(own, "/v1/skills/holder/files/a.bin")).status).toBe(200);
  });

  it("answers 500 for a pointer of an unknown format", async () => {
    await env.SKILLS_R2.put("channel/future/live", '{"format":2}');
    const own = await createToken("future");
    expect(await problemOf(await ask(own, "/v1/skills"))).toEqual(
      problem(
        500,
        "bundle-format-unknown",
        "Stored bundle has an unknown format",
        "Stored bundle has an unknown format",
      ),
    );
  });
});
