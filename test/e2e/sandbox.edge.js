/** Owns the edge's part in sandbox tests: turns a case into run requests, holds bytes and the real egress over a stub; never runs a script itself. */
import { RpcTarget, WorkerEntrypoint } from "cloudflare:workers";
import { createEgress } from "../../src/runners/egress.ts";

const encoder = new TextEncoder();

async function digestOf(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `sha256:${[...hash].map((b) => b.toString(16).padStart(2, "0")).join("")}`;
}

const hosts = { asked: 0 };

class Host extends RpcTarget {
  #bytes;
  #network;
  constructor(bytes, network) {
    super();
    this.#bytes = bytes;
    this.#network = network;
  }
  readFiles(digests) {
    hosts.asked += digests.length;
    return digests.map((digest) => this.#bytes.get(digest));
  }
  fetch(request) {
    return this.#network.fetch(request);
  }
}

/** The network of one run whose outside is a stub. */
function networkOf({ allow = [], stub = {} }, limits) {
  const send = async (request) => {
    const answer = stub[request.url] ?? stub["*"];
    if (answer === undefined) {
      return new Response("no stub", { status: 404 });
    }
    const echo = async () =>
      JSON.stringify({ method: request.method, headers: [...request.headers], body: await request.text() });
    return new Response(answer.echo ? await echo() : answer.body, answer);
  };
  const rules = allow.map((origin) => ({ origin }));
  return createEgress({ rules, own: new Set(), secretOf: async () => null, send })(
    { skill: "case", tenant: "acme" },
    limits,
  );
}

function bytesOf(file) {
  return file.base64 === undefined
    ? encoder.encode(file.text)
    : Uint8Array.from(atob(file.base64), (c) => c.charCodeAt(0));
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
      if (!file.lost) {
        bytes.set(digest, content);
      }
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
    const result = await this.env.RUNNER.run(request, new Host(bytes, networkOf(egress ?? {}, limits)));
    return Response.json(result, { headers: { "x-files-asked": String(hosts.asked) } });
  }
}
