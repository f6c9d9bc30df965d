import type {
  ColumnType,
  PartitionBound,
  PartitionEdge,
  Partitioned,
  PartitionMember,
  TableDescriptor,
} from "../../../rows/index.ts";
import { formatType } from "../../catalog/system/format-type.ts";
import { quoteIdentifier } from "../../types/identifier.ts";
import { OID } from "../../types/oids.ts";
import type { TypeRegistry } from "../../types/registry.ts";
import { partName, partType } from "./key-parts.ts";

/** One part of a key: how SQL names it, and what its values are. */
interface Part {
  readonly text: string;
  /** As it is compared: a varchar as text. */
  readonly compared: string;
  readonly type: ColumnType;
}

/** What rows of a partition meet by one level, as PostgreSQL writes it. */
export function levelConditions(
  types: TypeRegistry,
  parent: TableDescriptor,
  bound: PartitionBound,
  members: readonly PartitionMember[],
  oid: number,
): readonly string[] {
  const partitioned = parent.partitioned as Partitioned;
  const parts = partitioned.parts.map((part): Part => {
    const type = partType(parent, part);
    const name = partName(parent, part);
    const text = "columnId" in part ? quoteIdentifier(name) : name;
    return { text, compared: type.kind === "varchar" ? `(${text})::text` : text, type };
  });
  const others = members.flatMap((member) =>
    member.bound.kind === "default" ? [] : [member.bound],
  );
  switch (bound.kind) {
    case "hash": {
      const keys = parts.map(({ text }) => text).join(", ");
      const { modulus, remainder } = bound;
      return [`satisfies_hash_partition('${oid}'::oid, ${modulus}, ${remainder}, ${keys})`];
    }
    case "list":
      return listConditions(types, parts, [...bound.values]);
    case "range":
      return [...notNull(parts), ...rangeConditions(types, parts, bound)];
    case "default":
      return partitioned.strategy === "list"
        ? defaultOfList(types, parts, others)
        : defaultOfRange(types, parts, others);
  }
}

/** All conditions as one; undefined where there is none. */
export function allConditions(conditions: readonly string[]): string | undefined {
  const [first] = conditions;
  return conditions.length <= 1 ? first : `(${conditions.join(" AND ")})`;
}

function notNull(parts: readonly Part[]): readonly string[] {
  return parts.map(({ text }) => `(${text} IS NOT NULL)`);
}

function listConditions(
  types: TypeRegistry,
  parts: readonly Part[],
  values: readonly (string | null)[],
): readonly string[] {
  const [{ text, compared, type }] = parts as [Part];
  const given = values.flatMap((value) => (value === null ? [] : [literal(types, type, value)]));
  const isOne = given.length === 1;
  const among = isOne
    ? `(${compared} = ${given[0]})`
    : `(${compared} = ANY (ARRAY[${given.join(", ")}]))`;
  if (!values.includes(null)) return [`(${text} IS NOT NULL)`, among];
  const isNull = `(${text} IS NULL)`;
  return [given.length === 0 ? isNull : `(${isNull} OR ${among})`];
}

function defaultOfList(
  types: TypeRegistry,
  parts: readonly Part[],
  others: readonly PartitionBound[],
): readonly string[] {
  if (others.length === 0) return [];
  const values = others.flatMap((each) => (each.kind === "list" ? each.values : []));
  const isNull = values.includes(null);
  const given = values.filter((value) => value !== null);
  return [
    `(NOT ${allConditions(listConditions(types, parts, isNull ? [...given, null] : given))})`,
  ];
}

function defaultOfRange(
  types: TypeRegistry,
  parts: readonly Part[],
  others: readonly PartitionBound[],
): readonly string[] {
  const ranges = others.flatMap((each) =>
    each.kind === "range" ? [rangeConditions(types, parts, each)] : [],
  );
  if (ranges.length === 0) return [];
  // A range without bounds has all rows but those with NULL.
  const texts = ranges.map((conditions) => allConditions(conditions) ?? "true");
  const any = texts.length === 1 ? (texts[0] as string) : `(${texts.join(" OR ")})`;
  return [`(NOT ${allConditions([...notNull(parts), any])})`];
}

function rangeConditions(
  types: TypeRegistry,
  parts: readonly Part[],
  { from, to }: Extract<PartitionBound, { readonly kind: "range" }>,
): readonly string[] {
  const equal: string[] = [];
  let start = 0;
  for (; start < parts.length; start++) {
    const [low, high] = [from[start], to[start]];
    const { compared, type } = parts[start] as Part;
    const isSame = typeof low === "object" && typeof high === "object" && low.value === high.value;
    if (!isSame) break;
    equal.push(`(${compared} = ${literal(types, type, low.value)})`);
  }
  const lower = edgeCondition(types, parts, from, start, ">");
  const upper = edgeCondition(types, parts, to, start, "<");
  return [...equal, ...[lower, upper].flatMap((text) => text ?? [])];
}

/** One side of a range, from one part on: `a > 1 OR (a = 1 AND b >= 2)`. */
function edgeCondition(
  types: TypeRegistry,
  parts: readonly Part[],
  edges: readonly PartitionEdge[],
  start: number,
  operator: "<" | ">",
): string | undefined {
  const alternatives: string[] = [];
  const before: string[] = [];
  for (let i = start; i < parts.length; i++) {
    const { compared, type } = parts[i] as Part;
    const edge = edges[i];
    if (typeof edge !== "object") break;
    const value = literal(types, type, edge.value);
    const next = edges[i + 1];
    const isLast = i === parts.length - 1;
    const isOpen = operator === ">" ? next === "minvalue" : next === "maxvalue";
    const isEqualIn = isLast ? operator === ">" : isOpen;
    const own = `(${compared} ${operator}${isEqualIn ? "=" : ""} ${value})`;
    alternatives.push(before.length === 0 ? own : `(${[...before, own].join(" AND ")})`);
    before.push(`(${compared} = ${value})`);
    if (isOpen) break;
  }
  const [first] = alternatives;
  return alternatives.length <= 1 ? first : `(${alternatives.join(" OR ")})`;
}

/** A value as PostgreSQL writes a constant of a type. */
export function literal(types: TypeRegistry, type: ColumnType, value: string): string {
  const { oid, typmod } = types.fromColumnType(type);
  if (oid === OID.bool) return value === "t" ? "true" : "false";
  if (oid === OID.int4 && /^\d+$/.test(value)) return value;
  if (oid === OID.numeric && /^\d+\.\d+$/.test(value)) {
    return typmod < 0 ? value : `${value}::${formatType(types, oid, typmod)}`;
  }
  const quoted = `'${value.replaceAll("'", "''")}'`;
  if (oid === OID.varchar && typmod < 0) return `${quoted}::text`;
  return `${quoted}::${formatType(types, oid, typmod)}`;
}
