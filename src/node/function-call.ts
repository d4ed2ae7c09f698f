/** Owns whether a message is a run that a runner asks for: signed by it, of now, not seen before, of the right form. Never runs it. */
import { createHmac, timingSafeEqual } from "node:crypto";
import * as z from "zod/mini";
import { isDigest } from "../model/digest.ts";
import { FUNCTION_PROTOCOL, FUNCTION_WINDOW_MS, type FunctionRequest } from "../model/function-protocol.ts";
import { wordsFor } from "../model/issue-words.ts";
import { isSafePath } from "../model/path.ts";
import type { JsonValue } from "../model/record.ts";

/** Why a function does not run what it was asked for; told to whoever asked. */
export class FunctionRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "FunctionRefusal";
    this.status = status;
    this.code = code;
  }
}

const path = z.string().check(z.refine(isSafePath));
const digest = z.custom<FunctionRequest["skill"]["digest"]>(isDigest);
const positive = z.number().check(z.int(), z.minimum(1));
const word = z.string().check(z.refine((text) => !text.includes("\0")));

const requestSchema = z.object({
  protocol: z.literal(FUNCTION_PROTOCOL),
  id: z.string().check(z.minLength(1), z.maxLength(200)),
  actor: z.optional(z.string()),
  stdin: z._default(z.string(), ""),
  skill: z.object({ name: z.string(), digest }),
  script: z.object({ name: path, digest, source: z.optional(z.string()) }),
  arguments: z.custom<JsonValue>((value) => value !== undefined),
  argv: z.array(word),
  files: z.array(z.object({ path, encoding: z.enum(["utf-8", "base64"]), content: z.string() })),
  limits: z.object({ timeout_ms: positive, output_bytes: positive }),
});

/** Reads messages, and remembers those it took. */
export class FunctionDoor {
  readonly #secret: string;
  readonly #clock: () => number;
  /** Ids with the time until which they are remembered, oldest first. */
  readonly #seen = new Map<string, number>();

  constructor(secret: string, clock: () => number) {
    this.#secret = secret;
    this.#clock = clock;
  }

  /** Refuses what no body can make good, before a body is read. Throws {@link FunctionRefusal}. */
  expect(signature: string | undefined): void {
    this.#read(signature ?? "");
  }

  /** The run that a message asks for. Throws {@link FunctionRefusal}. */
  take(signature: string | undefined, body: Buffer): FunctionRequest {
    const signedAt = this.#verify(signature ?? "", body);
    const request = requestOf(body);
    this.#remember(request.id, signedAt);
    return request;
  }

  /** When it was signed, milliseconds. What is wrong with a signature is not told. */
  #verify(signature: string, body: Buffer): number {
    const { seconds, hex, signedAt } = this.#read(signature);
    const expected = createHmac("sha256", this.#secret).update(`${seconds}.`).update(body).digest();
    if (!timingSafeEqual(expected, Buffer.from(hex, "hex"))) {
      throw unsigned();
    }
    return signedAt;
  }

  #read(signature: string): { readonly seconds: string; readonly hex: string; readonly signedAt: number } {
    const [, seconds = "", hex = ""] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
    const signedAt = Number(seconds) * 1_000;
    if (hex === "" || Math.abs(this.#clock() - signedAt) > FUNCTION_WINDOW_MS) {
      throw unsigned();
    }
    return { seconds, hex, signedAt };
  }

  #remember(id: string, signedAt: number): void {
    const now = this.#clock();
    for (const [old, until] of this.#seen) {
      if (until < now) {
        this.#seen.delete(old);
      }
    }
    if (this.#seen.has(id)) {
      throw new FunctionRefusal(409, "id-seen", "A run of this id was asked for already");
    }
    // A signature of a clock that runs ahead counts longer, so its id is remembered longer.
    this.#seen.set(id, Math.max(now, signedAt) + FUNCTION_WINDOW_MS);
  }
}

function unsigned(): FunctionRefusal {
  return new FunctionRefusal(401, "signature-invalid", "The signature is missing, wrong or of another time");
}

function requestOf(body: Buffer): FunctionRequest {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    throw new FunctionRefusal(400, "request-invalid", "The body is not JSON");
  }
  const parsed = z.safeParse(requestSchema, value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const what = issue === undefined ? "something else" : wordsFor(issue);
    throw new FunctionRefusal(400, "request-invalid", `"${issue?.path.join(".")}": ${what} is needed`);
  }
  const { actor, ...request } = parsed.data;
  const { source, ...script } = request.script;
  return {
    ...request,
    ...(actor === undefined ? {} : { actor }),
    script: { ...script, ...(source === undefined ? {} : { source }) },
  };
}
