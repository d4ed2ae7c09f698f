/** Owns `edge-skills list` and `show`: what a directory, a bundle or a channel holds, as the edge answers it. */
import type { Config } from "../../model/config.ts";
import { counted } from "../../model/counted.ts";
import { SkillsError } from "../../model/errors.ts";
import { PLATFORM_LAYER } from "../../model/layer.ts";
import type { CommandSpec } from "../command.ts";
import { defaultTenant, type EdgeSession, FROM_FLAG, withEdge } from "../edge-session.ts";
import { isOn, JSON_FLAG, TARGET_FLAGS, TENANT_FLAG, tenantFlag } from "../flags.ts";
import { WHEELS_FLAG } from "../packages-flags.ts";
import { readSettings } from "../settings.ts";

const OPTIONS = [FROM_FLAG, TENANT_FLAG, WHEELS_FLAG, ...TARGET_FLAGS, JSON_FLAG];

interface ListedSkill {
  readonly name: string;
  readonly description: string;
  readonly layer: string;
  readonly resources: number;
  readonly scripts: number;
}

interface SkillPage {
  readonly bundle: string;
  readonly skills: readonly ListedSkill[];
  readonly next_cursor: string | null;
}

export const list: CommandSpec = {
  name: "list",
  summary: "list skills: of all layers, or what one tenant sees",
  arguments: [],
  options: OPTIONS,
  examples: [
    "list --from skills-bundle",
    "list --tenant tenant-a",
    "list --from bundle --json",
    "list --from https://skills.example.com",
  ],
  async run(_args, flags, context) {
    const tenant = tenantFlag(flags);
    const { config } = readSettings(flags, context);
    const page = await withEdge(flags, context, null, async (session) => {
      if (tenant === null && session.callers === "any") {
        return allLayers(session);
      }
      const seen = await seenBy(session, tenant ?? defaultTenant(session));
      if (tenant !== null && session.callers === "any" && !isKnown(tenant, seen, session, config)) {
        const candidates = session.layers.filter((layer) => layer !== PLATFORM_LAYER);
        throw new SkillsError(
          "usage",
          `Cannot list for tenant "${tenant}": it has no skills, and no settings name it`,
          {
            candidates,
          },
        );
      }
      return seen;
    });
    if (isOn(flags, "json")) {
      context.terminal.json(page);
      return 0;
    }
    for (const { name, layer, resources, scripts, description } of page.skills) {
      context.terminal.result(
        `${name}  [${layer}]  ${counted(resources, "file")}, ${counted(scripts, "script")}\n    ${oneLine(description)}`,
      );
    }
    context.terminal.say(counted(page.skills.length, "skill"));
    return 0;
  },
};

export const show: CommandSpec = {
  name: "show",
  summary: "show one skill: frontmatter, instructions, files, scripts",
  arguments: [["<skill>", "its name"]],
  options: OPTIONS,
  examples: ["show unit-converter --from skills-bundle", "show refund --tenant tenant-a --json"],
  async run([skill], flags, context) {
    const path = `/v1/skills/${encodeURIComponent(String(skill))}`;
    const document = await withEdge(flags, context, null, (session) =>
      session.ask(tenantFlag(flags) ?? defaultTenant(session), path),
    );
    if (isOn(flags, "json")) {
      context.terminal.json(document);
      return 0;
    }
    context.terminal.result(skillForPeople(document));
    return 0;
  },
};

/** A tenant that has skills, of its own or put at run time, or that the settings name; any other is a slip. */
function isKnown(
  tenant: string,
  { skills }: SkillPage,
  { layers }: EdgeSession,
  { tenants, filters }: Config,
): boolean {
  return (
    layers.includes(tenant) ||
    tenant === PLATFORM_LAYER ||
    skills.some(({ layer }) => layer !== PLATFORM_LAYER) ||
    tenants.has(tenant) ||
    filters.some((rule) => rule.tenant === tenant)
  );
}

/** Every layer's own skills, also those that a nearer layer replaces for its tenant. */
async function allLayers(session: EdgeSession): Promise<SkillPage> {
  const pages = await Promise.all(session.layers.map(async (layer) => ({ layer, page: await seenBy(session, layer) })));
  const skills = pages.flatMap(({ layer, page }) => page.skills.filter((skill) => skill.layer === layer));
  const platform = pages.find(({ layer }) => layer === PLATFORM_LAYER) ?? pages[0];
  return { bundle: platform?.page.bundle ?? "", skills, next_cursor: null };
}

async function seenBy(session: EdgeSession, tenant: string): Promise<SkillPage> {
  const skills: ListedSkill[] = [];
  let page: SkillPage | null = null;
  do {
    const cursor: string = page?.next_cursor ? `&cursor=${encodeURIComponent(page.next_cursor)}` : "";
    page = (await session.ask(tenant, `/v1/skills?limit=1000${cursor}`)) as unknown as SkillPage;
    skills.push(...page.skills);
  } while (page.next_cursor !== null);
  return { ...page, skills };
}

function skillForPeople(document: Record<string, unknown>): string {
  const { name, layer, digest, description, resources, scripts, body } = document as unknown as {
    name: string;
    layer: string;
    digest: string;
    description: string;
    resources: { name: string; size: number; media_type: string }[];
    scripts: { name: string; runtime: string | null; runnable: boolean; reason: string | null }[];
    body: string;
  };
  return [
    `${name}  [${layer}]  ${digest}`,
    oneLine(description),
    "",
    ...resources.map((file) => `  ${file.name}  ${counted(file.size, "byte")}, ${file.media_type}`),
    ...scripts.map(
      (script) =>
        `  run ${script.name}  ${script.runtime ?? "-"}${script.runnable ? "" : `, cannot run: ${script.reason}`}`,
    ),
    "",
    body.trim(),
  ].join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
