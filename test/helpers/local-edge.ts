/** Starts the edge Worker on 127.0.0.1 over described skills, for tests with clients that speak HTTP. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { deploy } from "../../src/deploy/deploy.ts";
import type { DeployableLayer } from "../../src/deploy/deployable.ts";
import { startLocalPlatform } from "../../src/deploy/local-platform.ts";
import { createLocalTarget } from "../../src/deploy/local-target.ts";
import type { RunnerProcess } from "../../src/deploy/runner-process.ts";
import type { DeployTarget } from "../../src/deploy/target.ts";
import { hashToken, newToken, type Scope } from "../../src/model/token.ts";

/** A running edge. */
export interface LocalEdge {
  readonly url: string;
  /** Its storage, as the operator reaches it. */
  readonly target: DeployTarget;
  token(tenant: string, scopes: readonly Scope[]): Promise<string>;
  deploy(layers: readonly DeployableLayer[]): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one that keeps nothing; without a runner no script runs. */
export async function startLocalEdge(config: object = {}, runner: RunnerProcess | null = null): Promise<LocalEdge> {
  const runs = runner === null ? {} : { runner };
  const platform = await startLocalPlatform({ state: null, config: JSON.stringify(config), ...runs });
  const target = await createLocalTarget(platform, "memory");
  return {
    url: platform.url.origin,
    target,
    async token(tenant, scopes) {
      const token = newToken(tenant);
      const record = { id: crypto.randomUUID(), hash: await hashToken(token), scopes, channel: "live" };
      await (await target.tokensOf(tenant)).addToken({ ...record, created_at: new Date().toISOString() });
      return token;
    },
    async deploy(layers) {
      await deploy(target, layers, { channel: "live", by: "test", now: () => new Date() });
    },
    stop: () => target.close(),
  };
}

/** A proxy on 127.0.0.1 that adds a token to each request, for clients that cannot be given one. */
export async function startTokenProxy(to: string, token: string): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    forward(request, response, to, token).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** Headers of one connection only. */
const HOP_BY_HOP = new Set(["host", "connection", "content-length", "transfer-encoding", "content-encoding"]);

async function forward(request: IncomingMessage, response: ServerResponse, to: string, token: string): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === "string" && !HOP_BY_HOP.has(name)) {
      headers.set(name, value);
    }
  }
  headers.set("Authorization", `Bearer ${token}`);
  const { method = "GET" } = request;
  const body = method === "GET" || method === "HEAD" ? {} : { body: await buffer(request) };
  const answer = await fetch(new URL(request.url ?? "/", to), { method, headers, ...body, signal: gone.signal });
  response.writeHead(answer.status, Object.fromEntries([...answer.headers].filter(([name]) => !HOP_BY_HOP.has(name))));
  for await (const chunk of answer.body ?? []) {
    response.write(chunk);
  }
  response.end();
}
