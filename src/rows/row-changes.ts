import { bytesEqual } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import type { Maybe } from "../lsm/index.ts";
import { readRow } from "./apart-values.ts";
import type { CompiledTable, TableReader } from "./compiled-table.ts";
import type { RowCompletion } from "./completion.ts";
import type { Datum } from "./datum.ts";
import { visibleColumns } from "./descriptor.ts";
import type { EngineView } from "./engine-view.ts";
import { placeOf, RowViolation, rowError } from "./errors.ts";
import type { LockOutcome } from "./locks.ts";
import { encodeAhead } from "./long-values.ts";
import type { RowLock } from "./row-requests.ts";
import type { RowWrites } from "./row-writes.ts";

/** What changes of rows need of their transaction. */
interface ChangesHost {
  readonly clock: Clock;
  readonly view: EngineView;
  readonly completion: RowCompletion;
  readonly writes: RowWrites;
  readonly lock: (key: Uint8Array, lock: RowLock) => Maybe<LockOutcome>;
  readonly read: (key: Uint8Array, lock: RowLock) => Maybe<Uint8Array | undefined>;
}

/**
 * Changes and removals of rows by their keys. Long values that neither the change nor its caller
 * needs are not read: an index, a check or a foreign key may need them.
 */
export class RowChanges {
  readonly #on: ChangesHost;

  constructor(on: ChangesHost) {
    this.#on = on;
  }

  /** Writes a whole row, over the one of its key where there is any. */
  async put(compiled: CompiledTable, row: readonly Datum[]): Promise<void> {
    const { clock, view, lock, read, writes } = this.#on;
    const key = compiled.key.encode(compiled.keyOf(row));
    await lock(key, { mode: "update" });
    const before = await read(key, { mode: "update" });
    const reader = compiled.lean(compiled.needs.ofOldRow);
    const old = before && (await readRow(view, reader, key, before));
    const encoding = encodeAhead(clock, compiled, row, old);
    await encoding;
    await writes.store(compiled, key, old, before, row);
    // The commit of a long value copies it again.
    if (encoding !== undefined) await clock.sleep(0);
  }

  /** @param told columns to return. @returns as `RowTransaction.update`. */
  async update(
    compiled: CompiledTable,
    name: Uint8Array,
    changes: ReadonlyMap<number, Datum | undefined>,
    told: readonly number[] = visibleIds(compiled),
  ): Promise<readonly Datum[] | undefined> {
    const { lock, read } = this.#on;
    const isKey = [...changes.keys()].some((id) => compiled.keyColumns.has(id));
    const mode: RowLock = { mode: isKey ? "update" : "no key update" };
    await lock(name, mode);
    const value = await read(name, mode);
    if (value === undefined) return undefined;
    const row = await this.#changed(compiled, name, value, changes, told);
    return toldOf(compiled, row, told);
  }

  /** As `update`, by an action of a foreign key; it tells nothing. @throws FirnError 0A000. */
  async updateByAction(
    compiled: CompiledTable,
    name: Uint8Array,
    changes: ReadonlyMap<number, Datum | undefined>,
  ): Promise<readonly Datum[] | undefined> {
    try {
      return await this.update(compiled, name, changes, []);
    } catch (error) {
      if (!(error instanceof FirnError) || error.code !== "ROW_OUTSIDE_PARTITION") throw error;
      const message =
        "an action of a foreign key would move a row to another partition: change that row first";
      const place = placeOf(compiled.table);
      throw rowError("Conflict", "ROW_PARTITION_CROSSED", "0A000", message, place);
    }
  }

  /** @param told columns to return. @returns as `RowTransaction.delete`. */
  async delete(
    compiled: CompiledTable,
    name: Uint8Array,
    told: readonly number[] = visibleIds(compiled),
  ): Promise<readonly Datum[] | undefined> {
    const { view, lock, read, writes } = this.#on;
    await lock(name, { mode: "update" });
    const value = await read(name, { mode: "update" });
    if (value === undefined) return undefined;
    const reader = leanReader(compiled, compiled.needs.ofOldRow, told);
    const old = await readRow(view, reader, name, value);
    await writes.remove(compiled, name, old, value);
    return toldOf(compiled, old, told);
  }

  async #changed(
    compiled: CompiledTable,
    name: Uint8Array,
    value: Uint8Array,
    changes: ReadonlyMap<number, Datum | undefined>,
    told: readonly number[],
  ): Promise<readonly Datum[]> {
    const { clock, view, completion, writes } = this.#on;
    const write = async (reader: TableReader): Promise<readonly Datum[]> => {
      const old = await readRow(view, reader, name, value);
      const row = await completion.changed(compiled, changes, old);
      await encodeAhead(clock, compiled, row, old);
      const next = compiled.key.encode(compiled.keyOf(row));
      if (bytesEqual(next, name)) await writes.store(compiled, name, old, value, row);
      else await writes.move(compiled, name, old, value, row);
      return row;
    };
    const mayMove = compiled.keyPlaces.some((at) => changes.has(compiled.live[at]?.id as number));
    if (mayMove || !compiled.mayBeApart) return await write(compiled.rows);
    try {
      return await write(leanReader(compiled, compiled.needs.ofChange(changes.keys()), told));
    } catch (error) {
      // Nothing was written yet, and its message may tell all values of the row.
      if (error instanceof RowViolation) return await write(compiled.rows);
      throw error;
    }
  }
}

function leanReader(
  compiled: CompiledTable,
  needed: ReadonlySet<number>,
  told: readonly number[],
): TableReader {
  return compiled.mayBeApart ? compiled.lean(new Set([...needed, ...told])) : compiled.rows;
}

function visibleIds({ table }: CompiledTable): readonly number[] {
  return visibleColumns(table).map(({ id }) => id);
}

function toldOf(
  compiled: CompiledTable,
  row: readonly Datum[],
  told: readonly number[],
): readonly Datum[] {
  return told.map((id) => row[compiled.placeOf(id)] as Datum);
}
