import fc from "fast-check";
import type { Contract, Schema } from "../../support/iceberg-contract.ts";
import { LIKELY_MEMBERS, LIKELY_PLACES, LIKELY_SCHEMAS } from "./likely.ts";
import { raw } from "./text.ts";

/** Below this depth only what ends at once is made of a schema that contains itself. */
const MAX_DEPTH = 7;

/**
 * Values by the schemas of the contract. Where a name says what would make sense there, most values
 * do; the rest are anything that the schema allows.
 */
export class SchemaValues {
  readonly #contract: Contract;
  readonly #made: Map<string, fc.Arbitrary<unknown>> = new Map();

  constructor(contract: Contract) {
    this.#contract = contract;
  }

  of(schema: Schema): fc.Arbitrary<unknown> {
    return this.#of(schema, 0, "");
  }

  #of(schema: Schema, depth: number, owner: string): fc.Arbitrary<unknown> {
    if (schema.$ref !== undefined && Object.keys(schema).length === 1) {
      return this.#named(schema.$ref, depth);
    }
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    const flat = this.#flat(schema);
    const ways = flat.oneOf ?? flat.anyOf;
    if (ways !== undefined) return this.#choice(flat, ways, depth, owner);
    const types = typeof flat.type === "string" ? [flat.type] : (flat.type ?? ["object"]);
    const made = types.map((type) => this.#typed(type, flat, depth, owner));
    return fc.oneof(...made, ...(flat.nullable === true ? [fc.constant(null)] : []));
  }

  #named(ref: string, depth: number): fc.Arbitrary<unknown> {
    const name = ref.split("/").at(-1) ?? "";
    const known = this.#made.get(`${name} ${depth}`);
    if (known !== undefined) return known;
    const schema = this.#contract.schemas[name];
    if (schema === undefined) throw new Error(`the contract has no schema ${name}`);
    const any = fc.memo(() => this.#of(schema, depth, name))();
    const likely = LIKELY_SCHEMAS[name];
    const made = likely === undefined ? any : mostly(likely, any);
    this.#made.set(`${name} ${depth}`, made);
    return made;
  }

  /** `allOf` and a reference with company, as one schema. */
  #flat(schema: Schema): Schema {
    const target = schema.$ref?.split("/").at(-1);
    const referred = target === undefined ? undefined : this.#contract.schemas[target];
    const parts = [...(referred === undefined ? [] : [referred]), ...(schema.allOf ?? [])];
    if (parts.length === 0) return schema;
    const { $ref: _, allOf: __, ...own } = schema;
    return parts.map((part) => this.#flat(part)).reduceRight(merged, own);
  }

  #choice(schema: Schema, ways: readonly Schema[], depth: number, owner: string) {
    const { oneOf: _, anyOf: __, ...own } = schema;
    const ends = ways.filter((way) => this.#flat(way).type !== "object");
    const possible = depth >= MAX_DEPTH && ends.length > 0 ? ends : ways;
    const made = possible.map((way) =>
      own.properties === undefined
        ? this.#of(way, depth + 1, owner)
        : this.#of({ allOf: [way, own] }, depth + 1, owner),
    );
    return fc.oneof(...made);
  }

  #typed(type: string, schema: Schema, depth: number, owner: string): fc.Arbitrary<unknown> {
    switch (type) {
      case "object":
        return this.#object(schema, depth, owner);
      case "array":
        return fc.array(this.#of(schema.items ?? {}, depth + 1, owner), { maxLength: 3 });
      case "integer":
        return integer;
      case "number":
        return fc.double({ noNaN: true, noDefaultInfinity: true });
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      default:
        return text;
    }
  }

  #object(schema: Schema, depth: number, owner: string): fc.Arbitrary<unknown> {
    const { properties = {}, required = [], additionalProperties } = schema;
    const members = Object.fromEntries(
      Object.entries(properties).flatMap(([name, member]) => {
        const optional = !required.includes(name);
        if (optional && depth >= MAX_DEPTH) return [];
        return [[name, this.#member(name, member, depth, owner)]];
      }),
    );
    const made = fc.record(members, { requiredKeys: [...required] as (keyof typeof members)[] });
    if (typeof additionalProperties !== "object") return made;
    const value = this.#of(additionalProperties, depth + 1, owner);
    const more = fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true });
    return fc.tuple(more, made).map(([any, own]) => ({ ...any, ...own }));
  }

  #member(name: string, schema: Schema, depth: number, owner: string): fc.Arbitrary<unknown> {
    const any = this.#of(schema, depth + 1, owner);
    if (schema.const !== undefined) return any;
    const likely =
      LIKELY_PLACES[`${owner}.${name}`] ??
      (schema.enum === undefined ? LIKELY_MEMBERS[name] : undefined);
    return likely === undefined ? any : mostly(likely, any);
  }
}

function merged(whole: Schema, part: Schema): Schema {
  return {
    ...part,
    ...whole,
    properties: { ...part.properties, ...whole.properties },
    required: [...new Set([...(part.required ?? []), ...(whole.required ?? [])])],
  };
}

function mostly(likely: fc.Arbitrary<unknown>, any: fc.Arbitrary<unknown>) {
  return fc.oneof({ arbitrary: likely, weight: 15 }, any);
}

const integer = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 5 }), weight: 4 },
  fc.integer(),
  fc.constantFrom(raw("9223372036854775807"), raw("-9223372036854775808"), raw("9007199254740993")),
);

const key = fc.oneof(
  fc.constantFrom("owner", "comment", "commit.retry.num-retries", "write.format.default", "k"),
  fc.string({ maxLength: 12 }),
);
const text = fc.oneof(
  fc.constantFrom("x", "true", "1", "k"),
  fc.string({ unit: "grapheme", maxLength: 20 }),
);
