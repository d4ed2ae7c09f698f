/** Owns which rule lets a request pass, or why none does. Never sends, never knows a secret. */
import type { EgressRule } from "../model/egress.ts";
import { fitsGlob } from "../model/filter.ts";
import { isLoopbackHost, isPrivateHost, withoutDots } from "./egress-address.ts";

/** Who asks. */
export interface EgressCaller {
  readonly skill: string;
  readonly tenant: string;
}

export type EgressVerdict = { readonly rule: EgressRule } | { readonly refused: string };

/** In a path, what some servers take for `/` or `..` although it is none: a prefix would promise too much. */
const TRICKY =
  // Encoded once or twice, with parameters, longer than UTF-8 has it, or as a wide letter that some make a plain one of.
  /%(?:25)*(?:2f|5c|2e|00)|\\|\/\.{1,2};|%c[01]|%e0%[89]|%f0%8|%ef%bc%8[ef]/i;

/** Judges a request by rules and the service's own hosts. The first rule that fits counts. */
export function judge(
  rules: readonly EgressRule[],
  own: ReadonlySet<string>,
  caller: EgressCaller,
  method: string,
  url: URL,
): EgressVerdict {
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return { refused: "only http and https lead out" };
  }
  if (isOwn(own, url)) {
    return { refused: "it is the service itself" };
  }
  const rule = rules.find((one) => fits(one, caller, method, url));
  if (rule === undefined) {
    return { refused: "no rule allows it" };
  }
  const isPrivate = isPrivateHost(url.hostname);
  if (isPrivate && rule.origin !== url.origin) {
    return { refused: "it is a private address, and no rule names it" };
  }
  if (rule.secret !== undefined && url.protocol === "http:" && !isPrivate) {
    return { refused: "a secret is not sent without TLS" };
  }
  return { rule };
}

/** The service under one of its hosts; this machine's names are one. A host without a port is the service at any: the platform answers at several. */
function isOwn(own: ReadonlySet<string>, url: URL): boolean {
  const name = withoutDots(url.hostname.toLowerCase());
  const names = [name, `${name}:${portOf(url)}`, ...(isLoopbackHost(name) ? [`loopback:${portOf(url)}`] : [])];
  return [...own].some((other) => names.includes(other.toLowerCase()));
}

/** How a host of the service is remembered. */
export function ownHostOf(url: URL): string {
  return isLoopbackHost(url.hostname) ? `loopback:${portOf(url)}` : url.host.toLowerCase();
}

function portOf(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}

/** The origins that rules name for a caller, each once, in their order. */
export function originsFor(rules: readonly EgressRule[], caller: EgressCaller): readonly string[] {
  return [...new Set(rules.filter((rule) => fitsCaller(rule, caller)).map(({ origin }) => origin))];
}

/** The ports of this machine that rules name for a caller: where a connection to a loopback address may lead out of a run. */
export function loopbackPortsFor(rules: readonly EgressRule[], caller: EgressCaller): readonly number[] {
  const urls = originsFor(rules, caller).flatMap((origin) => URL.parse(origin) ?? []);
  return [...new Set(urls.filter(({ hostname }) => isLoopbackHost(hostname)).map((url) => Number(portOf(url))))];
}

function fitsCaller({ skill = "*", tenant = "*" }: EgressRule, caller: EgressCaller): boolean {
  return fitsGlob(skill, caller.skill) && fitsGlob(tenant, caller.tenant);
}

function fits(rule: EgressRule, caller: EgressCaller, method: string, url: URL): boolean {
  return (
    fitsOrigin(rule.origin, url) &&
    fitsCaller(rule, caller) &&
    (rule.methods === undefined || rule.methods.includes(method)) &&
    (rule.paths === undefined || (!TRICKY.test(url.pathname) && rule.paths.some((path) => isBelow(path, url.pathname))))
  );
}

function fitsOrigin(origin: string, url: URL): boolean {
  if (origin === "*" || origin === url.origin) {
    return true;
  }
  const [scheme, below] = origin.split("//*");
  return below !== undefined && url.protocol === scheme && url.host.endsWith(below) && url.host.length > below.length;
}

/** `/v1` holds `/v1` and `/v1/x`, not `/v10`; `/v1/` holds what lies below only. */
function isBelow(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`);
}
