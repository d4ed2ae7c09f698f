/** Owns taking out what esbuild adds to keep names that nothing endangers; never which names a script gives. */
import type { Node } from "acorn";

/** The helper of esbuild's that gives a function or class the name it had. */
const KEEP = "__name";

type Any = Node & Readonly<Record<string, unknown>>;

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
  const call = node as Any;
  if (call.type !== "CallExpression" || (call.callee as Any).name !== KEEP || parent === null) {
    return [];
  }
  const [target, kept] = call.arguments as readonly [Any, Any];
  const name = kept.value;
  if (parent.type === "ExpressionStatement") {
    return target.name === name ? [parent] : [];
  }
  if (nameFrom(parent as Any, call) !== name) {
    return [];
  }
  return [
    { start: call.start, end: (call.callee as Any).end },
    // Not from the target's end: parentheses around it are no part of it.
    { start: code.lastIndexOf(",", kept.start), end: call.end - 1 },
  ];
}

/** The static block that keeps a class's name, where it has that name anyway. */
function needlessBlock(node: Node, parent: Node | null): Blank[] {
  const owner = node as Any;
  if (owner.type !== "ClassExpression" && owner.type !== "ClassDeclaration") {
    return [];
  }
  const [first] = (owner.body as { body: readonly Any[] }).body;
  const [only] = first?.type === "StaticBlock" ? (first.body as readonly Any[]) : [];
  const call = only?.type === "ExpressionStatement" ? (only.expression as Any) : null;
  if (first === undefined || call?.type !== "CallExpression" || (call.callee as Any).name !== KEEP) {
    return [];
  }
  const [target, kept] = call.arguments as readonly [Any, Any];
  const own = owner.id === null ? nameFrom(parent as Any | null, owner) : (owner.id as Any).name;
  return target.type === "ThisExpression" && own === kept.value ? [first] : [];
}

/** The name that the language gives a function without one at this place. */
function nameFrom(parent: Any | null, value: Any): unknown {
  switch (parent?.type) {
    case "VariableDeclarator":
      return (parent.id as Any).name;
    case "AssignmentExpression":
    case "AssignmentPattern":
      return parent.right === value ? (parent.left as Any).name : undefined;
    case "Property":
    case "PropertyDefinition":
      return parent.computed === true || parent.value !== value ? undefined : keyName(parent.key as Any);
    default:
      return undefined;
  }
}

function keyName(key: Any): unknown {
  return key.type === "Identifier" ? key.name : key.value;
}
