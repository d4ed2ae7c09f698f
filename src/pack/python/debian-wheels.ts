/** Owns wheels made of Debian's python3 packages, as the machine's own apt sources have them. Needs no root, installs nothing. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { packageName } from "../../check/python-requirements.ts";
import { SkillsError } from "../../model/errors.ts";

/** What scripts of skills use most and what that needs, by Debian's names. */
export const DEBIAN_PACKAGES: readonly string[] = (
  "anyio attr bs4 certifi chardet charset-normalizer click colorama dateutil defusedxml docopt dotenv et-xmlfile h11 httpcore httpx " +
  "idna jinja2 jsonschema markdown markdown-it markupsafe mdurl openpyxl packaging pygments pypdf pyrsistent requests rfc3986 rich six " +
  "sniffio soupsieve tabulate toml tqdm typer tz urllib3 yaml"
)
  .split(" ")
  .map((name) => `python3-${name}`);

/** A time for all files: the same package gives the same bytes. */
const MTIME = (): Date => new Date(1980, 0, 1);

/** Wheels by their names. Throws `source-unavailable` where apt cannot fetch a package. */
export function debianWheels(packages: readonly string[]): Map<string, Uint8Array> {
  const work = mkdtempSync(join(tmpdir(), "debian-packages-"));
  try {
    call("apt-get", ["download", "-qq", ...packages], work);
    const archives = readdirSync(work).filter((name) => name.endsWith(".deb"));
    return new Map(
      archives.sort().map((archive) => {
        const root = join(work, archive.replace(/\.deb$/, ""));
        call("dpkg-deb", ["-x", join(work, archive), root], work);
        return wheelOf(archive, join(root, "usr/lib/python3/dist-packages"));
      }),
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** An installed distribution as a wheel: its facts in the form that wheels have. */
function wheelOf(archive: string, directory: string): [string, Uint8Array] {
  const files = filesBelow(directory);
  const facts = [...files.keys()].find((path) => /^[^/]+\.(?:dist|egg)-info(?:$|\/(?:METADATA|PKG-INFO)$)/.test(path));
  const metadata = files.get(facts ?? "");
  const text = new TextDecoder().decode(metadata);
  const field = (name: string) => new RegExp(`^${name}: *(.+)$`, "m").exec(text)?.[1]?.trim();
  const [name, version] = [field("Name"), field("Version")];
  if (facts === undefined || metadata === undefined || name === undefined || version === undefined) {
    throw new SkillsError("packages-invalid", `Cannot make a wheel of ${archive}: it holds no Python package`);
  }
  const stem = `${packageName(name).replaceAll("-", "_")}-${version}`;
  const info = facts.split("/", 1)[0] ?? facts;
  const moved = [...files].map(([path, bytes]) => [path.replace(info, `${stem}.dist-info`), bytes] as const);
  const contents = new Map(moved.filter(([path]) => !/\.dist-info(?:\/(?:PKG-INFO|RECORD|INSTALLER))?$/.test(path)));
  contents.set(`${stem}.dist-info/METADATA`, metadata);
  const encoder = new TextEncoder();
  contents.set(
    `${stem}.dist-info/WHEEL`,
    encoder.encode("Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
  );
  const sorted = [...contents].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    `${stem}-py3-none-any.whl`,
    zipSync(Object.fromEntries(sorted.map(([path, bytes]) => [path, bytes])), { mtime: MTIME(), level: 9 }),
  ];
}

function filesBelow(directory: string): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const full = join(entry.parentPath, entry.name);
    const path = full.slice(directory.length + 1);
    // Compiled parts differ from machine to machine, and cannot run in the sandbox.
    if (entry.isFile() && !/\.(?:pyc|so)$/.test(path)) {
      files.set(path, new Uint8Array(readFileSync(full)));
    }
  }
  return files;
}

function call(program: string, words: readonly string[], cwd: string): void {
  try {
    execFileSync(program, words, { cwd, stdio: ["ignore", "ignore", "pipe"] });
  } catch (cause) {
    const said = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim() : "";
    const last = said.split("\n").at(-1) || (cause instanceof Error ? cause.message : String(cause));
    throw new SkillsError("source-unavailable", `${program} failed: ${last}`, {
      cause,
      hint: "it takes Debian's packages from the machine's own sources: run apt-get update, and look at the names",
    });
  }
}
