/**
 * Owns making a set of Python packages for the sandbox (src/pack/python-packages.ts) from wheels, or from Debian's python3 packages:
 *
 *   node scripts/build-packages.ts -o python-packages --wheels DIR
 *   node scripts/build-packages.ts -o python-packages --debian [python3-NAME…]
 *
 * Only pure Python is taken: extension modules are left out, and what needs one fails when it is imported.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { unzipSync, type Zippable, zipSync } from "fflate";
import { importedAnywhere, PACKAGES_FILE, type PythonPackage } from "../src/pack/python-packages.ts";
import { compileTree } from "./sandbox-python.ts";

/** What scripts of skills use most and what that needs, by Debian's names. */
export const DEBIAN_PACKAGES = (
  "anyio attr bs4 certifi chardet charset-normalizer click colorama dateutil defusedxml docopt dotenv et-xmlfile h11 httpcore httpx " +
  "idna jinja2 jsonschema markdown markdown-it markupsafe mdurl openpyxl packaging pygments pypdf pyrsistent requests rfc3986 rich six " +
  "sniffio soupsieve tabulate toml tqdm typer tz urllib3 yaml"
)
  .split(" ")
  .map((name) => `python3-${name}`);

/** A time for all files: the same input gives the same bytes. */
const MTIME = new Date(1980, 0, 1);

/** The files of one distribution, relative to site-packages. */
interface Distribution {
  readonly name: string;
  readonly version: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Makes a set of the wheels in a directory. */
export async function buildFromWheels(wheels: string, out: string): Promise<PythonPackage[]> {
  const names = readdirSync(wheels).filter((name) => name.endsWith(".whl"));
  const distributions = names.sort().map((name) => {
    const [project = name, version = "0"] = name.split("-");
    const files = Object.entries(unzipSync(new Uint8Array(readFileSync(join(wheels, name)))));
    const kept = files.flatMap(([path, bytes]): [string, Uint8Array][] => {
      const inside = path.replace(/^[^/]+\.data\/(?:purelib|platlib)\//, "");
      return isKept(inside) ? [[inside, bytes]] : [];
    });
    return { name: canonical(project), version, files: new Map(kept) };
  });
  return await writeSet(distributions, out);
}

/** Makes a set of Debian's packages, as the machine's own sources have them. */
export async function buildFromDebian(packages: readonly string[], out: string): Promise<PythonPackage[]> {
  const work = mkdtempSync(join(tmpdir(), "debian-packages-"));
  try {
    execFileSync("apt-get", ["download", "-qq", ...packages], { cwd: work, stdio: ["ignore", "ignore", "inherit"] });
    const archives = readdirSync(work).filter((name) => name.endsWith(".deb"));
    const distributions = archives.sort().map((archive) => {
      const root = join(work, archive.replace(/\.deb$/, ""));
      execFileSync("dpkg-deb", ["-x", join(work, archive), root]);
      return debianDistribution(join(root, "usr/lib/python3/dist-packages"));
    });
    return await writeSet(distributions, out);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function debianDistribution(directory: string): Distribution {
  const files = new Map<string, Uint8Array>();
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const full = join(entry.parentPath, entry.name);
    const path = full.slice(directory.length + 1);
    if (entry.isFile() && isKept(path)) {
      files.set(path, new Uint8Array(readFileSync(full)));
    }
  }
  const facts = [...files.keys()].find((path) => /^[^/]+\.(?:dist|egg)-info(?:$|\/(?:METADATA|PKG-INFO)$)/.test(path));
  const text = new TextDecoder().decode(facts === undefined ? new Uint8Array() : files.get(facts));
  const field = (name: string) => new RegExp(`^${name}: *(.+)$`, "m").exec(text)?.[1]?.trim();
  return { name: canonical(field("Name") ?? directory), version: field("Version") ?? "0", files };
}

/** Sources, data, and what `importlib.metadata` asks for; nothing compiled, no tests. */
function isKept(path: string): boolean {
  const isOther =
    /\.(?:so|pyd|pyc|pyi|c|h)$|(?:^|\/)(?:__pycache__|tests?|testing_data)\/|\/RECORD$|^bin\/|\.pth$/.test(path);
  return !isOther && !path.endsWith("/");
}

async function writeSet(distributions: readonly Distribution[], out: string): Promise<PythonPackage[]> {
  const byModule = new Map(distributions.flatMap((one) => modulesOf(one).map((module) => [module, one.name] as const)));
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const packages: PythonPackage[] = [];
  for (const one of distributions) {
    const compiled = await compileTree(one.files);
    const contents: Zippable = {};
    for (const [path, bytes] of [...one.files, ...compiled].sort(([a], [b]) => (a < b ? -1 : 1))) {
      contents[path] = [bytes, { mtime: MTIME, level: 9 }];
    }
    const file = `${one.name}-${one.version}.zip`;
    writeFileSync(join(out, file), zipSync(contents));
    const requires = new Set([...importsOf(one)].flatMap((module) => byModule.get(module) ?? []));
    requires.delete(one.name);
    packages.push({
      name: one.name,
      version: one.version,
      file,
      modules: modulesOf(one),
      requires: [...requires].sort(),
    });
  }
  writeFileSync(join(out, PACKAGES_FILE), `${JSON.stringify({ format: 1, packages }, null, 2)}\n`);
  return packages;
}

function modulesOf({ files }: Distribution): string[] {
  const names = [...files.keys()].flatMap((path) => /^(\w+)(?:\.py$|\/(?:.*\/)?\w+\.py$)/.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

function importsOf({ files }: Distribution): Set<string> {
  const sources = [...files].filter(([path]) => path.endsWith(".py"));
  return new Set(sources.flatMap(([, bytes]) => [...importedAnywhere(new TextDecoder().decode(bytes))]));
}

function canonical(name: string): string {
  return name.replace(/[-_.]+/g, "-").toLowerCase();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    options: { out: { type: "string", short: "o" }, wheels: { type: "string" }, debian: { type: "boolean" } },
    allowPositionals: true,
  });
  const out = resolve(values.out ?? "python-packages");
  const packages =
    values.wheels === undefined
      ? await buildFromDebian(positionals.length > 0 ? positionals : DEBIAN_PACKAGES, out)
      : await buildFromWheels(resolve(values.wheels), out);
  console.error(`${packages.length} packages in ${out}: ${packages.map((one) => one.name).join(", ")}`);
}
