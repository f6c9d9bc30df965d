import type { PartitionBound, PartitionEdge } from "../../../rows/index.ts";

const PLAIN_NUMBER = /^\d+(?:\.\d+)?$/;

/** What PostgreSQL writes without quotes. */
export type PlainKind = "integer" | "numeric" | "bool" | undefined;

function valueText(text: string, kind: PlainKind): string {
  if (kind === "bool") return text === "t" ? "true" : "false";
  const isPlain =
    (kind === "integer" && /^\d+$/.test(text)) || (kind === "numeric" && /^\d+\.\d+$/.test(text));
  return isPlain ? text : `'${text.replaceAll("'", "''")}'`;
}

/** A bound as PostgreSQL writes it: `FOR VALUES FROM (1) TO (10)`. @param kinds of each part. */
export function boundText(bound: PartitionBound, kinds: readonly PlainKind[] = []): string {
  const value = (text: string | null, i: number): string =>
    text === null ? "NULL" : valueText(text, kinds[i]);
  const edges = (all: readonly PartitionEdge[]): string =>
    all
      .map((edge, i) => (typeof edge === "string" ? edge.toUpperCase() : value(edge.value, i)))
      .join(", ");
  switch (bound.kind) {
    case "default":
      return "DEFAULT";
    case "hash":
      return `FOR VALUES WITH (modulus ${bound.modulus}, remainder ${bound.remainder})`;
    case "list":
      return `FOR VALUES IN (${bound.values.map((text) => value(text, 0)).join(", ")})`;
    case "range":
      return `FOR VALUES FROM (${edges(bound.from)}) TO (${edges(bound.to)})`;
  }
}

/** Bounds as messages show them. */
export function edgesText(edges: readonly PartitionEdge[]): string {
  const texts = edges.map((edge) => {
    if (typeof edge === "string") return edge.toUpperCase();
    return PLAIN_NUMBER.test(edge.value) ? edge.value : `'${edge.value.replaceAll("'", "''")}'`;
  });
  return `(${texts.join(", ")})`;
}
