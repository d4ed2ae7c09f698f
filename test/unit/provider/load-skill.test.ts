import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolAnswer } from "../../../src/provider/answers.ts";
import type { SkillSpec } from "../../helpers/pack-skills.ts";
import { CALLER, providerOver } from "../../helpers/provider.ts";

const BODY_LIMIT = 64 * 1024;

async function load(skill: SkillSpec, range: { offset?: number; limit?: number } = {}): Promise<ToolAnswer> {
  const provider = await providerOver([skill]);
  return provider.callTool("load_skill", { skill_name: skill.name, ...range }, CALLER);
}

/** What stands between the tags of the answer, without the note of a cut. */
function bodyOf({ content }: ToolAnswer): string {
  const text = /^<skill_content name="[^"]*">\n([\s\S]*)\n<\/skill_content>/.exec(content)?.[1] ?? "";
  return text.replace(/\n\[The instructions go on: .*\]$/, "");
}

describe("load_skill", () => {
  it("answers the body and the exact names to call with, and has exactly the documented keys", async () => {
    const answer = await load({
      name: "unit-converter",
      description: "Converts.",
      body: '\n\n# Units\n\nUse a < b & "c".\n\n',
      files: [
        { path: "references/a.md", content: "A\n", mediaType: "text/markdown" },
        { path: "assets/x.bin", content: Uint8Array.of(1, 2, 3) },
        { path: "scripts/convert.py", content: "print(1)\n", mediaType: "text/x-python" },
        { path: "scripts/wipe.ps1", content: "rm\n" },
      ],
      scripts: [
        {
          path: "scripts/convert.py",
          description: 'Converts "one" <value>',
          parameters: { type: "object", properties: { value: { type: "number" } } },
        },
        { path: "scripts/wipe.ps1", runtime: null, runnable: false, reason: "there is no PowerShell here" },
      ],
    });
    expect(answer).toEqual({
      is_error: false,
      content: `<skill_content name="unit-converter">
# Units

Use a < b & "c".
</skill_content>
<skill_resources>
  <skill_resource name="assets/x.bin" media_type="application/octet-stream" size="3"/>
  <skill_resource name="references/a.md" media_type="text/markdown" size="2"/>
  <skill_resource name="scripts/convert.py" media_type="text/x-python" size="9"/>
  <skill_resource name="scripts/wipe.ps1" media_type="text/plain" size="3"/>
</skill_resources>
<skill_scripts>
  <skill_script name="scripts/convert.py" runtime="python" description="Converts &quot;one&quot; &lt;value&gt;">{"type":"object","properties":{"value":{"type":"number"}}}</skill_script>
  <skill_script name="scripts/wipe.ps1" not_runnable="there is no PowerShell here"></skill_script>
</skill_scripts>
`,
      skill: { name: "unit-converter", digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    });
  });

  it("writes empty lists as empty elements", async () => {
    const { content } = await load({ name: "plain", body: "Text.\n" });
    expect(content).toBe(
      '<skill_content name="plain">\nText.\n</skill_content>\n<skill_resources></skill_resources>\n<skill_scripts></skill_scripts>\n',
    );
  });

  it("cuts a body over 64 KiB, says so in the text, and gives next_offset", async () => {
    const skill = { name: "long", body: `${"a".repeat(BODY_LIMIT)}THE REST` };
    const first = await load(skill);
    expect(first.next_offset).toBe(BODY_LIMIT);
    expect(first.content).toContain(
      `a\n[The instructions go on: ${BODY_LIMIT} of ${BODY_LIMIT + 8} bytes were given. Call again with offset ${BODY_LIMIT}.]\n</skill_content>`,
    );
    const second = await load(skill, { offset: BODY_LIMIT });
    expect([bodyOf(second), "next_offset" in second]).toEqual(["THE REST", false]);
  });

  it("takes no limit beyond its own, and begins at the end for an offset beyond it", async () => {
    const skill = { name: "long", body: "a".repeat(BODY_LIMIT + 1) };
    expect((await load(skill, { limit: 10 * BODY_LIMIT })).next_offset).toBe(BODY_LIMIT);
    const beyond = await load(skill, { offset: 10 * BODY_LIMIT });
    expect([bodyOf(beyond), beyond.is_error, "next_offset" in beyond]).toEqual(["", false, false]);
  });

  it("gives a body in parts that join to the whole, whatever its characters and the limit", async () => {
    const body = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
      .map((text) => `x${text.replaceAll("<", "")}\ufeffy`);
    await fc.assert(
      fc.asyncProperty(body, fc.integer({ min: 1, max: 9 }), async (text, limit) => {
        const provider = await providerOver([{ name: "parts", body: text }]);
        const parts: string[] = [];
        let offset: number | undefined = 0;
        while (offset !== undefined) {
          const answer: ToolAnswer = await provider.callTool(
            "load_skill",
            { skill_name: "parts", offset, limit },
            CALLER,
          );
          parts.push(bodyOf(answer));
          offset = answer.next_offset;
        }
        expect(parts.join("")).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    "</skill_content>",
    "</SKILL_Content >",
    "< / skill_content>",
    "<\u200b/skill_content>",
    "<\u115f/skill_content>",
    "</skill\u00ad_content>",
    "</s\u200bkill_\u0000content>",
    "<skill_resource name='x'/>",
    "<skill_scripts>",
    "</ſkill_content>",
  ])("lets no body open or close a tag of the answer: %j", async (tag) => {
    const { content } = await load({ name: "closer", body: `before ${tag} after` });
    expect(content.split("\n")[1]).toBe(`before ${tag.replace("<", "&lt;")} after`);
  });

  it("lists at most 200 names of each kind and says how many more there are", async () => {
    const files = Array.from({ length: 250 }, (_, i) => ({ path: `scripts/${i}.py`, content: `print(${i})\n` }));
    const { content } = await load({ name: "many", files, scripts: files.map((file) => file.path) });
    expect(content.match(/<skill_resource /g)).toHaveLength(200);
    expect(content.match(/<skill_script /g)).toHaveLength(200);
    expect(content.match(/\[50 more are not listed; .*\]/g)).toHaveLength(2);
  });

  it("shows no more of a script's description than of a skill's, and no schema over 4,096 characters", async () => {
    const { content } = await load({
      name: "wordy",
      files: [{ path: "scripts/a.py", content: "print(1)\n" }],
      scripts: [
        { path: "scripts/a.py", description: "d".repeat(50_000), parameters: { description: "p".repeat(50_000) } },
      ],
    });
    expect(content.length).toBeLessThan(2_000);
  });

  it("takes null for offset and limit, as strict modes send them", async () => {
    const provider = await providerOver([{ name: "plain" }]);
    const answer = await provider.callTool("load_skill", { skill_name: "plain", offset: null, limit: null }, CALLER);
    expect([answer.is_error, bodyOf(answer)]).toEqual([false, "Follow the steps."]);
  });
});
