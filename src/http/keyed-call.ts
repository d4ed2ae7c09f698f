/** Owns `Idempotency-Key`: a repeated `run_skill_script` gets the first answer, a twin waits for it (CONTRACT.md §3). Never runs anything itself. */
import { digestOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { NO_CONTEXT } from "../model/skill.ts";
import type { ToolAnswer } from "../provider/answers.ts";
import { canonicalJson } from "../provider/canonical-json.ts";
import type { TenantBook } from "../tenancy/tenant-book.ts";
import type { Scene } from "./scene.ts";

const MAX_KEY_LENGTH = 256;

/** A call and the key it was sent under. */
export interface KeyedRequest {
  /** Null: it is simply made. */
  readonly key: string | null;
  readonly arguments: unknown;
}

/** Makes a call once for its key. What was recalled since is not repeated. Throws `idempotency-conflict` when the key belongs to another call. */
export async function callOnce(
  book: TenantBook,
  scene: Pick<Scene, "caller" | "snapshot" | "provider">,
  { key, arguments: args }: KeyedRequest,
  make: () => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const { grant, session } = scene.caller;
  if (key === null) {
    return make();
  }
  if (key === "" || key.length > MAX_KEY_LENGTH) {
    throw new SkillsError(
      "request-invalid",
      `Cannot use this Idempotency-Key: it has 1 to ${MAX_KEY_LENGTH} characters`,
    );
  }
  const { tenant, token } = grant;
  const own = await digestOf(canonicalJson([token, session, key]));
  const begun = await book.begin(tenant, own, await digestOf(canonicalJson(withoutApproval(args))));
  switch (begun.state) {
    case "done":
      return (await recalled(scene, args)) ?? (JSON.parse(begun.answer) as ToolAnswer);
    case "conflict":
      throw new SkillsError("idempotency-conflict", "Cannot use this Idempotency-Key: it belongs to another call");
    case "running":
      throw new SkillsError("idempotency-conflict", "Cannot answer yet: the call of this Idempotency-Key still runs");
    case "new":
      return keep(book, { tenant, key: own }, make);
  }
}

/** How a call is answered whose script was recalled after it ran; null for any other. */
async function recalled(
  { caller, snapshot, provider }: Pick<Scene, "caller" | "snapshot" | "provider">,
  args: unknown,
): Promise<ToolAnswer | null> {
  if (snapshot.blocked.key === "") {
    return null;
  }
  const { tenant } = caller.grant;
  const refusal = await provider.refusalOf(args, { ...NO_CONTEXT, tenant, mayRun: true });
  const code = refusal?.error?.code ?? null;
  // Whose bundle was recalled is not found at all.
  return snapshot.emptied || code === "skill-blocked" || code === "file-blocked" ? refusal : null;
}

async function keep(
  book: TenantBook,
  { tenant, key }: { readonly tenant: string; readonly key: string },
  make: () => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  let answer: ToolAnswer | null = null;
  try {
    answer = await make();
    return answer;
  } finally {
    // Only what ran is kept: a call that waits for a person, or for a place, can be made again under its key.
    await book.finishKeyed(tenant, key, answer?.run === undefined ? null : JSON.stringify(answer));
  }
}

/** The same call, made again with the approval it waited for, is the same call. */
function withoutApproval(args: unknown): unknown {
  if (typeof args !== "object" || args === null) {
    return args;
  }
  const { approval_id: _, ...rest } = args as Record<string, unknown>;
  return rest;
}
