/** Serves answers on 127.0.0.1 by a function from request to response, as a Worker would. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Answers a request. */
export type Site = (request: Request) => Response | Promise<Response>;

/** Serves until the test has ended; answers the address. */
export async function serveSite(site: Site): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = [];
    incoming.on("data", (part: Buffer) => parts.push(part));
    incoming.on("end", async () => {
      const headers = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] => [
        [name, String(value)],
      ]);
      const body = parts.length === 0 ? null : Buffer.concat(parts);
      const url = `http://${incoming.headers.host}${incoming.url}`;
      const response = await site(new Request(url, { method: incoming.method ?? "GET", headers, body }));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
