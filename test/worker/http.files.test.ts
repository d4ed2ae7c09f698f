import { beforeAll, describe, expect, it } from "vitest";
import { digestOf, hexOf } from "../../src/model/digest.ts";
import { type Asking, ask, createToken, deploySkills } from "./support/edge.ts";
import { CONVERTER, LOGO, LONG_TEXT, RATES } from "./support/skills.ts";

let token = "";

beforeAll(async () => {
  await deploySkills("platform", [CONVERTER]);
  token = await createToken("acme");
});

function get(path: string, asking: Asking = {}): Promise<Response> {
  return ask(token, `/v1/skills/unit-converter/files/${path}`, asking);
}

function headersOf(response: Response, ...names: string[]): Record<string, string | null> {
  return Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));
}

async function tagOf(content: string | Uint8Array): Promise<string> {
  return `"${hexOf(await digestOf(content))}"`;
}

const SAFE = { "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'" };
const ACTIVE = "attachment; filename*=UTF-8''";
const PASSIVE = "inline; filename*=UTF-8''";

describe("GET /v1/skills/{name}/files/{path}", () => {
  it.each([
    { path: "data/rates.csv", content: RATES, type: "text/csv; charset=utf-8", disposition: `${PASSIVE}rates.csv` },
    { path: "data/long.txt", content: LONG_TEXT, type: "text/plain; charset=utf-8", disposition: `${PASSIVE}long.txt` },
    { path: "assets/logo.png", content: LOGO, type: "image/png", disposition: `${PASSIVE}logo.png` },
    {
      path: "assets/page.html",
      content: "<script>alert(1)</script>",
      type: "text/html; charset=utf-8",
      disposition: `${ACTIVE}page.html`,
    },
    {
      path: "assets/drawing.svg",
      content: "<svg onload='x'/>",
      type: "image/svg+xml; charset=utf-8",
      disposition: `${ACTIVE}drawing.svg`,
    },
    {
      path: "notes/gr%C3%B6%C3%9Fe%20(1).md",
      content: "# Größe\n",
      type: "text/markdown; charset=utf-8",
      disposition: `${PASSIVE}gr%C3%B6%C3%9Fe%20%281%29.md`,
    },
  ])("answers the bytes of $path, never as something a browser runs", async ({ path, content, type, disposition }) => {
    const response = await get(path);
    const expected = typeof content === "string" ? new TextEncoder().encode(content) : content;
    expect([response.status, new Uint8Array(await response.arrayBuffer())]).toEqual([200, expected]);
    const all = {
      ...SAFE,
      "Content-Type": type,
      "Content-Disposition": disposition,
      ETag: await tagOf(content),
      "Accept-Ranges": "bytes",
      "Cache-Control": "private, no-cache",
    };
    expect(headersOf(response, ...Object.keys(all))).toEqual(all);
    expect(response.headers.get("X-Skills-Bundle")).toMatch(/^v1\./);
    expect(response.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("answers SKILL.md, which is no resource", async () => {
    expect(await (await get("SKILL.md")).text()).toMatch(/^---\nname: Unit Converter\n---\n/);
  });

  it.each([
    ["bytes=0-3", "0123", "bytes 0-3/20000"],
    ["bytes=19995-", "56789", "bytes 19995-19999/20000"],
    ["bytes=-2", "89", "bytes 19998-19999/20000"],
    ["bytes=19999-30000", "9", "bytes 19999-19999/20000"],
  ])("answers 206 and only those bytes for %s", async (range, text, contentRange) => {
    const response = await get("data/long.txt", { headers: { Range: range } });
    expect([response.status, await response.text()]).toEqual([206, text]);
    expect(headersOf(response, "Content-Range", "X-Content-Type-Options")).toEqual({
      "Content-Range": contentRange,
      "X-Content-Type-Options": "nosniff",
    });
  });

  it.each(["bytes=5-2", "bytes=0-1,5-6", "lines=1-2"])("answers the whole file for %s", async (range) => {
    const response = await get("data/rates.csv", { headers: { Range: range } });
    expect([response.status, await response.text()]).toEqual([200, RATES]);
  });

  it("answers 416 with the file's size for a range beyond its end", async () => {
    const response = await get("data/rates.csv", { headers: { Range: "bytes=100-" } });
    expect([response.status, response.headers.get("Content-Range")]).toEqual([416, "bytes */14"]);
    expect(await response.json()).toMatchObject({
      code: "range-invalid",
      detail: "Cannot give bytes=100-: the file has 14 bytes",
    });
  });

  it("answers a range only if If-Range names the bytes that are there", async () => {
    const ask = async (condition: string) =>
      (await get("data/rates.csv", { headers: { Range: "bytes=0-3", "If-Range": condition } })).status;
    expect([await ask(await tagOf(RATES)), await ask('"other"')]).toEqual([206, 200]);
  });

  it("answers HEAD with the headers of GET and no body", async () => {
    const [head, whole] = [await get("data/rates.csv", { method: "HEAD" }), await get("data/rates.csv")];
    const ofOneAnswer = ["x-request-id", "content-length", "server-timing"];
    const without = (response: Response) => [...response.headers].filter(([name]) => !ofOneAnswer.includes(name));
    expect([head.status, await head.text(), without(head)]).toEqual([200, "", without(whole)]);
  });
});

describe("If-None-Match", () => {
  it.each(["/v1/context", "/v1/skills", "/v1/skills/unit-converter", "/v1/skills/unit-converter/files/data/rates.csv"])(
    "answers 304 without a body for what the caller has: %s",
    async (path) => {
      const first = await ask(token, path);
      const tag = first.headers.get("ETag") ?? "";
      for (const header of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
        const again = await ask(token, path, { headers: { "If-None-Match": header } });
        expect([again.status, await again.text(), again.headers.get("ETag")]).toEqual([304, "", tag]);
        expect(again.headers.get("X-Skills-Bundle")).toBe(first.headers.get("X-Skills-Bundle"));
        expect(again.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
      }
      const other = await ask(token, path, { headers: { "If-None-Match": '"other"' } });
      expect(other.status).toBe(200);
    },
  );
});
