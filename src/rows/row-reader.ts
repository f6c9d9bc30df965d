import type { Datum } from "./datum.ts";
import { corruptRow } from "./errors.ts";
import { HAS_APART, HEADER_BYTES, idsAt, ROW_FORMAT, setBytes, WIDE } from "./row-format.ts";
import { type Layout, layoutOf, uint4 } from "./row-layout.ts";
import type { StoredColumn } from "./row-writer.ts";
import { UNREAD } from "./unread.ts";
import { type ValueReader, valueReader } from "./value-reader.ts";

/** A column that is read from the values of rows. */
export interface WantedColumn extends StoredColumn {
  /** What rows have that were written before the column was added. */
  readonly missing: Datum;
}

/** Where the values of one row go: `out[i][at]` is the value of wanted column `i`. */
export type Columns = readonly Datum[][];

/** The columns of rows that stand in bytes [from, to); false where the row has another layout. */
type Decoder = (bytes: Uint8Array, from: number, to: number, out: Columns, at: number) => boolean;

/**
 * Reads wanted columns of rows, without decoding the others. All rows of a schema version have the
 * same columns: the first one of each makes a function that knows where they stand, which checks of
 * each further row that they do.
 */
export class RowReader {
  readonly #wanted: readonly WantedColumn[];
  readonly #readers: readonly ValueReader[];
  readonly #owner: number;
  /** Whether values that are stored apart may be left unread. */
  readonly #isLean: boolean;
  readonly #decoders = new Map<number, Decoder>();
  #last: { readonly version: number; readonly flags: number; readonly decode: Decoder } | undefined;

  /** @param isLean values that are stored apart still are `UNREAD`; otherwise they are refused. */
  constructor(wanted: readonly WantedColumn[], owner: number, isLean = false) {
    this.#wanted = wanted;
    this.#readers = wanted.map(({ type }) => valueReader(type));
    this.#owner = owner;
    this.#isLean = isLean;
  }

  /**
   * Puts the values of the row in [from, to) of bytes at `at` of each wanted column.
   *
   * @throws FirnError `Corrupt`, code `ROW_CORRUPT`.
   */
  read(bytes: Uint8Array, from: number, to: number, out: Columns, at: number): void {
    const version = this.#versionOf(bytes, from, to);
    const flags = bytes[from + 1] as number;
    const last = this.#last;
    const decode =
      last?.version === version && last.flags === flags
        ? last.decode
        : this.#decoderOf(version, flags, bytes, from, to);
    if (decode(bytes, from, to, out, at)) return;
    const layout = layoutOf(bytes, from, to);
    if (!this.#compiled(layout)(bytes, from, to, out, at)) throw corruptRow("an unstable layout");
  }

  #versionOf(bytes: Uint8Array, from: number, to: number): number {
    if (to - from < HEADER_BYTES) throw corruptRow("it ends early", { bytes: to - from });
    const owner = uint4(bytes, from + 8);
    if (bytes[from] !== ROW_FORMAT)
      throw corruptRow("unknown format", { format: bytes[from] ?? 0 });
    if (owner !== this.#owner) {
      throw corruptRow("it belongs to another table", { owner, expected: this.#owner });
    }
    return uint4(bytes, from + 4);
  }

  /** Wide rows and those with values apart lie among the others. */
  #decoderOf(version: number, flags: number, bytes: Uint8Array, from: number, to: number): Decoder {
    const name = version * 0x100 + flags;
    let decode = this.#decoders.get(name);
    if (decode === undefined) {
      decode = this.#compiled(layoutOf(bytes, from, to));
      this.#decoders.set(name, decode);
    }
    this.#last = { version, flags, decode };
    return decode;
  }

  /** @returns a function made for one layout: its offsets stand in its code. */
  #compiled({ flags, ids }: Layout): Decoder {
    const isWide = (flags & WIDE) !== 0;
    const size = isWide ? 2 : 1;
    const nulls = idsAt(flags) + size * ids.length;
    const apart = nulls + setBytes(ids.length);
    const hasApart = (flags & HAS_APART) !== 0;
    const ends = apart + (hasApart ? setBytes(ids.length) : 0);
    const values = ends + 2 * size * ids.length;
    const uint = (at: number): string => {
      const bytes = Array.from({ length: 2 * size }, (_, i) => `b[f+${at + i}]`);
      const parts = bytes.map((byte, i) => (i === 0 ? byte : `${byte}<<${8 * i}`));
      return isWide ? `((${parts.join("|")})>>>0)` : `(${parts.join("|")})`;
    };
    const checks = [
      `b[f+1]!==${flags}`,
      `(b[f+2]|b[f+3]<<8)!==${ids.length}`,
      `t-f<${values}`,
      ids.length === 0
        ? `t-f!==${values}`
        : `f+${values}+${uint(endAt(ends, size, ids.length))}!==t`,
    ];
    const reads: string[] = [];
    this.#wanted.forEach(({ id }, i) => {
      const place = ids.indexOf(id);
      if (place < 0) {
        checks.push(...this.#absence(id, ids, flags, size));
        reads.push(`o[${i}][at]=m[${i}];`);
        return;
      }
      const idAt = idsAt(flags) + size * place;
      checks.push(isWide ? `(b[f+${idAt}]|b[f+${idAt + 1}]<<8)!==${id}` : `b[f+${idAt}]!==${id}`);
      const from = place === 0 ? "0" : uint(endAt(ends, size, place));
      const to = uint(endAt(ends, size, place + 1));
      const inSet = `${place >> 3}]&${1 << (place & 7)}`;
      const isNull = `b[f+${nulls}+${inSet}`;
      const isApart = `b[f+${apart}+${inSet}`;
      if (hasApart)
        reads.push(this.#isLean ? `if(${isApart})o[${i}][at]=a;else` : `if(${isApart})a();`);
      const read = `x=f+${values}+${from};y=f+${values}+${to};if(x>y||y>t)return false;`;
      reads.push(`if(${isNull})o[${i}][at]=null;else{${read}o[${i}][at]=r[${i}](b,x,y);}`);
    });
    const body = `return (b,f,t,o,at)=>{if(${checks.join("||")})return false;let x=0,y=0;
${reads.join("\n")}
return true;}`;
    const missing = this.#wanted.map((column) => column.missing);
    const apartOnes = this.#isLean ? UNREAD : refuseApart;
    return new Function("r", "m", "a", body)(this.#readers, missing, apartOnes) as Decoder;
  }

  /** That a row has no such column either: its neighbours are those that the layout has. */
  #absence(id: number, ids: readonly number[], flags: number, size: number): readonly string[] {
    const behind = ids.findIndex((other) => other > id);
    const place = behind < 0 ? ids.length : behind;
    const checks: string[] = [];
    for (const neighbour of [place - 1, place]) {
      const known = ids[neighbour];
      if (known === undefined) continue;
      const at = idsAt(flags) + size * neighbour;
      checks.push(
        size === 2 ? `(b[f+${at}]|b[f+${at + 1}]<<8)!==${known}` : `b[f+${at}]!==${known}`,
      );
    }
    return checks;
  }
}

/** Where the end of value `place - 1` stands. */
function endAt(ends: number, size: number, place: number): number {
  return ends + 2 * size * (place - 1);
}

/** Only bytes that were joined before (`apart-values.ts`) have the values that are read. */
function refuseApart(): never {
  throw corruptRow("a value that is stored apart was not read");
}
