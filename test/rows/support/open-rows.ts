import { IdSource, type TableId } from "../../../src/base/ids.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import { WaitGraph } from "../../../src/base/wait-graph.ts";
import type { Engine } from "../../../src/lsm/index.ts";
import {
  type Datum,
  type Expressions,
  type RowScan,
  RowStore,
  type RowTransaction,
  rowAt,
  type TableDescriptor,
  visibleColumns,
} from "../../../src/rows/index.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { type Kind, makeWorld, type World } from "../../lsm/support/worlds.ts";

const MEMORY: Kind = { store: "memory", wal: "objects" };

/** A store over an engine of its own, which can be opened again. */
export interface OpenRows {
  readonly world: World;
  rows: RowStore;
  engine: Engine;
  /** Opens the shard as the process that follows one that died. */
  reopen(): Promise<void>;
  end(): Promise<void>;
}

/**
 * `column <op> number`, `a + b` and `lower(a)`: enough SQL to show that a store evaluates it. The
 * real one is of another layer.
 */
export const SMALL_SQL: Expressions = {
  columnsOf: (text) => text.match(/[a-z]\w*(?!\()\b/g) ?? [],
  renamed: (text, from, to) => text.replace(new RegExp(`\\b${from}\\b`, "g"), to),
  compile(text, table) {
    const columns = visibleColumns(table);
    const at = (name: string): number => columns.findIndex((column) => column.name === name);
    const lower = /^lower\((\w+)\)$/.exec(text);
    if (lower !== null) {
      return (row) => {
        const value = row[at(lower[1] ?? "")];
        return typeof value === "string" ? value.toLowerCase() : null;
      };
    }
    const [, left = "", operator = "", right = ""] = /^(\w+) ([+<>=]) (\w+)$/.exec(text) ?? [];
    const value = (row: readonly Datum[], name: string): number | null =>
      /^\d+$/.test(name) ? Number(name) : (row[at(name)] as number | null);
    return (row) => {
      const a = value(row, left);
      const b = value(row, right);
      if (a === null || b === null) return null;
      if (operator === "+") return a + b;
      return operator === "<" ? a < b : operator === ">" ? a > b : a === b;
    };
  },
};

export async function openRows(
  kind: Kind = MEMORY,
  expressions: Expressions = SMALL_SQL,
  waits: WaitGraph = new WaitGraph(),
): Promise<OpenRows> {
  const world = makeWorld(kind);
  const make = (engine: Engine): RowStore =>
    new RowStore({
      engine,
      clock: world.clock,
      prng: world.prng,
      account: "acme",
      expressions,
      waits,
    });
  const engine = await world.open();
  const opened: OpenRows = {
    world,
    engine,
    rows: make(engine),
    reopen: async () => {
      opened.engine = await world.open();
      opened.rows = make(opened.engine);
    },
    end: async () => {
      await opened.engine.close();
      world.end();
    },
  };
  return opened;
}

const ids = new IdSource(new SystemClock(), new SeededPrng(1));

export function newTableId(): TableId {
  return ids.mint<TableId>();
}

/** All rows of a scan. */
export async function rowsOf(scan: RowScan): Promise<readonly (readonly Datum[])[]> {
  const rows: (readonly Datum[])[] = [];
  for (let batch = await scan.nextBatch(); batch !== undefined; batch = await scan.nextBatch()) {
    for (let i = 0; i < batch.count; i++) rows.push(rowAt(batch, i));
  }
  return rows;
}

/** Index = rows, of all indexes of a table. */
export async function brokenIndexes(
  transaction: RowTransaction,
  table: TableDescriptor,
): Promise<readonly unknown[]> {
  const broken: unknown[] = [];
  for (const { id } of table.indexes) {
    const report = await transaction.checkIndex(table, id);
    if (report.missing + report.extra + report.wrong > 0) broken.push(report);
  }
  return broken;
}
