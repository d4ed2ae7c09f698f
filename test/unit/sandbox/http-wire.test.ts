import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readRequest } from "../../../src/sandbox/python/http-wire.ts";

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const request = (head: string, body = "") => bytes(`POST / HTTP/1.1\r\n${head}\r\n\r\n${body}`);
const bodyOf = (read: ReturnType<typeof readRequest>) =>
  typeof read === "string" ? read : new TextDecoder().decode(read.body);

describe("readRequest", () => {
  test("takes a body by its length, or in chunks", () => {
    expect(bodyOf(readRequest(request("content-length: 3", "abcGET")))).toBe("abc");
    expect(
      bodyOf(readRequest(request("transfer-encoding: chunked", "3\r\nabc\r\nA;x=1\r\n0123456789\r\n0\r\n\r\n"))),
    ).toBe("abc0123456789");
  });

  test("waits for what is not there yet", () => {
    expect(readRequest(bytes("POST / HT"))).toBe("more");
    expect(readRequest(request("content-length: 3", "ab"))).toBe("more");
    expect(readRequest(request("transfer-encoding: chunked", "3\r\nab"))).toBe("more");
    expect(readRequest(request("content-length: 3\r\nexpect: 100-continue"))).toBe("expects continue");
  });

  test.each([
    ["a length below zero", "content-length: -5"],
    ["a length that leads back to the beginning", "content-length: -41"],
    ["a length in other figures", "content-length: 0x3"],
    ["a length with an exponent", "content-length: 1e1"],
    ["two lengths", "content-length: 3\r\ncontent-length: 4"],
    ["a length and chunks", "content-length: 3\r\ntransfer-encoding: chunked"],
    ["another coding", "transfer-encoding: gzip, chunked"],
    ["a coding with something behind it", "transfer-encoding: chunked, x"],
    ["a line that is no header", "nothing"],
    ["a header with a blank before its colon", "a : b"],
    ["a header that goes on", "a: b\r\n c: d"],
    ["a name that is none", "b\u00e4: 1"],
    ["a line end in a value", "a: b\rc: d"],
    ["a NUL in a value", "a: b\0"],
  ])("refuses %s", (_what, head) => {
    expect(readRequest(request(head, "abc"))).toBe("not http");
  });

  test.each([
    "-6\r\n",
    "-1\r\n",
    "+3\r\nabc\r\n",
    "0x3\r\nabc\r\n",
    "\r\n",
    "3 \r\nabc\r\n",
    "123456789\r\n",
    "x".repeat(2_000),
  ])("refuses the chunk %j", (chunk) => {
    expect(readRequest(request("transfer-encoding: chunked", chunk))).toBe("not http");
  });

  test("never takes less than nothing, nor more than is there, whatever comes", () => {
    const line = fc.oneof(
      fc.constantFrom("transfer-encoding: chunked", "expect: 100-continue", "connection: close"),
      fc.integer({ min: -200, max: 200 }).map((length) => `content-length: ${length}`),
      fc.string({ maxLength: 20 }),
    );
    const chunk = fc.tuple(fc.integer({ min: -64, max: 64 }), fc.string({ maxLength: 64 }));
    const body = fc
      .array(chunk, { maxLength: 4 })
      .map((all) => all.map(([n, text]) => `${n.toString(16)}\r\n${text}\r\n`));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), body, (lines, chunks) => {
        const sent = request(lines.join("\r\n"), chunks.join(""));
        const read = readRequest(sent);
        return typeof read === "string" || (read.length > 0 && read.length <= sent.length);
      }),
    );
  });
});
