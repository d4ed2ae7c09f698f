import { describe, expect, it } from "vitest";
import { NO_CONTEXT } from "../../../src/model/skill.ts";
import { AgentSkillsProvider } from "../../../src/provider/provider.ts";
import { createMemoryStore } from "../../../src/sources/memory-store.ts";
import { createPackedSource } from "../../../src/sources/packed-source.ts";
import { RemoteAgentSkillsSource } from "../../../src/sources/remote-source.ts";
import { edgeSite } from "../../helpers/edge-site.ts";
import { failureOf } from "../../helpers/error-code.ts";
import { serveSite } from "../../helpers/http-site.ts";
import { liveEntries, type SkillSpec } from "../../helpers/pack-skills.ts";
import { asking, namesOf } from "../../helpers/plain-skills.ts";
import { CALLER, GOOD_RUN, NotingRunner } from "../../helpers/provider.ts";

const SKILLS: readonly SkillSpec[] = [
  { name: "hidden", frontmatter: { "disable-model-invocation": "true" } },
  {
    name: "rules",
    files: [
      { path: "references/ä b.md", content: "About ä.\n" },
      { path: "scripts/x.py", content: "print(1)\n" },
    ],
    scripts: ["scripts/x.py"],
  },
];

const TOKEN = "es_acme_secret";

async function scene(skills: readonly SkillSpec[] = SKILLS) {
  const runner = new NotingRunner();
  const entries = await liveEntries(skills);
  const seen: Request[] = [];
  const site = edgeSite(createPackedSource(createMemoryStore(entries), { runner }), seen);
  const url = await serveSite(site);
  return { url, seen, runner, source: new RemoteAgentSkillsSource(url, { token: TOKEN }) };
}

describe("RemoteAgentSkillsSource", () => {
  it("offers what the other side lists, and the same array while that says nothing changed", async () => {
    const { source, seen } = await scene();
    const skills = await source.getSkills(NO_CONTEXT);
    expect(skills.map(({ name, hidden, layer, counts }) => ({ name, hidden, layer, counts }))).toEqual([
      { name: "hidden", hidden: true, layer: "platform", counts: { resources: 0, scripts: 0, runnable: 0 } },
      { name: "rules", hidden: false, layer: "platform", counts: { resources: 2, scripts: 1, runnable: null } },
    ]);
    expect(await source.getSkills(NO_CONTEXT)).toBe(skills);
    expect(seen.map(({ headers }) => headers.has("If-None-Match"))).toEqual([false, true]);
  });

  it("loads, reads and runs there, on the snapshot that was listed", async () => {
    const { source, seen, runner } = await scene();
    const provider = new AgentSkillsProvider(source);
    const loaded = await provider.callTool("load_skill", { skill_name: "rules" }, CALLER);
    const read = await provider.callTool(
      "read_skill_resource",
      { skill_name: "rules", resource_name: "ä b.md" },
      CALLER,
    );
    const args = {
      skill_name: "rules",
      script_name: "x.py",
      arguments: { a: 1 },
      stdin: "in",
      files: [{ path: "f", content: "ü" }],
    };
    const ran = await provider.callTool("run_skill_script", args, CALLER);
    expect([loaded.content.includes("Follow the steps."), read.content, ran.run]).toEqual([
      true,
      "About ä.\n",
      GOOD_RUN,
    ]);
    const [job] = runner.jobs;
    expect([job?.argv, job?.stdin, new TextDecoder().decode(job?.files[0]?.bytes)]).toEqual([["-a", "1"], "in", "ü"]);
    const pins = seen.filter(({ url }) => !url.includes("limit=")).map(({ headers }) => headers.get("X-Skills-Bundle"));
    expect([new Set(pins).size, pins.includes(null)]).toEqual([1, false]);
  });

  it("passes on what the model can put right", async () => {
    const { source } = await scene();
    const args = { skill_name: "rules", script_name: "x.py", arguments: "no JSON" };
    const { error } = await new AgentSkillsProvider(source).callTool("run_skill_script", args, CALLER);
    expect(error?.code).toBe("arguments-invalid");
  });

  it("lists every page", async () => {
    const many = Array.from({ length: 1_203 }, (_, i) => ({ name: `skill-${String(i).padStart(4, "0")}` }));
    const { source, seen } = await scene(many);
    expect((await source.getSkills(NO_CONTEXT)).length).toBe(1_203);
    expect(seen.length).toBe(2);
  });

  it("asks with the caller's own token and labels, and keeps what each was given apart", async () => {
    const { url, seen } = await scene();
    const source = new RemoteAgentSkillsSource(url, {
      token: ({ tenant }) => (tenant === "acme" ? TOKEN : "es_globex_x"),
    });
    expect(namesOf(await source.getSkills(asking({ tenant: "acme", agent: "a", session: "s" })))).toEqual([
      "hidden",
      "rules",
    ]);
    const failure = await failureOf(() => source.getSkills(asking({ tenant: "globex" })));
    expect([failure.code, failure.message]).toEqual([
      "storage-unavailable",
      `Cannot read ${url}/v1/skills: it answers 401`,
    ]);
    expect([seen[0]?.headers.get("X-Skills-Agent"), seen[0]?.headers.get("X-Skills-Session")]).toEqual(["a", "s"]);
  });

  it("refuses bytes that are not those of their digest, and answers that are too long or no JSON", async () => {
    const { source: honest, url } = await scene();
    const site = await serveSite(async (request) => {
      const answer = await fetch(url + new URL(request.url).pathname, { headers: request.headers });
      return request.url.includes("/files/") ? new Response("other") : answer;
    });
    const forged = new RemoteAgentSkillsSource(site, { token: TOKEN });
    const [, rules] = await forged.getSkills(NO_CONTEXT);
    const [resource] = (await rules?.listResources()) ?? [];
    await expect(resource?.read()).rejects.toMatchObject({ code: "bundle-damaged" });
    expect((await honest.getSkills(NO_CONTEXT)).length).toBe(2);
    const short = new RemoteAgentSkillsSource(url, { token: TOKEN, maxBytes: 10 });
    await expect(short.getSkills(NO_CONTEXT)).rejects.toMatchObject({ code: "storage-unavailable" });
    const odd = new RemoteAgentSkillsSource(await serveSite(() => new Response("<html>")));
    await expect(odd.getSkills(NO_CONTEXT)).rejects.toMatchObject({ code: "storage-unavailable" });
  });

  it("says that nobody answers, in time and without what is secret in an address", async () => {
    const silent = await serveSite(() => new Promise(() => undefined));
    const source = new RemoteAgentSkillsSource(silent, { token: TOKEN, timeoutMs: 50 });
    const failure = await failureOf(() => source.getSkills(NO_CONTEXT));
    expect([failure.code, failure.message]).toEqual([
      "storage-unavailable",
      `Cannot read ${silent}/v1/skills: it does not answer`,
    ]);
  });
});
