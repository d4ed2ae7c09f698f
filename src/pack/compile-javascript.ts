/** Owns compiling one JavaScript or TypeScript script of a skill, with the files and npm packages it needs, to one text the sandbox runs. */
import { type BuildFailure, build, type Message } from "esbuild";
import { instrument } from "./javascript/instrument.ts";
import { entryModule, type JavaScriptSource, skillModules } from "./javascript/modules.ts";
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
  try {
    const result = await build({
      stdin: { contents: entryModule(source.path), resolveDir: "/", sourcefile: "sandbox:entry" },
      bundle: true,
      write: false,
      format: "esm",
      platform: "neutral",
      conditions: ["node"],
      mainFields: ["main", "module"],
      target: "es2024",
      charset: "utf8",
      treeShaking: false,
      keepNames: false,
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
      plugins: [skillModules(source)],
      logLevel: "silent",
    });
    const [map, script] = ["/script.js.map", "/script.js"].map(
      (name) => result.outputFiles.find((file) => file.path === name)?.text ?? "",
    );
    return { code: wrapScript(instrument(script ?? ""), map ?? "") };
  } catch (failure) {
    return { error: describe(failure) };
  }
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
