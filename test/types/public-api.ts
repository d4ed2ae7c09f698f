/**
 * Pins the types of the public API: this file compiles as long as they are what people rely on. Checked by `tsc`, never run.
 * A line marked `@ts-expect-error` has to fail.
 */
import {
  AgentInMemorySkillsSource,
  type AgentSkill,
  AgentSkillFrontmatter,
  AgentSkillResource,
  AgentSkillScript,
  type AgentSkillsProvider,
  AgentSkillsProviderBuilder,
  AgentSkillsSource,
  type AgentSkillsSourceContext,
  AggregatingAgentSkillsSource,
  ANY_CALLER,
  CachingAgentSkillsSource,
  createRoutingRunner,
  DeduplicatingAgentSkillsSource,
  FilteringAgentSkillsSource,
  MemoryApprovalStore,
  NO_CONTEXT,
  type RunResult,
  readOnlyRule,
  runResultOf,
  type ScriptCall,
  type ScriptRunner,
  Services,
  type SkillsLogger,
  serviceKey,
  type ToolAnswer,
} from "edge-skills";
import { type ChatTurn, compactMessages, runSkillInSubAgent, SkillActivations } from "edge-skills/context";
import { dispatchToolCalls, type PlainTool, plainTools, type ToolFormat, toolsIn } from "edge-skills/formats";
import { mcpSkills } from "edge-skills/mcp";
import {
  AgentFileSkillsSource,
  type FunctionServer,
  AgentSkillsProviderBuilder as NodeBuilder,
  startFunctionServer,
} from "edge-skills/node";
import { createMemoryStore, createPackedSource } from "edge-skills/packed";
import { createHttpFunctionRunner, RemoteAgentSkillsSource, WellKnownAgentSkillsSource } from "edge-skills/remote";
import {
  AgentClassSkill,
  AgentInlineSkill,
  AgentInlineSkillResource,
  AgentInlineSkillScript,
  type formatSkillMd,
} from "edge-skills/skills";
import { runnerContract, sourceContract } from "edge-skills/testing";
import * as z from "zod";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only where the types are the same. */
function same<A, B>(_holds: Same<A, B>): void {}

// What can be extended, and what each must have.
class OwnResource extends AgentSkillResource {
  async read(context?: AgentSkillsSourceContext): Promise<Uint8Array> {
    return new TextEncoder().encode(`${context?.tenant}`);
  }
}

class OwnScript extends AgentSkillScript {
  async run({ skill, context }: ScriptCall): Promise<RunResult> {
    return runResultOf({ skill: skill.name, tenant: context.tenant });
  }
}

class OwnSource extends AgentSkillsSource {
  async getSkills(): Promise<readonly AgentSkill[]> {
    return [];
  }
}

// A source may be any object of the shape.
const plain: AgentSkillsSource = { getSkills: async () => [] };

// @ts-expect-error a source has to answer skills
const wrong: AgentSkillsSource = { getSkills: async () => ["a"] };

// Skills in code: arguments have the schema's type.
const inline = new AgentInlineSkill({ name: "a", description: "b", instructions: "c" })
  .addResource("table", "text", { description: "d" })
  .addResource("now", ({ signal }: AgentSkillsSourceContext) => signal?.aborted)
  .addScript("convert", ({ value, unit }) => `${value.toFixed(1)} ${unit.toUpperCase()}`, {
    parameters: z.object({ value: z.number(), unit: z.string() }),
  })
  .addScript("loose", (args, { stdin }) => [args.anything, stdin]);

inline.addScript("strict", ({ value }) => value, {
  parameters: z.object({ value: z.number() }),
  // @ts-expect-error there is no such option
  params: {},
});

class ClassSkill extends AgentClassSkill {
  readonly frontmatter = new AgentSkillFrontmatter("a", "b", { license: "MIT" });
  readonly instructions = "c";
  override readonly resources = [new AgentInlineSkillResource("r", "text"), new OwnResource("o")];
  override readonly scripts = [new AgentInlineSkillScript("s", () => 1), new OwnScript("o")];
}

// The decorators of sources.
const logger: SkillsLogger = console;
const source = new DeduplicatingAgentSkillsSource(
  new FilteringAgentSkillsSource(
    new CachingAgentSkillsSource(new AggregatingAgentSkillsSource([plain, new OwnSource(), wrong], { logger }), {
      isolationKey: ({ tenant, session }) => `${tenant}/${session}`,
      refreshIntervalMs: 1_000,
      singleFlight: "shared",
    }),
    ({ metadata }, { agent }) => metadata.role === agent,
  ),
);
const sources: readonly AgentSkillsSource[] = [
  new AgentInMemorySkillsSource([inline, new ClassSkill()]),
  new AgentFileSkillsSource("x", { scriptExtensions: [".py"], searchDepth: 2 }),
  new RemoteAgentSkillsSource("https://x", { token: ({ tenant }) => tenant }),
  new WellKnownAgentSkillsSource("https://x"),
  createPackedSource(createMemoryStore(new Map())),
];

// The builder, each method answering the builder it was called on.
const far = createHttpFunctionRunner({ url: "https://x", secret: async () => "secret", sends: "call", graceMs: 1 });
const runner: ScriptRunner = createRoutingRunner({ runtimes: { python: null }, skills: { tools: far } });
const built = new NodeBuilder()
  .useFileSkill("x")
  .useFileSkills(["x"], { runner })
  .useSkill(inline)
  .useSkills([inline])
  .useInlineSkills(inline)
  .useClassSkills(new ClassSkill())
  .useSource(source)
  .useSource(({ runner: late, loggerFor }) => new AgentFileSkillsSource("x", { runner: late, logger: loggerFor("x") }))
  .useMcpSkills(mcpSkills(async () => Promise.reject(new Error("none"))))
  .useFilter(({ name }) => name !== "x")
  .useScriptApproval()
  .useScriptApproval({ tools: { run_skill_script: "auto" }, rules: [readOnlyRule], store: new MemoryApprovalStore() })
  .usePromptTemplate("{skills}")
  .useFileScriptRunner(runner)
  .useFileScriptRunner(async (job) => runResultOf(job.argv))
  .useLoggerFactory(() => logger)
  .useOptions({ toolPrefix: "x_", includeDetailedErrors: true })
  .useCachingOptions({ refreshIntervalMs: 1 })
  .disableCaching()
  .useFileSkill("y")
  .build();
same<typeof built, AgentSkillsProvider>(true);

// @ts-expect-error a skill is needed
new AgentSkillsProviderBuilder().useSkill(null);

// Services know their types.
const DATABASE = serviceKey<{ query(text: string): number }>("database");
const services = new Services().add(DATABASE, { query: () => 1 });
same<ReturnType<typeof services.get<{ query(text: string): number }>>, { query(text: string): number } | undefined>(
  true,
);
// @ts-expect-error not what the key names
services.add(DATABASE, "text");

/** What calling looks like. */
export async function use(provider: AgentSkillsProvider): Promise<void> {
  const activations = SkillActivations.from(null);
  const answer = await provider.callTool("load_skill", { skill_name: "a" }, { ...ANY_CALLER, activations, services });
  same<typeof answer, ToolAnswer>(true);
  // @ts-expect-error no such tool
  await provider.callTool("load", {}, ANY_CALLER);
  const { tools } = await provider.getContext(ANY_CALLER);
  const format: ToolFormat = "anthropic";
  toolsIn(format, tools);
  await dispatchToolCalls(provider, format, [], ANY_CALLER, { approvals: { call: "approval" } });
  const plainList = await plainTools(provider, ANY_CALLER);
  same<typeof plainList, PlainTool[]>(true);
  compactMessages([{ role: "user", content: "x" }], { keepLast: 1, activations });
  const chat = async (): Promise<ChatTurn> => ({ content: "", toolCalls: [] });
  await runSkillInSubAgent(provider, ANY_CALLER, { skill: "a", task: "b", chat });
  const served: FunctionServer = await startFunctionServer({ secret: "secret", port: 0, skill: async () => null });
  await served.stop();
  await Promise.all([
    ...sourceContract({ create: () => sources[0] ?? plain, context: NO_CONTEXT }).map(({ run }) => run()),
    ...runnerContract({ create: () => runner, runtime: "python" }).map(({ run }) => run()),
  ]);
}

same<ReturnType<typeof formatSkillMd>, string>(true);
