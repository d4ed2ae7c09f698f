/** Owns holding docs/scripts.md to what the sandbox offers and what runs are bounded by; never whether a module works. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parseConfig } from "../../../src/model/config.ts";
import { parseEgressTrial } from "../../../src/model/egress.ts";
import { DEFAULT_RUN_LIMITS } from "../../../src/model/run.ts";
import { NODE_MODULES, PYTHON_MODULES, SHELL_COMMANDS } from "../../../src/model/sandbox-table.ts";

const PAGE = new URL("../../../docs/scripts.md", import.meta.url);
const page = readFileSync(PAGE, "utf8");

const rowOf = (names: ReadonlySet<string>) => [...names].map((name) => `\`${name}\``).join(" ");

test("the table of docs/scripts.md is that of the sandbox; `vitest -u` writes it", async () => {
  const table = [
    "| | what is there |",
    "| --- | --- |",
    `| Python modules | ${rowOf(PYTHON_MODULES)} |`,
    `| commands of the shell | ${rowOf(SHELL_COMMANDS)} |`,
    `| Node.js modules | ${rowOf(NODE_MODULES)} |`,
  ];
  const [before, , after] = page.split(/(?<=<!-- table: [^>]*-->\n)([\s\S]*?)(?=\n<!-- end -->)/);
  await expect(`${before}${table.join("\n")}${after}`).toMatchFileSnapshot(fileURLToPath(PAGE));
});

test("the settings that the page shows are settings", () => {
  const [config = "", trial = ""] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
  expect(parseConfig(config).egress.allow.map(({ origin }) => origin)).toEqual([
    "https://api.example.com",
    "https://api.github.com",
  ]);
  expect([...(parseEgressTrial(trial).stub?.keys() ?? [])]).toEqual(["https://api.example.com/today", "*"]);
});

test("the limits that the page names are the defaults", () => {
  const mib = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
  const { timeout_ms, cpu_ms, memory_bytes, output_bytes, files, file_bytes, processes, network_calls, network_bytes } =
    DEFAULT_RUN_LIMITS;
  const rows = [
    ["`timeout_ms`", `${timeout_ms / 1000} s`],
    ["`cpu_ms`", `${cpu_ms / 1000} s`],
    ["`memory_bytes`", mib(memory_bytes)],
    ["`output_bytes`", `${mib(output_bytes)} each`],
    ["`files`, `file_bytes`", `${files}, ${mib(file_bytes)}`],
    ["`processes`", String(processes)],
    ["`network_calls`, `network_bytes`", `${network_calls}, ${mib(network_bytes)}`],
  ];
  for (const [name, value] of rows) {
    expect(page).toContain(`| ${name} | ${value} |`);
  }
});
