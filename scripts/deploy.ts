/** Owns `npm run deploy`: both Workers with wrangler, then the skills. Says exactly what to type when something has to be made first. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { wranglerToken } from "../src/cli/wrangler-login.ts";
import { parseConfig } from "../src/model/config.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SETTINGS = `${ROOT}edge-skills.json`;

const { values, positionals } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false }, target: { type: "string", default: "production" } },
  allowPositionals: true,
});
const isDry = values["dry-run"];
const { target } = values;
const skills = positionals.length > 0 ? positionals : ["skills-bundle"];

process.exitCode = await main();

async function main(): Promise<number> {
  const steps = await missingSteps();
  if (steps.length > 0 && !isDry) {
    console.error(["Nothing was deployed. First:", "", ...steps, "", "Then: npm run deploy"].join("\n"));
    return 2;
  }
  // The runner first: the edge's binding leads to it.
  const settings = existsSync(SETTINGS) ? ["--var", `EDGE_SKILLS_CONFIG:${readFileSync(SETTINGS, "utf8")}`] : [];
  for (const [config, more] of [
    ["src/sandbox/wrangler.toml", []],
    ["wrangler.toml", settings],
  ] as const) {
    const status = run("wrangler", "deploy", "--config", config, ...more, ...(isDry ? ["--dry-run"] : []));
    if (status !== 0) {
      return 3;
    }
  }
  if (isDry) {
    // What would change there only an account can tell; that the skills can be packed is known here.
    const status = run("node", "src/cli.ts", "check", ...skills);
    console.error(steps.length > 0 ? ["", "Before a real deploy:", "", ...steps].join("\n") : "");
    return status;
  }
  const status = run("node", "src/cli.ts", "deploy", ...skills, "--target", target);
  if (status === 0) {
    console.error(`When the edge has no token yet: npx edge-skills token create --first --target ${target}`);
  }
  return status;
}

/** What has to be done before a deploy can work, in the words to type. */
async function missingSteps(): Promise<string[]> {
  const steps: string[] = [];
  const token = process.env.CLOUDFLARE_API_TOKEN || (await wranglerToken({ cwd: ROOT, env: process.env }));
  if (token === null) {
    steps.push(
      "  npx wrangler login",
      "  # or a token with Workers Scripts, Workers KV Storage and Workers R2 Storage › Edit: dash.cloudflare.com/profile/api-tokens",
      "  export CLOUDFLARE_API_TOKEN=…",
      "  export CLOUDFLARE_ACCOUNT_ID=…",
    );
  }
  const toml = readFileSync(`${ROOT}wrangler.toml`, "utf8");
  const namespace = /binding = "SKILLS_KV"\s+id = "([^"]*)"/.exec(toml)?.[1] ?? "";
  const bucket = /bucket_name = "([^"]*)"/.exec(toml)?.[1] ?? "";
  if (!/^[0-9a-f]{32}$/.test(namespace)) {
    steps.push(
      "  npx wrangler kv namespace create SKILLS_KV   # put the id it prints into wrangler.toml",
      `  npx wrangler r2 bucket create ${bucket}`,
    );
  }
  const place = existsSync(SETTINGS) ? parseConfig(readFileSync(SETTINGS, "utf8")).targets.get(target) : undefined;
  if (place === undefined || place.kv_namespace_id !== namespace || place.r2_bucket !== bucket) {
    const wanted = { targets: { [target]: { kv_namespace_id: "<the id in wrangler.toml>", r2_bucket: bucket } } };
    steps.push(`  # edge-skills.json has to name the same: ${JSON.stringify(wanted)}`);
  }
  return steps;
}

function run(...words: readonly [string, ...string[]]): number {
  const [command, ...rest] = words;
  console.error(`$ ${words.join(" ")}`);
  const path = `${ROOT}node_modules/.bin:${process.env.PATH ?? ""}`;
  const { status, error } = spawnSync(command, rest, {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, PATH: path },
  });
  if (error !== undefined) {
    console.error(error.message);
  }
  return status ?? 3;
}
