import type { Node } from "libpg-query";
import type { AsOfClause } from "./as-of.ts";
import type { Source } from "./source.ts";

/** The name of a node's kind: `SelectStmt`. */
export type NodeKind = Node extends infer N
  ? N extends unknown
    ? keyof N & string
    : never
  : never;

/** What a node of a kind holds. */
export type NodeOf<K extends string> = Node extends infer N
  ? N extends Record<K, infer Content>
    ? Content
    : never
  : never;

/** One statement of a text, parsed and not bound yet. */
export interface Statement {
  readonly kind: NodeKind;
  readonly node: Node;
  readonly source: Source;
  /** Of its first byte in the source, in bytes. */
  readonly offset: number;
  /** Its own text. */
  readonly text: string;
  /** `AS OF SYSTEM TIME` in it, of which the node says nothing. */
  readonly asOf?: readonly AsOfClause[];
  /** The source has other statements too. */
  readonly isOfMany?: boolean;
}

/** The content of a node, which must be of that kind. */
export function contentOf<K extends NodeKind>(
  node: Node | undefined,
  kind: K,
): NodeOf<K> | undefined {
  return (node as Partial<Record<K, NodeOf<K>>> | undefined)?.[kind];
}

export function kindOf(node: Node): NodeKind {
  return Object.keys(node)[0] as NodeKind;
}
