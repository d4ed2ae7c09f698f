/** Owns visiting every node of a syntax tree; never changes one. */
import type { Node } from "acorn";

/** A node with the properties of its type, which acorn's own type leaves out. */
export type SyntaxNode = Node & Readonly<Record<string, unknown>>;

/** Calls `visit` for each node, parents first, with the property of the parent that holds it. */
export function walkNodes(root: Node, visit: (node: Node, parent: Node | null, key: string) => void): void {
  const open: [Node, Node | null, string][] = [[root, null, ""]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, parent, key] = next;
    visit(node, parent, key);
    for (const [name, value] of Object.entries(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) {
          open.push([child, node, name]);
        }
      }
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
