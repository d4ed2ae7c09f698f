/** Owns `curl`'s way to the network of a run; never a socket. */
import type { BashOptions } from "just-bash/browser";
import type { Machine } from "../box/machine.ts";

type ShellFetch = NonNullable<BashOptions["fetch"]>;

/** just-bash's fetch over the run's network. Redirects are curl's to follow, hop by hop. */
export function shellFetch(machine: Machine): ShellFetch {
  return async (url, options = {}) => {
    const headers = new Headers(options.headers as Record<string, string> | undefined);
    const method = options.method ?? "GET";
    const body =
      options.body === undefined || method === "GET" || method === "HEAD" ? {} : { body: options.body as BodyInit };
    const response = await machine.fetch(new Request(url, { method, headers, redirect: "manual", ...body }));
    if (response === null) {
      throw new Error(`Failed to connect to ${new URL(url).host}: Connection refused`);
    }
    return {
      status: response.status,
      statusText: response.statusText,
      headers: Object.fromEntries(response.headers),
      body: new Uint8Array(await response.arrayBuffer()),
      url,
    };
  };
}
