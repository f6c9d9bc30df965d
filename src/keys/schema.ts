import { invalid } from "../base/error.ts";
import type { Element } from "./elements/element.ts";
import { ELEMENTS, type KeyType, type KeyTypes } from "./elements/types.ts";
import { malformed, unfit } from "./errors.ts";
import { type KeyRange, keyAfter, prefixEnd } from "./prefix.ts";
import { KeyReader } from "./reader.ts";
import { KeyWriter, MAX_KEY_BYTES } from "./writer.ts";

/*
 * A key of several columns is a marker and the bytes of its value for each of them:
 *
 *   marker  what
 *   02      NULL that sorts first
 *   10      a value; of a descending column, its complement
 *   fd      NULL that sorts last
 *
 *   columns                            values       bytes
 *   int4                               [1]          1080000001
 *   int4 desc                          [1]          107ffffffe
 *   int4, nulls first                  [null]       02
 *   int4 desc, nulls last              [null]       fd
 *   text, int4                         ["a",1]      106100011080000001
 *   text desc, int4                    ["a",1]      109efffe1080000001
 *   int4, text                         [1,"a"]      10800000011061
 *
 * The last column, where it is an ascending text, bytes or path, needs no end.
 */

const NULL_FIRST = 0x02;
const VALUE = 0x10;
const NULL_LAST = 0xfd;

/** One column of a key. Without `nulls` it refuses NULL. */
export interface KeyColumn {
  readonly type: KeyType;
  readonly direction?: "asc" | "desc";
  /** Where NULL sorts, whatever the direction. */
  readonly nulls?: "first" | "last";
}

/** The value of a column: of its type, and `null` where the column takes NULL. */
export type KeyValue<C extends KeyColumn> =
  | KeyTypes[C["type"]]
  | (C extends { readonly nulls: "first" | "last" } ? null : never);

/** The values of all columns. */
export type KeyValues<C extends readonly KeyColumn[]> = {
  -readonly [I in keyof C]: KeyValue<C[I]>;
};

/** Values of the first columns. */
export type KeyStart<C extends readonly KeyColumn[]> = C extends readonly [
  infer First extends KeyColumn,
  ...infer Rest extends readonly KeyColumn[],
]
  ? readonly [] | readonly [KeyValue<First>, ...KeyStart<Rest>]
  : readonly [];

/** Bounds on the column behind those that are equal. NULL lies within none. */
export interface KeyBounds {
  readonly gt?: unknown;
  readonly gte?: unknown;
  readonly lt?: unknown;
  readonly lte?: unknown;
  /** Of a text, bytes or path: what starts with it. A path starts with itself and its parents. */
  readonly startsWith?: unknown;
}

interface Column {
  readonly type: KeyType;
  readonly element: Element<unknown>;
  readonly isDescending: boolean;
  readonly nulls: "first" | "last" | undefined;
  /** Its values end where the key ends. */
  readonly isOpen: boolean;
}

/**
 * The columns of a key, and tuples of them as bytes: keys sort as their tuples do, column by
 * column, each in its direction. Keys of one schema are never each other's start, unless the last
 * column is an ascending text, bytes or path.
 */
export class KeySchema<const C extends readonly KeyColumn[]> {
  readonly #columns: readonly Column[];
  readonly #prefix: Uint8Array;
  readonly #writer = new KeyWriter();

  /**
   * @param prefix stands before every key, such as `encodeTablePrefix` makes.
   * @throws FirnError `Invalid` `KEY_SCHEMA_INVALID`.
   */
  constructor(columns: C, prefix: Uint8Array = new Uint8Array()) {
    if (columns.length === 0) throw invalid("KEY_SCHEMA_INVALID", "a key has at least one column");
    this.#columns = columns.map((column, at) => columnOf(column, at === columns.length - 1));
    this.#prefix = prefix;
  }

  /** @throws FirnError `Invalid` `KEY_VALUE_INVALID`, `KEY_TOO_LONG`. */
  encode(values: Readonly<KeyValues<C>>): Uint8Array {
    if (values.length !== this.#columns.length) throw this.#wrongCount(values.length);
    return this.#stem(values);
  }

  /** @throws FirnError `Corrupt` `KEY_MALFORMED`. */
  decode(key: Uint8Array): KeyValues<C> {
    const input = new KeyReader(key, this.#prefix.length);
    for (let i = 0; i < this.#prefix.length; i++) {
      if (key[i] !== this.#prefix[i]) throw malformed("it has another prefix", i);
    }
    const values = this.#columns.map((column) => readColumn(input, column));
    if (!input.isAtEnd) throw malformed("more columns than its schema", input.at);
    return values as KeyValues<C>;
  }

  /**
   * The values of the first `count` columns, of a key that may end behind them.
   *
   * @throws FirnError `Corrupt` `KEY_MALFORMED`.
   */
  decodeStart(key: Uint8Array, count: number): readonly unknown[] {
    const input = new KeyReader(key, this.#prefix.length);
    return this.#columns.slice(0, count).map((column) => readColumn(input, column));
  }

  /**
   * The keys whose first columns equal `equal`, and whose next column lies within `bounds`. A lower
   * bound of a descending column is the end of its range of keys: callers need not know.
   *
   * @throws FirnError `Invalid` `KEY_VALUE_INVALID`, `KEY_TOO_LONG`, `KEY_BOUNDS_INVALID`.
   */
  range(equal: KeyStart<C>, bounds: KeyBounds = {}): KeyRange {
    const values: readonly unknown[] = equal;
    const stem = this.#stem(values);
    const column = this.#columns[values.length];
    const isBounded = Object.values(bounds).some((bound) => bound !== undefined);
    if (!isBounded) return { from: stem, ...end(this.#behind(stem, values.length)) };
    if (column === undefined) {
      throw invalid("KEY_BOUNDS_INVALID", "there is no column left to bound");
    }
    return this.#bounded(values, column, bounds);
  }

  #bounded(equal: readonly unknown[], column: Column, bounds: KeyBounds): KeyRange {
    const { gt, gte, lt, lte, startsWith } = bounds;
    const limits = [gt, gte, lt, lte].filter((bound) => bound !== undefined).length;
    if (startsWith !== undefined) {
      if (limits > 0) throw invalid("KEY_BOUNDS_INVALID", "`startsWith` excludes other bounds");
      const stem = this.#start(equal, column, startsWith);
      return { from: stem, ...end(prefixEnd(stem)) };
    }
    if ((gt !== undefined && gte !== undefined) || (lt !== undefined && lte !== undefined)) {
      throw invalid("KEY_BOUNDS_INVALID", "two bounds on one side");
    }
    const at = (value: unknown) => this.#stem([...equal, notNull(column, value)]);
    const behind = (value: unknown) => this.#behind(at(value), equal.length + 1);
    const low = column.isDescending ? { on: lte, off: lt } : { on: gte, off: gt };
    const high = column.isDescending ? { on: gte, off: gt } : { on: lte, off: lt };
    const marker = this.#marked(equal, VALUE);
    const from =
      low.on !== undefined ? at(low.on) : low.off !== undefined ? behind(low.off) : marker;
    const to =
      high.on !== undefined
        ? behind(high.on)
        : high.off !== undefined
          ? at(high.off)
          : prefixEnd(marker);
    if (from === undefined) return { from: marker, to: marker };
    // Bounds that cross leave no key, and no range either.
    if (to !== undefined && Buffer.compare(from, to) > 0) return { from, to: from };
    return { from, ...end(to) };
  }

  #stem(values: readonly unknown[]): Uint8Array {
    return this.#written(values, () => undefined);
  }

  #marked(values: readonly unknown[], marker: number): Uint8Array {
    return this.#written(values, (out) => out.byte(marker));
  }

  /** What all values of a column that start with `value` start with. */
  #start(equal: readonly unknown[], column: Column, value: unknown): Uint8Array {
    const { stem } = column.element;
    if (stem === undefined) {
      throw invalid("KEY_BOUNDS_INVALID", `\`startsWith\` needs a text, bytes or path`, {
        type: column.type,
      });
    }
    return this.#written(equal, (out) => {
      out.byte(VALUE);
      const from = out.length;
      stem.write(out, value);
      if (column.isDescending) out.invert(from);
    });
  }

  #written(values: readonly unknown[], more: (out: KeyWriter) => void): Uint8Array {
    if (values.length > this.#columns.length) throw this.#wrongCount(values.length);
    const out = this.#writer;
    out.length = 0;
    out.append(this.#prefix);
    for (let i = 0; i < values.length; i++) {
      writeColumn(out, this.#columns[i] as Column, values[i]);
    }
    more(out);
    return out.take();
  }

  /** The first key behind those that start with `count` columns. */
  #behind(stem: Uint8Array, count: number): Uint8Array | undefined {
    const isOpen = this.#columns[count - 1]?.isOpen === true;
    // A longest key is the start of no other one, and nothing longer may be a bound.
    return isOpen && stem.length < MAX_KEY_BYTES ? keyAfter(stem) : prefixEnd(stem);
  }

  #wrongCount(count: number): Error {
    return invalid("KEY_VALUE_INVALID", `a key has ${this.#columns.length} columns`, { count });
  }
}

function columnOf({ type, direction, nulls }: KeyColumn, isLast: boolean): Column {
  const element = Object.hasOwn(ELEMENTS, type) ? ELEMENTS[type] : undefined;
  if (element === undefined) {
    throw invalid("KEY_SCHEMA_INVALID", "an unknown type of key column", { type: String(type) });
  }
  const isDescending = direction === "desc";
  const isOpen = isLast && !isDescending && element.stem !== undefined;
  return { type, element: element as Element<unknown>, isDescending, nulls, isOpen };
}

function writeColumn(out: KeyWriter, column: Column, value: unknown): void {
  const { element, isDescending, isOpen, nulls } = column;
  if (value === null) {
    if (nulls === undefined) throw unfit(column.type, "no NULL", value);
    out.byte(nulls === "first" ? NULL_FIRST : NULL_LAST);
    return;
  }
  out.byte(VALUE);
  const from = out.length;
  if (isOpen) element.stem?.write(out, value);
  else element.write(out, value);
  if (isDescending) out.invert(from);
}

function readColumn(input: KeyReader, column: Column): unknown {
  const marker = input.byte();
  if (marker !== VALUE) {
    const isNull = marker === (column.nulls === "first" ? NULL_FIRST : NULL_LAST);
    if (isNull && column.nulls !== undefined) return null;
    throw malformed("an unknown marker", input.at - 1);
  }
  if (!column.isDescending) {
    const { stem, read } = column.element;
    return column.isOpen && stem !== undefined ? stem.read(input) : read(input);
  }
  input.flip = 0xff;
  const value = column.element.read(input);
  input.flip = 0;
  return value;
}

/** `null` is a bound of nothing: in SQL no value is above or below NULL. */
function notNull(column: Column, value: unknown): unknown {
  if (value === null) throw unfit(column.type, "a bound that is not NULL", value);
  return value;
}

function end(to: Uint8Array | undefined): { readonly to?: Uint8Array } {
  return to === undefined ? {} : { to };
}
