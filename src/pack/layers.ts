/** Owns which layers some directories hold: `platform/` and `tenants/<name>/`, or all of it the platform's. Never searches for skills. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { SkillsError } from "../model/errors.ts";
import { isTenantName, PLATFORM_LAYER } from "../model/layer.ts";
import { isManifestName } from "../model/path.ts";
import { comparePaths } from "../model/record.ts";

/** A layer and the directories its skills lie below. */
export interface LayerRoots {
  readonly name: string;
  readonly roots: readonly string[];
}

const TENANTS = "tenants";

/** The layers of some directories, merged in their order; the platform first, then tenants by name. */
export function layersOf(directories: readonly string[]): LayerRoots[] {
  const roots = new Map<string, string[]>();
  for (const directory of directories) {
    for (const [layer, root] of isLayered(directory)
      ? layerDirectories(directory)
      : [[PLATFORM_LAYER, directory] as const]) {
      roots.set(layer, [...(roots.get(layer) ?? []), root]);
    }
  }
  const tenants = [...roots.keys()].filter((name) => name !== PLATFORM_LAYER).sort(comparePaths);
  return (roots.has(PLATFORM_LAYER) ? [PLATFORM_LAYER, ...tenants] : tenants).map((name) => ({
    name,
    roots: roots.get(name) ?? [],
  }));
}

/**
 * A directory is laid out as layers when it has `tenants/`, or `platform/` and no other directory. Neither they nor the directory itself are
 * a skill then: a skill may have any name, `platform` too.
 */
function isLayered(directory: string): boolean {
  const hasLayers = [PLATFORM_LAYER, TENANTS].filter((name) => isDirectory(join(directory, name)));
  if (hasLayers.length === 0 || [directory, ...hasLayers.map((name) => join(directory, name))].some(isSkill)) {
    return false;
  }
  const others = listDirectories(directory).filter((name) => name !== PLATFORM_LAYER && name !== TENANTS);
  return hasLayers.includes(TENANTS) || others.length === 0;
}

function layerDirectories(directory: string): [name: string, root: string][] {
  const platform = join(directory, PLATFORM_LAYER);
  const tenants = join(directory, TENANTS);
  const layers: [string, string][] = isDirectory(platform) ? [[PLATFORM_LAYER, platform]] : [];
  for (const name of isDirectory(tenants) ? listDirectories(tenants) : []) {
    if (!isTenantName(name)) {
      throw new SkillsError(
        "usage",
        `"${join(tenants, name)}" cannot be the directory of a tenant: its name is not one`,
        {
          hint: 'a tenant is named with a–z, 0–9 and hyphens, at most 63 characters, but not "platform" or "runtime"',
        },
      );
    }
    layers.push([name, join(tenants, name)]);
  }
  return layers;
}

/** The visible directories in a directory. */
function listDirectories(directory: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && !/^\.|^node_modules$|^__MACOSX$/.test(entry.name));
  return names.map((entry) => basename(entry.name)).sort(comparePaths);
}

function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function isSkill(directory: string): boolean {
  return readdirSync(directory, { withFileTypes: true }).some(
    (entry) => isManifestName(entry.name) && !entry.isDirectory(),
  );
}
