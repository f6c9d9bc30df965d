import { LIMITS } from "../src/base/limits.ts";
import { LsmPointerStore } from "../src/pointer/lsm.ts";
import { MemoryPointerStore } from "../src/pointer/memory.ts";
import type { PointerOp, PointerStore } from "../src/pointer/port.ts";
import { SystemClock } from "../src/runtime/clock.ts";
import { makeWorld } from "../test/lsm/support/worlds.ts";
import { TEST_FAMILIES } from "../test/support/pointer-families.ts";
import { costOf } from "../test/support/turns.ts";
import { median } from "./driver.ts";
import { formatTable } from "./report.ts";

/*
 * What a list pays for names that died: two directories with as many live names, one of them behind
 * the dead, listed in turn. The ratio is of one run, so the machine's pace does not count.
 */

const LIVE = 100;
const GOAL_RATIO = 2;
const GOAL_TURN_MS = 100;
const ROUNDS = 400;

export interface DeadNamesCell {
  readonly store: "memory" | "engine";
  /** As what the dead stand there: tombstones, or, forgotten, what the engine has left of them. */
  readonly dead: "tombstones" | "flushed" | "forgotten" | "restarted";
  readonly names: number;
  readonly withoutMs: number;
  readonly firstMs: number;
  readonly behindMs: number;
  readonly ratio: number;
  /** Of the first list, by the thread's own processor time. */
  readonly longestTurnMs: number;
  readonly met: boolean;
}

/** A wall clock that can be set ahead. */
class AheadClock extends SystemClock {
  aheadMs = 0;

  override nowMs(): number {
    return super.nowMs() + this.aheadMs;
  }
}

/** Measures lists of each store behind so many dropped names. */
export async function benchDeadNames(smoke: boolean): Promise<readonly DeadNamesCell[]> {
  const cells: DeadNamesCell[] = [];
  for (const names of smoke ? [200] : [2_000, 100_000]) {
    const clock = new AheadClock();
    const memory = new MemoryPointerStore({ families: TEST_FAMILIES, clock });
    await fill(memory, names);
    cells.push(await measure(memory, { store: "memory", dead: "tombstones", names }, smoke));
    cells.push(...(await engineCells(clock, names, smoke)));
  }
  console.log(show(cells));
  return cells;
}

async function engineCells(
  clock: AheadClock,
  names: number,
  smoke: boolean,
): Promise<readonly DeadNamesCell[]> {
  const world = makeWorld({ store: "local", wal: "segments" });
  const cells: DeadNamesCell[] = [];
  try {
    let engine = await world.open();
    const store = new LsmPointerStore({ families: TEST_FAMILIES, clock, engine: () => engine });
    const cell = (dead: DeadNamesCell["dead"]) =>
      measure(store, { store: "engine", dead, names }, smoke);
    await fill(store, names);
    cells.push(await cell("tombstones"));
    await engine.flush();
    cells.push(await cell("flushed"));
    clock.aheadMs = LIMITS.tombstoneLifeMs + 1;
    await forgetAll(store);
    cells.push(await cell("forgotten"));
    await engine.close();
    engine = await world.open();
    cells.push(await cell("restarted"));
    await engine.close();
    return cells;
  } finally {
    world.end();
  }
}

const WITHOUT = "/test/without/entities/by-name";
const BEHIND = "/test/behind/entities/by-name";

async function fill(store: PointerStore, names: number): Promise<void> {
  const live = Array.from({ length: LIVE }, (_, i) => `z${i}`);
  const dead = Array.from({ length: names }, (_, i) => `n${String(i).padStart(7, "0")}`);
  const create = (directory: string) => (name: string) =>
    ({ op: "put", key: `${directory}/${name}`, expected: 0n }) as const;
  await commitAll(store, [...live.map(create(WITHOUT)), ...live.map(create(BEHIND))]);
  await commitAll(store, dead.map(create(BEHIND)));
  await commitAll(
    store,
    dead.map((name) => ({ op: "delete", key: `${BEHIND}/${name}`, expected: 1n })),
  );
}

async function commitAll(store: PointerStore, ops: readonly PointerOp[]): Promise<void> {
  for (let at = 0; at < ops.length; at += LIMITS.batchOps) {
    const batch = { writerId: "bench", ops: ops.slice(at, at + LIMITS.batchOps) };
    const { outcome } = await store.commit(batch);
    if (outcome !== "committed") throw new Error(`a batch is ${outcome}`);
  }
}

async function forgetAll(store: PointerStore): Promise<void> {
  const dead: (readonly [string, bigint])[] = [];
  for await (const item of store.sweep(`${BEHIND}/`)) {
    if (item.state === "absent") dead.push([item.key, item.version]);
  }
  for (let at = 0; at < dead.length; at += 1_000) {
    const some = dead.slice(at, at + 1_000);
    await Promise.all(some.map(([key, version]) => store.forget(key, version)));
  }
}

async function measure(
  store: PointerStore,
  what: Pick<DeadNamesCell, "store" | "dead" | "names">,
  smoke: boolean,
): Promise<DeadNamesCell> {
  const first = await costOf(() => timed(store, BEHIND));
  const times = { without: [] as number[], behind: [] as number[] };
  for (let round = 0; round < (smoke ? 5 : ROUNDS); round++) {
    times.without.push(await timed(store, WITHOUT));
    times.behind.push(await timed(store, BEHIND));
  }
  const withoutMs = median(times.without);
  const behindMs = median(times.behind);
  const ratio = behindMs / withoutMs;
  const { result: firstMs, longestTurnMs } = first;
  const met = ratio <= GOAL_RATIO && longestTurnMs <= GOAL_TURN_MS;
  return { ...what, withoutMs, firstMs, behindMs, ratio, longestTurnMs, met };
}

async function timed(store: PointerStore, directory: string): Promise<number> {
  const began = performance.now();
  const page = await store.list(directory, { limit: LIVE });
  const ms = performance.now() - began;
  if (page.length !== LIVE) throw new Error(`a list of ${page.length} names`);
  return ms;
}

function show(cells: readonly DeadNamesCell[]): string {
  const rows = cells.map((cell) => [
    `${cell.store}, ${cell.names} ${cell.dead}`,
    ...[cell.withoutMs, cell.firstMs, cell.behindMs].map((ms) => ms.toFixed(3)),
    cell.ratio.toFixed(2),
    cell.longestTurnMs.toFixed(1),
    cell.met ? "met" : "missed",
  ]);
  const goal = `≤ ${GOAL_RATIO}x, ≤ ${GOAL_TURN_MS} ms`;
  const header = ["names", "without ms", "first ms", "behind ms", "ratio", "turn ms", goal];
  return formatTable(header, rows);
}
