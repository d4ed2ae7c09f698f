/** Owns what every source of skills promises, whatever its skills are. One suite for all; knows no test runner. */
import { counted } from "../model/counted.ts";
import { digestOf, isDigest } from "../model/digest.ts";
import { inTime } from "../model/in-time.ts";
import { isUnsafeName } from "../model/name.ts";
import { isSafePath } from "../model/path.ts";
import { comparePaths } from "../model/record.ts";
import { type AgentSkill, type AgentSkillsSource, type AgentSkillsSourceContext, NO_CONTEXT } from "../model/skill.ts";
import { AgentSkillsProvider } from "../provider/provider.ts";
import { ContractBreach, type ContractCase, promise } from "./contract-case.ts";

/** An implementation to be held to the contract. */
export interface SourceUnderContract {
  /** Makes a source that has skills, the same each time. */
  readonly create: () => AgentSkillsSource | Promise<AgentSkillsSource>;
  /** Who asks; default: nobody in particular. */
  readonly context?: AgentSkillsSourceContext;
}

const PATIENCE_MS = 10_000;

/**
 * The cases of the contract.
 *
 * @example
 * for (const { name, run } of sourceContract({ create: () => new CloudSkillsSource(url) })) {
 *   test(name, run);
 * }
 */
export function sourceContract({ create, context = NO_CONTEXT }: SourceUnderContract): ContractCase[] {
  const withSkills = (check: (skills: readonly AgentSkill[], source: AgentSkillsSource) => Promise<void> | void) => {
    return async () => {
      const source = await create();
      try {
        const skills = await source.getSkills(context);
        promise(skills.length > 0, "the source under contract has no skills to try");
        await check(skills, source);
      } finally {
        await source.dispose?.();
      }
    };
  };
  const withEach = (check: (skill: AgentSkill) => Promise<void> | void) => {
    return withSkills(async (skills) => {
      for (const skill of skills) {
        await check(skill);
      }
    });
  };
  return [
    {
      name: "answers the same array while nothing changed",
      run: withSkills(async (skills, source) => {
        promise((await source.getSkills(context)) === skills, "a second call answers another array");
      }),
    },
    { name: "advertises each skill by facts that need no read", run: withEach(checkFacts) },
    { name: "counts what it lists", run: withEach(checkCounts) },
    {
      name: "gives frontmatter and a body",
      run: withEach(checkContent),
    },
    {
      name: "lists resources by safe names, each once, in path order, and gives their very bytes",
      run: withEach(checkResources),
    },
    { name: "lists scripts, each once, those that cannot run with the reason", run: withEach(checkScripts) },
    {
      name: "is served by a provider: every skill loads, every listed resource is read",
      run: withSkills(checkServed(context)),
    },
    {
      name: "neither hangs nor answers late when its caller has gone",
      run: async () => {
        const source = await create();
        const asked = source.getSkills({ ...context, signal: AbortSignal.abort() }).catch(() => []);
        const words = `an aborted call is still under way after ${PATIENCE_MS} ms`;
        await inTime(asked, PATIENCE_MS, () => new ContractBreach(words));
        await source.dispose?.();
      },
    },
    {
      name: "may be disposed twice",
      run: async () => {
        const source = await create();
        await source.dispose?.();
        await source.dispose?.();
      },
    },
  ];
}

function checkFacts({ name, description, aliases, metadata, digest, revision, hidden }: AgentSkill): void {
  promise(name !== "" && !isUnsafeName(name), `${JSON.stringify(name)} is no name for a skill`);
  promise(description.trim() !== "", `skill "${name}" has no description`);
  promise(
    aliases.every((alias) => alias !== ""),
    `skill "${name}" has an empty alias`,
  );
  promise(typeof hidden === "boolean", `skill "${name}" does not tell whether it is hidden`);
  promise(
    Object.values(metadata).every((value) => typeof value === "string"),
    `metadata of "${name}" is not all text`,
  );
  promise(digest === null || isDigest(digest), `the digest of "${name}" is none: ${digest}`);
  promise(revision === null || revision !== "", `the revision of "${name}" is empty`);
}

async function checkCounts(skill: AgentSkill): Promise<void> {
  const { name, counts } = skill;
  const [resources, scripts] = [await skill.listResources(), await skill.listScripts()];
  const runnable = scripts?.filter((script) => script.runnable).length ?? null;
  const pairs = {
    resources: [counts.resources, resources?.length ?? null],
    scripts: [counts.scripts, scripts?.length ?? null],
    runnable: [counts.runnable, runnable],
  };
  for (const [what, [counted = null, listed = null]] of Object.entries(pairs)) {
    promise(
      counted === null || listed === null || counted === listed,
      `"${name}" counts ${counted} ${what}, lists ${listed}`,
    );
  }
}

async function checkContent(skill: AgentSkill): Promise<void> {
  const { frontmatter, allowedTools, body } = await skill.getContent();
  promise(typeof body === "string", `the body of "${skill.name}" is no text`);
  promise(typeof frontmatter === "object" && frontmatter !== null, `the frontmatter of "${skill.name}" is no object`);
  promise(
    allowedTools.every((tool) => typeof tool === "string"),
    `the allowed tools of "${skill.name}" are not texts`,
  );
}

async function checkResources(skill: AgentSkill): Promise<void> {
  const resources = (await skill.listResources()) ?? [];
  const names = resources.map(({ name }) => name);
  promise(new Set(names).size === names.length, `"${skill.name}" lists a resource twice`);
  promise(
    String(names.toSorted(comparePaths)) === String(names) || skill.digest === null,
    `"${skill.name}" lists resources out of path order`,
  );
  for (const resource of resources) {
    promise(isSafePath(resource.name), `${JSON.stringify(resource.name)} of "${skill.name}" is no safe path`);
    const bytes = await resource.read();
    promise(bytes instanceof Uint8Array, `"${resource.name}" of "${skill.name}" does not give bytes`);
    promise(
      resource.size === null || resource.size === bytes.length,
      `"${resource.name}" has ${counted(bytes.length, "byte")}, not ${resource.size}`,
    );
    promise(
      resource.digest === null || resource.digest === (await digestOf(bytes)),
      `"${resource.name}" has other bytes than its digest says`,
    );
    promise(!resource.text || isText(bytes), `"${resource.name}" is said to be text, but is not UTF-8`);
  }
}

async function checkScripts(skill: AgentSkill): Promise<void> {
  const scripts = (await skill.listScripts()) ?? [];
  promise(new Set(scripts.map(({ name }) => name)).size === scripts.length, `"${skill.name}" lists a script twice`);
  for (const { name, runnable, reason, parameters } of scripts) {
    promise(runnable === (reason === null), `"${name}" of "${skill.name}" can run and has a reason not to, or neither`);
    promise(
      typeof JSON.parse(JSON.stringify(parameters)) === "object",
      `the parameters of "${name}" are no JSON Schema`,
    );
  }
}

function checkServed(context: AgentSkillsSourceContext) {
  return async (skills: readonly AgentSkill[], source: AgentSkillsSource): Promise<void> => {
    const provider = new AgentSkillsProvider(source);
    const caller = { ...context, mayRun: true };
    for (const skill of skills) {
      const loaded = await provider.callTool("load_skill", { skill_name: skill.name }, caller);
      promise(!loaded.is_error, `"${skill.name}" does not load: ${loaded.content}`);
      const [first] = (await skill.listResources()) ?? [];
      if (first !== undefined) {
        const args = { skill_name: skill.name, resource_name: first.name };
        const read = await provider.callTool("read_skill_resource", args, caller);
        promise(read.resource?.name === first.name, `"${first.name}" of "${skill.name}" is not read: ${read.content}`);
      }
    }
  };
}

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
