import type { Node } from "libpg-query";
import { notSupported, SqlError } from "../error.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { packNumericModifier } from "../types/numeric.ts";
import type { TypeRegistry } from "../types/registry.ts";

export interface NamedType {
  readonly oid: number;
  readonly typmod: number;
}

type TypeName = NodeOf<"TypeName">;

/** The type that a name and its modifiers mean. @throws SqlError 42704, 22023, 0A000. */
export function typeOfName(types: TypeRegistry, name: TypeName): NamedType {
  const names = (name.names ?? []).map((each) => contentOf(each, "String")?.sval ?? "");
  const last = names.at(-1) ?? "";
  if (name.pct_type === true) throw notSupported("%TYPE");
  const type = types.named(names.at(-2), last);
  if (type === undefined) {
    throw new SqlError("42704", `type "${names.join(".")}" does not exist`);
  }
  const typmod = modifierOf(type.name, name.typmods ?? [], name.typemod ?? -1);
  if ((name.arrayBounds ?? []).length === 0) return { oid: type.oid, typmod };
  if (type.base !== undefined) throw notSupported("an array of a domain");
  return { oid: types.arrayOf(type.oid), typmod };
}

const TIMES: ReadonlySet<string> = new Set(["time", "timetz", "timestamp", "timestamptz"]);

function modifierOf(type: string, nodes: readonly Node[], fallback: number): number {
  const values = nodes.map((node) => {
    const constant = contentOf(node, "A_Const");
    const value = constant?.ival;
    if (value === undefined) throw new SqlError("22023", "type modifiers must be simple constants");
    return value.ival ?? 0;
  });
  const [first] = values;
  if (first === undefined) return fallback;
  switch (type) {
    case "varchar":
    case "bpchar": {
      if (first < 1) {
        const name = type === "varchar" ? "varchar" : "char";
        throw new SqlError("22023", `length for type ${name} must be at least 1`);
      }
      if (first > 10_485_760) {
        const name = type === "varchar" ? "varchar" : "char";
        throw new SqlError("22023", `length for type ${name} cannot exceed 10485760`);
      }
      return first + 4;
    }
    case "numeric": {
      const scale = values[1] ?? 0;
      if (first < 1 || first > 1_000) {
        throw new SqlError("22023", `NUMERIC precision ${first} must be between 1 and 1000`);
      }
      if (scale < -1_000 || scale > 1_000) {
        throw new SqlError("22023", `NUMERIC scale ${scale} must be between -1000 and 1000`);
      }
      return packNumericModifier(first, scale);
    }
    case "interval":
      return intervalModifier(values);
    case "bit":
    case "varbit":
      throw notSupported(`the type ${type}(n)`, "Use bytea, or text of 0 and 1.");
    default:
      if (TIMES.has(type)) return Math.min(first, 6);
      throw new SqlError("42601", `type modifier is not allowed for type "${type}"`);
  }
}

/** Fields in the upper half, digits of seconds in the lower one: 0xFFFF is all of them. */
function intervalModifier([fields = 0x7fff, digits = 0xffff]: readonly number[]): number {
  return ((fields & 0x7fff) << 16) | (digits & 0xffff);
}
