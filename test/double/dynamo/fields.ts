import { Substitutes } from "./expression.ts";
import { invalid } from "./refusal.ts";
import type { Item, Value } from "./value-types.ts";
import { isObject, readItem, readValue } from "./values.ts";

/** Reads the members of a request, whose types the service checks before anything else. */
export class Fields {
  readonly #raw: Readonly<Record<string, unknown>>;

  constructor(raw: unknown) {
    if (!isObject(raw)) throw invalid("A structure is expected");
    this.#raw = raw;
  }

  get names(): readonly string[] {
    return Object.keys(this.#raw);
  }

  text(name: string): string {
    const value = this.optionalText(name);
    if (value === undefined) throw invalid(`Value null at '${name}' failed to satisfy constraint`);
    return value;
  }

  optionalText(name: string): string | undefined {
    const value = this.#raw[name] ?? undefined;
    if (value === undefined || typeof value === "string") return value;
    throw invalid(`'${name}' is not a string`);
  }

  optionalNumber(name: string): number | undefined {
    const value = this.#raw[name] ?? undefined;
    if (value === undefined || Number.isInteger(value)) return value as number | undefined;
    throw invalid(`'${name}' is not an integer`);
  }

  flag(name: string): boolean {
    return this.#raw[name] === true;
  }

  item(name: string): Item {
    const value = this.optionalItem(name);
    if (value === undefined) throw invalid(`Value null at '${name}' failed to satisfy constraint`);
    return value;
  }

  optionalItem(name: string): Item | undefined {
    const value = this.#raw[name] ?? undefined;
    return value === undefined ? undefined : readItem(value);
  }

  optionalFields(name: string): Fields | undefined {
    const value = this.#raw[name] ?? undefined;
    return value === undefined ? undefined : new Fields(value);
  }

  fields(name: string): Fields {
    return this.optionalFields(name) ?? new Fields({});
  }

  list(name: string): readonly unknown[] {
    const value = this.#raw[name];
    if (!Array.isArray(value)) throw invalid(`'${name}' is not a list`);
    return value;
  }

  structures(name: string): readonly Fields[] {
    return this.list(name).map((each) => new Fields(each));
  }

  items(name: string): readonly Item[] {
    return this.list(name).map(readItem);
  }

  /** The substitutes of a request's expressions. */
  substitutes(): Substitutes {
    return new Substitutes(this.#names(), this.#values());
  }

  #names(): Readonly<Record<string, string>> {
    const names = this.fields("ExpressionAttributeNames");
    return Object.fromEntries(names.names.map((name) => [name, names.text(name)]));
  }

  #values(): Readonly<Record<string, Value>> {
    const values = this.#raw["ExpressionAttributeValues"];
    if (!isObject(values)) return {};
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, readValue(value)]),
    );
  }
}
