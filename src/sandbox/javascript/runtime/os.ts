/** Owns the module `os`: a small Linux that is the same for every run; never the host. */
import { HOME } from "../../files/layout.ts";
import { SIGNALS } from "./signals.ts";
import { errorNumbers } from "./system-errors.ts";

const PRIORITIES = {
  PRIORITY_LOW: 19,
  PRIORITY_BELOW_NORMAL: 10,
  PRIORITY_NORMAL: 0,
  PRIORITY_ABOVE_NORMAL: -7,
  PRIORITY_HIGH: -14,
  PRIORITY_HIGHEST: -20,
};

const DLOPEN = { RTLD_LAZY: 1, RTLD_NOW: 2, RTLD_GLOBAL: 256, RTLD_LOCAL: 0, RTLD_DEEPBIND: 8 };

const plain = <T extends object>(values: T): T => Object.assign(Object.create(null), values);

/** Makes `os`. */
export function makeOs() {
  const calls = {
    arch: () => "x64",
    availableParallelism: () => 1,
    cpus: () => [{ model: "sandbox", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
    endianness: () => "LE",
    freemem: () => 64 * 1024 * 1024,
    getPriority: () => 0,
    homedir: () => HOME,
    hostname: () => "sandbox",
    loadavg: () => [0, 0, 0],
    machine: () => "x86_64",
    networkInterfaces: () => ({}),
    platform: () => "linux",
    release: () => "6.6.0",
    setPriority: () => undefined,
    tmpdir: () => "/tmp",
    totalmem: () => 128 * 1024 * 1024,
    type: () => "Linux",
    uptime: () => 1,
    userInfo: () => plain({ uid: 1000, gid: 1000, username: "agent", homedir: HOME, shell: "/bin/sh" }),
    version: () => "#1 SMP",
  };
  // In a text they stand for what they give.
  for (const call of [...Object.values(calls)]) {
    Object.defineProperty(call, Symbol.toPrimitive, { value: call });
  }
  const constants = plain({
    UV_UDP_REUSEADDR: 4,
    dlopen: plain(DLOPEN),
    errno: plain(errorNumbers()),
    signals: plain({ ...SIGNALS }),
    priority: plain(PRIORITIES),
  });
  return { ...calls, constants, EOL: "\n", devNull: "/dev/null" };
}
