import { type ProcedureRow, signatures } from "../../../src/sql/signatures/tables.ts";
import { OID } from "../../../src/sql/types/oids.ts";
import { functions, types } from "./evaluate.ts";
import type { Expression } from "./expression.ts";
import { arrayTexts, PATTERNS, VALUES } from "./values.ts";

/** A float in [0, 1), from a seed. */
export type Random = () => number;

/** mulberry32. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const MODIFIED: Readonly<Record<string, readonly string[]>> = {
  varchar: ["varchar(3)", "varchar(1)"],
  bpchar: ["bpchar(3)", "bpchar(1)"],
  numeric: ["numeric(5,2)", "numeric(3)", "numeric(10,-2)", "numeric(2,4)"],
  time: ["time(0)", "time(3)"],
  timetz: ["timetz(1)"],
  timestamp: ["timestamp(0)", "timestamp(3)"],
  timestamptz: ["timestamptz(2)"],
  interval: ["interval(1)"],
};

/** Types whose values the generator has. */
const PLAIN = Object.keys(VALUES).filter((name) => types.isSupported(types.byName(name)?.oid ?? 0));

/** What a polymorphic parameter is given. */
const ANY = ["int4", "text", "numeric", "bool", "int8", "float8", "timestamp", "date"];

/** State of the session, the machine or the clock: their answers cannot be compared. */
const UNCOMPARABLE = new RegExp(
  `^(?:${[
    "now|d?random|version|current_\\w+|session_user|" +
      "user|inet_\\w+|timeofday|setseed|gen_random_uuid",
    "(?:statement|transaction|clock)_timestamp|set_config|getdatabaseencoding|getpgusername",
    "pg_(?!typeof|size_\\w+|column_size).*|has_\\w+|txid_\\w+|lo_\\w+|nextval|currval|setval",
    "lastval|to_reg\\w+|format_type|(?:col|obj|shobj)_description|row_security_active|unknown\\w*",
    // What types, indexes and aggregates call: not for statements.
    "\\w*_?(?:in|out|recv|send)|\\w*hash\\w*|bt\\w+|\\w*cmp|\\w+_support|in_range|\\w*sel",
    "\\w*typmod\\w*|bool\\w*accum\\w*|\\w*_(?:accum\\w*|combine|serialize|deserialize)",
    "\\w*_(?:transfn|finalfn|inv)|cursor_\\w+|(?:query|table|schema|database)_to_\\w+",
  ].join("|")})$`,
);

function takes(procedure: ProcedureRow): boolean {
  if (procedure.kind !== "f" || procedure.returnsSet || UNCOMPARABLE.test(procedure.name)) {
    return false;
  }
  // Of one argument it counts from today.
  if (procedure.name === "age" && procedure.arguments.length === 1) return false;
  const isKnown = (oid: number): boolean => {
    const type = types.find(oid);
    if (type === undefined || oid === OID.internal || oid === OID.cstring) return false;
    if (type.kind === "p") return /^any(?!range|multirange|compatible\w*range)/.test(type.name);
    return types.isSupported(oid);
  };
  return [...procedure.arguments, procedure.result].every(isKnown);
}

/** Makes expressions of the operators, functions and casts that Firn implements. */
export class Generator {
  readonly #random: Random;
  readonly #operators = signatures().operators.filter((operator) => {
    const procedure = signatures().procedureByOid.get(operator.procedure);
    return procedure !== undefined && takes(procedure) && functions.implements(procedure);
  });
  readonly #procedures = signatures().procedures.filter(
    (procedure) => takes(procedure) && functions.implements(procedure),
  );
  readonly only: RegExp | undefined;

  constructor(seed: number, only?: RegExp) {
    this.#random = seeded(seed);
    this.only = only;
    if (only !== undefined) {
      const isChosen = (row: { readonly name: string; readonly source?: string }): boolean =>
        only.test(row.name) || only.test(row.source ?? "");
      this.#procedures = this.#procedures.filter(isChosen);
      this.#operators = this.#operators.filter((row) => {
        const procedure = signatures().procedureByOid.get(row.procedure);
        return isChosen(row) || (procedure !== undefined && isChosen(procedure));
      });
    }
  }

  get size(): number {
    return this.#operators.length + this.#procedures.length;
  }

  /** Every function and operator is taken in turn, so that a run leaves none out. */
  expression(round: number): Expression {
    const place = round % (this.size + (this.only === undefined ? 60 : 0));
    const operator = this.#operators[place];
    if (operator !== undefined) {
      const oids = operator.left === 0 ? [operator.right] : [operator.left, operator.right];
      const source = signatures().procedureByOid.get(operator.procedure)?.source ?? "";
      return { kind: "operator", name: operator.name, arguments: this.#arguments(oids, source) };
    }
    const procedure = this.#procedures[place - this.#operators.length];
    return procedure === undefined ? this.#cast() : this.#call(procedure);
  }

  #call(procedure: ProcedureRow): Expression {
    const least = procedure.arguments.length - procedure.defaultCount;
    const count = least + Math.floor(this.#random() * (procedure.defaultCount + 1));
    const oids = procedure.arguments.slice(0, count);
    if (procedure.variadic !== 0) {
      oids.pop();
      for (let i = Math.floor(this.#random() * 3); i >= 0; i--) oids.push(procedure.variadic);
    }
    const { name, source } = procedure;
    return { kind: "call", name, arguments: this.#arguments(oids, source) };
  }

  #cast(): Expression {
    const source = this.#pick(PLAIN);
    const target = this.#typeName(this.#pick(PLAIN), 0.3);
    return { kind: "cast", type: target, argument: this.#value(source, 1) };
  }

  #arguments(oids: readonly number[], source: string): readonly Expression[] {
    const any = this.#pick(ANY);
    const takesPattern = /regex|like|similar/.test(source);
    return oids.map((oid, i) => {
      if (takesPattern && (i === 1 || oids.length === 1) && oid === OID.text) {
        return { kind: "literal", text: this.#pick(PATTERNS), type: "text" };
      }
      const name = types.get(oid).name;
      if (/^any.*array$/.test(name)) return this.#value(`_${any}`, 0);
      if (name.startsWith("any")) return this.#value(this.#random() < 0.1 ? "text" : any, 0.5);
      return this.#value(name, 0.6);
    });
  }

  /** A value of a type, sometimes of another one, or an expression that gives one. */
  #value(name: string, depth: number): Expression {
    const roll = this.#random();
    if (roll < 0.04) return { kind: "literal", text: null, ...(roll < 0.02 && { type: name }) };
    if (roll < 0.09) return this.#literal(this.#pick(PLAIN));
    if (roll < 0.14 * depth) {
      const inner = this.#literal(this.#pick(PLAIN));
      return { kind: "cast", type: name, argument: inner };
    }
    return this.#literal(name);
  }

  #literal(name: string): Expression {
    const isArray = name.startsWith("_");
    const texts = isArray ? arrayTexts(name.slice(1)) : (VALUES[name] ?? VALUES["text"] ?? []);
    const text = this.#pick(texts);
    if (this.#random() < 0.15) return { kind: "literal", text };
    return { kind: "literal", text, type: this.#typeName(name, 0.08) };
  }

  #typeName(name: string, share: number): string {
    const modified = MODIFIED[name];
    return modified !== undefined && this.#random() < share ? this.#pick(modified) : name;
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }
}
