import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { LsmMetrics } from "../../src/lsm/engine/metrics.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { localBlobStore, openLocalShard } from "../../src/runtime/local-shard.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import { firnLsm } from "../support/firn-lsm.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

/** One command line, run in this process. */
function firn(...args: readonly string[]) {
  return firnLsm(args);
}

it("looks at a directory of profile local beside its owner, and at damage after it", async () => {
  const dir = scratchDirectory();
  const ports = { clock: new SystemClock(), prng: new SystemPrng() };
  const store = localBlobStore(dir, ports);
  const budget = new MemoryBudget();
  const metrics = new LsmMetrics(createMetrics(), budget);
  const shard = await openLocalShard(dir, store, { ...ports, budget, metrics, takeOver: "refuse" });
  const engine = await shard.engine();
  for (let i = 0; i < 100; i++) await engine.put(utf8(`key ${i}`), utf8("v".repeat(300)));
  await engine.flush();
  await engine.put(utf8("in the log"), utf8("x"), { durable: true });

  const beside = await firn("verify", dir);
  expect(beside).toMatchObject({ exitCode: 0, errors: "" });
  const { out: state } = await firn("inspect", dir);
  const table = /[0-9A-HJKMNP-TV-Z]{26}/.exec(state)?.[0] ?? "";
  const { out: blocks } = await firn("inspect", dir, "--table", table);
  const offset = /block at (\d+)/.exec(blocks)?.[1];
  const { out: entries } = await firn("inspect", dir, "--block", `${table}:${offset}`);
  expect(entries).toContain('"key 0" @1 put "vvv');
  const segment = Number(/(\d{20})\.wal \d+ bytes\n/.exec(state)?.[1]);
  expect((await firn("inspect", dir, "--wal", String(segment))).out).toContain('put "in the log"');
  expect((await firn("inspect", dir, "--limit", "2")).out.split("\n")).toHaveLength(4);
  await shard.close();

  const tables = join(dir, "store", "blobs", "shards", "system", "sst");
  const directory = existsSync(tables) ? tables : dir;
  const files = (await readdir(directory, { recursive: true })).filter((n) => n.includes(table));
  const file = join(directory, files[0] ?? "");
  const bytes = await readFile(file);
  bytes[30] = (bytes[30] ?? 0) ^ 1;
  await writeFile(file, bytes);
  const damaged = await firn("verify", dir);
  expect(damaged.exitCode).toBe(1);
  expect(damaged.out).toContain(`${table}.sst, offset 0`);
});

it("tells what is not a directory of a store from a line that makes no sense", async () => {
  const dir = scratchDirectory();
  for (const command of ["inspect", "verify"]) {
    const { exitCode, errors } = await firn(command, dir);
    expect(exitCode).toBe(1);
    expect(errors).toContain("LSM_NO_SHARD");
  }
});
