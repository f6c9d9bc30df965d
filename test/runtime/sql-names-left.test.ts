import { expect, onTestFinished, test, vi } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { compose } from "../../src/runtime/compose.ts";
import { fromFields, readSettings, requireSettings } from "../../src/runtime/read-settings.ts";
import { RowTables } from "../../src/service/rows/row-tables.ts";
import { ACTOR } from "../support/open-catalog.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

test("a dropped table whose name stays in the catalog is logged", async () => {
  const given = fromFields({ profile: "memory" });
  const settings = requireSettings(readSettings([given], scratchDirectory()));
  const told: unknown[] = [];
  const node = await compose(settings, {
    clock: new SystemClock(),
    prng: new SeededPrng(5),
    nodeId: "node",
    notify: () => undefined,
    warn: (text, facts) => void told.push([text, facts]),
    onDefect: () => undefined,
  });
  onTestFinished(() => node.close());
  const [database = ""] = await node.catalogs.list(ACTOR);
  const login = { user: "tester", database, settings: new Map() };
  const session = await node.sql.open(ACTOR, login);
  onTestFinished(() => session.close());
  const run = async (text: string): Promise<void> => {
    const [statement] = await session.parse(text);
    if (statement === undefined) throw new Error("no statement");
    const started = await session.start(await session.prepare(statement, []), [], true);
    await started.finish();
  };
  await run("create table t (id int)");
  const release = vi.spyOn(RowTables.prototype, "release");
  onTestFinished(() => release.mockRestore());
  release.mockRejectedValueOnce(new FirnError("Unavailable", "STORE_AWAY", "the store is away"));
  await run("drop table t");
  expect(told).toEqual([
    [
      "SQL left a name in the catalog: the next use of it removes it",
      { catalog: database, code: "STORE_AWAY", message: "the store is away" },
    ],
  ]);
  // The name is free for all that.
  await run("create table t (id int)");
});
