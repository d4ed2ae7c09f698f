import { describe, expect, it } from "vitest";
import type { Scope } from "../../src/model/token.ts";
import cases from "../fixtures/cases/tenants.json";
import { PrivateEdge } from "./support/private-edge.ts";
import { type Answer, answerOf, checkStep, mcpRequest, type Step, saved } from "./support/tenants-steps.ts";

interface CaseSkill {
  readonly name: string;
  readonly mark: string;
  readonly aliases?: readonly string[];
  readonly files?: readonly { readonly path: string; readonly text: string }[];
  readonly scripts?: readonly { readonly path: string; readonly text: string }[];
}

interface Case {
  readonly id: string;
  readonly why: string;
  readonly input: {
    readonly layers: {
      readonly platform: { readonly skills: readonly CaseSkill[] };
      readonly tenants: Readonly<
        Record<string, { readonly skills?: readonly CaseSkill[]; readonly runtime?: readonly CaseSkill[] }>
      >;
    };
    readonly tokens: Readonly<
      Record<string, { readonly tenant: string; readonly scopes: readonly Scope[]; readonly revoked?: boolean }>
    >;
    readonly filters?: readonly unknown[];
    readonly approvals?: Readonly<Record<string, string>>;
    readonly caller?: string;
    readonly steps?: readonly Step[];
  };
  readonly expect: {
    readonly visible?: readonly { readonly name: string; readonly layer: string; readonly mark: string }[];
    readonly load?: Readonly<Record<string, string>>;
    readonly resources?: Readonly<Record<string, readonly string[]>>;
    readonly instructions_empty?: boolean;
    readonly tools?: readonly string[];
    readonly tools_exclude?: readonly string[];
    readonly instructions_must_not_contain?: readonly string[];
    readonly all_steps?: boolean;
  };
}

interface Scene {
  readonly edge: PrivateEdge;
  readonly tokens: ReadonlyMap<string, string>;
}

async function setUp({ id, input }: Case): Promise<Scene> {
  const approval = { run_skill_script: input.approvals?.run_skill_script ?? "never" };
  const edge = new PrivateEdge(id, { approval, ...(input.filters ? { filters: input.filters } : {}) });
  await edge.deploy("platform", input.layers.platform.skills.map(specOf));
  const tokens = new Map<string, string>();
  for (const [name, { tenant, scopes, revoked }] of Object.entries(input.tokens)) {
    const made = await edge.token(tenant, scopes);
    tokens.set(name, made.token);
    if (revoked) {
      await edge.tenant(tenant).revokeToken(made.id);
    }
  }
  for (const [tenant, layer] of Object.entries(input.layers.tenants)) {
    await edge.deploy(tenant, (layer.skills ?? []).map(specOf));
    const writer = await edge.token(tenant, ["write"]);
    for (const { name, mark } of layer.runtime ?? []) {
      const files = [
        { path: "SKILL.md", encoding: "utf-8", content: `---\nname: ${name}\ndescription: ${mark}\n---\n${mark}\n` },
      ];
      const put = { method: "PUT", body: JSON.stringify({ files }) };
      expect((await edge.ask(writer.token, `/v1/runtime/skills/${name}`, put)).status).toBe(200);
    }
  }
  return { edge, tokens };
}

function specOf({ name, mark, aliases = [], files, scripts = [] }: CaseSkill) {
  const plain = files ?? [{ path: "references/info.md", text: `${mark}\n` }];
  return {
    name,
    aliases,
    description: mark,
    body: `${mark}\n`,
    manifest: `---\nname: ${name}\ndescription: ${mark}\n---\n${mark}\n`,
    files: [...plain, ...scripts].map(({ path, text }) => ({ path, content: text })),
    scripts: scripts.map(({ path }) => path),
  };
}

async function jsonOf<T>(scene: Scene, caller: string, path: string, body?: unknown): Promise<T> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await scene.edge.ask(scene.tokens.get(caller) ?? null, path, init);
  expect(response.status).toBe(200);
  return response.json();
}

/** What a caller sees at each door: in the list, in the catalogue, and by loading. */
async function checkCaller(scene: Scene, caller: string, expected: Case["expect"]): Promise<void> {
  const listed: { name: string; layer: string; description: string }[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: { skills: typeof listed; next_cursor: string | null } = await jsonOf(
      scene,
      caller,
      `/v1/skills?limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    listed.push(...page.skills);
    cursor = page.next_cursor;
  }
  const context: { instructions: string; tools: { name: string }[] } = await jsonOf(scene, caller, "/v1/context");
  const load = async (skill_name: string): Promise<string> =>
    (await jsonOf<{ content: string }>(scene, caller, "/v1/tools/load_skill", { skill_name })).content;

  if (expected.visible) {
    expect(listed.map(({ name, layer, description }) => ({ name, layer, mark: description }))).toEqual(
      expected.visible,
    );
    const named = [...context.instructions.matchAll(/<name>(.*)<\/name>\s*<description>(.*)<\/description>/g)];
    expect(named.map(([, name, mark]) => ({ name, mark }))).toEqual(
      expected.visible.map(({ name, mark }) => ({ name, mark })),
    );
    for (const { name, mark } of expected.visible) {
      expect(await load(name)).toContain(`\n${mark}\n`);
    }
  }
  for (const [name, mark] of Object.entries(expected.load ?? {})) {
    expect(await load(name)).toContain(`\n${mark}\n`);
  }
  for (const [name, resources] of Object.entries(expected.resources ?? {})) {
    const document: { resources: { name: string }[] } = await jsonOf(scene, caller, `/v1/skills/${name}`);
    expect(document.resources.map((resource) => resource.name)).toEqual(resources);
  }
  if (expected.instructions_empty) {
    expect(context.instructions).toBe("");
  }
  const tools = context.tools.map((tool) => tool.name);
  if (expected.tools) {
    expect(tools).toEqual(expected.tools);
  }
  expect(tools.filter((tool) => expected.tools_exclude?.includes(tool))).toEqual([]);
  expect((expected.instructions_must_not_contain ?? []).filter((text) => context.instructions.includes(text))).toEqual(
    [],
  );
}

/** Plays the steps in their order, neighbours with `at_once` together. */
async function play(scene: Scene, steps: readonly Step[]): Promise<void> {
  const values = new Map<string, string>();
  const answers: Answer[] = [];
  for (let i = 0; i < steps.length; ) {
    const alone = steps[i]?.at_once ? steps.slice(i).findIndex((step) => !step.at_once) : 1;
    const group = steps.slice(i, alone === -1 ? undefined : i + alone);
    const got = await Promise.all(group.map((step) => answer(scene, step, values)));
    got.forEach((one, k) => {
      const step = group[k] as Step;
      checkStep(step, one, answers[0] ?? one, values);
      saved(step, one, values);
      answers.push(one);
    });
    i += group.length;
  }
}

async function answer({ edge, tokens }: Scene, step: Step, values: ReadonlyMap<string, string>): Promise<Answer> {
  const { path, headers, body } = mcpRequest(step, values);
  const token = step.as === null ? null : (tokens.get(step.as) ?? null);
  return answerOf(
    await edge.ask(token, path, { method: step.method, headers, ...(body === undefined ? {} : { body }) }),
  );
}

describe("cases/tenants.json", () => {
  it.each(cases as unknown as Case[])("$id: $why", async (one) => {
    const scene = await setUp(one);
    if (one.input.caller) {
      await checkCaller(scene, one.input.caller, one.expect);
    }
    await play(scene, one.input.steps ?? []);
  });
});
