/** Owns the edge Worker with its storage reads counted: `X-Bench-Reads` says how many an answer cost this isolate, `X-Bench-Keys` of what. */
import edge, { type Env } from "../../src/worker.ts";

export { TenantObject } from "../../src/worker.ts";

/** Keys that were read, one after the other. */
const reads: string[] = [];

function counted<T extends object>(binding: T): T {
  return new Proxy(binding, {
    get(target, key) {
      const value = Reflect.get(target, key, target);
      if (typeof value !== "function") {
        return value;
      }
      return (...args: unknown[]) => {
        if (key === "get") {
          reads.push(String(args[0]));
        }
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
    const before = reads.length;
    const response = await edge.fetch(request, wrapped, ctx);
    const answer = new Response(response.body, response);
    const own = reads.slice(before);
    answer.headers.set("X-Bench-Reads", String(own.length));
    answer.headers.set("X-Bench-Keys", own.join(" "));
    return answer;
  },
} satisfies ExportedHandler<Env>;
