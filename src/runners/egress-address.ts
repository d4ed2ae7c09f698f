/** Owns telling public hosts from those of a private network. Looks at the name only: nothing is resolved here. */

/** Networks that are no part of the public internet (IANA's registry of special-purpose addresses, and multicast), as prefix and length. */
const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** Endings of names that only a private network resolves. */
const PRIVATE_ENDINGS = [
  "localhost",
  "local",
  "localdomain",
  "internal",
  "intranet",
  "lan",
  "home",
  "corp",
  "home.arpa",
];

/** Public services whose names spell an address out: they lead anywhere, also inside. */
const SPELLED = ["nip.io", "sslip.io", "xip.io", "localtest.me", "lvh.me", "vcap.me", "lacolhost.com"];

/**
 * Tells whether a host is private: a loopback or link-local address, a network behind a gateway, a name without a dot.
 *
 * @param hostname as `URL` spells it: addresses in any other spelling (`0x7f.1`, `2130706433`) are in the usual one already
 */
export function isPrivateHost(hostname: string): boolean {
  if (hostname.startsWith("[")) {
    return !isPublicV6(hostname.slice(1, -1));
  }
  const name = withoutDots(hostname.toLowerCase());
  const address = toV4(name);
  if (address !== null) {
    return PRIVATE_V4.some(([prefix, length]) => (address ^ (toV4(prefix) ?? 0)) >>> (32 - length) === 0);
  }
  return (
    !name.includes(".") || [...PRIVATE_ENDINGS, ...SPELLED].some((end) => name === end || name.endsWith(`.${end}`))
  );
}

/** Tells whether a host is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const name = withoutDots(hostname.toLowerCase());
  return (
    /^127\.|^0\.0\.0\.0$|^\[::1?\]$|^\[::ffff:7f/.test(name) || name === "localhost" || name.endsWith(".localhost")
  );
}

/** A name without the dots at its end: begun where a run of dots begins, so that a script's long names take no long look. */
export function withoutDots(name: string): string {
  return name.replace(/(?<!\.)\.+$/, "");
}

function toV4(name: string): number | null {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(name)?.slice(1).map(Number);
  return parts === undefined ? null : parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** Only 2000::/3 is given out; of it, what carries an IPv4 address within or is for documents leads who knows where. */
function isPublicV6(address: string): boolean {
  const [first = 0, second = 0] = groupsOf(address);
  const isGlobal = first >= 0x2000 && first <= 0x3fff;
  const isSpecial =
    first === 0x2002 ||
    (first === 0x2001 && (second < 0x200 || second === 0xdb8)) ||
    (first === 0x3fff && second < 0x1000);
  return isGlobal && !isSpecial;
}

/** The first groups of an address, enough to tell its network. */
function groupsOf(address: string): number[] {
  const [head = ""] = address.split("::");
  return head === "" ? [0, 0] : head.split(":").map((group) => Number.parseInt(group, 16));
}
