/** Owns a directory and a platform that the commands of one test file share; both go when its tests are over. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type CliSurroundings, cliJson, PlatformPool, skillMd, writeFiles } from "./cli.ts";

/** Made in a file's own beforeAll; that each command starts a platform of its own when it is alone is process.test.ts's to show. */
export class CliFolder {
  readonly pool = new PlatformPool();
  cwd = "";

  /** What a command finds around it here. */
  here(): CliSurroundings {
    return { cwd: this.cwd, startPlatform: this.pool.start };
  }

  /** Deploys a version of one skill of the platform, `common`, and one of the tenant `acme`, `own`; answers the bundles of these layers. */
  async deployVersion(version: string, channel: string): Promise<string[]> {
    writeFiles(this.cwd, {
      "skills/platform/common/SKILL.md": skillMd("common", `${version}\n`),
      "skills/tenants/acme/own/SKILL.md": skillMd("own", `${version}\n`),
    });
    const { document } = await cliJson(["deploy", "skills", "--channel", channel], this.here());
    return (document as { layers: { bundle: string }[] }).layers.map(({ bundle }) => bundle);
  }

  /** What `common` says in a channel. */
  async bodyOf(channel: string): Promise<unknown> {
    const { document } = await cliJson(["show", "common", "--from", channel], this.here());
    return (document as { body: string }).body;
  }
}

/** A folder with some files for all tests of the file that asks for it. */
export function cliFolder(files: Readonly<Record<string, string>> = {}): CliFolder {
  const folder = new CliFolder();
  beforeAll(() => {
    folder.cwd = mkdtempSync(join(tmpdir(), "edge-skills-test-"));
    writeFiles(folder.cwd, files);
  });
  afterAll(async () => {
    await folder.pool.stop();
    rmSync(folder.cwd, { recursive: true, force: true });
  });
  return folder;
}
