import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from "../base/json.ts";
import { member } from "../base/json-read.ts";
import { avroInvalid } from "./avro-cursor.ts";

/*
 * Avro schemas, as the file that brings them spells them. Only files of others are read here, so
 * nothing is taken on trust: depth and size are bounded, and a type that holds itself is refused,
 * so that no value is deeper than its schema.
 */

export type AvroType =
  | { readonly kind: "null" | "boolean" | "int" | "long" | "float" | "double" | "bytes" | "string" }
  | { readonly kind: "fixed"; readonly size: number }
  | { readonly kind: "enum"; readonly symbols: readonly string[] }
  | { readonly kind: "array" | "map"; readonly items: AvroType }
  | { readonly kind: "union"; readonly branches: readonly AvroType[] }
  | { readonly kind: "record"; readonly fields: readonly AvroField[] };

export interface AvroField {
  readonly name: string;
  readonly type: AvroType;
}

const BOUNDS = { depth: 128, nodes: 200_000 };
/** Of a value too, since none is deeper than its type. */
const MAX_DEPTH = 64;
/** Of a full name: longer ones of one length would all have one hash. */
const MAX_NAME_LENGTH = 1_024;

const PRIMITIVES: ReadonlyMap<string, AvroType> = new Map(
  (["null", "boolean", "int", "long", "float", "double", "bytes", "string"] as const).map(
    (kind) => [kind, { kind }] as const,
  ),
);

/** @throws FirnError `Invalid`: `AVRO_INVALID`, or a `JSON_…` code. */
export function parseAvroSchema(text: string): AvroType {
  return new SchemaReader().read(parseJson(text, BOUNDS), { namespace: "", depth: 0 });
}

/** Where in a schema something stands. */
interface Place {
  readonly namespace: string;
  readonly depth: number;
}

class SchemaReader {
  /** Named types by their full name, with their height; undefined while they are being read. */
  readonly #named = new Map<
    string,
    { readonly type: AvroType; readonly height: number } | undefined
  >();

  read(value: JsonValue | undefined, place: Place): AvroType {
    if (place.depth > MAX_DEPTH) throw avroInvalid("a schema too deep");
    const below = { ...place, depth: place.depth + 1 };
    if (typeof value === "string") return this.#byName(value, place);
    if (isJsonArray(value)) {
      if (value.length === 0) throw avroInvalid("an empty union");
      return { kind: "union", branches: value.map((branch) => this.read(branch, below)) };
    }
    if (!isJsonObject(value)) throw avroInvalid("a schema that is not a type");
    const kind = member(value, "type");
    switch (kind) {
      case "array":
        return { kind, items: this.read(member(value, "items"), below) };
      case "map":
        return { kind, items: this.read(member(value, "values"), below) };
      case "record":
      case "enum":
      case "fixed":
        return this.#define(kind, value, below);
      default:
        // A type may be wrapped, to carry a logical type.
        return this.read(kind, below);
    }
  }

  #define(kind: "record" | "enum" | "fixed", object: JsonObject, place: Place): AvroType {
    const full = fullName(textOf(object, "name"), member(object, "namespace"), place.namespace);
    if (this.#named.has(full)) throw avroInvalid("a type defined twice");
    this.#named.set(full, undefined);
    const inner = { ...place, namespace: full.slice(0, Math.max(0, full.lastIndexOf("."))) };
    const type = this.#body(kind, object, inner);
    this.#named.set(full, { type, height: heightOf(type) });
    return type;
  }

  #body(kind: "record" | "enum" | "fixed", object: JsonObject, place: Place): AvroType {
    switch (kind) {
      case "record": {
        const fields = listOf(object, "fields").map((field) => {
          if (!isJsonObject(field)) throw avroInvalid("a field that is not an object");
          return { name: textOf(field, "name"), type: this.read(member(field, "type"), place) };
        });
        return { kind, fields };
      }
      case "enum": {
        const symbols = listOf(object, "symbols");
        return { kind, symbols: symbols.map((symbol) => String(symbol)) };
      }
      case "fixed": {
        const size = member(object, "size");
        if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) {
          throw avroInvalid("a fixed without a size");
        }
        return { kind, size };
      }
    }
  }

  #byName(name: string, { namespace, depth }: Place): AvroType {
    const primitive = PRIMITIVES.get(name);
    if (primitive !== undefined) return primitive;
    const found = this.#named.get(fullName(name, undefined, namespace));
    if (found === undefined) throw avroInvalid("an unknown or recursive type");
    if (depth + found.height > MAX_DEPTH) throw avroInvalid("a schema too deep");
    return found.type;
  }
}

/** Levels of a type. Named types may be shared, so each is measured once. */
const heights = new WeakMap<AvroType, number>();

function heightOf(type: AvroType): number {
  const known = heights.get(type);
  if (known !== undefined) return known;
  let below = 0;
  for (const child of childrenOf(type)) below = Math.max(below, heightOf(child));
  const height = 1 + below;
  heights.set(type, height);
  return height;
}

function childrenOf(type: AvroType): readonly AvroType[] {
  switch (type.kind) {
    case "array":
    case "map":
      return [type.items];
    case "union":
      return type.branches;
    case "record":
      return type.fields.map((field) => field.type);
    default:
      return [];
  }
}

function fullName(name: string, own: JsonValue | undefined, inherited: string): string {
  const namespace = typeof own === "string" ? own : inherited;
  if (name.length + namespace.length > MAX_NAME_LENGTH) throw avroInvalid("a name too long");
  if (name.includes(".")) return name;
  return namespace === "" ? name : `${namespace}.${name}`;
}

function textOf(object: JsonObject, name: string): string {
  const value = member(object, name);
  if (typeof value !== "string") throw avroInvalid(`a schema without ${name}`);
  return value;
}

function listOf(object: JsonObject, name: string): readonly JsonValue[] {
  const value = member(object, name);
  if (!isJsonArray(value)) throw avroInvalid(`a schema without ${name}`);
  return value;
}
