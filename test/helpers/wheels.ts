/** Wheels and a package index of PEP 691 on 127.0.0.1 to try packages with. */
import { createHash } from "node:crypto";
import { strToU8, zipSync } from "fflate";
import { serveSite } from "./http-site.ts";

/** A wheel's bytes: some modules, and what it says that it needs. */
export function wheelBytes(files: Readonly<Record<string, string>>, needs: readonly string[] = []): Uint8Array {
  const metadata = ["Metadata-Version: 2.1", ...needs.map((need) => `Requires-Dist: ${need}`)].join("\n");
  const contents = { ...files, "x.dist-info/METADATA": `${metadata}\n\nRequires-Dist: nothing-of-the-text\n` };
  return zipSync(Object.fromEntries(Object.entries(contents).map(([path, text]) => [path, strToU8(text)])), {
    mtime: new Date(1980, 0, 1),
  });
}

export const hex = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** What an index says of a file beside its name. */
interface Offer {
  readonly bytes: Uint8Array;
  readonly yanked?: boolean | string;
  readonly python?: string;
  /** What the index states; default: the digest of the bytes. */
  readonly sha256?: string;
}

/** An index with these wheels, by their names; answers its address and the paths that were asked for. */
export async function serveIndex(wheels: Readonly<Record<string, Offer>>) {
  const asked: string[] = [];
  const projectOf = (file: string) => (file.split("-")[0] ?? "").replace(/[-_.]+/g, "-").toLowerCase();
  const url = await serveSite((request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    const [, kind = "", name = ""] = pathname.split("/");
    if (kind === "files") {
      return new Response(Buffer.from(wheels[decodeURIComponent(name)]?.bytes ?? new Uint8Array()));
    }
    const files = Object.entries(wheels)
      .filter(([file]) => projectOf(file) === name)
      .map(([filename, { bytes, yanked = false, python = null, sha256 = hex(bytes) }]) => ({
        filename,
        url: `../../files/${filename}`,
        hashes: { sha256 },
        "requires-python": python,
        yanked,
      }));
    const isJson = request.headers.get("accept")?.includes("application/vnd.pypi.simple.v1+json") ?? false;
    return files.length > 0 && isJson ? Response.json({ files }) : new Response("no such project", { status: 404 });
  });
  return { index: `${url}/simple`, asked };
}
