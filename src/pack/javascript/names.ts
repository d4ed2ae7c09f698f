/** Owns taking out what esbuild adds to keep names that nothing endangers; never which names a script gives. */
import type { Node } from "acorn";
import type { SyntaxNode } from "./walk.ts";

/** The helper of esbuild's that gives a function or class the name it had. */
const KEEP = "__name";

/** What stands where nothing may move. */
interface Blank {
  readonly start: number;
  readonly end: number;
}

/** What of the script `code` can go at this node: a function or class is called so anyway. */
export function needlessNames(code: string, node: Node, parent: Node | null): Blank[] {
  return [...needlessCall(code, node, parent), ...needlessBlock(node, parent)];
}

function needlessCall(code: string, node: Node, parent: Node | null): Blank[] {
  const call = node as SyntaxNode;
  if (call.type !== "CallExpression" || (call.callee as SyntaxNode).name !== KEEP || parent === null) {
    return [];
  }
  const [target, kept] = call.arguments as readonly [SyntaxNode, SyntaxNode];
  const name = kept.value;
  if (parent.type === "ExpressionStatement") {
    return target.name === name ? [parent] : [];
  }
  if (nameFrom(parent as SyntaxNode, call) !== name) {
    return [];
  }
  return [
    { start: call.start, end: (call.callee as SyntaxNode).end },
    // Not from the target's end: parentheses around it are no part of it.
    { start: code.lastIndexOf(",", kept.start), end: call.end - 1 },
  ];
}

/** The static block that keeps a class's name, where it has that name anyway. */
function needlessBlock(node: Node, parent: Node | null): Blank[] {
  const owner = node as SyntaxNode;
  if (owner.type !== "ClassExpression" && owner.type !== "ClassDeclaration") {
    return [];
  }
  const [first] = (owner.body as { body: readonly SyntaxNode[] }).body;
  const [only] = first?.type === "StaticBlock" ? (first.body as readonly SyntaxNode[]) : [];
  const call = only?.type === "ExpressionStatement" ? (only.expression as SyntaxNode) : null;
  if (first === undefined || call?.type !== "CallExpression" || (call.callee as SyntaxNode).name !== KEEP) {
    return [];
  }
  const [target, kept] = call.arguments as readonly [SyntaxNode, SyntaxNode];
  const own = owner.id === null ? nameFrom(parent as SyntaxNode | null, owner) : (owner.id as SyntaxNode).name;
  return target.type === "ThisExpression" && own === kept.value ? [first] : [];
}

/** The name that the language gives a function without one at this place. */
function nameFrom(parent: SyntaxNode | null, value: SyntaxNode): unknown {
  switch (parent?.type) {
    case "VariableDeclarator":
      return (parent.id as SyntaxNode).name;
    case "AssignmentExpression":
    case "AssignmentPattern":
      return parent.right === value ? (parent.left as SyntaxNode).name : undefined;
    case "Property":
    case "PropertyDefinition":
      return parent.computed === true || parent.value !== value ? undefined : keyName(parent.key as SyntaxNode);
    default:
      return undefined;
  }
}

function keyName(key: SyntaxNode): unknown {
  return key.type === "Identifier" ? key.name : key.value;
}
