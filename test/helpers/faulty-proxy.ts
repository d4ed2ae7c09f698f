/** A proxy on 127.0.0.1 before an edge that loses requests or answers on purpose, and takes notes. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** What becomes of a request: let through, lost before or after it was done, or answered in the edge's place. */
export type Fate = "pass" | "lost" | "answer-lost" | { readonly status: number; readonly retryAfter?: string };

/** A request that came by. */
export interface Passed {
  readonly method: string;
  readonly path: string;
  readonly bytes: number;
}

/** Starts one for the length of a test. */
export async function faultyProxy(
  to: string,
  fateOf: (passed: Passed, count: number) => Fate,
): Promise<{ readonly url: URL; readonly seen: Passed[] }> {
  const seen: Passed[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { method = "GET", url = "/" } = request;
    const passed = { method, path: url, bytes: body.byteLength };
    seen.push(passed);
    const fate = fateOf(passed, seen.length);
    if (fate === "lost") {
      response.destroy();
      return;
    }
    if (typeof fate === "object") {
      const retry = fate.retryAfter === undefined ? {} : { "Retry-After": fate.retryAfter };
      response.writeHead(fate.status, { "Content-Type": "text/plain", ...retry });
      response.end("not now");
      return;
    }
    const headers = {
      authorization: request.headers.authorization ?? "",
      "content-type": request.headers["content-type"] ?? "",
    };
    const answer = await fetch(new URL(url, to), { method, headers, ...(method === "GET" ? {} : { body }) });
    const told = Buffer.from(await answer.arrayBuffer());
    if (fate === "answer-lost") {
      response.destroy();
      return;
    }
    response.writeHead(answer.status, { "Content-Type": answer.headers.get("Content-Type") ?? "" });
    response.end(told);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), seen };
}
