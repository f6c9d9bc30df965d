import { assert } from "./assert.ts";
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonKeys,
  keepKeyOrder,
  parseJson,
  printJson,
} from "./json.ts";

/*
 * A JSON value in pieces that pass between threads. What is small passes as its text, since cloning
 * loses the order of keys and the tokens of numbers; only what is large is opened.
 */

/** What passes as it is, however long. */
type Plain = string | boolean | null;

/** A step of putting a value together. `key`: of what is opened or set in an object. */
type Step =
  | { readonly open: "array" | "object"; readonly key?: string }
  /** The text of an array, whose elements come next in the open one. */
  | { readonly elements: string }
  /** The text of an object, whose members come next in the open one. */
  | { readonly members: string }
  | { readonly number: string; readonly key?: string }
  | { readonly value: Plain; readonly key?: string }
  | { readonly close: true };

export type JsonSlice = readonly Step[];

/** Characters that are parsed at a time, some milliseconds. */
const SLICE_CHARS = 65_536;
/** Weight of a value other than a text, and what each adds to its container. */
const VALUE_CHARS = 8;

/** About as many characters as a slice has. */
export function weightOf(slice: JsonSlice): number {
  let weight = 0;
  for (const step of slice) {
    if ("elements" in step) weight += step.elements.length;
    else if ("members" in step) weight += step.members.length;
    else if ("number" in step) weight += step.number.length;
    else if ("value" in step && typeof step.value === "string") weight += step.value.length;
  }
  return weight;
}

/** Takes a value apart that was parsed, and so is within bounds. */
export function* sliceJson(value: JsonValue): Generator<JsonSlice, void> {
  yield* new Slicer().apart(value);
}

class Slicer {
  readonly #weights = new Map<object, number>();

  *apart(value: JsonValue, key?: string): Generator<JsonSlice, void> {
    const at = key === undefined ? {} : { key };
    if (isJsonArray(value)) {
      yield [{ open: "array", ...at }];
      yield* this.#elements(value);
      yield [{ close: true }];
    } else if (isJsonObject(value)) {
      yield [{ open: "object", ...at }];
      yield* this.#members(value);
      yield [{ close: true }];
    } else if (typeof value === "string" || typeof value === "boolean" || value === null) {
      yield [{ value, ...at }];
    } else {
      yield [{ number: printJson(value), ...at }];
    }
  }

  *#elements(array: readonly JsonValue[]): Generator<JsonSlice, void> {
    let some: JsonValue[] = [];
    let weight = 0;
    for (const value of array) {
      const its = this.#weigh(value);
      if (weight + its > SLICE_CHARS && some.length > 0) {
        yield [{ elements: printJson(some) }];
        some = [];
        weight = 0;
      }
      if (its > SLICE_CHARS) yield* this.apart(value);
      else {
        some.push(value);
        weight += its;
      }
    }
    if (some.length > 0) yield [{ elements: printJson(some) }];
  }

  *#members(object: JsonObject): Generator<JsonSlice, void> {
    let some: string[] = [];
    let weight = 0;
    const settle = (): JsonSlice => {
      const members = `{${some.join()}}`;
      some = [];
      weight = 0;
      return [{ members }];
    };
    for (const key of jsonKeys(object)) {
      const value = object[key] ?? null;
      const its = this.#weigh(value) + key.length;
      if (weight + its > SLICE_CHARS && some.length > 0) yield settle();
      if (its > SLICE_CHARS) yield* this.apart(value, key);
      else {
        some.push(`${printJson(key)}:${printJson(value)}`);
        weight += its;
      }
    }
    if (some.length > 0) yield settle();
  }

  /** About as many characters as the text has; containers are weighed once. */
  #weigh(value: JsonValue): number {
    if (typeof value === "string") return value.length + VALUE_CHARS;
    if (typeof value !== "object" || value === null) return VALUE_CHARS;
    const known = this.#weights.get(value);
    if (known !== undefined) return known;
    let weight = VALUE_CHARS;
    if (isJsonArray(value)) for (const element of value) weight += this.#weigh(element);
    else if (isJsonObject(value)) {
      for (const key of Object.keys(value)) weight += key.length + this.#weigh(value[key] ?? null);
    } else weight += value.token.length;
    this.#weights.set(value, weight);
    return weight;
  }
}

/** A container that is being filled. */
type Open =
  | { readonly array: JsonValue[] }
  | { readonly object: Record<string, JsonValue>; readonly keys: string[] };

/** Puts a value together again. Each slice costs a small part of a turn. */
export class JsonAssembly {
  readonly #open: Open[] = [];
  #whole: JsonValue | undefined;

  add(slice: JsonSlice): void {
    for (const step of slice) this.#step(step);
  }

  whole(): JsonValue {
    assert(this.#whole !== undefined && this.#open.length === 0, "the value is whole");
    return this.#whole;
  }

  #step(step: Step): void {
    if ("open" in step) this.#begin(step);
    else if ("close" in step) this.#end();
    else if ("value" in step) this.#place(step.value, step.key);
    else if ("number" in step) this.#place(parseJson(step.number), step.key);
    else if ("elements" in step) {
      for (const value of parseJson(step.elements) as readonly JsonValue[]) this.#place(value);
    } else {
      const members = parseJson(step.members) as JsonObject;
      for (const key of jsonKeys(members)) this.#place(members[key] ?? null, key);
    }
  }

  #begin({ open, key }: Extract<Step, { readonly open: unknown }>): void {
    if (open === "array") {
      const array: JsonValue[] = [];
      this.#place(array, key);
      this.#open.push({ array });
    } else {
      const object: Record<string, JsonValue> = {};
      this.#place(object, key);
      this.#open.push({ object, keys: [] });
    }
  }

  #end(): void {
    const ended = this.#open.pop();
    if (ended !== undefined && "object" in ended) keepKeyOrder(ended.object, ended.keys);
  }

  #place(value: JsonValue, key?: string): void {
    const open = this.#open.at(-1);
    if (open === undefined) this.#whole = value;
    else if ("array" in open) open.array.push(value);
    else if (key !== undefined) {
      open.object[key] = value;
      open.keys.push(key);
    }
  }
}
