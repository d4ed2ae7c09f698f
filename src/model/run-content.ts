/** Owns how many bytes the content of a run's file stands for; never decodes it. */
import type { RunOutputFile } from "./run.ts";

/** Bytes of a file by its content as it travels; null where that is not in its encoding. */
export function contentSize({ encoding, content }: Pick<RunOutputFile, "encoding" | "content">): number | null {
  if (encoding === "utf-8") {
    return new TextEncoder().encode(content).length;
  }
  const isBase64 = content.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(content);
  return isBase64 ? (content.length / 4) * 3 - (/=*$/.exec(content)?.[0].length ?? 0) : null;
}
