import { strict as assert } from "node:assert";
import { COUNTER_SHAPE, Counters } from "../../src/patterns/counters.ts";
import { DEDUPLICATION_SHAPE, Deduplication } from "../../src/patterns/deduplication.ts";
import { IDEMPOTENCY_SHAPE, IdempotencyStore } from "../../src/patterns/idempotency.ts";
import { EventLog, LOG_SHAPE, type LogEvent } from "../../src/patterns/logs.ts";
import { codeOf, type PatternWorld, patternWorld } from "../patterns/support.ts";

/** A design that docs/patterns.md describes, played with a crash in the middle. */
interface PatternDrill {
  readonly name: string;
  readonly play: (say: (text: string) => void) => Promise<void>;
}

const DAY_MS = 86_400_000;
const CALLERS = 64;
const COUNT_MS = 3_000;
const KEYS = 2_000;
const DAYS = 7;

export const PATTERN_DRILLS: readonly PatternDrill[] = [
  { name: "idempotency", play: (say) => withWorld((world) => idempotency(world, say)) },
  { name: "timeline", play: (say) => withWorld((world) => timeline(world, say)) },
  { name: "counter", play: (say) => withWorld((world) => counter(world, say)) },
  { name: "deduplication", play: (say) => withWorld((world) => deduplication(world, say)) },
];

async function withWorld(play: (world: PatternWorld) => Promise<void>): Promise<void> {
  const world = await patternWorld(1, { store: "local", wal: "segments" });
  try {
    await play(world);
  } finally {
    await world.end();
  }
}

/** The server dies between the reservation of a payment and its completion. */
async function idempotency(world: PatternWorld, say: (text: string) => void): Promise<void> {
  const id = await world.table(IDEMPOTENCY_SHAPE);
  const open = (): IdempotencyStore => new IdempotencyStore(world.of(id));
  const command = { scope: "payments", key: "order-1", hash: "sha256:1" };
  /** The other system, which knows its payments by the key. */
  const paid = new Set<string>();
  const leaseMs = 60_000;
  const told = await open().reserve(command, { leaseMs });
  assert.deepEqual(told, { state: "reserved", fence: 1n, isTakenOver: false });
  paid.add(command.key);
  await world.at.reopen();
  say("the server died behind the payment, before its reply was stored");
  assert.equal(await codeOf(open().reserve(command, { leaseMs })), "IDEMPOTENCY_IN_PROGRESS");
  world.clock.ms += leaseMs;
  const racers = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const next = await open()
        .reserve(command, { leaseMs })
        .catch(() => undefined);
      if (next?.state !== "reserved") return 0;
      assert.equal(next.isTakenOver, true);
      // Taken over: it asks before it pays.
      if (!paid.has(command.key)) paid.add(`${command.key} again`);
      await open().complete(command, next.fence, { state: "paid" });
      return 1;
    }),
  );
  assert.equal(racers.filter((one) => one === 1).length, 1);
  assert.deepEqual([...paid], [command.key]);
  const reply = await open().reserve(command, { leaseMs });
  assert.deepEqual(reply, { state: "done", reply: { state: "paid" } });
  say("of 20 who asked again one took over, and paid nothing twice");
}

/** Timelines of one log: a case is a stream; a subscriber builds those of tenants and actors. */
async function timeline(world: PatternWorld, say: (text: string) => void): Promise<void> {
  const id = await world.table(LOG_SHAPE);
  let log = new EventLog(world.of(id));
  const cases = Array.from({ length: 40 }, (_, i) => `case/${i}`);
  await Promise.all(
    cases.map(async (stream, i) => {
      const who = { tenant: `tenant/${i % 3}`, actor: `actor/${i % 7}` };
      const opened = await log.append(stream, [{ type: "opened", ...who }], {
        expectedVersion: 0n,
      });
      const type = "closed";
      await log.append(stream, [{ type, ...who }], { expectedVersion: opened.version });
    }),
  );
  const timelines = new Map<string, LogEvent[]>();
  let kept = 0n;
  let deaths = 0;
  while (kept < 80n) {
    const stop = new AbortController();
    let left = 11;
    for await (const event of log.subscribe({ after: kept, signal: stop.signal })) {
      const { tenant, actor } = event.event as { tenant: string; actor: string };
      for (const one of [tenant, actor]) timelines.set(one, [...(timelines.get(one) ?? []), event]);
      kept = event.position;
      if (--left === 0 || kept === 80n) break;
    }
    deaths++;
    await world.at.reopen();
    log = new EventLog(world.of(id));
  }
  const all = await log.readAll({ limit: 1_000 });
  assert.deepEqual(
    all.map(({ position }) => position),
    all.map((_, i) => BigInt(i + 1)),
  );
  for (const [name, events] of timelines) {
    const own = all.filter(({ event }) => Object.values(event as object).includes(name));
    assert.deepEqual(events, own);
  }
  const first = await log.read("case/0");
  assert.deepEqual(
    first.map(({ version }) => version),
    [1n, 2n],
  );
  say(`${timelines.size} timelines equal the log, over ${deaths} deaths of subscriber and server`);
}

async function counter(world: PatternWorld, say: (text: string) => void): Promise<void> {
  const id = await world.table(COUNTER_SHAPE);
  const counters = new Counters(world.of(id));
  const tookMs: number[] = [];
  const startMs = performance.now();
  let sum = 0n;
  const call = async (): Promise<void> => {
    while (performance.now() - startMs < COUNT_MS) {
      const beganMs = performance.now();
      await counters.add("hot", 1);
      tookMs.push(performance.now() - beganMs);
      sum++;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  const seconds = (performance.now() - startMs) / 1_000;
  await world.at.reopen();
  assert.equal(await new Counters(world.of(id)).get("hot"), sum);
  tookMs.sort((a, b) => a - b);
  const p99 = tookMs[Math.floor(tookMs.length * 0.99)] ?? 0;
  const rate = Math.round(Number(sum) / seconds);
  say(`${sum} adds of ${CALLERS} callers, ${rate}/s, p99 ${p99.toFixed(1)} ms; the sum is exact`);
}

/** A week of keys by days: the eighth day drops the first. */
async function deduplication(world: PatternWorld, say: (text: string) => void): Promise<void> {
  const live = await fileBytes(DAYS);
  const id = await world.table(DEDUPLICATION_SHAPE, "seen");
  const week = { ttlMs: DAYS * DAY_MS, bucketMs: DAY_MS };
  const seen = new Deduplication(world.of(id), week);
  for (let day = 0; day < 2 * DAYS; day++) {
    await fill(seen, day);
    world.clock.ms += DAY_MS;
  }
  const [isNew] = await seen.first([keyOf(2 * DAYS - 1, 0)]);
  assert.equal(isNew, false);
  const { engine } = world.at;
  await engine.flush();
  const before = engine.stats().tree;
  const startMs = performance.now();
  await seen.dropExpired();
  const tookMs = performance.now() - startMs;
  await engine.flush();
  const { tree } = engine.stats();
  // The keys of the dropped days have no tombstones of their own.
  assert.equal(tree.deletions, before.deletions);
  assert.ok(tree.ranges > before.ranges, "the drop is a range");
  await engine.compact();
  await engine.compact();
  const after = engine.stats().tree.fileBytes;
  const [left] = await seen.first([keyOf(2 * DAYS - 1, 1)]);
  assert.equal(left, false);
  assert.ok(after <= before.fileBytes, "the dropped days are gone");
  assert.ok(after <= 1.2 * live, `${after} bytes are left, of ${live} that live`);
  say(`dropped ${DAYS * KEYS} keys in ${tookMs.toFixed(1)} ms; ${after} bytes left, ${live} live`);
}

/** What as many days take where nothing was dropped. */
async function fileBytes(days: number): Promise<number> {
  const world = await patternWorld(2, { store: "local", wal: "segments" });
  try {
    const id = await world.table(DEDUPLICATION_SHAPE, "seen");
    const options = { ttlMs: 2 * DAYS * DAY_MS, bucketMs: DAY_MS };
    const seen = new Deduplication(world.of(id), options);
    for (let day = 0; day < days; day++) {
      await fill(seen, day);
      world.clock.ms += DAY_MS;
    }
    await world.at.engine.flush();
    await world.at.engine.compact();
    return world.at.engine.stats().tree.fileBytes;
  } finally {
    await world.end();
  }
}

async function fill(seen: Deduplication, day: number): Promise<void> {
  for (let at = 0; at < KEYS; at += 1_000) {
    const told = await seen.first(Array.from({ length: 1_000 }, (_, i) => keyOf(day, at + i)));
    assert.ok(told.every((isNew) => isNew));
  }
}

function keyOf(day: number, i: number): string {
  return `message-${day}-${i}-${(i * 2_654_435_761) >>> 0}`;
}
