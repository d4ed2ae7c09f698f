import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { serveSite } from "../helpers/http-site.ts";
import { liveEntries } from "../helpers/pack-skills.ts";
import { StandIn } from "../helpers/stand-in.ts";
import { REPOSITORY } from "./support/source-files.ts";

const run = promisify(execFile);

async function example(name: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const options = { cwd: REPOSITORY, env: { ...process.env, NO_COLOR: "1", ...env } };
  const { stdout } = await run(process.execPath, ["--no-warnings", `examples/${name}.ts`, ...args], options);
  return stdout;
}

const CATALOGUE = {
  skills: [
    {
      name: "unit-converter",
      description: "Converts between units.",
      content: "Look up the factor, then run `convert`.\n",
      resources: [{ name: "conversion-table", url: "/blobs/table", description: "Supported pairs" }],
      scripts: [{ name: "convert", url: "/functions/convert", description: "Converts a value" }],
    },
  ],
};

describe("examples/custom-source.ts", () => {
  it("loads, reads and runs a skill of a catalogue over HTTP, beside one in code", async () => {
    const url = await serveSite(async (request) => {
      switch (new URL(request.url).pathname) {
        case "/catalogue":
          return Response.json(CATALOGUE);
        case "/blobs/table":
          return new Response("mile,kilometre,1.609\n");
        default: {
          const { value, factor } = (await request.json()) as { value: number; factor: number };
          return Response.json({ result: value * factor });
        }
      }
    });
    expect(
      await example("custom-source", [`${url}/catalogue`]),
    ).toBe(`tools: load_skill, read_skill_resource, run_skill_script
greeting: Greets people by name.
unit-converter: Converts between units.

load_skill {"skill_name":"unit-converter"}
<skill_content name="unit-converter">
Look up the factor, then run \`convert\`.
</skill_content>
<skill_resources>
  <skill_resource name="conversion-table" description="Supported pairs" media_type="text/plain"/>
</skill_resources>
<skill_scripts>
  <skill_script name="convert" description="Converts a value">{"type":"object"}</skill_script>
</skill_scripts>

read_skill_resource {"skill_name":"unit-converter","resource_name":"conversion-table"}
mile,kilometre,1.609

run_skill_script {"skill_name":"unit-converter","script_name":"convert","arguments":{"value":26.2,"factor":1.609}}
exit code: 0
stdout:
{"result":42.1558}

run_skill_script {"skill_name":"greeting","script_name":"greet","arguments":{"name":"Ada"}}
exit code: 0
stdout:
Hello, Ada!
`);
  });

  it("is told in docs/writing-a-source.md word for word", () => {
    const guide = readFileSync(`${REPOSITORY}docs/writing-a-source.md`, "utf8");
    const sources = ["cloud-source", "custom-source"]
      .map((name) => readFileSync(`${REPOSITORY}examples/${name}.ts`, "utf8"))
      .join("\n");
    const blocks = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code?.trim() ?? "");
    expect(blocks.length).toBeGreaterThanOrEqual(5);
    expect(blocks.filter((code) => !sources.includes(code))).toEqual([]);
  });
});

describe("examples/node-agent.ts", () => {
  it("answers a question with a skill of the disk and one in code", async () => {
    const standIn = new StandIn();
    await standIn.start();
    onTestFinished(() => standIn.stop());
    const call = (id: string, name: string, args: object) => ({
      finish_reason: "tool_calls",
      message: {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
      },
    });
    standIn.answers = [
      call("1", "load_skill", { skill_name: "unit-converter" }),
      call("2", "run_skill_script", { skill_name: "clock", script_name: "now" }),
      { finish_reason: "stop", message: { role: "assistant", content: "About 42 km." } },
    ].map((choice) => ({ id: "r", created: 0, model: "stand-in", choices: [{ index: 0, ...choice }] }));
    const output = await example("node-agent", [], { MODEL_URL: standIn.url, MODEL: "stand-in" });
    expect(output).toBe("load: unit-converter\napproved: clock now\nrun: clock\nAbout 42 km.\n");
  });
});

/** Stands in for the runner Worker. */
const RUNNER = `
import { WorkerEntrypoint } from "cloudflare:workers";
export class Runner extends WorkerEntrypoint {
  run({ skill, script, argv }) {
    const stdout = [skill.name, script.path, ...argv].join(" ") + "\\n";
    return { exit_code: 0, stdout, stderr: "", timed_out: false, truncated: false, limit: null, duration_ms: 1, files: [] };
  }
}
export default {};
`;

describe("examples/own-worker.ts", () => {
  let worker: Miniflare;

  beforeAll(async () => {
    const { outputFiles } = await build({
      absWorkingDir: REPOSITORY,
      entryPoints: ["examples/own-worker.ts"],
      bundle: true,
      write: false,
      format: "esm",
      target: "es2024",
      external: ["cloudflare:*"],
    });
    const contents = outputFiles[0]?.text ?? "";
    const manifest = {
      mainModule: "worker.js",
      modulesRoot: "/",
      modules: { "worker.js": { type: "esm", contents } },
    } as const;
    worker = new Miniflare({
      host: "127.0.0.1",
      port: 0,
      workers: [
        {
          config: {
            name: "own",
            compatibilityDate: "2026-11-01",
            manifest,
            env: {
              SKILLS_KV: { type: "kv", id: "skills" },
              SKILLS_R2: { type: "r2", name: "skills" },
              RUNNER: { type: "worker", worker: "runner", exportName: "Runner" },
            },
          },
        },
        {
          config: {
            name: "runner",
            compatibilityDate: "2026-11-01",
            manifest: { ...manifest, modules: { "worker.js": { type: "esm", contents: RUNNER } } },
          },
        },
      ],
    });
    const [kv, r2] = [await worker.getKVNamespace("SKILLS_KV"), await worker.getR2Bucket("SKILLS_R2")];
    const rules = {
      name: "rules",
      body: "Follow them.\n",
      files: [{ path: "scripts/count.py", content: "" }],
      scripts: ["scripts/count.py"],
    };
    // As a deploy does: pointers lie in R2, and nowhere else.
    for (const [key, bytes] of await liveEntries([rules])) {
      await (key.startsWith("channel/") ? r2 : kv).put(key, new Uint8Array(bytes).buffer);
    }
  });
  afterAll(() => worker?.dispose());

  it("offers skills of its bundle and its own, and answers calls in Anthropic's form", async () => {
    const { instructions, tools } = (await (await worker.dispatchFetch("http://worker/context")).json()) as {
      instructions: string;
      tools: { name: string }[];
    };
    expect([...instructions.matchAll(/<name>(.*)<\/name>/g)].map(([, name]) => name)).toEqual([
      "order-status",
      "rules",
    ]);
    expect(tools.map(({ name }) => name)).toEqual(["load_skill", "read_skill_resource", "run_skill_script"]);
    const calls = [
      { type: "tool_use", id: "1", name: "load_skill", input: { skill_name: "rules" } },
      {
        type: "tool_use",
        id: "2",
        name: "run_skill_script",
        input: { skill_name: "order-status", script_name: "status", arguments: '{"order":"7"}' },
      },
      {
        type: "tool_use",
        id: "3",
        name: "run_skill_script",
        input: { skill_name: "rules", script_name: "count", arguments: '["7"]' },
      },
    ];
    const response = await worker.dispatchFetch("http://worker/calls", { method: "POST", body: JSON.stringify(calls) });
    const [loaded, inCode, packed] = (await response.json()) as { content: string }[];
    expect([loaded?.content.includes("Follow them."), inCode?.content, packed?.content]).toEqual([
      true,
      'exit code: 0\nstdout:\n{"order":"7","status":"shipped"}',
      "exit code: 0\nstdout:\nrules scripts/count.py 7",
    ]);
  });
});
