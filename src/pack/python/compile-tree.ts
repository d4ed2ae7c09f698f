/** Owns compiling the modules of Python packages with the sandbox's own interpreter, so that a run need not. Never runs what it compiles. */
import { dirname } from "node:path";
import { startPython } from "./interpreter.ts";

/** Compiles a tree below site-packages into `__pycache__`; marked as not to be compared with their sources. */
const COMPILE_TREE = `
import json, os, sys
sys.path.insert(0, "/lib/python313.zip")
from importlib._bootstrap_external import _code_to_hash_pyc
made = []
for path in json.load(open("/tree.json")):
    source = open("/tree/" + path, "rb").read()
    try:
        code = compile(source, "/usr/lib/python3.13/site-packages/" + path, "exec", dont_inherit=True, optimize=0)
    except (SyntaxError, ValueError):
        continue
    folder, name = os.path.split(path)
    target = os.path.join(folder, "__pycache__", name[:-3] + ".cpython-313.pyc")
    os.makedirs("/tree/" + os.path.dirname(target), exist_ok=True)
    open("/tree/" + target, "wb").write(_code_to_hash_pyc(code, bytes(8), False))
    made.append(target)
json.dump(made, open("/tree.json", "w"))
`;

/** The compiled modules by their paths, beside the sources' own; what does not compile stays a source. The same sources give the same bytes. */
export async function compileTree(files: ReadonlyMap<string, Uint8Array>): Promise<Map<string, Uint8Array>> {
  const { FS, run } = await startPython();
  const paths = [...files.keys()].filter((path) => path.endsWith(".py"));
  FS.mkdirTree("/tree");
  for (const path of paths) {
    FS.mkdirTree(dirname(`/tree/${path}`));
    FS.writeFile(`/tree/${path}`, files.get(path) ?? new Uint8Array());
  }
  FS.writeFile("/tree.json", new TextEncoder().encode(JSON.stringify(paths)));
  run(COMPILE_TREE, "packages do not compile");
  const made = JSON.parse(new TextDecoder().decode(FS.readFile("/tree.json"))) as string[];
  return new Map(made.map((path) => [path, FS.readFile(`/tree/${path}`).slice()]));
}
