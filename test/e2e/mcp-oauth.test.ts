import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { layerOf } from "../helpers/deployable.ts";
import { type LocalEdge, startLocalEdge } from "../helpers/local-edge.ts";

const AUDIENCE = "edge-skills-test";

/** An authorization server on 127.0.0.1: metadata, keys, and tokens for one client; for which resource they are is the test's to say. */
interface Issuer {
  readonly url: string;
  readonly server: Server;
  readonly asked: URLSearchParams[];
  audience: string;
}

async function startIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256", use: "sig" };
  const asked: URLSearchParams[] = [];
  const issuer = { url: "", audience: AUDIENCE, asked } as {
    url: string;
    audience: string;
    asked: URLSearchParams[];
    server: Server;
  };
  issuer.server = createServer(async (request, response) => {
    const send = (body: object, status = 200) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(body));
    };
    const path = request.url ?? "";
    if (
      path.startsWith("/.well-known/oauth-authorization-server") ||
      path.startsWith("/.well-known/openid-configuration")
    ) {
      send({
        issuer: issuer.url,
        authorization_endpoint: `${issuer.url}/authorize`,
        token_endpoint: `${issuer.url}/token`,
        jwks_uri: `${issuer.url}/.well-known/jwks.json`,
        response_types_supported: ["code"],
        grant_types_supported: ["client_credentials"],
        token_endpoint_auth_methods_supported: ["client_secret_basic"],
        code_challenge_methods_supported: ["S256"],
      });
    } else if (path === "/.well-known/jwks.json") {
      send({ keys: [jwk] });
    } else if (path === "/token") {
      asked.push(new URLSearchParams(await text(request)));
      const token = new SignJWT({ tenant: "acme", scope: "read run" })
        .setProtectedHeader({ alg: "ES256", kid: "k1" })
        .setIssuer(issuer.url)
        .setSubject("agent-7")
        .setAudience(issuer.audience)
        .setExpirationTime("5m");
      send({ access_token: await token.sign(privateKey), token_type: "Bearer", expires_in: 300 });
    } else {
      send({ error: "not_found" }, 404);
    }
  });
  await new Promise<void>((resolve) => issuer.server.listen(0, "127.0.0.1", resolve));
  issuer.url = `http://127.0.0.1:${(issuer.server.address() as AddressInfo).port}`;
  return issuer;
}

let issuer: Issuer;
let edge: LocalEdge;

beforeAll(async () => {
  issuer = await startIssuer();
  edge = await startLocalEdge({ jwt: [{ issuer: issuer.url, audience: AUDIENCE }] });
  const manifest = "---\nname: own\ndescription: Skill own.\n---\nOwn.\n";
  await edge.deploy([await layerOf("acme", [{ name: "own", body: "Own.\n", manifest }])]);
});

afterAll(async () => {
  await edge.stop();
  issuer.server.close();
});

async function connect(): Promise<Client> {
  const authProvider = new ClientCredentialsProvider({
    clientId: "agent",
    clientSecret: "x",
    expectedIssuer: issuer.url,
  });
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", edge.url), { authProvider }));
  return client;
}

it("the official client finds the issuer by the refusal, asks for a token for this resource, and is let in", async () => {
  const client = await connect();
  const loaded = await client.callTool({ name: "load_skill", arguments: { skill_name: "own" } });
  expect(loaded).toMatchObject({ isError: false, structuredContent: { skill: { name: "own" } } });
  expect(issuer.asked.map((form) => [form.get("grant_type"), form.get("resource")])).toEqual([
    ["client_credentials", `${edge.url}/mcp`],
  ]);
  await client.close();
});

it("a token for another resource is not taken", async () => {
  issuer.audience = "https://another.example/mcp";
  await expect(connect()).rejects.toThrow();
  issuer.audience = AUDIENCE;
});
