/** Owns the table that `console.table` draws; never where it goes. */
import { builtin } from "./builtins.ts";

/** @param only the columns that are shown; all of them when it is undefined */
export function table(data: object, only: readonly string[] | undefined): string {
  if (data instanceof Map) {
    const lines = [...data].map(([key, value], i) => [String(i), short(key), short(value)]);
    return drawn(["(iteration index)", "Key", "Values"], lines);
  }
  const isSet = data instanceof Set;
  const rows = isSet ? [...data].map((value, i) => [i, value] as const) : Object.entries(data);
  const columns = new Set<string>(only ?? []);
  let values = false;
  const cells = rows.map(([index, row]) => {
    const cell = new Map<string, string>();
    if (typeof row === "object" && row !== null) {
      for (const [key, value] of Object.entries(row)) {
        if (only === undefined) {
          columns.add(key);
        }
        cell.set(key, short(value));
      }
    } else {
      values = true;
      cell.set("", short(row));
    }
    return { index: String(index), cell };
  });
  // In the order that properties of an object have.
  const names = Object.keys(Object.fromEntries([...columns].map((name) => [name, true])));
  const heads = [isSet ? "(iteration index)" : "(index)", ...names, ...(values ? ["Values"] : [])];
  const lines = cells.map(({ index, cell }) => [
    index,
    ...names.map((key) => cell.get(key) ?? ""),
    ...(values ? [cell.get("") ?? ""] : []),
  ]);
  return drawn(heads, lines);
}

function drawn(heads: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = heads.map((head, i) => Math.max(wide(head), ...lines.map((line) => wide(line[i] ?? ""))) + 2);
  const cell = (text: string, i: number) => ` ${text}${" ".repeat((widths[i] ?? 0) - wide(text) - 1)}`;
  const draw = (texts: readonly string[]) => `│${texts.map(cell).join("│")}│`;
  const rule = (left: string, mid: string, right: string) =>
    left + widths.map((width) => "─".repeat(width)).join(mid) + right;
  return [rule("┌", "┬", "┐"), draw(heads), rule("├", "┼", "┤"), ...lines.map(draw), rule("└", "┴", "┘")].join("\n");
}

/** Columns of a terminal that a text takes. */
function wide(text: string): number {
  const plain = text.replace(/\x1b\[[0-9;]*m/g, "").replace(/\p{M}/gu, "");
  return [...plain].reduce((sum, letter) => sum + (WIDE.test(letter) ? 2 : 1), 0);
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function short(value: unknown): string {
  return builtin("util").inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY, colors: false });
}
