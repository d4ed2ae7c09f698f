/** Owns asking an edge, before anything is sent, whether it reads the bundles that are about to be deployed. */
import * as z from "zod/mini";
import { BUNDLE_FORMAT } from "../bundle/index-format.ts";
import { SkillsError } from "../model/errors.ts";

/** How long an answer may take, milliseconds. */
const ANSWER_MS = 10_000;

/** An edge of a version that did not say it reads format 1. */
const healthSchema = z.object({ status: z.string(), bundle_formats: z._default(z.array(z.number()), [1]) });

/**
 * Whether the edge at an address reads the format of this version's bundles: `known`, or `unasked` when no edge answers there, as before a first
 * deploy. Throws `bundle-format-unknown` for an edge of another version.
 */
export async function requireKnownFormat(name: string, url: URL): Promise<"known" | "unasked"> {
  const formats = await formatsOf(new URL("/healthz", url));
  if (formats === null) {
    return "unasked";
  }
  refuseUnknown(name, formats);
  return "known";
}

/** Throws `bundle-format-unknown` when this version's format is not among those that an edge reads. */
export function refuseUnknown(name: string, formats: readonly number[]): void {
  if (!formats.includes(BUNDLE_FORMAT)) {
    throw new SkillsError(
      "bundle-format-unknown",
      `Cannot deploy to ${name}: its edge reads bundles of format ${formats.join(", ")}, these have ${BUNDLE_FORMAT}. Nothing was sent`,
      {
        hint: "deploy the edge of this version first (`npm run deploy`), or deploy with the version that the edge has",
      },
    );
  }
}

async function formatsOf(address: URL): Promise<readonly number[] | null> {
  try {
    const response = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(ANSWER_MS) });
    const health = z.safeParse(healthSchema, await response.json());
    return health.success ? health.data.bundle_formats : null;
  } catch {
    return null;
  }
}
