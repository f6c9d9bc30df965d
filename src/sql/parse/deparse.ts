import type { Node } from "libpg-query";

/**
 * The text of an expression's tree, as a descriptor stores it: parsed again it is the same tree.
 * The printer is loaded with the first expression that is stored.
 */
export async function expressionText(node: Node): Promise<string> {
  const { Deparser } = await import("pgsql-deparser");
  return Deparser.deparse(node, { pretty: false });
}

/** The text of a statement's tree, in lines. */
export async function statementText(node: Node): Promise<string> {
  const { Deparser } = await import("pgsql-deparser");
  return Deparser.deparse(node, { pretty: true });
}
