import { FirnError } from "../../../src/base/error.ts";
import { decodeTablePrefix, encodeTablePrefix, FIRST_RELATION } from "../../../src/keys/index.ts";
import type { Engine } from "../../../src/lsm/engine/engine.ts";
import { type RowIsolation, RowStore } from "../../../src/rows/index.ts";
import { rowsOf, SMALL_SQL } from "../../rows/support/open-rows.ts";
import { FAIR } from "../harness/faults.ts";
import type { Sim, Suite } from "../harness/sim.ts";
import type { Member } from "../lsm/member.ts";
import { LSM_SITES } from "../lsm/places.ts";
import { inMemory, Shard } from "../lsm/shard.ts";
import { disturb, inFairWeather, LSM_SUITE } from "../lsm/suite.ts";
import { anomaliesOf, REFUSED } from "./cycles.ts";
import { type Door, Places } from "./doors.ts";
import { Owners, RowHistory } from "./history.ts";
import { Mover } from "./mover.ts";
import { checkPeople } from "./people.ts";
import { ACCOUNTS, foundTables, IDS, OPENING } from "./tables.ts";
import { APART_BYTES, RowUser, split } from "./user.ts";

const COMMIT = ["wal write", "disk write"] as const;

/**
 * Row tables in a shard that processes take over from each other, among faults. Odd seeds have two
 * shards, between which tables move: transactions read both and write one.
 */
export const ROWS_SUITE: Suite = {
  name: "rows",
  sites: LSM_SITES,
  operations: {
    open: LSM_SUITE.operations["open"] ?? [],
    lists: [...COMMIT, "table read"],
    transfer: [...COMMIT, "table read"],
    people: [...COMMIT, "table read"],
    move: [...COMMIT, "table read"],
  },
  fullSeeds: 2_000,
  run: async (sim) => {
    const open = () => new Shard(sim, inMemory(sim), 0.5, new Owners(sim));
    const shard = open();
    const level = sim.pick<RowIsolation>(["serializable", "repeatable read", "read committed"]);
    const history = new RowHistory(sim);
    const stores = storesOf(sim);
    sim.log(`lists are ${level}`);
    const founder = await shard.open("founder", FAIR, "refuse");
    await inFairWeather("founder", async () => {
      for (let tries = 0; !(await founded(stores(founder))); tries++) {
        if (tries === 100) throw new Error("the engine takes no table in");
        await sim.sleep(1_000);
      }
    });
    founder.host.crash();
    shard.members.length = 0;
    const shards = sim.seed % 2 === 1 ? [shard, open()] : [shard];
    const places = new Places(sim, shards, stores);
    const mover = new Mover(sim, places);
    const contenders = shards.flatMap((each) => each.contend());
    const chaos = shards.map((each) => sim.spawn(() => disturb(sim, each)));
    // Two that move, each a table of its own.
    if (places.isSplit) for (let i = 0; i < 2; i++) chaos.push(sim.spawn(() => mover.work()));
    const parts = { sim, places, history, level };
    const users = Array.from({ length: 2 + sim.below(5) }, (_, index) => {
      const user = new RowUser(parts, `u${index}`);
      return sim.spawn(() => user.work((15 + sim.below(35)) * (places.isSplit ? 3 : 1)));
    });
    await Promise.all(users);
    for (const each of shards) each.calm();
    await Promise.all([...contenders, ...chaos]);
    sim.coverage.note(`owners ${Math.min(shard.history.epochs, 20)}`);
    await verify(sim, { places, mover, history, level });
    return async () => undefined;
  },
};

/** One store for each engine, as a process has it: its lock table is shared by all who write. */
function storesOf(sim: Sim): (member: Member) => RowStore {
  const stores = new WeakMap<Engine, RowStore>();
  return ({ engine, host }) => {
    let store = stores.get(engine);
    if (store === undefined) {
      const parts = { engine, clock: host.clock, prng: sim.fork(), account: "acme" };
      store = new RowStore({ ...parts, expressions: SMALL_SQL, apartBytes: APART_BYTES });
      stores.set(engine, store);
    }
    return store;
  };
}

/** A small engine may be asked for more than it can take in at once. */
async function founded(store: RowStore): Promise<boolean> {
  try {
    await foundTables(store);
    return true;
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Overloaded") return false;
    throw error;
  }
}

interface Judged {
  readonly places: Places;
  readonly mover: Mover;
  readonly history: RowHistory;
  readonly level: RowIsolation;
}

/** What must hold once nothing is under way: twice, since what was sent before may still arrive. */
async function verify(sim: Sim, judged: Judged): Promise<void> {
  const { places, mover } = judged;
  for (const name of ["heir", "reader"]) {
    await inFairWeather(name, async () => {
      const members: Member[] = [];
      for (const shard of places.shards) members.push(await shard.open(name, FAIR, "takeover"));
      await mover.finish(members);
      places.forget();
      const door = places.through(members);
      await verifyTables(sim, door, members, judged);
      for (const { engine } of members) {
        await engine.flush();
        await engine.compact();
      }
      await verifyTables(sim, door, members, judged);
      for (const { engine } of members) await engine.close();
      for (const shard of places.shards) await shard.verify();
    });
  }
}

async function verifyTables(
  sim: Sim,
  door: Door,
  members: readonly Member[],
  { places, history, level }: Judged,
): Promise<void> {
  for (const [i, member] of members.entries()) {
    const store = places.rowsOf(member);
    sim.must(store.locked === 0, () => `${store.locked} locks of nobody`);
    if (places.isSplit) await verifyPlaces(sim, store, i, places);
  }
  const isolation = "repeatable read";
  const tx = await door.begin({ isolation, readOnly: true, maxAgeMs: 600_000 });
  await checkPeople(sim, tx);
  const accounts = await rowsOf(tx.scan(await tx.tables.get(IDS.accounts)));
  const total = accounts.reduce((sum, [, balance]) => sum + Number(balance), 0);
  sim.must(total === ACCOUNTS * OPENING, () => `the bank holds ${total} in the end`);
  for (const [register, version] of await rowsOf(tx.scan(await tx.tables.get(IDS.registers)))) {
    history.readRegister(Number(register), Number(version), history.told(Number(register)));
  }
  const rows = await rowsOf(tx.scan(await tx.tables.get(IDS.lists)));
  const lists = new Map(rows.map(([list, elements]) => [String(list), split(elements)]));
  tx.rollback();
  for (const { anomaly, text } of anomaliesOf(history.transactions, lists)) {
    if (!REFUSED[level].has(anomaly)) sim.coverage.note(`${level}: ${anomaly}, as it allows`);
    else sim.must(false, () => `${level}: ${anomaly}: ${text}`);
  }
}

/** Each table is in its place, and nothing of it is left in the other one. */
async function verifyPlaces(sim: Sim, store: RowStore, shard: number, on: Places): Promise<void> {
  const { tables, notes } = await store.run(
    async (tx) => ({ tables: await tx.tables.list(), notes: await tx.tables.moves() }),
    { readOnly: true },
  );
  const here = Object.values(IDS).filter((id) => on.of(id) === shard);
  const found = tables.map(({ id }) => id).toSorted();
  sim.must(found.join() === here.join(), () => `shard ${shard} has ${found}, not ${here}`);
  sim.must(notes.length === 0, () => `shard ${shard} is left with ${JSON.stringify(notes)}`);
  const relations = new Set(tables.map(({ relation }) => relation));
  const from = encodeTablePrefix({ space: 1, relation: FIRST_RELATION, index: 0 });
  for await (const rows of store.engine.scan({ from })) {
    for (const { key } of rows) {
      const { relation } = decodeTablePrefix(key);
      sim.must(relations.has(relation), () => `shard ${shard} has a row of relation ${relation}`);
    }
  }
}
