/** Owns what there is of modules of which the sandbox has little: `net`, `cluster`, `perf_hooks`, `v8`, `punycode`; never what they lack. */

const NUMBER = "(?:[1-9]?\\d|1\\d\\d|2[0-4]\\d|25[0-5])";
const IPV4 = new RegExp(`^${NUMBER}(?:\\.${NUMBER}){3}$`);

function isIP(text: unknown): 0 | 4 | 6 {
  const words = String(text);
  if (IPV4.test(words)) {
    return 4;
  }
  const plain = words.replace(/%[0-9a-zA-Z.:-]+$/, "");
  return /^[0-9a-fA-F:.]+$/.test(plain) && URL.canParse(`http://[${plain}]/`) ? 6 : 0;
}

export const net = {
  isIP,
  isIPv4: (text: unknown) => isIP(text) === 4,
  isIPv6: (text: unknown) => isIP(text) === 6,
};

export const cluster = { isPrimary: true, isMaster: true, isWorker: false, workers: {} };

/** `perf_hooks` over the isolate's own clock. */
export const perfHooks = () => ({
  performance,
  PerformanceObserver,
  PerformanceEntry,
  PerformanceMark,
  PerformanceMeasure,
});

export const v8 = {
  cachedDataVersionTag: () => 0,
  getHeapStatistics: () => ({
    total_heap_size: 32e6,
    total_heap_size_executable: 0,
    total_physical_size: 32e6,
    total_available_size: 64e6,
    used_heap_size: 16e6,
    heap_size_limit: 128e6,
    malloced_memory: 0,
    peak_malloced_memory: 0,
    does_zap_garbage: 0,
    number_of_native_contexts: 1,
    number_of_detached_contexts: 0,
    total_global_handles_size: 8192,
    used_global_handles_size: 2048,
    external_memory: 1e6,
  }),
  setFlagsFromString: () => undefined,
  // Copies, as scripts use the two together.
  serialize: (value: unknown) => structuredClone(value),
  deserialize: (value: unknown) => structuredClone(value),
};

const PREFIX = "xn--";

/** `punycode` by what the platform knows of host names. */
export function makePunycode(url: typeof import("node:url")) {
  const known = (text: string, made: string) => {
    if (made === "" && text !== "") {
      throw new RangeError("Invalid input");
    }
    return made;
  };
  return {
    version: "2.1.0",
    toASCII: (name: string) => known(name, url.domainToASCII(name)),
    toUnicode: (name: string) => url.domainToUnicode(name),
    encode: (text: string) =>
      /^[\0-\x7f]*$/.test(text) ? `${text}-` : known(text, url.domainToASCII(text)).slice(PREFIX.length),
    decode: (text: string) => known(text, url.domainToUnicode(PREFIX + text)),
    ucs2: {
      decode: (text: string) => Array.from(text, (letter) => letter.codePointAt(0)),
      encode: (points: readonly number[]) => String.fromCodePoint(...points),
    },
  };
}
