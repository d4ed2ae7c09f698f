/** Owns what `**` in a pattern stands for: any number of directories; never patterns without it. */

/** just-bash's expansion of patterns, as far as it is called. */
interface Expander {
  readonly cwd: string;
  readonly dotglob: boolean;
  readonly fs: {
    resolvePath(base: string, path: string): string;
    readdir(path: string): Promise<readonly string[]>;
    lstat(path: string): Promise<{ readonly isDirectory: boolean }>;
    exists(path: string): Promise<boolean>;
  };
  checkOpsLimit(): void;
  hasGlobChars(pattern: string): boolean;
  expand(pattern: string): Promise<readonly string[]>;
}

/** The paths that a pattern with `**` stands for, as it spells them. */
export async function sandboxGlobstar(expander: Expander, pattern: string): Promise<string[]> {
  const at = pattern.indexOf("**");
  const base = pattern.slice(0, at);
  const rest = pattern.slice(at + 2).replace(/^\//, "");
  const bases = expander.hasGlobChars(base)
    ? await expander.expand(base.replace(/\/$/, ""))
    : [base.replace(/(?<=.)\/$/, "")];
  const found: string[] = [];
  for (const start of bases) {
    const { dirs, files } = await below(expander, start);
    if (rest === "") {
      found.push(...(start === "" ? [] : [start === "/" ? "/" : `${start}/`]), ...dirs, ...files);
      continue;
    }
    for (const dir of [start, ...dirs]) {
      const path = dir === "" || dir.endsWith("/") ? dir + rest : `${dir}/${rest}`;
      if (expander.hasGlobChars(rest)) {
        found.push(...(await expander.expand(path)));
      } else if (await expander.fs.exists(expander.fs.resolvePath(expander.cwd, path))) {
        found.push(path);
      }
    }
  }
  return [...new Set(found)].sort();
}

/** Everything below a directory; links are not followed. */
async function below(expander: Expander, start: string): Promise<{ dirs: string[]; files: string[] }> {
  const { fs } = expander;
  const dirs: string[] = [];
  const files: string[] = [];
  const open = [start];
  for (let dir = open.shift(); dir !== undefined; dir = open.shift()) {
    expander.checkOpsLimit();
    const names = await fs.readdir(fs.resolvePath(expander.cwd, dir === "" ? "." : dir)).catch(() => []);
    for (const name of names) {
      if (name.startsWith(".") && !expander.dotglob) {
        continue;
      }
      expander.checkOpsLimit();
      const path = dir === "" || dir.endsWith("/") ? dir + name : `${dir}/${name}`;
      const { isDirectory } = await fs.lstat(fs.resolvePath(expander.cwd, path));
      (isDirectory ? dirs : files).push(path);
      if (isDirectory) {
        open.push(path);
      }
    }
  }
  return { dirs, files };
}
