/** Owns `curl`'s way to the network of a run; never a socket. */
import type { BashOptions } from "just-bash/browser";
import type { Machine } from "../box/machine.ts";

type ShellFetch = NonNullable<BashOptions["fetch"]>;
type Options = NonNullable<Parameters<ShellFetch>[1]>;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** curl's own bound. */
const MOST_HOPS = 50;

/** just-bash's fetch over the run's network. With `-L` each hop is a request of its own, so that each is looked at. */
export function shellFetch(machine: Machine): ShellFetch {
  return async (url, options = {}) => {
    let at = url;
    let how: Options = options;
    for (let hop = 0; hop <= (options.maxRedirects ?? MOST_HOPS); hop++) {
      const response = await ask(machine, at, how);
      const location = response.headers.get("location");
      if (!options.followRedirects || location === null || !REDIRECTS.has(response.status)) {
        return {
          status: response.status,
          statusText: response.statusText,
          headers: Object.fromEntries(response.headers),
          body: new Uint8Array(await machine.untilStopped(response.arrayBuffer())),
          url: at,
        };
      }
      const next = new URL(location, at);
      how = afterRedirect(how, response.status, next.origin === new URL(at).origin ? "same origin" : "other origin");
      at = next.href;
    }
    throw new Error("Too many redirects");
  };
}

async function ask(machine: Machine, url: string, options: Options): Promise<Response> {
  const method = options.method ?? "GET";
  const headers = new Headers(options.headers as Record<string, string> | undefined);
  const body =
    options.body === undefined || method === "GET" || method === "HEAD" ? {} : { body: options.body as BodyInit };
  const response = await machine.fetch(new Request(url, { method, headers, redirect: "manual", ...body }));
  if (response === null) {
    // just-bash tells by these words that curl's status is 7.
    throw new Error(`Failed to connect to ${new URL(url).host}: Network access denied`);
  }
  return response;
}

function afterRedirect(options: Options, status: number, where: "same origin" | "other origin"): Options {
  const headers = new Headers(options.headers as Record<string, string> | undefined);
  if (where === "other origin") {
    headers.delete("authorization");
    headers.delete("cookie");
  }
  const keeps = status === 307 || status === 308 || options.method === "HEAD";
  const { body, ...rest } = options;
  const next = { ...rest, headers: Object.fromEntries(headers) };
  return keeps ? { ...next, ...(body === undefined ? {} : { body }) } : { ...next, method: "GET" };
}
