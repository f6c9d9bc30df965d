import { join } from "node:path";
import { LocalBlobStore } from "../../../src/blob/local.ts";
import { ThreadMerger } from "../../../src/lsm/compaction/thread-merger.ts";
import { LocalDisk } from "../../../src/lsm/disk/local.ts";
import { Engine } from "../../../src/lsm/engine/engine.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { nodeIdentity } from "../../../src/runtime/node-identity.ts";
import { SystemPrng } from "../../../src/runtime/prng.ts";
import { tell } from "../../support/tell.ts";
import { batchOf, conditionsOf, LOAD, loadOf, rowsAfter, transact } from "./batches.ts";
import { FatalDisk } from "./fatal-disk.ts";
import { FatalMerger } from "./fatal-merger.ts";
import { FatalStore } from "./fatal-store.ts";
import { Fate, type Plan } from "./fate.ts";
import { OPTIONS, SIZES } from "./shard.ts";

/**
 * A process that does everything an owner of a shard does, once, over real files, unless it ends
 * before. Tells `found N`, `ack N` for each batch that is durable, `loads N` and `loaded N` for
 * each ingest, then `end` and its steps.
 *
 *   node life.ts DIRECTORY whole|work [PLAN]
 *
 * `work`: it goes on writing until another takes over; told as `fenced`.
 */
const [directory = "", mode = "whole", plan] = process.argv.slice(2);
const ports = { clock: new SystemClock(), prng: new SystemPrng() };
const fate = new Fate(plan === undefined ? undefined : (JSON.parse(plan) as Plan));

const disk = new FatalDisk(new LocalDisk(join(directory, "wal")), fate);
const engine = await Engine.open({
  ...ports,
  store: new FatalStore(new LocalBlobStore(join(directory, "store"), ports), fate),
  wal: new SegmentWalStore(disk, { ...ports, ...SIZES }),
  merger: new FatalMerger(new ThreadMerger({ threads: 2 }), fate),
  node: nodeIdentity({ prng: ports.prng, oneHost: true }),
  takeOver: "takeover",
  forTests: OPTIONS,
});
fate.phase = "serve";
const found = await engine.get(Buffer.from("last"));
let next = Number(found === undefined ? 0 : Buffer.from(found).toString());
tell(`found ${next}`);

async function write(): Promise<void> {
  const batch = ++next;
  await engine.write(batchOf(batch), { durable: true });
  tell(`ack ${batch}`);
}

/** So many batches, of several writers that share groups. */
async function writes(batches: number): Promise<void> {
  let left = batches;
  const writer = async (): Promise<void> => {
    while (left-- > 0) await write();
  };
  await Promise.all([writer(), writer(), writer()]);
}

/**
 * Batches of transactions and conditional writes, one after the other: each rests on the last one,
 * and where blocks have to be loaded for that, others would overtake it.
 */
async function dependent(count: number): Promise<void> {
  for (let left = count; left > 0; left--) {
    const batch = ++next;
    if (left % 2 === 0) await transact(engine, batch);
    else await engine.write(batchOf(batch), { durable: true, check: conditionsOf(batch) });
    tell(`ack ${batch}`);
  }
}

/** Everything that lies in tables once more, beside batches that are written meanwhile. */
async function ingest(): Promise<void> {
  const prefix = Buffer.from(LOAD);
  const before = await engine.get(Buffer.from(`${LOAD}000`));
  const load = Number.parseInt(before === undefined ? "0" : Buffer.from(before).toString(), 10) + 1;
  fate.phase = "ingest";
  tell(`loads ${load}`);
  const loading = engine.ingest({ ranges: [{ prefix }] });
  await loading.add(loadOf(load));
  await writes(3);
  await loading.commit();
  tell(`loaded ${load}`);
  fate.phase = "serve";
}

/** Reads of a moment, while what they see is flushed, merged and overtaken. */
function viewed(): () => Promise<void> {
  const [view, last] = [engine.readView(), next];
  return async () => {
    const due = rowsAfter(last);
    let rows = 0;
    for await (const batch of view.scan({ prefix: Buffer.from("own ") })) {
      for (const { key, value } of batch) {
        const name = Buffer.from(key).toString();
        if (due.get(name) !== Buffer.from(value).toString()) throw new Error(`view: ${name}`);
        rows++;
      }
    }
    const own = [...due.keys()].filter((name) => name.startsWith("own "));
    if (rows !== own.length) throw new Error(`a view of ${rows} rows, and not ${own.length}`);
    const found = await view.get(Buffer.from("last"));
    if (Buffer.from(found ?? []).toString() !== String(last)) throw new Error("a view moves");
    view.close();
  };
}

async function flush(): Promise<void> {
  fate.phase = "flush";
  const flushing = engine.flush();
  await writes(4);
  await flushing;
  fate.phase = "serve";
}

async function whole(): Promise<void> {
  await writes(20);
  await dependent(4);
  const judgeView = viewed();
  // Once the lease has run out, the next answer needs a look at the manifest.
  await ports.clock.sleep(2 * (OPTIONS.leaseMs ?? 0));
  await engine.confirm();
  await flush();
  await writes(20);
  await flush();
  // What was written amid the flush: a compaction that finds it in memory would begin with another.
  fate.phase = "flush";
  await engine.flush();
  fate.phase = "compact";
  const compacting = engine.compact();
  await writes(6);
  await compacting;
  fate.phase = "serve";
  await judgeView();
  await ingest();
  await flush();
  fate.phase = "collect";
  await engine.collectGarbage();
  fate.phase = "serve";
  await writes(20);
  fate.phase = "close";
  await engine.close();
  tell(`end ${fate.report()}`);
}

/** Until another takes over; every other error is one. */
async function work(): Promise<void> {
  try {
    for (;;) await write();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code !== "WAL_FENCED" && code !== "LSM_FENCED" && code !== "WAL_DEAD") throw error;
    tell("fenced");
  }
}

await (mode === "work" ? work() : whole());
process.exit();
