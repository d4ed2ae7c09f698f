/** Owns `npm run docs`: writes the list of diagnostics into docs/skills.md, from the tables of the code. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { withDiagnostics } from "./skills-doc/render.ts";

const file = fileURLToPath(new URL("../docs/skills.md", import.meta.url).href);
writeFileSync(file, withDiagnostics(readFileSync(file, "utf8")));
