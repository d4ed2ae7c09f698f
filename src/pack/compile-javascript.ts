/** Owns compiling one JavaScript or TypeScript script of a skill, with the files and npm packages it needs, to one text the sandbox runs. */
import { type BuildFailure, type BuildResult, build, type Message } from "esbuild";
import { instrument } from "./javascript/instrument.ts";
import { LateModules } from "./javascript/late-modules.ts";
import { entryModule, type JavaScriptSource, scriptModules, skillModules } from "./javascript/modules.ts";
import { wrapScript } from "./javascript/wrap.ts";

/** Why a script does not compile. */
export interface JavaScriptError {
  readonly message: string;
  /** Relative to the skill. */
  readonly file?: string;
  readonly line?: number;
}

/** Compiles a script. The same files give the same text. Packages that are missing fail when they are used, not here. */
export async function compileJavaScript(
  source: JavaScriptSource,
): Promise<{ code: string } | { error: JavaScriptError }> {
  const late = new LateModules();
  try {
    const plain = await bundle(source, late, null);
    const outcome = late.isEmpty ? plain : ((await withLate(source, late)) ?? plain);
    const [map, script] = ["/script.js.map", "/script.js"].map(
      (name) => outcome.outputFiles.find((file) => file.path === name)?.text ?? "",
    );
    return { code: wrapScript(instrument(script ?? ""), map ?? "") };
  } catch (failure) {
    return { error: describe(failure) };
  }
}

/** The script with what it may ask for when it runs, as far as that compiles; null when nothing of it does. */
async function withLate(source: JavaScriptSource, late: LateModules): Promise<Bundle | null> {
  const modules = new Map(scriptModules(source));
  for (let round = 0; round < MOST_ROUNDS; round++) {
    try {
      return await bundle(source, new LateModules(), late.moduleText(late.reachable(modules)));
    } catch (failure) {
      const faulty = ((failure as BuildFailure).errors ?? []).map(({ location }) =>
        location?.file.replace(/^[a-z-]+:/, ""),
      );
      const known = faulty.filter((path): path is string => path !== undefined && modules.delete(path));
      if (known.length === 0) {
        return null;
      }
    }
  }
  return null;
}

const MOST_ROUNDS = 5;

type Bundle = BuildResult<{ write: false }>;

function bundle(source: JavaScriptSource, late: LateModules, lateText: string | null): Promise<Bundle> {
  return build({
    stdin: { contents: entryModule(source.path, lateText), resolveDir: "/", sourcefile: "sandbox:entry" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    conditions: ["node"],
    mainFields: ["main", "module"],
    target: "es2024",
    charset: "utf8",
    treeShaking: false,
    keepNames: true,
    legalComments: "none",
    sourcemap: "external",
    sourcesContent: false,
    outfile: "/script.js",
    define: {
      "import.meta": "__es_meta",
      "import.meta.url": "__es_url",
      "import.meta.dirname": "__es_dirname",
      "import.meta.filename": "__es_filename",
      "import.meta.main": "__es_is_main",
      "import.meta.resolve": "__es_resolve",
      "require.main": "__es_main",
      "require.resolve": "__es_require_resolve",
      "require.cache": "__es_require_cache",
    },
    tsconfigRaw: { compilerOptions: { jsx: "react" } },
    plugins: [skillModules(source, late, lateText)],
    logLevel: "silent",
  });
}

function describe(failure: unknown): JavaScriptError {
  const first: Message | undefined = (failure as BuildFailure | null)?.errors?.[0];
  if (first === undefined) {
    return { message: failure instanceof Error ? failure.message : String(failure) };
  }
  if (first.location === null) {
    return { message: first.text };
  }
  return {
    message: first.text,
    file: first.location.file.replace(/^[a-z-]+:/, "").replace(/^\/skill\//, ""),
    line: first.location.line,
  };
}
