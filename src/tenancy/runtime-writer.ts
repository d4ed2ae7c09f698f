/**
 * Owns putting a skill at run time: the checks that pack makes, then blobs, then the tenant's Durable Object. Killed at any point, readers
 * see the old skill or the new one. Never compiles: JavaScript needs the pack step, so it is listed as not runnable.
 */
import { indexEntry } from "../bundle/index-format.ts";
import { blobKey, WORK_MS } from "../bundle/keys.ts";
import { encodeRecord } from "../bundle/record-format.ts";
import { checkSkill, type InputFile } from "../check/check-skill.ts";
import type { SkillLimits } from "../check/limits.ts";
import { mediaTypeOf } from "../check/media-type.ts";
import { notRunnable } from "../check/scripts.ts";
import { type Blocked, blockedError } from "../model/blocks.ts";
import type { Diagnostic } from "../model/diagnostics.ts";
import { type Digest, digestOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import { isLeftover } from "../model/leftovers.ts";
import { isValidName, MAX_NAME_LENGTH } from "../model/name.ts";
import { travelProblem } from "../model/path.ts";
import { type SkillFile, type SkillRecord, type SkillScript, skillDigestText } from "../model/record.ts";
import { MAX_RUNTIME_SKILLS } from "../model/runtime-state.ts";
import { SANDBOX_TABLE } from "../model/sandbox-table.ts";
import type { Clock } from "../sources/current-documents.ts";
import type { AccessRules } from "./access-rules.ts";
import { askObject, type RemoteTenant } from "./ask-object.ts";
import type { RuntimeSkills } from "./runtime-layer.ts";
import type { BlobWriter } from "./runtime-store.ts";
import type { TenantObject } from "./tenant-object.ts";

const MIB = 1024 * 1024;

/** How large a skill put at run time may be: it comes in one request. */
export const RUNTIME_LIMITS: SkillLimits = {
  hosts: { files: 512, skillBytes: 5 * MIB, fileBytes: 5 * MIB },
  storage: { files: 512, skillBytes: 5 * MIB, fileBytes: 5 * MIB },
};

/** Bytes that name, description, aliases and metadata of a skill may have together: they stand in an index that every caller reads. */
const MAX_ENTRY_BYTES = 16 * 1024;

/** Files removed at once. */
const AT_ONCE = 20;

const NOT_PACKED = "it is JavaScript put at run time, which the pack step has not compiled; deploy it to run it";

/** What came of putting a skill. */
export interface PutSkill {
  /** Null when its diagnostics have an error: nothing was changed. */
  readonly record: SkillRecord | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** What the writer works with. */
export interface RuntimeWriterParts {
  readonly tenants: DurableObjectNamespace<TenantObject>;
  readonly storeFor: (tenant: string) => BlobWriter;
  readonly rules: AccessRules;
  readonly runtime: RuntimeSkills;
  /** What is recalled for a tenant's callers. */
  readonly blockedFor: (tenant: string) => Promise<Blocked>;
  readonly clock: Clock;
}

/** Writes a tenant's skills put at run time. Made once per isolate. */
export class RuntimeWriter {
  readonly #parts: RuntimeWriterParts;

  constructor(parts: RuntimeWriterParts) {
    this.#parts = parts;
  }

  /** Puts a skill under its own name. Throws `request-invalid`, `name-protected`, `runtime-full`, or `skill-blocked` or `file-blocked` for what was recalled. */
  async put(tenant: string, name: string, files: ReadonlyMap<string, Uint8Array>): Promise<PutSkill> {
    if (!isValidName(name) || [...name].length > MAX_NAME_LENGTH) {
      throw new SkillsError("request-invalid", "Cannot put this skill: its name in the path is not a valid skill name");
    }
    if (this.#parts.rules.isProtected(name)) {
      throw new SkillsError(
        "name-protected",
        `Cannot put "${name}": the name, or one that looks like it, is protected`,
      );
    }
    const { record, diagnostics, contents } = await check(name, files);
    if (record === null) {
      return { record, diagnostics };
    }
    if (record.name !== name) {
      throw new SkillsError(
        "request-invalid",
        `Cannot put this skill as "${name}": its SKILL.md is served as "${record.name}"`,
      );
    }
    await this.#refuseBlocked(tenant, record);
    await this.#store(tenant, record, contents);
    return { record, diagnostics };
  }

  /** Deletes a skill; tells whether there was one. */
  async delete(tenant: string, name: string): Promise<boolean> {
    const state = await this.#asking((stub) => stub.deleteRuntimeSkill(name, this.#parts.clock()), tenant);
    if (state !== null) {
      this.#parts.runtime.learn(tenant, state, this.#parts.clock());
    }
    return state !== null;
  }

  async #refuseBlocked(tenant: string, { name, digest, manifest, files }: SkillRecord): Promise<void> {
    const blocked = await this.#parts.blockedFor(tenant);
    const block = blocked.of(digest, manifest.digest);
    if (block !== null) {
      throw blockedError("skill-blocked", `skill "${name}"`, block);
    }
    for (const file of files) {
      const hit = blocked.of(file.digest);
      if (hit !== null) {
        throw blockedError("file-blocked", `"${file.path}"`, hit);
      }
    }
  }

  async #store(tenant: string, record: SkillRecord, contents: ReadonlyMap<Digest, Uint8Array>): Promise<void> {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const bytes = encodeRecord(record, (file) => decoder.decode(contents.get(file.digest)));
    const digest = await digestOf(bytes);
    const entry = { ...indexEntry(record, digest), manifest: record.manifest.digest };
    if (new TextEncoder().encode(JSON.stringify(entry)).byteLength > MAX_ENTRY_BYTES) {
      throw new SkillsError("request-invalid", `Cannot put "${record.name}": its frontmatter is too large`);
    }
    const { clock } = this.#parts;
    const needs = [digest, ...contents.keys()];
    if (!(await this.#asking((stub) => stub.announceRuntimeBlobs(needs, clock()), tenant))) {
      throw new SkillsError(
        "storage-unavailable",
        `Cannot put "${record.name}" just now: files that it has again are being removed`,
        { retryAfterMs: WORK_MS },
      );
    }
    const store = this.#parts.storeFor(tenant);
    await Promise.all([...contents].map(([file, content]) => store.put(blobKey(file), content)));
    await store.put(blobKey(digest), bytes);
    await this.#note(tenant);
    const state = await this.#asking((stub) => stub.putRuntimeSkill(entry, needs, clock()), tenant);
    if (state === null) {
      throw new SkillsError(
        "runtime-full",
        `Cannot put "${record.name}": there are ${MAX_RUNTIME_SKILLS} skills put at run time already. Delete one first`,
      );
    }
    this.#parts.runtime.learn(tenant, state, clock());
  }

  /** Removes some files that no state of the tenant needs any more, of 50 that are kept; answers how many. Not done by who waits for an answer. */
  async sweep(tenant: string): Promise<number> {
    const gone = await this.#asking((stub) => stub.claimRuntimeBlobs(this.#parts.clock()), tenant);
    const store = this.#parts.storeFor(tenant);
    for (let at = 0; at < gone.length; at += AT_ONCE) {
      await Promise.all(gone.slice(at, at + AT_ONCE).map((digest) => store.remove(blobKey(digest))));
    }
    if (gone.length > 0) {
      await this.#asking((stub) => stub.forgetRuntimeBlobs(gone), tenant);
    }
    return gone.length;
  }

  /** So that the tenant is listed, whatever else it has. */
  async #note(tenant: string): Promise<void> {
    if (tenant !== PLATFORM_LAYER) {
      await this.#asking((stub) => stub.noteTenant(tenant), PLATFORM_LAYER);
    }
  }

  #asking<T>(ask: (stub: RemoteTenant) => Promise<T>, tenant: string): Promise<T> {
    return askObject(this.#parts.tenants, tenant, ask, "the tenant's store");
  }
}

interface CheckedFiles extends PutSkill {
  readonly contents: ReadonlyMap<Digest, Uint8Array>;
}

async function check(directory: string, given: ReadonlyMap<string, Uint8Array>): Promise<CheckedFiles> {
  const files = new Map<string, InputFile>();
  for (const [path, bytes] of given) {
    const problem = travelProblem(path);
    if (problem !== null) {
      throw new SkillsError("request-invalid", `Cannot use file ${JSON.stringify(path.slice(0, 200))}: ${problem}`);
    }
    // As when a directory is packed: what systems and tools leave behind is no part of a skill.
    if (path.split("/").some(isLeftover)) {
      continue;
    }
    files.set(path, { size: bytes.byteLength, bytes, digest: await digestOf(bytes) });
  }
  const listed = [...files].map(([path, file]) => ({ path, digest: file.digest }));
  const digest = await digestOf(skillDigestText(listed));
  const { skill, portable, diagnostics } = checkSkill(
    { directory, files, digest },
    { sandbox: SANDBOX_TABLE, limits: RUNTIME_LIMITS },
  );
  const contents = new Map([...files.values()].map((file) => [file.digest, file.bytes]));
  if (skill === null) {
    return { record: null, diagnostics, contents };
  }
  const unpacked = skill.scripts.filter((script) => script.runnable && script.runtime === "javascript");
  return {
    record: {
      ...skill,
      ...(portable === null ? {} : { portable: await keepPortable(portable, contents) }),
      scripts: skill.scripts.map(asPut),
    },
    diagnostics: [...diagnostics, ...unpacked.map(({ path }) => notRunnable(path, { reason: NOT_PACKED }))],
    contents,
  };
}

/** The SKILL.md in the form that every host takes, stored beside the original. */
async function keepPortable(text: string, contents: Map<Digest, Uint8Array>): Promise<SkillFile> {
  const bytes = new TextEncoder().encode(text);
  const digest = await digestOf(bytes);
  contents.set(digest, bytes);
  return { path: "SKILL.md", size: bytes.byteLength, digest, media_type: mediaTypeOf("SKILL.md", true), text: true };
}

function asPut(script: SkillScript): SkillScript {
  return script.runnable && script.runtime === "javascript"
    ? { ...script, runnable: false, reason: NOT_PACKED }
    : script;
}
