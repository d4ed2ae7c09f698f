/** Owns the console's files on a local edge: what the platform serves as static assets, read from the disk. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type MiniflareFetcherBinding, Response } from "miniflare";

const DIRECTORY = new URL("../console/static/", import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  "/console.html": "text/html; charset=utf-8",
  "/console.css": "text/css; charset=utf-8",
  "/console.js": "text/javascript; charset=utf-8",
};

/** The binding to give to the edge's Miniflare. */
export function localAssets(): MiniflareFetcherBinding {
  return {
    type: "fetcher",
    async handler({ url }: { readonly url: string }) {
      const { pathname } = new URL(url);
      const type = TYPES[pathname];
      if (type === undefined) {
        return new Response(null, { status: 404 });
      }
      const bytes = await readFile(fileURLToPath(new URL(pathname.slice(1), DIRECTORY)));
      return new Response(bytes, { headers: { "Content-Type": type } });
    },
  };
}
