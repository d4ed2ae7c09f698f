/**
 * Owns putting a tick into every loop and function of a script, so that an endless one can be stopped, and a call into every `await`, so that
 * others get their turn; never moves a line.
 */
import { type Node, parse } from "acorn";
import { needlessNames } from "./names.ts";
import { walkNodes } from "./walk.ts";

type Edit = readonly [at: number, text: string, order: number];

/** What stands for a `require` that nobody declared; the sandbox throws when it is asked for it. */
export const NO_REQUIRE = "__es_no_require";
/** What is called with each thing that is awaited; it gives it back, sometimes later. */
export const AWAITED = "__es_awaited";
const TICK = "__t();";
const LOOPS = new Set(["WhileStatement", "DoWhileStatement", "ForStatement", "ForInStatement", "ForOfStatement"]);
const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** The script with ticks, and with `import()` of what is only known when it runs led to the sandbox. */
export function instrument(code: string): string {
  const tree = parse(code, { ecmaVersion: "latest", sourceType: "module", allowAwaitOutsideFunction: true });
  const edits: Edit[] = [];
  const blanks: { readonly start: number; readonly end: number }[] = [];
  walkNodes(tree, (node, parent) => {
    blanks.push(...needlessNames(code, node, parent));
    if (LOOPS.has(node.type)) {
      tickStatement(bodyOf(node), edits);
    } else if (FUNCTIONS.has(node.type)) {
      tickFunction(bodyOf(node), edits);
    } else if (node.type === "AwaitExpression") {
      const { start, end, type } = (node as unknown as { argument: Node }).argument;
      // Of `a, b` it is the last that is awaited, and not two things that are given.
      const [open, close] = type === "SequenceExpression" ? ["((", "))"] : ["(", ")"];
      edits.push([start, `${AWAITED}${open}`, 1], [end, close, -(start + 1)]);
    } else if (node.type === "ImportExpression" || isUseOfNoRequire(node, parent)) {
      // After what a body that begins here begins with.
      edits.push([node.start, "__es.", 2]);
    }
  });
  edits.sort((a, b) => a[0] - b[0] || a[2] - b[2]);
  const clean = blanked(code, blanks);
  let out = "";
  let from = 0;
  for (const [at, text] of edits) {
    out += clean.slice(from, at) + text;
    from = at;
  }
  return out + clean.slice(from);
}

/** Spaces in their place: nothing moves. */
function blanked(code: string, blanks: readonly { readonly start: number; readonly end: number }[]): string {
  let out = "";
  let from = 0;
  for (const { start, end } of [...blanks].sort((a, b) => a.start - b.start)) {
    out += code.slice(from, start) + code.slice(start, end).replace(/[^\n]/g, " ");
    from = end;
  }
  return out + code.slice(from);
}

/** `typeof require` is no error where there is no `require`, anything else is. */
function isUseOfNoRequire(node: Node, parent: Node | null): boolean {
  const isName = node.type === "Identifier" && (node as { name?: string }).name === NO_REQUIRE;
  return isName && !(parent?.type === "UnaryExpression" && (parent as { operator?: string }).operator === "typeof");
}

function bodyOf(node: Node): Node & { readonly body?: readonly Node[] } {
  return (node as unknown as { body: Node & { body?: Node[] } }).body;
}

function tickStatement(body: Node, edits: Edit[]): void {
  if (body.type === "BlockStatement") {
    edits.push([body.start + 1, TICK, 0]);
  } else {
    edits.push([body.start, `{${TICK}`, 1], [body.end, "}", -depthOrder(body)]);
  }
}

function tickFunction(body: Node & { readonly body?: readonly Node[] }, edits: Edit[]): void {
  if (body.type !== "BlockStatement") {
    edits.push([body.start, "(__t(),", 1], [body.end, ")", -depthOrder(body)]);
    return;
  }
  // Directives such as "use strict" have to stay first.
  const directives = (body.body ?? []).filter((statement) => "directive" in statement);
  const last = directives.at(-1);
  edits.push([last === undefined ? body.start + 1 : last.end, last === undefined ? TICK : `;${TICK}`, 0]);
}

/** Of several that end at one place, the one that began last closes first. */
function depthOrder(body: Node): number {
  return body.start + 1;
}
