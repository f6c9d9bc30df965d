import type { Node } from "libpg-query";
import type {
  Datum,
  PartitionBound,
  PartitionEdge,
  Partitioned,
  TableDescriptor,
} from "../../../rows/index.ts";
import { bindExpr } from "../../bind/bind-expression.ts";
import { coerce } from "../../bind/coerce.ts";
import { textsOf } from "../../bind/names.ts";
import { SqlError } from "../../error.ts";
import { compile } from "../../exec/evaluate.ts";
import { canCoerce, typeName } from "../../functions/coercion.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import { OID } from "../../types/oids.ts";
import { type PlanEnv, scopeOf } from "../env.ts";
import { edgesText } from "./bound-text.ts";
import {
  compareBounds,
  type KeyType,
  keyType,
  type ReadRange,
  readRange,
  writeValue,
} from "./bounds.ts";
import { partName, partType } from "./key-parts.ts";

const STRATEGIES: Readonly<Record<string, Partitioned["strategy"]>> = {
  r: "range",
  l: "list",
  h: "hash",
};

const invalidTable = (message: string): SqlError => new SqlError("42P16", message);
const invalidObject = (message: string, detail?: string): SqlError =>
  new SqlError("42P17", message, detail === undefined ? {} : { detail });

export function keyTypes(env: PlanEnv, parent: TableDescriptor): readonly KeyType[] {
  const { types } = env.functions;
  return (parent.partitioned?.parts ?? []).map((part) => keyType(types, partType(parent, part)));
}

/** FOR VALUES or DEFAULT. @throws SqlError 42P16, 42804, 42P10. */
export function boundOf(
  env: PlanEnv,
  parent: TableDescriptor,
  spec: NodeOf<"PartitionBoundSpec">,
): PartitionBound {
  const { strategy, parts } = parent.partitioned as Partitioned;
  const { listdatums = [], lowerdatums = [], upperdatums = [] } = spec;
  if (spec.is_default === true) {
    if (strategy !== "hash") return { kind: "default" };
    throw invalidTable("a hash-partitioned table may not have a default partition");
  }
  if (STRATEGIES[spec.strategy ?? ""] !== strategy) {
    const error = invalidTable(`invalid bound specification for a ${strategy} partition`);
    throw error.at(env.source.position(spec.location));
  }
  if (strategy === "hash") {
    const { modulus = 0, remainder = 0 } = spec;
    if (modulus <= 0) {
      throw invalidTable("modulus for hash partition must be an integer value greater than zero");
    }
    if (remainder < 0) {
      throw invalidTable(
        "remainder for hash partition must be an integer value greater than or equal to zero",
      );
    }
    if (remainder < modulus) return { kind: "hash", modulus, remainder };
    throw invalidTable("remainder for hash partition must be less than modulus");
  }
  const keys = keyTypes(env, parent);
  const value = (node: Node, i: number) => boundValue(env, parent, keys, node, i);
  if (strategy === "list") {
    const seen = new Set<string | null>();
    for (const node of listdatums) {
      const datum = value(node, 0);
      seen.add(datum === null ? null : writeValue(keys[0] as KeyType, datum));
    }
    return { kind: "list", values: [...seen] };
  }
  const edges = (nodes: readonly Node[], word: string): readonly PartitionEdge[] => {
    if (nodes.length !== parts.length) {
      throw invalidTable(`${word} must specify exactly one value per partitioning column`);
    }
    const read = nodes.map((node, i): PartitionEdge => {
      const name = textsOf(contentOf(node, "ColumnRef")?.fields).join(".");
      if (name === "minvalue" || name === "maxvalue") return name;
      const datum = value(node, i);
      if (datum === null) throw invalidObject("cannot specify NULL in range bound");
      return { value: writeValue(keys[i] as KeyType, datum) };
    });
    refuseBehindOpen(read);
    return read;
  };
  return { kind: "range", from: edges(lowerdatums, "FROM"), to: edges(upperdatums, "TO") };
}

/** @throws SqlError 42804 for a value behind MINVALUE or MAXVALUE. */
function refuseBehindOpen(edges: readonly PartitionEdge[]): void {
  const at = edges.findIndex((edge) => typeof edge === "string");
  const open = edges[at];
  if (open === undefined || edges.slice(at).every((edge) => edge === open)) return;
  const word = String(open).toUpperCase();
  throw new SqlError("42804", `every bound following ${word} must also be ${word}`);
}

function boundValue(
  env: PlanEnv,
  parent: TableDescriptor,
  keys: readonly KeyType[],
  node: Node,
  i: number,
): Datum {
  if ("ColumnRef" in node) {
    const message = "cannot use column reference in partition bound expression";
    throw new SqlError("42P10", message).at(env.source.position(node.ColumnRef.location));
  }
  const { types } = env.functions;
  const scope = scopeOf(env, [], "partition bound");
  const expr = bindExpr(scope, node);
  const { oid, typmod } = keys[i] as KeyType;
  const isKnown = expr.oid === OID.unknown || canCoerce(types, expr.oid, oid, "assignment");
  if (!isKnown) {
    const part = (parent.partitioned as Partitioned).parts[i] as Partitioned["parts"][0];
    const name = partName(parent, part);
    const type = typeName(types, oid);
    const message = `specified value cannot be cast to type ${type} for column "${name}"`;
    throw new SqlError("42804", message);
  }
  const cast = coerce(scope, expr, oid, typmod, "assignment");
  return compile(cast)([], { sql: env.bindContext, parameters: [] });
}

interface Sibling {
  readonly name: string;
  readonly bound: PartitionBound;
}

/** @throws SqlError 42P17 for a bound that meets another partition's. */
export function refuseOverlap(
  env: PlanEnv,
  parent: TableDescriptor,
  siblings: readonly Sibling[],
  { name, bound }: Sibling,
): void {
  const overlap = (other: string): SqlError =>
    invalidObject(`partition "${name}" would overlap partition "${other}"`);
  switch (bound.kind) {
    case "default": {
      const other = siblings.find((each) => each.bound.kind === "default");
      if (other === undefined) return;
      const what = `partition "${name}" conflicts with existing default partition`;
      throw invalidObject(`${what} "${other.name}"`);
    }
    case "hash":
      refuseModulus(siblings, bound);
      for (const other of siblings) {
        if (other.bound.kind !== "hash") continue;
        const { modulus, remainder } = other.bound;
        const least = Math.min(modulus, bound.modulus);
        if (remainder % least === bound.remainder % least) throw overlap(other.name);
      }
      return;
    case "list":
      for (const other of siblings) {
        if (other.bound.kind !== "list") continue;
        const { values } = other.bound;
        if (bound.values.some((value) => values.includes(value))) throw overlap(other.name);
      }
      return;
    case "range": {
      const keys = keyTypes(env, parent);
      const range = readRange(keys, bound);
      if (compareBounds(keys, range.from, range.to) >= 0) {
        const detail =
          `Specified lower bound ${edgesText(bound.from)} is greater than or equal to ` +
          `upper bound ${edgesText(bound.to)}.`;
        throw invalidObject(`empty range bound specified for partition "${name}"`, detail);
      }
      const other = firstOverlap(keys, range, siblings);
      if (other !== undefined) throw overlap(other.name);
    }
  }
}

function firstOverlap(
  keys: readonly KeyType[],
  { from, to }: ReadRange,
  siblings: readonly Sibling[],
): Sibling | undefined {
  return siblings.find(({ bound }) => {
    if (bound.kind !== "range") return false;
    const other = readRange(keys, bound);
    return compareBounds(keys, from, other.to) < 0 && compareBounds(keys, other.from, to) < 0;
  });
}

/** @throws SqlError 42P17: of two moduli the smaller one is to be a factor of the other. */
function refuseModulus(
  siblings: readonly Sibling[],
  { modulus }: Extract<PartitionBound, { readonly kind: "hash" }>,
): void {
  const message = "every hash partition modulus must be a factor of the next larger modulus";
  const all = siblings.flatMap((each) =>
    each.bound.kind === "hash" ? [{ name: each.name, modulus: each.bound.modulus }] : [],
  );
  const sorted = all.toSorted((a, b) => a.modulus - b.modulus);
  const smaller = sorted.findLast((each) => each.modulus <= modulus);
  const larger = sorted.find((each) => each.modulus >= modulus);
  if (smaller !== undefined && modulus % smaller.modulus !== 0) {
    throw invalidObject(
      message,
      `The new modulus ${modulus} is not divisible by ${smaller.modulus}, ` +
        `the modulus of existing partition "${smaller.name}".`,
    );
  }
  if (larger !== undefined && larger.modulus % modulus !== 0) {
    throw invalidObject(
      message,
      `The new modulus ${modulus} is not a factor of ${larger.modulus}, ` +
        `the modulus of existing partition "${larger.name}".`,
    );
  }
}
