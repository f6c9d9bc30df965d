import type { Schema } from "../../../src/api/operation.ts";
import { randomBelow, type SeededPrng } from "../../../src/base/prng.ts";

/** What stands in a request for what it names, by the name of the parameter or member. */
export type Slots = Readonly<Record<string, string>>;

/** Members of bodies that name something, and what they are filled with. */
const NAMING: Readonly<Record<string, (slots: Slots) => unknown>> = {
  principal: (slots) => slots["member"],
  catalog: (slots) => slots["catalogName"],
  namespace: (slots) => slots["path"]?.split("."),
  path: (slots) => slots["path"]?.split("."),
  name: (slots) => slots["name"],
  into: (slots) => slots["catalogName"],
  table: (slots) => slots["name"],
};
const SNAPSHOT = "1234567890123456789";

/** Values that a schema allows: everything that must be there, and some of the rest. */
export class Values {
  readonly #prng: SeededPrng;
  readonly #slots: Slots;

  constructor(prng: SeededPrng, slots: Slots) {
    this.#prng = prng;
    this.#slots = slots;
  }

  /** `name`: the parameter or member that it is for. */
  of(schema: Schema, name = ""): unknown {
    const named = NAMING[name]?.(this.#slots);
    const { anyOf, type } = schema as { anyOf?: readonly Schema[]; type?: unknown };
    if (anyOf !== undefined) return this.of(this.#pick(anyOf), name);
    if (schema["enum"] !== undefined) return this.#pick(schema["enum"] as readonly unknown[]);
    const kind = Array.isArray(type) ? this.#pick(type as readonly string[]) : type;
    switch (kind) {
      case "object":
        return this.#object(schema);
      case "array":
        return Array.isArray(named) ? named : this.#array(schema, name);
      case "integer":
        return Math.max(Number(schema["minimum"] ?? 1), 1);
      case "number":
        return Number(schema["minimum"] ?? 0);
      case "boolean":
        return randomBelow(this.#prng, 2) === 1;
      case "null":
        return null;
      case "string":
        return typeof named === "string" ? named : this.#text(schema);
      default:
        return 1;
    }
  }

  #array(schema: Schema, name: string): readonly unknown[] {
    const items = (schema["items"] ?? {}) as Schema;
    return Array.from({ length: Number(schema["minItems"] ?? 1) }, () => this.of(items, name));
  }

  #object(schema: Schema): unknown {
    const properties = (schema["properties"] ?? {}) as Readonly<Record<string, Schema>>;
    const required = (schema["required"] ?? []) as readonly string[];
    const chosen = Object.entries(properties).filter(
      ([name]) => required.includes(name) || name in NAMING || randomBelow(this.#prng, 4) === 0,
    );
    const made = chosen.map(([name, each]) => [name, this.of(each, name)]);
    const open = schema["properties"] === undefined && schema["additionalProperties"] === undefined;
    return open ? { a: 1 } : Object.fromEntries(made);
  }

  #text(schema: Schema): string {
    const pattern = String(schema["pattern"] ?? "");
    if (pattern.includes("fA-F")) return "01890a5d-ac96-774b-bcce-b302099a8057";
    if (pattern.includes("a-z")) return "spark";
    if (pattern.includes("0-9")) return SNAPSHOT;
    const isTime = String(schema["description"] ?? "").includes("RFC 3339");
    return isTime ? "2026-01-31T12:00:00Z" : "abc";
  }

  #pick<T>(from: readonly T[]): T {
    return from[randomBelow(this.#prng, from.length)] as T;
  }
}
