/** Owns the edge Worker with its storage reads counted: `X-Bench-Reads` says how many an answer cost this isolate. */
import edge, { type Env } from "../../src/worker.ts";

export { TenantObject } from "../../src/worker.ts";

let reads = 0;

function counted<T extends object>(binding: T): T {
  return new Proxy(binding, {
    get(target, key) {
      const value = Reflect.get(target, key, target);
      if (typeof value !== "function") {
        return value;
      }
      return (...args: unknown[]) => {
        reads += key === "get" ? 1 : 0;
        return Reflect.apply(value, target, args);
      };
    },
  });
}

let wrapped: Env | null = null;

export default {
  async fetch(request, env, ctx) {
    wrapped ??= {
      ...env,
      ...(env.SKILLS_KV ? { SKILLS_KV: counted(env.SKILLS_KV) } : {}),
      ...(env.SKILLS_R2 ? { SKILLS_R2: counted(env.SKILLS_R2) } : {}),
    };
    const before = reads;
    const response = await edge.fetch(request, wrapped, ctx);
    const answer = new Response(response.body, response);
    answer.headers.set("X-Bench-Reads", String(reads - before));
    return answer;
  },
} satisfies ExportedHandler<Env>;
