import { many, type Size } from "./size.ts";

/** A column of a schema as JSON text. */
export function column(id: number, name: string, type = '"long"'): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"required":false,"type":${type}}`;
}

export function struct(fields: string): string {
  return `{"type":"struct","fields":[${fields}]}`;
}

/** A schema whose columns are nested so deep. */
function deep(depth: number, wrap: (type: string, id: number) => string): string {
  let type = '"long"';
  for (let id = depth + 1; id > 1; id--) type = wrap(type, id);
  return struct(column(1, "a", type));
}

/** Names longer than 16,383 characters: V8 hashes such strings by their length alone. */
function longNames(size: Size): string {
  const name = "n".repeat(size.oneOf([255, 1_024, 16_300, 16_400, size.upTo(100_000)]));
  const leaves = many(size.upTo(4_000), (i) => column(i + 2, `c${i}`));
  return struct(column(1, name, struct(leaves)));
}

/** Long names at each of several levels, so that full names grow with the square of the depth. */
function longPaths(size: Size): string {
  const name = "p".repeat(size.upTo(1_024));
  const leaves = many(size.upTo(2_000), (i) => column(i + 100, `c${i}`));
  let type = struct(leaves);
  for (let id = size.upTo(14) + 1; id > 1; id--) type = struct(column(id, `${name}${id}`, type));
  return struct(column(1, name, type));
}

/** Schemas that are large, deep, wide or full of equal things, by what they strain. */
export const SCHEMAS: Readonly<Record<string, (size: Size) => string>> = {
  "long names": longNames,
  "long paths": longPaths,
  "many columns": (size) => struct(many(size.upTo(30_000), (i) => column(i + 1, `c${i}`))),
  "columns of one name": (size) => struct(many(size.upTo(20_000), (i) => column(i + 1, "c"))),
  "columns of one id": (size) => struct(many(size.upTo(20_000), (i) => column(1, `c${i}`))),
  "names like indices": (size) => struct(many(size.upTo(20_000), (i) => column(i, String(i * 7)))),
  "many docs": (size) => {
    const doc = JSON.stringify("d".repeat(size.upTo(2_000)));
    const field = (i: number): string => column(i, `c${i}`).replace("{", `{"doc":${doc},`);
    return struct(many(size.upTo(1_000), field));
  },
  "deep structs": (size) => deep(size.upTo(40), (type, id) => struct(column(id, "s", type))),
  "deep lists": (size) =>
    deep(size.upTo(80), (type, id) => {
      const element = `"element-id":${id},"element-required":false,"element":${type}`;
      return `{"type":"list",${element}}`;
    }),
  "deep maps": (size) =>
    deep(size.upTo(80), (type, id) => {
      const key = `"key-id":${id * 1_000},"key":"string"`;
      return `{"type":"map",${key},"value-id":${id},"value-required":false,"value":${type}}`;
    }),
  "many identifiers": (size) => {
    const ids = many(size.upTo(50_000), (i) => String(size.chance(0.5) ? 1 : i));
    const field = column(1, "a").replace("false", "true");
    return `{"type":"struct","identifier-field-ids":[${ids}],"fields":[${field}]}`;
  },
  "long types": (size) => {
    const digits = "9".repeat(size.upTo(100_000));
    const type = size.oneOf([`decimal(${digits},2)`, `fixed[${digits}]`, `geometry(${digits})`]);
    return struct(column(1, "a", JSON.stringify(type)));
  },
  "a long default": (size) => {
    const digits = "9".repeat(size.upTo(500_000));
    const value = size.oneOf([digits, JSON.stringify(digits), `0.${digits}`]);
    return struct(column(1, "a").replace("{", `{"initial-default":${value},`));
  },
};
