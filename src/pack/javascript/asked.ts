/**
 * Owns finding the modules that a file names only when it runs, or asks for through a `require` of its own making, which bundling does not
 * see; never which files these are.
 */
import { type Node, parse } from "acorn";
import { type SyntaxNode, walkNodes } from "./walk.ts";

/** What one file asks for. */
export interface Asked {
  /** The file, with what it calls led to the sandbox; nothing changes its line. */
  readonly text: string;
  /** Names of modules that it asks for through what `createRequire` gave it. */
  readonly named: readonly string[];
  /** How modules are asked for whose names are known only when it runs. */
  readonly computed: ReadonlySet<"import" | "require">;
}

/** Reads a file; one that does not parse asks for nothing. */
export function askedBy(text: string, kind: "module" | "common"): Asked {
  const nothing: Asked = { text, named: [], computed: new Set() };
  if (!/\bimport\s*(?:\/\*[\s\S]*?\*\/\s*)?\(|\brequire\b|\bcreateRequire\b/.test(text)) {
    return nothing;
  }
  const tree = parsed(text, kind);
  if (tree === null) {
    return nothing;
  }
  const own = kind === "module" ? requiresMadeIn(tree) : new Set<string>();
  const isFree = kind === "common" && !declares(tree, "require");
  const edits: (readonly [start: number, end: number, text: string])[] = [];
  const named = new Set<string>();
  const computed = new Set<"import" | "require">();
  walkNodes(tree, (node) => {
    const it = node as SyntaxNode;
    if (it.type === "ImportExpression" && !isConstant(it.source as SyntaxNode)) {
      computed.add("import");
      edits.push([it.start, it.start + "import".length, "__es_import"]);
    }
    const name = it.type === "CallExpression" ? (it.callee as SyntaxNode).name : undefined;
    const argument = (it.arguments as readonly SyntaxNode[] | undefined)?.[0];
    if (argument === undefined || typeof name !== "string") {
      return;
    }
    if (isFree && name === "require" && !isConstant(argument)) {
      computed.add("require");
      edits.push([it.start, it.start + name.length, "__es_require"]);
    } else if (own.has(name) && isConstant(argument)) {
      named.add(constantOf(argument));
    } else if (own.has(name)) {
      computed.add("require");
    }
  });
  return { text: replaced(text, edits), named: [...named], computed };
}

function parsed(text: string, kind: "module" | "common"): Node | null {
  try {
    return parse(text, {
      ecmaVersion: "latest",
      sourceType: kind === "module" ? "module" : "script",
      allowReturnOutsideFunction: kind === "common",
      allowHashBang: true,
    });
  } catch {
    return null;
  }
}

/** A literal, or a template without expressions. */
function isConstant(node: SyntaxNode): boolean {
  return typeof node.value === "string" || (node.type === "TemplateLiteral" && (node.quasis as unknown[]).length === 1);
}

function constantOf(node: SyntaxNode): string {
  const [quasi] = (node.quasis as readonly SyntaxNode[] | undefined) ?? [];
  return String(quasi === undefined ? node.value : (quasi.value as { cooked: unknown }).cooked);
}

/** The names that are given to what `createRequire` answers. */
function requiresMadeIn(tree: Node): Set<string> {
  const makers = new Set<string>();
  const names = new Set<string>();
  walkNodes(tree, (node) => {
    const it = node as SyntaxNode;
    if (it.type === "ImportSpecifier" && (it.imported as SyntaxNode).name === "createRequire") {
      makers.add(String((it.local as SyntaxNode).name));
    }
  });
  walkNodes(tree, (node) => {
    const it = node as SyntaxNode;
    const init = it.type === "VariableDeclarator" ? (it.init as SyntaxNode | null) : null;
    if (init?.type !== "CallExpression") {
      return;
    }
    const callee = init.callee as SyntaxNode;
    const isMaker =
      callee.type === "MemberExpression"
        ? (callee.property as SyntaxNode).name === "createRequire"
        : makers.has(String(callee.name));
    if (isMaker && (it.id as SyntaxNode).type === "Identifier") {
      names.add(String((it.id as SyntaxNode).name));
    }
  });
  return names;
}

/** Whether a file gives a name of its own to something: then that name is not what Node.js gives it. */
function declares(tree: Node, name: string): boolean {
  let found = false;
  walkNodes(tree, (node, parent, key) => {
    if (
      (node as SyntaxNode).name === name &&
      (key === "params" || (key === "id" && parent?.type !== "MemberExpression"))
    ) {
      found = true;
    }
  });
  return found;
}

function replaced(text: string, edits: readonly (readonly [number, number, string])[]): string {
  let out = "";
  let from = 0;
  for (const [start, end, instead] of [...edits].sort((a, b) => a[0] - b[0])) {
    out += text.slice(from, start) + instead;
    from = end;
  }
  return out + text.slice(from);
}
