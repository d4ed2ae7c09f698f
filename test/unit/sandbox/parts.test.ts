import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Digest } from "../../../src/model/digest.ts";
import { Admission } from "../../../src/sandbox/admission.ts";
import { ByteCache, readThrough } from "../../../src/sandbox/byte-cache.ts";
import { OutputSink } from "../../../src/sandbox/output.ts";
import { readRequest, writeResponse } from "../../../src/sandbox/python/http-wire.ts";
import { splitOptions } from "../../../src/sandbox/shell/option-forms.ts";
import { decodeScript } from "../../../src/sandbox/shell/source.ts";
import { add, divide, multiply, remainder } from "../../../src/sandbox/shell/tools/bc-number.ts";
import { readDate } from "../../../src/sandbox/shell/tools/date-words.ts";
import { formatTime } from "../../../src/sandbox/shell/tools/time-format.ts";
import { readOptions } from "../../../src/sandbox/shell/tools/tool.ts";
import { parseWords } from "../../../src/sandbox/shell/words.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("output", () => {
  test("is cut at a character's end, and says so", () => {
    const sink = new OutputSink(4);
    sink.writeText("aé→");
    expect(sink.text()).toBe("aé");
    expect(sink.truncated).toBe(true);
  });

  test("a character in two pieces is one character", () => {
    const sink = new OutputSink(100);
    sink.write(bytes("→").subarray(0, 1));
    sink.write(bytes("→").subarray(1));
    expect(sink.text()).toBe("→");
  });

  test("what replaces bytes that are no text counts too", () => {
    const sink = new OutputSink(10);
    sink.write(new Uint8Array(10).fill(0xff));
    expect(bytes(sink.text()).length).toBeLessThanOrEqual(10);
    expect(sink.truncated).toBe(true);
  });
});

describe("byte cache", () => {
  const digest = (name: string) => `sha256:${name}` as Digest;

  test("asks once for what it lacks, and for nothing it has", async () => {
    const cache = new ByteCache(100);
    const asked: string[][] = [];
    const ask = async (missing: readonly Digest[]) => {
      asked.push([...missing]);
      return missing.map((name) => bytes(name));
    };
    await readThrough(cache, [digest("a"), digest("b"), digest("a")], ask);
    const got = await readThrough(cache, [digest("b"), digest("a")], ask);
    expect(asked).toEqual([["sha256:a", "sha256:b"]]);
    expect(new TextDecoder().decode(got[0])).toBe("sha256:b");
  });

  test("stays within its bound and drops what was not used longest", () => {
    const cache = new ByteCache(10);
    cache.put(digest("a"), new Uint8Array(5));
    cache.put(digest("b"), new Uint8Array(5));
    cache.get(digest("a"));
    cache.put(digest("c"), new Uint8Array(5));
    expect(
      [cache.get(digest("a")), cache.get(digest("b")), cache.get(digest("c"))].map((one) => one !== undefined),
    ).toEqual([true, false, true]);
    cache.put(digest("big"), new Uint8Array(11));
    expect(cache.get(digest("big"))).toBeUndefined();
  });

  test("an answer that is too short is an error, not an empty file", async () => {
    await expect(readThrough(new ByteCache(1), [digest("a")], async () => [])).rejects.toThrow("no bytes");
  });
});

describe("admission", () => {
  const HALF = 64 << 20;

  function makeAdmission() {
    const clock = { now: 0 };
    const sleep = async (ms: number) => {
      clock.now += ms;
      await Promise.resolve();
    };
    return { clock, admission: new Admission({ now: () => clock.now, sleep }) };
  }

  test("runs share an isolate until it is full, then take another", async () => {
    const { admission } = makeAdmission();
    const slots = [];
    for (let i = 0; i < 5; i++) {
      slots.push((await admission.enter("box:acme", HALF, 1_000_000))?.slot);
    }
    expect(slots).toEqual([0, 0, 1, 1, 2]);
    expect((await admission.enter("box:globex", HALF, 1_000_000))?.slot).toBe(0);
  });

  test("programs of a run that was taken have room by memory, whatever is full", async () => {
    const { admission } = makeAdmission();
    for (let i = 0; i < 16; i++) {
      await admission.enter(`javascript:${i}`, HALF, 1_000_000);
    }
    const joined = [1, 2, 3].map(() => admission.join("box:acme", HALF, 1_000_000));
    expect(joined.map(({ slot }) => slot)).toEqual([0, 0, 1]);
    joined[0]?.release();
    expect(admission.join("box:acme", HALF, 1_000_000).slot).toBe(0);
  });

  test("when all is full a run waits, and is told to come back", async () => {
    const { admission, clock } = makeAdmission();
    for (let i = 0; i < 32; i++) {
      await admission.enter("box:acme", HALF, 1_000_000);
    }
    expect(await admission.enter("box:acme", HALF, 1_000)).toBeNull();
    expect(clock.now).toBeGreaterThanOrEqual(10_000);
  });

  test("a run that was cut off gives its room back in time", async () => {
    const { admission } = makeAdmission();
    for (let i = 0; i < 32; i++) {
      await admission.enter("box:acme", HALF, 500);
    }
    expect(await admission.enter("box:acme", HALF, 500)).not.toBeNull();
  });
});

describe("HTTP on a socket", () => {
  test("a request is read once it is whole", () => {
    const whole = "POST /a?b HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nContent-Length: 3\r\n\r\nabc";
    expect(readRequest(bytes(whole.slice(0, 20)))).toBe("more");
    expect(readRequest(bytes(whole.slice(0, -1)))).toBe("more");
    const read = readRequest(bytes(`${whole}GET`));
    expect(read).toMatchObject({ method: "POST", target: "/a?b", length: whole.length, close: false });
    expect(typeof read === "string" ? "" : new TextDecoder().decode(read.body)).toBe("abc");
  });

  test("chunks are put together", () => {
    const read = readRequest(
      bytes("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"),
    );
    expect(typeof read === "string" ? read : new TextDecoder().decode(read.body)).toBe("abcde");
  });

  test("what is no HTTP is told apart, and a body that waits for leave is asked for", () => {
    expect(readRequest(bytes("\u0016\u0003\u0001"))).toBe("not http");
    expect(readRequest(bytes("EHLO me\r\n\r\n"))).toBe("not http");
    expect(readRequest(bytes("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"))).toBe(
      "expects continue",
    );
  });

  test("an answer has the length of the body as it is", () => {
    const request = readRequest(bytes("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    const response = new Response("ab", { headers: { "content-encoding": "gzip", "content-length": "99" } });
    const wire =
      typeof request === "string" ? "" : new TextDecoder().decode(writeResponse(request, response, bytes("ab")));
    expect(wire).toContain("content-length: 2\r\n");
    expect(wire).not.toContain("gzip");
    expect(wire.endsWith("\r\n\r\nab")).toBe(true);
  });
});

describe("the shell's words", () => {
  test.each([
    [["script.sh", "-e", "x"], { file: "script.sh", args: ["-e", "x"], options: {} }],
    [
      ["-euo", "pipefail", "-c", "echo", "zero", "one"],
      { command: "echo", name: "zero", args: ["one"], options: { errexit: true, nounset: true, pipefail: true } },
    ],
    [["-c", "echo"], { command: "echo", name: "bash", args: [] }],
    [["-s", "a", "b"], { command: null, file: null, args: ["a", "b"] }],
    [["--", "-x.sh"], { file: "-x.sh", args: [] }],
    [["+e", "f"], { file: "f", options: { errexit: false } }],
  ])("%j", (words, expected) => {
    expect(parseWords(words)).toMatchObject(expected);
  });

  test("a shebang becomes an empty line, so that line numbers hold", () => {
    expect(decodeScript(bytes("#!/bin/bash\r\necho\r\n"))).toBe("\necho\n");
  });

  test.each([
    ["paste", ["-sd+"], ["-s", "-d", "+", "-"]],
    ["tail", ["-n5", "f"], ["-n", "5", "f"]],
  ])("%s %j", (name, args, expected) => {
    expect(splitOptions(name, args)).toEqual(expected);
  });
});

describe("options of tools", () => {
  const read = (args: readonly string[], order?: "first") =>
    readOptions(args, "n:0rI:k:i;", { "max-args": "n", null: "0", "no-run-if-empty": "r" }, order);

  test.each([
    [["-n1", "echo", "-x"], { n: ["1"] }, ["echo", "-x"]],
    [["-0I{}", "rm", "{}"], { "0": [""], I: ["{}"] }, ["rm", "{}"]],
    [["-n", "2", "--null", "--", "-r"], { n: ["2"], "0": [""] }, ["-r"]],
    [["--max-args=3", "-i"], { n: ["3"], i: [""] }, []],
    [["--no-run", "-"], { r: [""] }, ["-"]],
  ] as const)("%j", (args, values, rest) => {
    const options = read(args, "first");
    expect(Object.fromEntries(Object.keys(values).map((letter) => [letter, options.values(letter)]))).toEqual(values);
    expect(options.rest).toEqual(rest);
  });

  test("options behind operands are read too, unless a command's own words follow", () => {
    expect(read(["f", "-k2"]).value("k")).toBe("2");
    expect(read(["f", "-k2"], "first").rest).toEqual(["f", "-k2"]);
  });

  test("what is not known is said", () => {
    expect(() => read(["-z"])).toThrow("invalid option -- 'z'");
    expect(() => read(["--no-such"])).toThrow("unrecognized option '--no-such'");
    expect(() => read(["-n"])).toThrow("option requires an argument -- 'n'");
  });
});

const NOW = Date.UTC(2024, 0, 17, 12, 30);

describe("dates in words", () => {
  test.each([
    ["2024-01-15", "2024-01-15T00:00:00.000Z"],
    ["@1700000000", "2023-11-14T22:13:20.000Z"],
    ["now", "2024-01-17T12:30:00.000Z"],
    ["yesterday", "2024-01-16T12:30:00.000Z"],
    ["2 days ago", "2024-01-15T12:30:00.000Z"],
    ["next month", "2024-02-17T12:30:00.000Z"],
    ["last monday", "2024-01-15T00:00:00.000Z"],
    ["friday", "2024-01-19T00:00:00.000Z"],
    ["15 Jan 2024 3pm", "2024-01-15T15:00:00.000Z"],
    ["2024-01-15T10:00:00+02:00", "2024-01-15T08:00:00.000Z"],
    ["2024-01-31 +1 month", "2024-03-02T00:00:00.000Z"],
  ])("%s", (words, expected) => {
    expect(new Date(readDate(words, NOW, "UTC") ?? 0).toISOString()).toBe(expected);
  });

  test.each(["nonsense", "2024-13-01", "25:00", "2024-02-30", "--"])("%s is no date", (words) => {
    expect(readDate(words, NOW, "UTC")).toBeNull();
  });

  test("a time without a zone is the zone's", () => {
    expect(readDate("2024-07-01 12:00", NOW, "Europe/Berlin")).toBe(Date.UTC(2024, 6, 1, 10));
    expect(formatTime("%F %T %z", Date.UTC(2024, 6, 1, 10), "Europe/Berlin")).toBe("2024-07-01 12:00:00 +0200");
  });

  test("any words are read or refused, and what is read is a moment", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (words) => {
        const moment = readDate(words, NOW, "UTC");
        expect(moment === null || typeof moment === "number").toBe(true);
      }),
    );
  });
});

describe("numbers of bc", () => {
  test("arithmetic on whole numbers is that of BigInt", () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.bigInt(-(10n ** 30n), 10n ** 30n), (a, b) => {
        const [x, y] = [
          { digits: a, scale: 0 },
          { digits: b, scale: 0 },
        ];
        expect(add(x, y).digits).toBe(a + b);
        expect(multiply(x, y, 0).digits).toBe(a * b);
        if (b !== 0n) {
          expect([divide(x, y, 0).digits, remainder(x, y, 0).digits]).toEqual([a / b, a % b]);
        }
      }),
    );
  });
});
