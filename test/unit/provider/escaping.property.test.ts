import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CALLER, providerOver } from "../../helpers/provider.ts";

/** Pieces that tags are made of, and what could hide between them. */
const piece = fc.oneof(
  fc.constantFrom(
    "<",
    "</",
    "< /",
    ">",
    "/>",
    "skill",
    "_",
    "content",
    "resources",
    "scripts",
    "skill_content",
    "SKILL_",
  ),
  fc.constantFrom("available_skills", "name", "description", '"', "&lt;", "&", "\n", " ", "\t", "x"),
  fc.constantFrom(
    "\u200b",
    "\u00ad",
    "\u202e",
    "\u0000",
    "\u001b[2J",
    "\u2028",
    "\u115f",
    "\ufeff",
    "\u{e0041}",
    "\ud800",
  ),
);
const text = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(""));

/** Everything that a person cannot see. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\s]/gu;

/** The tags of the answer in a text, as somebody reads it who overlooks what is invisible. */
function ownTags(content: string): string[] {
  return content.replace(UNSEEN, "").match(/<\/?skill_(?:content|resource|script)s?/gi) ?? [];
}

describe("load_skill", () => {
  it("has the tags of its own answer only, whatever the skill's texts and file names are", async () => {
    await fc.assert(
      fc.asyncProperty(text, text, text, async (body, fileName, description) => {
        const files = [
          { path: `references/${fileName}.md`, content: "x" },
          { path: "scripts/a.py", content: "y", mediaType: `text/${fileName}` },
        ];
        const scripts = [{ path: "scripts/a.py", description, parameters: { description: body } }];
        const provider = await providerOver([{ name: "holder", body, files, scripts }]);
        const { content } = await provider.callTool("load_skill", { skill_name: "holder" }, CALLER);
        expect(ownTags(content)).toEqual([
          "<skill_content",
          "</skill_content",
          "<skill_resources",
          "<skill_resource",
          "<skill_resource",
          "</skill_resources",
          "<skill_scripts",
          "<skill_script",
          "</skill_script",
          "</skill_scripts",
        ]);
        const lists = content.slice(content.lastIndexOf("</skill_content>"));
        expect(lists.split("\n").map((line) => line.trim().split(/[ >]/)[0])).toEqual([
          "</skill_content",
          "<skill_resources",
          "<skill_resource",
          "<skill_resource",
          "</skill_resources",
          "<skill_scripts",
          "<skill_script",
          "</skill_scripts",
          "",
        ]);
      }),
    );
  });
});

describe("AgentSkillsProvider.getContext()", () => {
  it("has only the tags of its own list and nothing invisible, whatever the descriptions are", async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (one, other) => {
        const provider = await providerOver([
          { name: "one", description: one },
          { name: "other", description: other },
        ]);
        const { instructions } = await provider.getContext(CALLER);
        const entry = ["<skill>", "<name>", "</name>", "<description>", "</description>", "</skill>"];
        expect(instructions.match(/<[^>]*>/g)).toEqual([
          "<available_skills>",
          ...entry,
          ...entry,
          "</available_skills>",
        ]);
        expect(
          instructions.replaceAll("\n", "").match(/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028]/gu),
        ).toBeNull();
      }),
    );
  });
});
