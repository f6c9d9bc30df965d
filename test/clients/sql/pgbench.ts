import { spawnSync } from "node:child_process";
import { check, equal } from "./checks.ts";

/** pgbench 15: its tables made by itself, and its scripts in all modes of the protocol. */

const CLIENTS = 4;

function pgbench(...args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync("pgbench", args, { encoding: "utf8" });
  const printed = stdout + stderr;
  if (status !== 0) throw new Error(`pgbench ${args.join(" ")}: ${printed}`);
  return printed;
}

function value(query: string): string {
  const { stdout, stderr } = spawnSync("psql", ["-X", "-At", "-c", query], { encoding: "utf8" });
  return (stdout + stderr).trim();
}

/** Runs a script so many times for each client. All of its transactions have to succeed. */
function runs(each: number, ...args: readonly string[]): void {
  const clients = ["-c", String(CLIENTS), "-t", String(each), "--max-tries=1000"];
  const printed = pgbench("-n", ...clients, ...args);
  const all = each * CLIENTS;
  equal(/transactions actually processed: (\d+\/\d+)/.exec(printed)?.[1], `${all}/${all}`);
  equal(/failed transactions: (\d+) /.exec(printed)?.[1], "0");
}

/** What the classic script adds to tellers, branches and history, which pgbench empties before. */
const BALANCES = `SELECT (SELECT sum(tbalance) FROM pgbench_tellers) = sum(delta)
  AND (SELECT sum(bbalance) FROM pgbench_branches) = sum(delta) FROM pgbench_history`;

await check("makes and fills its tables: pgbench -i", () => {
  pgbench("-i", "-q", "-s", "1");
  equal(value("SELECT count(*), sum(aid) FROM pgbench_accounts"), "100000|5000050000");
  const keys = "SELECT count(*) FROM pg_constraint WHERE contype = 'p' AND conname LIKE 'pgbench%'";
  equal(value(keys), "3");
});

for (const mode of ["simple", "extended", "prepared"]) {
  await check(`select-only, ${mode}`, () => runs(100, "-S", "-M", mode));
  await check(`simple-update, ${mode}`, () => runs(20, "-N", "-M", mode));
}

await check("the classic script, with vacuum before it", () => {
  pgbench("-c", "1", "-t", "5");
  equal(value("SELECT count(*) FROM pgbench_history"), "5");
  runs(10, "-M", "prepared");
  equal(value(BALANCES), "t");
});
