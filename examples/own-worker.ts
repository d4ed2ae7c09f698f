/**
 * Owns an example: a Worker of one's own that answers its agent's tool calls, with skills of a deployed bundle and one that is code.
 * `POST /context` gives instructions and tools, `POST /calls` answers an array of Anthropic's tool calls.
 */
import { AgentSkillsProviderBuilder, ANY_CALLER } from "edge-skills";
import { dispatchToolCalls, toolsIn } from "edge-skills/formats";
import { createPackedSource } from "edge-skills/packed";
import { AgentInlineSkill } from "edge-skills/skills";
import { createKvStore } from "edge-skills/worker";

interface Env {
  readonly SKILLS_KV: Parameters<typeof createKvStore>[0];
}

const orders = new AgentInlineSkill({
  name: "order-status",
  description: "Looks up the status of an order.",
  instructions: "Run `status` with the number of the order.",
}).addScript("status", ({ order }) => ({ order, status: "shipped" }), {
  parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
});

function providerOf(env: Env) {
  return new AgentSkillsProviderBuilder()
    .useInlineSkills(orders)
    .useSource(createPackedSource(createKvStore(env.SKILLS_KV)))
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
