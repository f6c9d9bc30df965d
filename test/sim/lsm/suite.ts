import { FAIR } from "../harness/faults.ts";
import { type Sim, type Suite, Violation } from "../harness/sim.ts";
import { Clone } from "./cloning.ts";
import { LSM_SITES } from "./places.ts";
import { readAlong, restoreAtTimes } from "./reading.ts";
import { Shard } from "./shard.ts";
import { SUBRANGES } from "./sim-merger.ts";
import { Subscriber } from "./subscriber.ts";
import { verify } from "./verify.ts";
import { found, type Told, User } from "./workload.ts";

const TABLES = ["table write", "manifest write", "boundary list"] as const;
const READ = ["table read"] as const;

/** Processes that want one shard of the engine, over one store, with logs of both kinds. */
export const LSM_SUITE: Suite = {
  name: "lsm",
  sites: LSM_SITES,
  operations: {
    open: [
      ...["manifest list", "manifest read", "manifest write", "boundary list"],
      ...["wal list", "wal read", "wal write", "disk read", "disk names", "disk write"],
    ],
    write: [...TABLES, "wal write", "wal list", "wal delete", "disk write", "disk names"],
    "write if": [...READ, "wal write", "disk write"],
    ingest: [...TABLES, "table delete", "wal write", "disk write"],
    view: READ,
    transfer: [...TABLES, ...READ, "wal write", "disk write"],
    count: ["wal write", "disk write"],
    confirm: ["manifest read", ...READ],
    get: READ,
    scan: READ,
    audit: READ,
    flush: TABLES,
    close: ["manifest write"],
    checkpoint: ["manifest write"],
    "open reader": ["manifest read", "manifest write", "manifest list", "wal read", "disk read"],
    look: ["manifest read", "wal read", "disk read"],
    read: READ,
    restore: ["manifest read", "manifest write", "wal write", "disk write"],
    subscribe: ["wal read", "disk read"],
    clone: [
      ...["manifest read", "manifest write", "manifest list", "boundary list", "table write"],
      ...["wal read", "disk read"],
    ],
    "clone open": ["manifest read", "manifest write", "wal write"],
    "clone read": READ,
    delete: ["manifest read", "manifest write"],
    "clone write": ["wal write"],
    "clone let go": ["table list", "manifest read", "boundary write"],
    housekeeping: ["process", SUBRANGES],
  },
  fullSeeds: 2_000,
  run: (sim) => runShard(sim, new Shard(sim)),
};

/** Users at work on a shard that others take over from each other, and what is left of it. */
export async function runShard(sim: Sim, shard: Shard): Promise<() => Promise<void>> {
  const founder = await shard.open("founder", FAIR, "refuse");
  await found(founder);
  founder.host.crash();
  shard.members.length = 0;
  const contenders = shard.contend();
  const chaos = sim.spawn(() => disturb(sim, shard));
  const told = new Map<string, Told>();
  const subscriber = new Subscriber(sim, shard);
  const following = shard.isCostly ? undefined : sim.spawn(() => subscriber.work());
  const users = Array.from({ length: 2 + sim.below(4) }, (_, index) => {
    const user = new User(sim, shard, `u${index}`, told);
    return sim.spawn(() => user.work(20 + sim.below(60)));
  });
  const readers = shard.isCostly ? [] : ["r", "s"];
  const reading = readers.map((name) => sim.spawn(() => readAlong(sim, shard, name)));
  const restoring = sim.spawn(() => restoreAtTimes(sim, shard));
  const places = shard.isCostly ? [] : sim.pick([[], ["x"], ["x", "y"]]);
  const clones = places.map((name) => new Clone(sim, shard, `clones/${name}/`));
  const cloning = clones.map((clone) => sim.spawn(() => clone.work()));
  await Promise.all(users);
  shard.calm();
  await Promise.all([...contenders, chaos, restoring, following, ...reading, ...cloning]);
  // What was sent before may still arrive.
  await inherit(sim, shard, subscriber, "heir");
  for (const clone of clones) await inFairWeather("a clone", () => clone.finish(shard.leastAgeMs));
  await inherit(sim, shard, subscriber, "reader");
  sim.coverage.note(`owners ${Math.min(shard.history.epochs, 20)}`);
  return async () => undefined;
}

/** Where nothing goes wrong any more, nothing may fail. */
async function inherit(
  sim: Sim,
  shard: Shard,
  subscriber: Subscriber,
  name: string,
): Promise<void> {
  await inFairWeather(name, async () => {
    const member = await shard.open(name, FAIR, "takeover");
    if (!shard.isCostly) await subscriber.catchUp(member);
    await verify(sim, member);
    await shard.verify();
  });
}

export async function inFairWeather(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new Violation(`${name}, in fair weather: ${String(error)}`, { cause: error });
  }
}

/** What happens to the processes and their machines, from time to time. */
export async function disturb(sim: Sim, shard: Shard): Promise<void> {
  // A machine may sleep, or its wall clock be set: where both happen at once, no time is certain.
  const sleepy = sim.chance(0.5);
  const often = sim.pick([3_000, 20_000, 120_000]);
  for (let left = sim.below(16); left > 0 && !shard.over; left--) {
    await sim.sleep(sim.spanMs(100, often));
    const host = shard.anyHost();
    if (host === undefined || shard.over) continue;
    const kind = sim.pick(["crash", "powerCut", "freeze", sleepy ? "sleep" : "clockJump"] as const);
    sim.coverage.inject(sim.operation, "process", kind);
    if (kind === "crash") host.crash();
    else if (kind === "powerCut") shard.powerCut();
    else if (kind === "clockJump") host.jumpClock();
    else host.freeze(sim.spanMs(10, sim.chance(0.1) ? 7_500_000 : 10_000), kind === "sleep");
  }
}
