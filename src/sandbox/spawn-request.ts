/** Owns whether what a JavaScript child wants to start is a request; a script may have had its hands on it. Never starts anything. */
import type { Delta } from "./files/delta.ts";
import { pathIn } from "./files/delta-text.ts";
import type { SpawnRequest } from "./protocol.ts";

/** The request in what came: plain data of the right kinds and nothing else. Throws for what is none. */
export function readSpawnRequest(asked: unknown): SpawnRequest {
  const { argv, cwd, env, stdin, delta } = objectOf(asked);
  return {
    argv: list(argv).map(text),
    cwd: text(cwd),
    env: readEnvironment(objectOf(env)),
    stdin: bytes(stdin),
    delta: readDelta(objectOf(delta)),
  };
}

/** Node.js makes texts of what a script puts there, and leaves out what is undefined. */
function readEnvironment(env: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const set = Object.entries(env).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    set.map(([name, value]) => [name, typeof value === "object" ? text(value) : String(value)]),
  );
}

function readDelta({ dirs, files, links, removed }: Readonly<Record<string, unknown>>): Delta {
  return {
    dirs: list(dirs).map(pathIn),
    files: list(files).map((value) => {
      const file = objectOf(value);
      return { path: pathIn(file.path), bytes: bytes(file.bytes), mode: Number(file.mode) & 0o777 };
    }),
    links: list(links).map((value) => {
      const link = objectOf(value);
      return { path: pathIn(link.path), target: text(link.target) };
    }),
    removed: list(removed).map(pathIn),
  };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) {
    throw none();
  }
  return value as Record<string, unknown>;
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) {
    throw none();
  }
  return value;
}

function text(value: unknown): string {
  if (typeof value !== "string") {
    throw none();
  }
  return value;
}

function bytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) {
    throw none();
  }
  return value;
}

function none(): Error {
  return new Error("spawn EINVAL");
}
