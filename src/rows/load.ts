import { FirnError } from "../base/error.ts";
import type { Engine, IngestRow, Range } from "../lsm/index.ts";
import { rowKeyOf } from "./apart-format.ts";
import { apartRange, storedRow } from "./apart-values.ts";
import type { CompiledIndex } from "./compiled-index.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { Completer } from "./completion.ts";
import type { Datum } from "./datum.ts";
import { duplicate, duplicateKey } from "./duplicate.ts";
import { sameBytes } from "./engine-view.ts";
import { conflictOf, rowError } from "./errors.ts";
import type { ExpressionContext } from "./expressions.ts";
import { refuseBadRow } from "./row-checks.ts";
import type { InsertOptions } from "./row-requests.ts";

/** What a load needs of the transaction that begins it. */
export interface LoadHost {
  readonly engine: Engine;
  readonly compiled: CompiledTable;
  /** Where the table's descriptor lies, and what the transaction read there. */
  readonly descriptor: { readonly key: Uint8Array; readonly bytes: Uint8Array | undefined };
  readonly context: ExpressionContext;
  readonly completer: (options: GivenColumns) => Completer;
}

/** Which columns are given: all that are visible unless told otherwise. */
export type GivenColumns = Pick<InsertOptions, "columns" | "overridesIdentity">;

type StateView = ReturnType<Engine["readView"]>;
type Ingest = ReturnType<Engine["ingest"]>;

/** Keys of a primary key or unique index that may be taken, and the rows that want them. */
interface Claims {
  readonly keys: Uint8Array[];
  readonly rows: (readonly Datum[])[];
}

/**
 * Rows for one table that go to files beside the log, and appear at once when it is committed: as
 * many as there are, in bounded memory. Others that write the table meanwhile make it fail, or fail
 * themselves. End it by `commit` or `abort`.
 */
export class RowLoad {
  readonly #on: LoadHost;
  readonly #ingest: Ingest;
  /** The rows that were there before. */
  readonly #before: StateView;
  /** Indexes that had entries before, and undefined where the table had rows. */
  readonly #asked = new Set<CompiledIndex | undefined>();

  private constructor(on: LoadHost, ingest: Ingest, before: StateView) {
    this.#on = on;
    this.#ingest = ingest;
    this.#before = before;
  }

  /**
   * Whether rows of a table can be loaded: what is checked in other tables, or found by a build of
   * an index, is written in transactions.
   */
  static isPossible({ foreignKeys, indexes }: CompiledTable): boolean {
    return foreignKeys.length === 0 && indexes.every(({ index }) => index.state === "public");
  }

  /** @throws FirnError `Conflict`, code `ROW_CONFLICT` (40001): the table has changed. */
  static async begin(on: LoadHost): Promise<RowLoad> {
    const { engine, compiled, descriptor } = on;
    const { key } = descriptor;
    // A change of the descriptor is a conflict too.
    const described = { from: key, to: Buffer.concat([key, Buffer.alloc(1)]) };
    const ranges = [described, apartRange(compiled), ...rangesOf(compiled).values()];
    const ingest = engine.ingest({ ranges });
    const load = new RowLoad(on, ingest, engine.readView());
    try {
      await load.#look();
    } catch (error) {
      await load.abort();
      throw error;
    }
    return load;
  }

  async #look(): Promise<void> {
    const { compiled, descriptor } = this.#on;
    const now = await this.#before.get(descriptor.key);
    if (!sameBytes(now, descriptor.bytes)) {
      const message = "a table was changed meanwhile: begin the transaction again";
      throw rowError("Conflict", "ROW_CONFLICT", "40001", message);
    }
    for (const [index, range] of rangesOf(compiled)) {
      if (index?.index.unique === false) continue;
      const scan = this.#before.scan({ ...range, limit: 1 });
      try {
        if ((await scan.next()) !== undefined) this.#asked.add(index);
      } finally {
        scan.close();
      }
    }
    if (this.#asked.size === 0) this.#before.close();
  }

  /** Takes rows, and resolves when there is room for more. @throws FirnError as an insert. */
  async insert(
    rows: readonly (readonly (Datum | undefined)[])[],
    options: GivenColumns = {},
  ): Promise<void> {
    const { compiled, context } = this.#on;
    const complete = this.#on.completer(options);
    const puts: IngestRow[] = [];
    const claims = new Map(
      [...this.#asked].map((index) => [index, { keys: [], rows: [] } as Claims]),
    );
    for (const values of rows) {
      const row = await complete(values);
      refuseBadRow(compiled, row, context);
      const put = (index: CompiledIndex | undefined, entry: IngestRow, isUnique: boolean): void => {
        puts.push(entry);
        const claimed = isUnique ? claims.get(index) : undefined;
        claimed?.keys.push(entry.key);
        claimed?.rows.push(row);
      };
      const key = compiled.key.encode(compiled.keyOf(row));
      const stored = storedRow(compiled, key, row);
      put(undefined, stored.row, true);
      puts.push(...stored.pieces);
      for (const index of compiled.indexes) {
        for (const entry of index.entries(row, context)) put(index, entry, entry.isUnique);
      }
    }
    for (const [index, claimed] of claims) await this.#assertFree(index, claimed);
    try {
      await this.#ingest.add(puts);
    } catch (error) {
      throw this.#why(error);
    }
  }

  /**
   * Publishes all rows at once; they survive a crash. Over either way.
   *
   * @returns the sequence that has them.
   * @throws FirnError as `insert`; `Conflict`, code `ROW_CONFLICT` (40001): others have written the
   *   table meanwhile.
   */
  async commit(): Promise<number> {
    this.#before.close();
    try {
      return (await this.#ingest.commit()).sequence;
    } catch (error) {
      throw this.#why(error);
    }
  }

  /** Forgets it. Nothing happens to one that is over. */
  async abort(): Promise<void> {
    this.#before.close();
    await this.#ingest.abort();
  }

  async #assertFree(index: CompiledIndex | undefined, { keys, rows }: Claims): Promise<void> {
    const { compiled, context } = this.#on;
    if (keys.length === 0) return;
    const found = await this.#before.getMany(keys);
    const row = rows[found.findIndex((value) => value !== undefined)];
    if (row !== undefined) throw duplicate(compiled, index, row, context);
  }

  #why(error: unknown): unknown {
    if (!(error instanceof FirnError)) return error;
    if (error.code !== "LSM_INGEST_DUPLICATE_KEY") return conflictOf(error);
    const key = Buffer.from(String(error.context["key"] ?? ""), "hex");
    return duplicateKey(this.#on.compiled, rowKeyOf(key) ?? key);
  }
}

/** The ranges of a table's rows, and of the entries of each index. */
function rangesOf(compiled: CompiledTable): ReadonlyMap<CompiledIndex | undefined, Range> {
  const own = [undefined, compiled.key.range({})] as const;
  return new Map([own, ...compiled.indexes.map((one) => [one, one.key.range({})] as const)]);
}
