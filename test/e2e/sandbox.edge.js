/** Owns the edge's part in sandbox tests: turns a case into run requests, holds bytes and stub network; never runs a script itself. */
import { RpcTarget, WorkerEntrypoint } from "cloudflare:workers";

const encoder = new TextEncoder();

async function digestOf(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `sha256:${[...hash].map((b) => b.toString(16).padStart(2, "0")).join("")}`;
}

const hosts = { asked: 0 };

class Host extends RpcTarget {
  #bytes;
  #egress;
  constructor(bytes, egress) {
    super();
    this.#bytes = bytes;
    this.#egress = egress;
  }
  readFiles(digests) {
    hosts.asked += digests.length;
    return digests.map((digest) => this.#bytes.get(digest));
  }
  async fetch(request) {
    const url = new URL(request.url);
    const stub = this.#egress?.stub?.[request.url] ?? this.#egress?.stub?.["*"];
    if (!this.#egress?.allow?.includes(url.origin) || stub === undefined) {
      return new Response("refused", { status: 403, headers: { "x-egress": "refused" } });
    }
    const body = stub.echo
      ? JSON.stringify({ method: request.method, headers: [...request.headers], body: await request.text() })
      : stub.body;
    return new Response(body, { status: stub.status, headers: stub.headers ?? {} });
  }
}

function bytesOf(file) {
  return file.base64 === undefined
    ? encoder.encode(file.text)
    : Uint8Array.from(atob(file.base64), (c) => c.charCodeAt(0));
}

/** One run; sent again, with the same id, when the runner was restarted under it. */
async function runOnce(env, request, bytes, egress) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await env.RUNNER.run(request, new Host(bytes, egress));
    } catch (error) {
      if (attempt === 30) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

export default class extends WorkerEntrypoint {
  async fetch(incoming) {
    const {
      runtime,
      path,
      files,
      compiled,
      programs,
      argv,
      stdin,
      limits,
      egress,
      isolation,
      share,
      inputs,
      protocol,
    } = await incoming.json();
    const bytes = new Map();
    const skill_files = [];
    for (const file of files) {
      const content = bytesOf(file);
      const digest = await digestOf(content);
      bytes.set(digest, content);
      skill_files.push({ path: file.path, digest, size: content.length });
    }
    let compiledDigest = null;
    if (compiled !== null) {
      const content = encoder.encode(compiled);
      compiledDigest = await digestOf(content);
      bytes.set(compiledDigest, content);
    }
    const packed = [];
    for (const program of programs) {
      const content = encoder.encode(program.code);
      const digest = await digestOf(content);
      bytes.set(digest, content);
      packed.push({ path: program.path, compiled: digest });
    }
    const script = skill_files.find((file) => file.path === path);
    hosts.asked = 0;
    const request = {
      protocol,
      id: crypto.randomUUID(),
      isolation,
      ...(share === undefined ? {} : { share }),
      skill: { name: "case", digest: script.digest },
      script: { path, runtime, digest: script.digest, compiled: compiledDigest },
      argv,
      stdin,
      skill_files,
      programs: packed,
      files: inputs.map((file) => ({ path: file.path, bytes: bytesOf(file) })),
      limits,
    };
    const result = await runOnce(this.env, request, bytes, egress);
    return Response.json(result, { headers: { "x-files-asked": String(hosts.asked) } });
  }
}
