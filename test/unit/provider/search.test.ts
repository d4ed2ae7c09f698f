import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SearchIndex } from "../../../src/bundle/search-index.ts";
import { searchWords } from "../../../src/bundle/search-words.ts";
import type { AgentSkill } from "../../../src/model/skill.ts";
import type { SearchPlace } from "../../../src/model/word-index.ts";
import { searchSkills } from "../../../src/provider/search.ts";

/** What searching knows of a skill. */
interface Facts {
  readonly name: string;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly searchPlace?: SearchPlace;
}

const facts = (name: string, description: string, aliases: readonly string[] = []): Facts => ({
  name,
  description,
  aliases,
});

async function names(skills: readonly Facts[], query: string): Promise<string[]> {
  return (await searchSkills(skills as readonly AgentSkill[], query)).map(({ name }) => name);
}

/** The same skills with an index that was made of them, written and read again, as a bundle has it. */
function packed(skills: readonly Facts[]): Facts[] {
  const index = { open: async () => SearchIndex.decode(SearchIndex.of(skills).encode()) };
  return skills.map((skill, at) => ({ ...skill, searchPlace: { index, at } }));
}

const SKILLS = [
  facts("customer-risk", "Decides whether an order of a customer may be shipped."),
  facts("größen", "Rechnet Größen um."),
  facts("pdf-tools", "Merges and splits files. Use it for forms.", ["Acrobat"]),
  facts("unit-converter", "Converts lengths, weights and temperatures."),
  facts("表計算", "表計算ファイルを読みます。"),
];

describe("searchSkills()", () => {
  it.each([
    ["the whole word of a name before a description's", "order customer", ["customer-risk"]],
    ["the beginning of a word", "convert", ["unit-converter"]],
    ["a word that is misspelt", "converst", ["unit-converter"]],
    ["another name", "acrobat", ["pdf-tools"]],
    ["letters without their accents", "grossen GRÖSSEN größen", ["größen"]],
    ["a part of a text without spaces", "計算", ["表計算"]],
    ["what words that say nothing leave", "please use the converter for me", ["unit-converter"]],
    ["such words where there are no others", "it", ["pdf-tools"]],
    ["no part inside a word", "ape nit", []],
    ["no property of an object", "constructor __proto__ hasOwnProperty", []],
    ["nothing for signs alone", "?!", []],
  ])("finds %s", async (_what, query, expected) => {
    expect(await names(SKILLS, query)).toEqual(expected);
    expect(await names(packed(SKILLS), query)).toEqual(expected);
  });

  it("answers the list for an empty query, names before descriptions, rare words before common ones", async () => {
    const many = [
      facts("a", "Handles a report of tides."),
      facts("b", "Handles a report of rain."),
      facts("c", "Handles a report of snow."),
      facts("report", "Does something else."),
    ];
    expect(await names(many, " ")).toEqual(["a", "b", "c", "report"]);
    expect(await names(many, "report")).toEqual(["report", "a", "b", "c"]);
    expect((await names(many, "snow handles"))[0]).toBe("c");
  });

  it("gives the same order through any indexes, whatever else these hold", async () => {
    const word = fc.constantFrom("tide", "tides", "rain", "report", "unit", "units", "größe", "表計算", "constructor");
    const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "));
    const list = fc.array(fc.record({ description: text, isSeen: fc.boolean(), inFirst: fc.boolean() }), {
      maxLength: 24,
    });
    await fc.assert(
      fc.asyncProperty(list, text, async (drawn, query) => {
        const all = drawn.map(({ description }, i) => facts(`s${i}`, description));
        const seen = (of: readonly Facts[]) => of.filter((skill) => drawn[Number(skill.name.slice(1))]?.isSeen);
        const halves = [true, false].map((half) => all.filter((_, i) => drawn[i]?.inFirst === half));
        const [first = [], second = []] = halves;
        const inOrder = (of: readonly Facts[]) => all.flatMap(({ name }) => of.filter((skill) => skill.name === name));
        const plain = await names(seen(all), query);
        expect(await names(seen(packed(all)), query)).toEqual(plain);
        expect(await names(seen(inOrder([...packed(first), ...packed(second)])), query)).toEqual(plain);
        expect(await names(seen(inOrder([...packed(first), ...second])), query)).toEqual(plain);
      }),
    );
  });

  it("makes an index itself where the one that was made cannot be had, and asks for it once", async () => {
    let asked = 0;
    const broken = { open: () => Promise.reject(new Error(`storage is down, ${++asked}`)) };
    const other = {
      open: async () => SearchIndex.decode(new TextEncoder().encode('{"format":1,"words":0,"index":{}}')),
    };
    for (const index of [broken, other]) {
      const list = SKILLS.map((skill, at) => ({ ...skill, searchPlace: { index, at } }));
      expect([await names(list, "convert"), await names(list, "acrobat")]).toEqual([["unit-converter"], ["pdf-tools"]]);
    }
    expect(asked).toBe(1);
  });
});

describe("SearchIndex", () => {
  it("is the same bytes for the same skills, and null where it is none", () => {
    expect(SearchIndex.of(SKILLS).encode()).toEqual(SearchIndex.of(SKILLS).encode());
    const texts = ["", "{}", "null", '{"format":1,"words":1,"index":{}}', '{"format":2,"words":1,"index":{}}'];
    expect(texts.map((text) => SearchIndex.decode(new TextEncoder().encode(text)))).toEqual(texts.map(() => null));
  });
});

describe("searchWords()", () => {
  it("never gives an empty word, one with a space, or one that is other words when read again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const words = searchWords(text);
        expect(words.filter((word) => word === "" || /\s/u.test(word) || word.length > 40)).toEqual([]);
      }),
    );
  });
});

it("takes a query and a description of any length in a script without spaces", async () => {
  const long = "漢字".repeat(200_000);
  const skills = packed([facts("long", long), facts("other", "Nothing.")]);
  expect([await names(skills, long), await names([facts("long", long)], "字漢")]).toEqual([["long"], ["long"]]);
});
