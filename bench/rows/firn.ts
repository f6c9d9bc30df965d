import { setTimeout as sleep } from "node:timers/promises";
import { columns, Firn, Schema } from "../../src/index.ts";
import type { RowsContender, RowsDatabase } from "./contender.ts";
import { benchRow, groupOf } from "./rows.ts";

const SCHEMA = Schema.table({
  columns: {
    id: columns.int4(),
    grp: columns.int4(),
    kind: columns.text(),
    ts: columns.float8(),
    amount: columns.float8(),
    qty: columns.int4(),
    note: columns.text(),
    flag: columns.bool(),
  },
  primaryKey: ["id"],
  indexes: [{ name: "by_grp", parts: [{ column: "grp" }] }],
});

const BY_GRP = 1;

const QUIET_MS = 200;
const MOST_MS = 30_000;

/** Until flushes and compactions that the load has begun are over: they are no cost of a read. */
async function quiet(): Promise<void> {
  for (const until = performance.now() + MOST_MS; performance.now() < until; ) {
    const before = process.cpuUsage();
    await sleep(QUIET_MS);
    const { user, system } = process.cpuUsage(before);
    if (user + system < (QUIET_MS * 1_000) / 20) return;
  }
}

/** Row tables by the embedded API, profile `local`. */
export const firnRows: RowsContender = {
  name: "firn",
  options: "profile local, log synced in groups, embedded API",
  hasCallers: true,
  async open(directory, rows): Promise<RowsDatabase> {
    const db = await Firn.open({ profile: "local", dir: directory });
    const namespace = await db.catalog("bench").createNamespace("n");
    const table = await namespace.createTable("t", SCHEMA);
    const range = (from: number, to: number): number[] =>
      Array.from({ length: to - from }, (_, i) => from + i);
    const count = async (scan: AsyncIterable<unknown>): Promise<number> => {
      let found = 0;
      for await (const row of scan) if (row !== undefined) found++;
      return found;
    };
    return {
      insert: (from, to) => table.insert(...range(from, to).map((id) => benchRow(id, rows))),
      get: (id) => table.get({ id }),
      byIndex: (group) => count(table.scan({ index: BY_GRP, equal: [group] })),
      scan: () => count(table.scan()),
      async sum() {
        let sum = 0;
        for await (const { columns: found, count: rowsIn } of table.batches({ columns: ["qty"] })) {
          for (let i = 0; i < rowsIn; i++) sum += found[0]?.[i] as number;
        }
        return sum;
      },
      indexOnly: (from, to) =>
        count(table.scan({ index: BY_GRP, from, to, columns: ["grp", "id"] })),
      update: (from, to) =>
        table.transaction(async (tx) => {
          const inside = table.in(tx);
          for (const id of range(from, to)) {
            await inside.update({ id }, { grp: groupOf(id + 1, rows) });
          }
        }),
      remove: (from, to) =>
        table.transaction(async (tx) => {
          const inside = table.in(tx);
          for (const id of range(from, to)) await inside.delete({ id });
        }),
      drop: () => namespace.dropTable("t"),
      settle: quiet,
      close: () => db.close(),
    };
  },
  stop: async () => undefined,
};
