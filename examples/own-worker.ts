/**
 * Owns an example: a Worker of one's own that answers its agent's tool calls, with skills that `edge-skills deploy` has put into KV and R2,
 * whose scripts the runner Worker runs, and one that is code. What wrangler has to bind is in docs/library.md.
 * `POST /context` gives instructions and tools, `POST /calls` answers an array of Anthropic's tool calls.
 */
import { AgentSkillsProviderBuilder, ANY_CALLER } from "edge-skills";
import { dispatchToolCalls, toolsIn } from "edge-skills/formats";
import { createPackedSource } from "edge-skills/packed";
import { AgentInlineSkill } from "edge-skills/skills";
import { createKvStore, createR2Store, createServiceBindingRunner, createTieredStore } from "edge-skills/worker";

interface Env {
  readonly SKILLS_KV: Parameters<typeof createKvStore>[0];
  readonly SKILLS_R2: Parameters<typeof createR2Store>[0];
  readonly RUNNER: Parameters<typeof createServiceBindingRunner>[0];
}

const orders = new AgentInlineSkill({
  name: "order-status",
  description: "Looks up the status of an order.",
  instructions: "Run `status` with the number of the order.",
}).addScript("status", ({ order }) => ({ order, status: "shipped" }), {
  parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
});

function providerOf(env: Env) {
  const store = createTieredStore(createKvStore(env.SKILLS_KV), createR2Store(env.SKILLS_R2));
  return new AgentSkillsProviderBuilder()
    .useInlineSkills(orders)
    .useSource(createPackedSource(store, { runner: createServiceBindingRunner(env.RUNNER) }))
    .disableCaching() // The packed source keeps what it reads; its pointer decides how fresh.
    .build();
}

let provider: ReturnType<typeof providerOf> | null = null;

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    provider ??= providerOf(env);
    const caller = { ...ANY_CALLER, signal: request.signal };
    if (new URL(request.url).pathname === "/context") {
      const { instructions, tools } = await provider.getContext(caller);
      return Response.json({ instructions, tools: toolsIn("anthropic", tools) });
    }
    const calls = (await request.json()) as unknown[];
    return Response.json(await dispatchToolCalls(provider, "anthropic", calls, caller));
  },
};
