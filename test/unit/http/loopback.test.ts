import { describe, expect, it } from "vitest";
import { requireLoopback } from "../../../src/http/loopback.ts";
import { codeOf } from "../../helpers/error-code.ts";

function requestWith(headers: Record<string, string>): Request {
  return { headers: new Headers(headers) } as Request;
}

describe("requireLoopback()", () => {
  it.each(["localhost", "localhost:8787", "LOCALHOST:1", "127.0.0.1:8787", "127.1.2.3", "[::1]:8787", "[::1]"])(
    "takes Host and Origin %j",
    (host) => {
      requireLoopback(requestWith({ Host: host, Origin: `http://${host}` }));
    },
  );

  it.each([
    "example.com",
    "localhost.example.com",
    "127.0.0.1.example.com",
    "evil-localhost",
    "10.0.0.1",
    "[::2]",
    "",
    "localhost:80@x",
  ])("refuses Host %j", async (host) => {
    expect(await codeOf(() => requireLoopback(requestWith({ Host: host })))).toBe("request-invalid");
  });

  it.each(["https://example.com", "null", "http://localhost.example.com", "file://", "http://user@example.com"])(
    "refuses Origin %j",
    async (origin) => {
      const headers = { Host: "localhost:8787", Origin: origin };
      expect(await codeOf(() => requireLoopback(requestWith(headers)))).toBe("request-invalid");
    },
  );
});
