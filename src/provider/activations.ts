/** Owns which skills a conversation has loaded, by name and digest: so that a skill is not given twice, and a session can be resumed. Plain data. */
import { type Digest, isDigest } from "../model/digest.ts";

/** One skill that was loaded. */
export interface Activation {
  readonly skill: string;
  readonly digest: Digest;
}

/**
 * The skills one conversation has loaded. Hand it to each call of the conversation; store it with the conversation.
 *
 * @example
 * const activations = SkillActivations.from(stored);
 * await provider.callTool("load_skill", { skill_name: "pdf" }, { ...caller, activations });
 * await save(JSON.stringify(activations));
 */
export class SkillActivations {
  readonly #loaded = new Map<string, Digest>();

  /** Activations as {@link toJSON} wrote them; whatever is not such is left out, so that a skill is at worst loaded again. */
  static from(stored: unknown): SkillActivations {
    const activations = new SkillActivations();
    const items: readonly unknown[] = Array.isArray(stored) ? stored : [];
    for (const item of items.filter(isActivation)) {
      activations.add(item.skill, item.digest);
    }
    return activations;
  }

  /** Tells whether just this content was loaded. */
  has(skill: string, digest: Digest): boolean {
    return this.#loaded.get(skill) === digest;
  }

  /** Notes that a skill was loaded. */
  add(skill: string, digest: Digest): void {
    this.#loaded.delete(skill);
    this.#loaded.set(skill, digest);
  }

  /** Notes that a skill's content has left the conversation; the next load gives all of it again. */
  forget(skill: string): void {
    this.#loaded.delete(skill);
  }

  /** In the order in which they were loaded. */
  toJSON(): readonly Activation[] {
    return [...this.#loaded].map(([skill, digest]) => ({ skill, digest }));
  }
}

function isActivation(value: unknown): value is Activation {
  const item = (value ?? {}) as { readonly skill?: unknown; readonly digest?: unknown };
  return typeof item.skill === "string" && isDigest(item.digest);
}
