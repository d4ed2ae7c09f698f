import { beforeAll, describe, expect, it } from "vitest";
import type { PackedLayer } from "../helpers/pack-skills.ts";
import { ask, call, createToken, deploySkills } from "./support/edge.ts";
import { CONVERTER } from "./support/skills.ts";

const SNAPSHOT = /^v1(?:\.(?:[0-9a-f]{32}|none)){3}$/;

let platform: PackedLayer;
let token = "";
let bundle = "";

beforeAll(async () => {
  platform = await deploySkills("platform", [CONVERTER, { name: "tide-tables", description: "Tides." }]);
  await deploySkills("acme", [{ name: "own-rules", description: "Rules of acme.", body: "Be kind.\n" }]);
  token = await createToken("acme");
  bundle = (await ask(token, "/v1/skills")).headers.get("X-Skills-Bundle") ?? "";
});

/** Status, the headers every read of a snapshot has, and the document. */
async function read(path: string): Promise<{ status: number; headers: Record<string, string | null>; body: unknown }> {
  const response = await ask(token, path);
  const names = ["Content-Type", "Cache-Control", "Vary", "X-Skills-Bundle"];
  const headers = Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));
  expect(response.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(response.headers.get("ETag")).toMatch(/^"[0-9a-f]{32}"$/);
  return { status: response.status, headers, body: await response.json() };
}

function headers(): Record<string, string> {
  return {
    "Content-Type": "application/json",
    "Cache-Control": "private, no-cache",
    Vary: "Authorization, X-Skills-Bundle",
    "X-Skills-Bundle": bundle,
  };
}

function digestOf(name: string): string | undefined {
  return platform.records.find((record) => record.name === name)?.digest;
}

describe("GET /healthz", () => {
  it("answers without a token, with a request id", async () => {
    const response = await ask(null, "/healthz");
    expect([response.status, await response.json()]).toEqual([200, { status: "ok", bundle_formats: [1] }]);
    expect(response.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("GET /v1/context", () => {
  it.each(["/v1/context", "/v1/context?format=json-schema"])(
    "answers bundle, instructions and tools: %s",
    async (path) => {
      const { status, headers: sent, body } = await read(path);
      expect([status, sent]).toEqual([200, headers()]);
      const {
        bundle: name,
        instructions,
        tools,
        ...rest
      } = body as Record<string, string> & { tools: { name: string }[] };
      expect([name, rest]).toEqual([bundle, {}]);
      expect(instructions?.match(/<name>.*<\/name>/g)).toEqual([
        "<name>own-rules</name>",
        "<name>tide-tables</name>",
        "<name>unit-converter</name>",
      ]);
      expect(tools.map((tool) => [tool.name, Object.keys(tool)])).toEqual(
        ["load_skill", "read_skill_resource", "run_skill_script"].map((tool) => [
          tool,
          ["name", "description", "parameters"],
        ]),
      );
    },
  );
});

describe("GET /v1/skills", () => {
  it("answers what each skill is and has, by name", async () => {
    const { status, headers: sent, body } = await read("/v1/skills");
    expect([status, sent]).toEqual([200, headers()]);
    expect(bundle).toMatch(SNAPSHOT);
    const own = { resources: 0, scripts: 0, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) };
    expect(body).toEqual({
      bundle,
      skills: [
        { name: "own-rules", description: "Rules of acme.", layer: "acme", ...own },
        { name: "tide-tables", description: "Tides.", layer: "platform", ...own, digest: digestOf("tide-tables") },
        {
          name: "unit-converter",
          description: "Converts <units>.",
          layer: "platform",
          digest: digestOf("unit-converter"),
          resources: 12,
          scripts: 7,
        },
      ],
      next_cursor: null,
    });
  });

  it("gives pages that join to the whole list, and those that match a query", async () => {
    const names: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const path: string = `/v1/skills?limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const page = (await (await ask(token, path)).json()) as {
        skills: { name: string }[];
        next_cursor: string | null;
      };
      names.push(...page.skills.map((skill) => skill.name));
      cursor = page.next_cursor;
    }
    const matches = (await (await ask(token, "/v1/skills?query=tides")).json()) as { skills: { name: string }[] };
    expect(names).toEqual(["own-rules", "tide-tables", "unit-converter"]);
    expect(matches.skills.map((skill) => skill.name)).toEqual(["tide-tables"]);
  });
});

describe("GET /v1/skills/{name}", () => {
  it("answers everything of a skill but its bytes", async () => {
    const { status, headers: sent, body } = await read("/v1/skills/unit-converter");
    expect([status, sent]).toEqual([200, headers()]);
    const { resources, scripts, ...rest } = body as { resources: unknown[]; scripts: unknown[] };
    const record = platform.records.find((item) => item.name === "unit-converter");
    expect(rest).toEqual({
      bundle,
      name: "unit-converter",
      description: "Converts <units>.",
      layer: "platform",
      digest: record?.digest,
      frontmatter: { name: "Unit Converter", description: "Converts <units>.", license: "MIT", "x-note": ["1", "2"] },
      metadata: { author: "acme" },
      allowed_tools: ["Read", "Bash(git add:*)"],
      body: "# Units\n\nRun `scripts/convert.py`.\n",
    });
    expect(resources).toEqual(record?.files.map(({ path, text: _, ...facts }) => ({ name: path, ...facts })));
    expect(scripts).toEqual(record?.scripts.map(({ path, compiled: _, ...facts }) => ({ name: path, ...facts })));
  });

  it.each(["Unit%20Converter", "UNIT-CONVERTER", "unit%2Dconverter"])("finds it as %s too", async (name) => {
    expect(((await read(`/v1/skills/${name}`)).body as { name: string }).name).toBe("unit-converter");
  });
});

describe("POST /v1/tools/{tool}", () => {
  it.each([
    ["load_skill", { skill_name: "own-rules" }, ["is_error", "content", "skill", "bundle"]],
    ["search_skills", { query: "tides" }, ["is_error", "content", "bundle"]],
    [
      "read_skill_resource",
      { skill_name: "unit-converter", resource_name: "data/rates.csv" },
      ["is_error", "content", "skill", "resource", "bundle"],
    ],
    [
      "run_skill_script",
      { skill_name: "unit-converter", script_name: "scripts/convert.py" },
      ["is_error", "content", "skill", "run", "bundle"],
    ],
  ] as const)("%s answers 200 with exactly the documented keys", async (tool, args, keys) => {
    const response = await call(token, tool, args);
    const answer = (await response.json()) as Record<string, unknown>;
    expect([response.status, Object.keys(answer), answer.is_error, answer.bundle]).toEqual([200, keys, false, bundle]);
    expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
    expect(response.headers.get("X-Skills-Bundle")).toBe(bundle);
  });

  it("answers many calls at once on a layer that this isolate has not read yet", async () => {
    await deploySkills("newcomer", [{ name: "fresh", body: "New.\n" }]);
    const own = await createToken("newcomer");
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => (await call(own, "load_skill", { skill_name: "fresh" })).text()),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain("\\nNew.\\n");
  });

  it("load_skill answers the text for the model", async () => {
    const answer = (await (await call(token, "load_skill", { skill_name: "own-rules" })).json()) as { content: string };
    expect(answer.content).toBe(
      '<skill_content name="own-rules">\nBe kind.\n</skill_content>\n<skill_resources></skill_resources>\n<skill_scripts></skill_scripts>\n',
    );
  });

  it("answers 200 with is_error and candidates for what the model can put right", async () => {
    const response = await call(token, "load_skill", { skill_name: "tide-table" });
    const message = 'Cannot find skill "tide-table": no such skill';
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        is_error: true,
        content: `Error: ${message}\nKnown: "tide-tables", "own-rules", "unit-converter"`,
        error: { code: "skill-not-found", message, candidates: ["tide-tables", "own-rules", "unit-converter"] },
        bundle,
      },
    ]);
  });
});
