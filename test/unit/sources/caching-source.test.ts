import { describe, expect, it } from "vitest";
import {
  type AgentSkill,
  AgentSkillsSource,
  type AgentSkillsSourceContext,
  NO_CONTEXT,
} from "../../../src/model/skill.ts";
import { CachingAgentSkillsSource, type CachingOptions } from "../../../src/sources/caching-source.ts";
import { codeOf } from "../../helpers/error-code.ts";
import { asking, NotingLogger, namesOf, plainSkill, ToldSource } from "../../helpers/plain-skills.ts";

const skills = (): AgentSkill[] => [plainSkill("a")];

function cached(options: CachingOptions = {}) {
  const inner = new ToldSource(skills());
  const time = { now: 0 };
  return { inner, time, source: new CachingAgentSkillsSource(inner, { clock: () => time.now, ...options }) };
}

/** A source whose calls end when they are told to. */
class HeldSource extends AgentSkillsSource {
  readonly calls: {
    context: AgentSkillsSourceContext;
    end: (skills: readonly AgentSkill[]) => void;
    fail: (error: unknown) => void;
  }[] = [];

  getSkills(context: AgentSkillsSourceContext): Promise<readonly AgentSkill[]> {
    return new Promise((end, fail) => {
      this.calls.push({ context, end, fail });
      context.signal?.addEventListener("abort", () => fail(context.signal?.reason));
    });
  }
}

describe("CachingAgentSkillsSource", () => {
  it("asks once, and never again without a refresh interval", async () => {
    const { inner, time, source } = cached();
    const first = await source.getSkills(NO_CONTEXT);
    time.now = 1e12;
    expect(await source.getSkills(NO_CONTEXT)).toBe(first);
    expect(inner.calls).toBe(1);
  });

  it.each([
    { interval: 1_000, times: [0, 999], calls: 1 },
    { interval: 1_000, times: [0, 1_000], calls: 2 },
    { interval: 0, times: [0, 0], calls: 2 },
    { interval: -1, times: [0, 0], calls: 2 },
  ])("asks again when the interval of $interval ms is over: at $times", async ({ interval, times, calls }) => {
    const { inner, time, source } = cached({ refreshIntervalMs: interval });
    for (const at of times) {
      time.now = at;
      await source.getSkills(NO_CONTEXT);
    }
    expect(inner.calls).toBe(calls);
  });

  it("keeps an answer per tenant unless another key is given", async () => {
    const { inner, source } = cached();
    for (const tenant of ["acme", "globex", null, "acme"]) {
      await source.getSkills(asking({ tenant }));
    }
    expect(inner.calls).toBe(3);
  });

  it.each([
    { name: "null is shared by all", keys: [null, null], calls: 1 },
    { name: "an empty text is a key of its own", keys: [null, ""], calls: 2 },
    { name: "no key is taken for the shared one", keys: [null, "shared"], calls: 2 },
    { name: "the same key is the same answer", keys: ["k", "k"], calls: 1 },
  ])("$name", async ({ keys, calls }) => {
    const { inner, source } = cached({ isolationKey: ({ session }) => session });
    for (const session of keys) {
      await source.getSkills(asking({ session }));
    }
    expect(inner.calls).toBe(calls);
  });

  it("keeps no more keys than it is told, the one not used for longest going first", async () => {
    const { inner, source } = cached({ maxKeys: 2 });
    for (const tenant of ["a", "b", "a", "c", "a", "b"]) {
      await source.getSkills(asking({ tenant }));
    }
    expect(inner.contexts.map(({ tenant }) => tenant)).toEqual(["a", "b", "c", "b"]);
  });

  it("keeps no failure: the next call asks again", async () => {
    const { inner, source } = cached();
    inner.answer = new Error("down");
    await expect(source.getSkills(NO_CONTEXT)).rejects.toThrow("down");
    inner.answer = skills();
    expect(namesOf(await source.getSkills(NO_CONTEXT))).toEqual(["a"]);
  });

  it("answers what it knows while the source fails, tells so, and asks again each time; for a bounded time", async () => {
    const logger = new NotingLogger();
    const { inner, time, source } = cached({ refreshIntervalMs: 100, staleMs: 1_000, logger });
    await source.getSkills(NO_CONTEXT);
    inner.answer = new Error("down");
    time.now = 200;
    expect(namesOf(await source.getSkills(NO_CONTEXT))).toEqual(["a"]);
    expect([inner.calls, logger.messages]).toEqual([2, ["A source of skills failed; what it last answered is used"]]);
    time.now = 1_101;
    await expect(source.getSkills(NO_CONTEXT)).rejects.toThrow("down");
  });

  it("never lets a slower, older answer take the place of a newer one", async () => {
    const inner = new HeldSource();
    const time = { now: 0 };
    const source = new CachingAgentSkillsSource(inner, { clock: () => time.now });
    const older = source.getSkills(NO_CONTEXT);
    time.now = 1;
    const newer = source.getSkills(NO_CONTEXT);
    inner.calls[1]?.end([plainSkill("new")]);
    await newer;
    inner.calls[0]?.end([plainSkill("old")]);
    expect(namesOf(await older)).toEqual(["old"]);
    expect(namesOf(await source.getSkills(NO_CONTEXT))).toEqual(["new"]);
  });

  it("by default lets each caller fetch for itself, as Workers need it", async () => {
    const inner = new HeldSource();
    const source = new CachingAgentSkillsSource(inner);
    const both = [source.getSkills(NO_CONTEXT), source.getSkills(NO_CONTEXT)];
    for (const call of inner.calls) {
      call.end(skills());
    }
    await Promise.all(both);
    expect(inner.calls.length).toBe(2);
  });

  it("refuses once it was disposed, and disposes its source once", async () => {
    const { inner, source } = cached();
    await source.dispose();
    await source.dispose();
    expect([await codeOf(() => source.getSkills(NO_CONTEXT)), inner.disposals]).toEqual(["usage", 1]);
  });
});

describe("CachingAgentSkillsSource with one fetch for all", () => {
  const shared = () => {
    const inner = new HeldSource();
    return { inner, source: new CachingAgentSkillsSource(inner, { singleFlight: "shared" }) };
  };

  it("fetches once for callers that come meanwhile", async () => {
    const { inner, source } = shared();
    const all = [1, 2, 3].map(() => source.getSkills(NO_CONTEXT));
    inner.calls[0]?.end(skills());
    const [first, ...others] = await Promise.all(all);
    expect([inner.calls.length, others.every((other) => other === first)]).toEqual([1, true]);
  });

  it("lets a caller leave without taking the others along", async () => {
    const { inner, source } = shared();
    const leaving = new AbortController();
    const left = source.getSkills(asking({ signal: leaving.signal }));
    const stays = source.getSkills(asking({ signal: new AbortController().signal }));
    leaving.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    inner.calls[0]?.end(skills());
    expect([namesOf(await stays), inner.calls.length]).toEqual([["a"], 1]);
  });

  it("aborts the fetch when everybody has left, and fetches anew for who comes then", async () => {
    const { inner, source } = shared();
    const leaving = new AbortController();
    const left = [1, 2].map(() => source.getSkills(asking({ signal: leaving.signal })));
    leaving.abort(new Error("gone"));
    await Promise.allSettled(left);
    expect(inner.calls[0]?.context.signal?.aborted).toBe(true);
    const next = source.getSkills(NO_CONTEXT);
    inner.calls[1]?.end(skills());
    expect(namesOf(await next)).toEqual(["a"]);
  });

  it("gives a failure to all who waited, and keeps none", async () => {
    const { inner, source } = shared();
    const all = [source.getSkills(NO_CONTEXT), source.getSkills(NO_CONTEXT)];
    inner.calls[0]?.fail(new Error("down"));
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const next = source.getSkills(NO_CONTEXT);
    inner.calls[1]?.end(skills());
    expect(namesOf(await next)).toEqual(["a"]);
  });
});
