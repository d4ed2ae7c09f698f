/** Owns running what the packer makes of a JavaScript script, within the test's process; never the sandbox's own modules. */

/** Runs compiled code as the sandbox does, and answers the lines that it logged: `console` is the only module it gets. */
export async function runCompiled(code: string, ticks = Number.POSITIVE_INFINITY): Promise<string[]> {
  const module = { exports: {} as (es: object, tick: () => void) => Promise<void> };
  new Function("module", code)(module);
  const out: string[] = [];
  let left = ticks;
  const provided = new Map<string, { require?: () => unknown }>();
  const es = {
    builtin: (name: string) => ({ name, log: (...words: unknown[]) => out.push(words.map(String).join(" ")) }),
    missing: (specifier: string, kind: string) => Object.assign(new Error(`missing ${specifier}`), { code: kind }),
    main: (own: unknown) => own,
    mainModule: {},
    get __es_no_require(): never {
      throw new ReferenceError("require is not defined");
    },
    resolver: () => (specifier: string) => specifier,
    requireResolver: () => (specifier: string) => specifier,
    importer: () => async (specifier: string) => {
      throw new Error(`asked for ${specifier}`);
    },
    requireFrom: (importer: string) => (specifier: string) => {
      const { require: load } = provided.get(specifier) ?? provided.get(JSON.stringify([importer, specifier])) ?? {};
      return load?.();
    },
    provide: (modules: readonly [string, { require?: () => unknown }][]) => {
      for (const [key, module] of modules) {
        provided.set(key, module);
      }
    },
  };
  await module.exports(es, () => {
    if (--left < 0) {
      throw new Error("out of ticks");
    }
  });
  return out;
}
