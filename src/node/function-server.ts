/**
 * Owns a function that runs scripts as processes of its own machine, by the script function protocol (CONTRACT.md §3): a reference to be
 * put into a container. Nothing but the container keeps a script in.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import type { Digest } from "../model/digest.ts";
import type { FunctionRequest } from "../model/function-protocol.ts";
import { DEFAULT_RUN_LIMITS, type RunLimits, type RunResult } from "../model/run.ts";
import { FunctionDoor, FunctionRefusal } from "./function-call.ts";
import { runFunction } from "./function-run.ts";

/** How a function is served. */
export interface FunctionServerOptions {
  /** What both sides sign with. */
  readonly secret: string;
  /** Default: any free one. */
  readonly port?: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** The files of a skill by its digest, or null: then nothing runs. Without it a run brings its skill. */
  readonly skill?: (digest: Digest) => Promise<ReadonlyMap<string, Uint8Array> | null>;
  /** Files that come back, and their bytes; default 100 and 16 MiB. */
  readonly limits?: Partial<Pick<RunLimits, "files" | "file_bytes">>;
  /** Runs at a time; default 8. More are refused. */
  readonly concurrency?: number;
  /**
   * The user and group that scripts run as; default this process's own, which lets a script read this process's environment in /proc.
   * Needs root.
   */
  readonly uid?: number;
  /** Milliseconds since 1970; default the system's. */
  readonly clock?: () => number;
  /** Told what went wrong here, for the log. */
  readonly onError?: (error: unknown) => void;
}

/** A function that is served. */
export interface FunctionServer {
  readonly url: URL;
  /** Takes no more runs, ends those under way. */
  stop(): Promise<void>;
}

/** Bytes of a message: the skill's files and those of the call, as JSON. */
const MOST_BODY_BYTES = 64 * 1024 * 1024;

const CONCURRENCY = 8;

/** Messages that are read at a time, for each run that may be under way. */
const BODIES = 2;

/** Starts the function. Throws when there is no secret, when it may not run scripts as another user, or cannot listen. */
export async function startFunctionServer(options: FunctionServerOptions): Promise<FunctionServer> {
  if (options.secret === "") {
    throw new Error("a function needs a secret");
  }
  if (options.uid !== undefined && process.getuid?.() !== 0) {
    throw new Error("only root can run scripts as another user");
  }
  const { port = 0, host = "127.0.0.1" } = options;
  const answerer = new Answerer(options);
  const server = createServer((request, response) => {
    answerer.answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: new URL(`http://${name}:${address.port}/`),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class Answerer {
  readonly #options: FunctionServerOptions;
  readonly #door: FunctionDoor;
  #running = 0;
  #reading = 0;

  constructor(options: FunctionServerOptions) {
    this.#options = options;
    this.#door = new FunctionDoor(options.secret, options.clock ?? Date.now);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    try {
      const isProbe = request.method === "GET" && request.url === "/healthz";
      send(response, 200, isProbe ? { status: "ok" } : await this.#run(request, gone.signal));
    } catch (error) {
      const refusal = error instanceof FunctionRefusal ? error : new FunctionRefusal(500, "internal", "It failed here");
      if (refusal !== error) {
        this.#options.onError?.(error);
      }
      send(response, refusal.status, { error: { code: refusal.code, message: refusal.message } });
    }
  }

  async #run(request: IncomingMessage, gone: AbortSignal): Promise<RunResult> {
    if (request.method !== "POST") {
      throw new FunctionRefusal(405, "method-not-allowed", "A run is asked for by POST");
    }
    const { concurrency = CONCURRENCY, limits, uid } = this.#options;
    const call = this.#door.take(signatureIn(request), await this.#bodyOf(request, concurrency * BODIES));
    if (this.#running >= concurrency) {
      throw new FunctionRefusal(503, "busy", "Too many runs are under way");
    }
    this.#running++;
    try {
      const files = await this.#filesOf(call);
      return await runFunction(call, { files, limits: { ...DEFAULT_RUN_LIMITS, ...limits }, uid: uid ?? null, gone });
    } finally {
      this.#running--;
    }
  }

  /** Whose a body is shows when it is there whole: until then strangers take no more memory than some of them. */
  async #bodyOf(request: IncomingMessage, most: number): Promise<Buffer> {
    this.#door.expect(signatureIn(request));
    if (this.#reading >= most) {
      throw new FunctionRefusal(503, "busy", "Too many messages are being read");
    }
    this.#reading++;
    try {
      return await readBody(request);
    } finally {
      this.#reading--;
    }
  }

  /** What lies in the run's directory: the skill, over it what the call brings. */
  async #filesOf({ skill, script, files }: FunctionRequest): Promise<ReadonlyMap<string, Uint8Array>> {
    const own = this.#options.skill === undefined ? sourceOf(script) : await this.#options.skill(skill.digest);
    if (own === null) {
      throw new FunctionRefusal(404, "skill-not-found", "There is no skill of this digest here");
    }
    const laid = new Map(own);
    for (const { path, encoding, content } of files) {
      laid.set(path, Buffer.from(content, encoding === "base64" ? "base64" : "utf8"));
    }
    if (!laid.has(script.name)) {
      throw new FunctionRefusal(404, "script-not-found", "The script is neither sent nor one of the skill's");
    }
    return laid;
  }
}

function sourceOf({ name, source }: FunctionRequest["script"]): ReadonlyMap<string, Uint8Array> {
  return new Map(source === undefined ? [] : [[name, Buffer.from(source)]]);
}

function signatureIn({ headers }: IncomingMessage): string | undefined {
  const value = headers["x-skills-signature"];
  return typeof value === "string" ? value : undefined;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MOST_BODY_BYTES) {
      throw new FunctionRefusal(413, "body-too-large", `The body is over ${MOST_BODY_BYTES} bytes`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** With these the body was read to its end, or there was none. */
const WHOLE: ReadonlySet<number> = new Set([200, 400, 404, 405, 409, 422, 500]);

function send(response: ServerResponse, status: number, body: object): void {
  if (!response.destroyed) {
    const headers = { "Content-Type": "application/json", ...(WHOLE.has(status) ? {} : { Connection: "close" }) };
    response.writeHead(status, headers).end(JSON.stringify(body));
  }
}
