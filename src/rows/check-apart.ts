import { bytesEqual } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { Stretches } from "../base/steps.ts";
import {
  columnIdOf,
  lengthOf,
  pieceKey,
  piecesOf,
  type Reference,
  referenceOfPieces,
  rowKeyOf,
} from "./apart-format.ts";
import { apartRange, JOINED_BYTES, keysOf, referencesOf, valuesOf } from "./apart-values.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { Datum } from "./datum.ts";
import type { EngineView } from "./engine-view.ts";

/** What is wrong with the long values of a column. */
export interface ValuesReport {
  /** Its name; its number where the table does not have it any more. */
  readonly column: string;
  /** Values that rows refer to, of which a piece is not there. */
  readonly missing: number;
  /** Pieces that no row refers to. */
  readonly extra: number;
  /** Values that are not those that their rows refer to. */
  readonly wrong: number;
  /** The key of a row of which one of these is true. */
  readonly row: string;
}

/** What a check reads: one state. */
type Reads = Pick<EngineView, "getMany" | "scan">;

interface Found extends Reference {
  readonly key: Uint8Array;
}

type Fault = "missing" | "extra" | "wrong";

/** A key that is shown has at most so many characters. */
const SHOWN_CHARACTERS = 200;

/**
 * Reads the long values that the rows of a table refer to, and compares their hashes; no piece may
 * be left over. All of one state.
 *
 * @returns the columns that are not right.
 * @throws FirnError `Corrupt`, code `ROW_CORRUPT`: a row cannot be read at all.
 */
export async function checkApart(
  view: Reads,
  compiled: CompiledTable,
  clock: Clock,
): Promise<readonly ValuesReport[]> {
  const faults = new Faults(compiled);
  const stretches = new Stretches(clock);
  for await (const rows of view.scan(compiled.key.range({}))) {
    await stretches.turn();
    const found: Found[] = [];
    for (const { key, value } of rows) {
      for (const { columnId, reference } of referencesOf(value)) {
        // Copies: the scan's memory is its own.
        const copy = new Uint8Array(reference);
        found.push({ columnId, reference: copy, key: new Uint8Array(key) });
      }
    }
    await checkValues(view, found, faults, stretches);
  }
  for await (const rows of view.scan({ ...apartRange(compiled), keysOnly: true })) {
    await stretches.turn();
    await checkPieces(
      view,
      rows.map(({ key }) => new Uint8Array(key)),
      faults,
    );
  }
  return faults.reports;
}

/** As many at once as have room in memory. */
async function checkValues(
  view: Reads,
  found: readonly Found[],
  faults: Faults,
  stretches: Stretches,
): Promise<void> {
  for (let from = 0; from < found.length; ) {
    let [to, bytes] = [from, 0];
    do bytes += lengthOf((found[to++] as Found).reference);
    while (to < found.length && bytes < JOINED_BYTES);
    const part = found.slice(from, to);
    const entries = await view.getMany(part.flatMap((one) => keysOf(one.key, [one])));
    let at = 0;
    for (const one of part) {
      await stretches.turn();
      const own = entries.slice(at, at + piecesOf(one.reference));
      at += own.length;
      const fault = faultOf(one, own);
      if (fault !== undefined) faults.add(fault, one.columnId, one.key);
    }
    from = to;
  }
}

function faultOf(one: Found, entries: readonly (Uint8Array | undefined)[]): Fault | undefined {
  if (entries.includes(undefined)) return "missing";
  try {
    const [pieces = []] = valuesOf([one], entries);
    return bytesEqual(referenceOfPieces(pieces), one.reference) ? undefined : "wrong";
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Corrupt") return "wrong";
    throw error;
  }
}

/** Whether each piece is one of those that its row refers to. */
async function checkPieces(
  view: Reads,
  keys: readonly Uint8Array[],
  faults: Faults,
): Promise<void> {
  const owners = keys.map((key) => rowKeyOf(key) ?? key);
  const rows = await view.getMany(owners);
  keys.forEach((key, i) => {
    const [owner, row, columnId] = [owners[i] as Uint8Array, rows[i], columnIdOf(key)];
    const of = (row && referencesOf(row))?.find((one) => one.columnId === columnId);
    // The number of the piece ends its key.
    const piece = ((key.at(-2) as number) << 8) | (key.at(-1) as number);
    const isOf =
      of !== undefined &&
      piece < piecesOf(of.reference) &&
      bytesEqual(key, pieceKey(owner, columnId, piece));
    if (!isOf) faults.add("extra", columnId, owner);
  });
}

/** Counts what is wrong, by column. */
class Faults {
  readonly #compiled: CompiledTable;
  readonly #of = new Map<number, { row: string } & Record<Fault, number>>();

  constructor(compiled: CompiledTable) {
    this.#compiled = compiled;
  }

  add(fault: Fault, columnId: number, rowKey: Uint8Array): void {
    let own = this.#of.get(columnId);
    if (own === undefined) {
      own = { missing: 0, extra: 0, wrong: 0, row: this.#shown(rowKey) };
      this.#of.set(columnId, own);
    }
    own[fault]++;
  }

  get reports(): readonly ValuesReport[] {
    const { columns } = this.#compiled.table;
    return [...this.#of].map(([columnId, counts]) => {
      const column = columns.find(({ id }) => id === columnId)?.name;
      return { column: column ?? String(columnId), ...counts };
    });
  }

  #shown(rowKey: Uint8Array): string {
    try {
      const key = this.#compiled.key.decode(rowKey);
      return JSON.stringify(key.map(shownPart)).slice(0, SHOWN_CHARACTERS);
    } catch {
      return Buffer.from(rowKey).toString("hex").slice(0, SHOWN_CHARACTERS);
    }
  }
}

function shownPart(value: Datum): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
}
