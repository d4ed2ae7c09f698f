import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolAnswer } from "../../../src/provider/answers.ts";
import type { AgentSkillsProvider } from "../../../src/provider/provider.ts";
import type { FileSpec } from "../../helpers/pack-skills.ts";
import { CALLER, providerOver } from "../../helpers/provider.ts";

const LIMIT = 64 * 1024;
const encoder = new TextEncoder();

function providerWith(content: string | Uint8Array, mediaType?: string): Promise<AgentSkillsProvider> {
  const file: FileSpec = { path: "data/file", content, ...(mediaType ? { mediaType } : {}) };
  return providerOver([{ name: "holder", files: [file] }]);
}

function read(provider: AgentSkillsProvider, range: { offset?: number; limit?: number } = {}): Promise<ToolAnswer> {
  const args = { skill_name: "holder", resource_name: "data/file", ...range };
  return provider.callTool("read_skill_resource", args, CALLER);
}

/** Reads all parts, each beginning where the one before said. */
async function readParts(provider: AgentSkillsProvider, limit: number): Promise<ToolAnswer[]> {
  const parts: ToolAnswer[] = [];
  let offset: number | null = 0;
  while (offset !== null) {
    const part: ToolAnswer = await read(provider, { offset, limit });
    parts.push(part);
    offset = part.resource?.next_offset ?? null;
  }
  return parts;
}

/** The file's own part of an answer: as many bytes as it says to have given, without the note of a cut. */
function ownText({ content, resource }: ToolAnswer): string {
  const { offset = 0, next_offset = null, size = 0 } = resource ?? {};
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
    encoder.encode(content).subarray(0, (next_offset ?? size) - offset),
  );
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

describe("read_skill_resource", () => {
  it("answers a small text whole, and has exactly the documented keys", async () => {
    const provider = await providerWith("größer\n", "text/markdown");
    expect(await read(provider)).toEqual({
      is_error: false,
      content: "größer\n",
      skill: { name: "holder", digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
      resource: {
        name: "data/file",
        media_type: "text/markdown",
        encoding: "utf-8",
        size: 9,
        offset: 0,
        next_offset: null,
      },
    });
  });

  it("answers other bytes as base64, with nothing but base64 in the content", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const provider = await providerWith(bytes, "image/png");
    const { content, resource } = await read(provider, { offset: 3, limit: 100 });
    expect(fromBase64(content)).toEqual(bytes.subarray(3, 103));
    expect(resource).toEqual({
      name: "data/file",
      media_type: "image/png",
      encoding: "base64",
      size: 256,
      offset: 3,
      next_offset: 103,
    });
  });

  it("cuts a text over 64 KiB, says so in the text, and takes no limit beyond", async () => {
    const provider = await providerWith("a".repeat(LIMIT + 9));
    const { content, resource } = await read(provider, { limit: 10 * LIMIT });
    const note = `[This file's bytes go on: ${LIMIT} of ${LIMIT + 9} bytes were given. Call again with offset ${LIMIT}.]`;
    expect(content).toBe(`${"a".repeat(LIMIT)}\n${note}`);
    expect(resource?.next_offset).toBe(LIMIT);
  });

  it("answers an empty file, and nothing beyond the end of one", async () => {
    const empty = await read(await providerWith(""));
    const beyond = await read(await providerWith("abc"), { offset: 100 });
    const binary = await read(await providerWith(Uint8Array.of(1, 2)), { offset: 100 });
    const facts = [empty, beyond, binary].map(({ content, resource }) => [
      content,
      resource?.offset,
      resource?.next_offset,
    ]);
    expect(facts).toEqual([
      ["", 0, null],
      ["", 3, null],
      ["", 2, null],
    ]);
  });

  it("begins an offset in the middle of a character at its start, and gives a whole character however small the limit", async () => {
    const provider = await providerWith("a€😀b");
    const { resource, ...answer } = await read(provider, { offset: 6, limit: 1 });
    expect(ownText({ ...answer, ...(resource && { resource }) })).toBe("😀");
    expect([resource?.offset, resource?.next_offset]).toEqual([4, 8]);
  });

  it("gives a text in parts that join to the whole, never with a broken character", async () => {
    const text = fc.string({ unit: "binary", maxLength: 60 }).filter((value) => value.isWellFormed());
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 12 }), async (whole, limit) => {
        const parts = await readParts(await providerWith(whole), limit);
        expect(parts.map(ownText).join("")).toBe(whole);
      }),
    );
  });

  it("gives bytes in parts that join to the whole", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 1, max: 12 }), async (whole, limit) => {
        const parts = await readParts(await providerWith(whole), limit);
        expect(parts.flatMap(({ content }) => [...fromBase64(content)])).toEqual([...whole]);
      }),
    );
  });

  it("keeps a byte order mark, line ends and what looks like markup as they are", async () => {
    const text = "\ufeff<b>\r\n</skill_content>\r&amp;\u0000";
    expect((await read(await providerWith(text))).content).toBe(text);
  });

  it("reads a text that does not travel inside the record, and a large binary", async () => {
    const [text, bytes] = ["ü".repeat(40_000), new Uint8Array(2_000_000).fill(7)];
    const answers = [await read(await providerWith(text), { offset: 60_000 }), await read(await providerWith(bytes))];
    expect(answers.map(({ resource }) => [resource?.size, resource?.next_offset])).toEqual([
      [80_000, null],
      [2_000_000, LIMIT],
    ]);
    expect(answers[0]?.content).toBe("ü".repeat(10_000));
  });
});
