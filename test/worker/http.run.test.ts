import { beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_RUN_LIMITS } from "../../src/model/run.ts";
import type { PackedLayer } from "../helpers/pack-skills.ts";
import { call, createToken, deploySkills } from "./support/edge.ts";
import { CONVERTER } from "./support/skills.ts";

interface Answer {
  readonly is_error: boolean;
  readonly run?: { readonly stdout: string };
  readonly error?: { readonly code: string; readonly message: string };
}

let packed: PackedLayer;
let token = "";

beforeAll(async () => {
  packed = await deploySkills("platform", [CONVERTER]);
  token = await createToken("acme");
});

async function run(script: string, more: object = {}): Promise<Answer> {
  const response = await call(token, "run_skill_script", {
    skill_name: "unit-converter",
    script_name: script,
    ...more,
  });
  expect(response.status).toBe(200);
  return response.json();
}

describe("createServiceBindingRunner()", () => {
  it("sends the whole run to the runner Worker, and the skill's own files when it asks for them", async () => {
    const record = packed.records[0];
    const script = record?.files.find((file) => file.path === "scripts/convert.py");
    const own = record ? [record.manifest, ...record.files] : [];
    const { run: result } = await run("convert.py", { arguments: ["12", "km"], stdin: "in\n" });
    const { contents, ...request } = JSON.parse(result?.stdout ?? "{}");
    expect(request).toEqual({
      protocol: 1,
      id: "string",
      isolation: "acme",
      skill: { name: "unit-converter", digest: record?.digest },
      script: { path: "scripts/convert.py", runtime: "python", digest: script?.digest, compiled: null },
      programs: [],
      argv: ["12", "km"],
      stdin: "in\n",
      skill_files: own.map(({ path, digest, size }) => ({ path, digest, size })),
      files: [],
      limits: DEFAULT_RUN_LIMITS,
    });
    expect(contents[0]).toMatch(/^---\nname: Unit Converter\n/);
    expect(contents).toContain("from,to\nkm,mi\n");
    expect(contents).toHaveLength(own.length);
  });

  it("gives the runner no bytes that are no part of the skill, and no network", async () => {
    expect((await run("scripts/foreign.py")).run?.stdout).toMatch(/it is no part of this skill$/);
    expect((await run("scripts/network.py")).run?.stdout).toBe("403");
  });

  it("answers runner-busy with how long to wait", async () => {
    const message = "Runner is busy";
    expect(await run("scripts/busy.py")).toMatchObject({
      is_error: true,
      error: { code: "runner-busy", message, candidates: [], retry_after_ms: 1_500 },
    });
  });

  it.each(["scripts/throw.py", "scripts/nothing.py"])(
    "answers runner-failed with no word of why: %s",
    async (script) => {
      const answer = await run(script);
      expect(answer).toMatchObject({ is_error: true, error: { code: "runner-failed", message: "Runner failed" } });
      expect(JSON.stringify(answer)).not.toContain("secret");
    },
  );
});
