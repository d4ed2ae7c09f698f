/** Answers what an edge answers of a provider's skills (CONTRACT.md §3), made by the edge's own parts, without tenants. Runs in Node. */
import { skillDocument } from "../../src/http/skill-document.ts";
import { listed, nextCursor, parsePage } from "../../src/http/skill-list.ts";
import { digestOf } from "../../src/model/digest.ts";
import type { AgentSkillsSource } from "../../src/model/skill.ts";
import { findResource } from "../../src/provider/find-in-skill.ts";
import { AgentSkillsProvider } from "../../src/provider/provider.ts";
import type { Site } from "./http-site.ts";
import { CALLER } from "./provider.ts";

/** A small edge over a source; `seen` takes every request. */
export function edgeSite(source: AgentSkillsSource, seen: Request[] = []): Site {
  const provider = new AgentSkillsProvider(source);
  return async (request) => {
    seen.push(request);
    if (request.headers.get("Authorization") !== "Bearer es_acme_secret") {
      return Response.json({ code: "token-invalid" }, { status: 401 });
    }
    const url = new URL(request.url);
    const catalogue = await provider.getCatalogue(CALLER);
    const bundle = (await digestOf(catalogue.skills.map(({ revision }) => revision).join())).slice(0, 23);
    const [, , kind, name = "", , ...path] = url.pathname.split("/").map(decodeURIComponent);
    if (request.method === "POST") {
      return Response.json({ ...(await provider.callTool("run_skill_script", await request.json(), CALLER)), bundle });
    }
    if (kind === "skills" && name === "") {
      const page = parsePage(url.searchParams);
      const skills = catalogue.skills.slice(page.start, page.start + page.limit).map(listed);
      const etag = `"${bundle}"`;
      return request.headers.get("If-None-Match") === etag
        ? new Response(null, { status: 304 })
        : Response.json(
            { bundle, skills, next_cursor: nextCursor(bundle, page, catalogue.skills.length) },
            { headers: { ETag: etag } },
          );
    }
    const skill = catalogue.find(name);
    return path.length === 0
      ? Response.json({ bundle, ...(await skillDocument(skill)) })
      : new Response(new Uint8Array(await (await findResource(skill, path.join("/"))).read()));
  };
}
