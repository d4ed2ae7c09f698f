/** Owns the way from the local front of the runner to the pool: HTTP on 127.0.0.1, under a path that nobody else knows; never what is answered. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { PlaceMessage } from "../model/run-place.ts";

const HOST = "127.0.0.1";

export interface PoolDoor {
  /** Host and port. */
  readonly address: string;
  /** Where messages are taken. */
  readonly path: string;
  close(): Promise<void>;
}

/**
 * Opens the door. A server of its own: each run passes twice, and through Miniflare's handlers a message costs several times as much.
 * @param answer what the pool says to a message
 */
export async function openPoolDoor(answer: (message: PlaceMessage) => Promise<object>): Promise<PoolDoor> {
  const path = `/${randomUUID()}`;
  const reply = async (request: IncomingMessage): Promise<object | null> =>
    request.url === path && request.method === "POST" ? answer(JSON.parse(await text(request)) as PlaceMessage) : null;
  const server = createServer(async (request, response) => {
    const said = await reply(request).catch(() => null);
    const body = JSON.stringify(said ?? {});
    response.writeHead(said === null ? 404 : 200, { "Content-Length": Buffer.byteLength(body) }).end(body);
  });
  // A run may be waited for as long as it lasts, and the front's connections are used again.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `${HOST}:${port}`,
    path,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
