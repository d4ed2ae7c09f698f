/** Owns the outer form of a compiled script and its table of lines; what it expects is src/sandbox/javascript/runtime/'s to give. */

import { AWAITED } from "./instrument.ts";

/**
 * A CommonJS module that exports one async function; everything is on the lines it was on. CommonJS, since only there a script that
 * is no module keeps its loose mode.
 */
export function wrapScript(code: string, map: string): string {
  const lines = JSON.stringify(lineTable(map));
  // A runner of an earlier version gives no turns.
  const turns = code.includes(`${AWAITED}(`) ? `const ${AWAITED} = __es.awaited ?? ((value) => value); ` : "";
  return `module.exports = async function (__es, __t, require, exports, module, __filename, __dirname) { ${turns}{${code}\n} };\nmodule.exports.lines = ${lines};\n`;
}

interface LineTable {
  readonly files: readonly string[];
  /** For each line: file and line, or nothing. Flat: file, line, file, line … */
  readonly at: readonly number[];
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Reads a source map as far as lines go: the first place on each line of the output. */
export function lineTable(map: string): LineTable {
  if (map === "") {
    return { files: [], at: [] };
  }
  const { mappings, sources } = JSON.parse(map) as { mappings: string; sources: string[] };
  const at: number[] = [];
  let file = 0;
  let line = 0;
  for (const row of mappings.split(";")) {
    let first = true;
    const before = at.length;
    for (const segment of row === "" ? [] : row.split(",")) {
      const values = decode(segment);
      file += values[1] ?? 0;
      line += values[2] ?? 0;
      if (first && values.length > 1) {
        at.push(file, line + 1);
        first = false;
      }
    }
    if (at.length === before) {
      at.push(-1, 0);
    }
  }
  return { files: sources.map((source) => source.replace(/^.*?(?:skill|node|missing):/, "")), at };
}

function decode(segment: string): number[] {
  const values: number[] = [];
  let value = 0;
  let shift = 0;
  for (const letter of segment) {
    const digit = DIGITS.indexOf(letter);
    value |= (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) === 0) {
      values.push(value & 1 ? -(value >> 1) : value >> 1);
      value = 0;
      shift = 0;
    }
  }
  return values;
}
