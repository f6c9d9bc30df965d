import fc from "fast-check";
import { expect, it } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { PutCondition, PutResult } from "../../src/blob/port.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import { decodeManifest, type Manifest } from "../../src/lsm/format/manifest.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";
import { Processes } from "./support/worlds.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

/** Tables arrive when a test says so, in the order that it says; some of them do not at first. */
class Gated extends MemoryBlobStore {
  readonly manifests: Manifest[] = [];
  readonly waiting: { readonly pass: () => void; readonly fail: () => void }[] = [];
  #isOpen = false;

  open(): void {
    this.#isOpen = true;
    for (const { pass } of this.waiting.splice(0)) pass();
  }

  override async put(
    path: string,
    content: Uint8Array,
    condition: PutCondition,
  ): Promise<PutResult> {
    const put = await super.put(path, content, condition);
    if (path.startsWith("manifest/") && put.outcome === "stored") {
      this.manifests.push(decodeManifest(content));
    }
    return put;
  }

  override async putStream(path: string, source: AsyncIterable<Uint8Array>) {
    const chunks: Uint8Array[] = [];
    // Who streams may use an array again once it was taken.
    for await (const chunk of source) chunks.push(new Uint8Array(chunk));
    if (!this.#isOpen) {
      const arrival = Promise.withResolvers<void>();
      const away = new FirnError("Unavailable", "BLOB_STORE_UNAVAILABLE", "not now");
      this.waiting.push({ pass: arrival.resolve, fail: () => arrival.reject(away) });
      await arrival.promise;
    }
    return await super.putStream(path, iterate(chunks));
  }
}

async function* iterate(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** What a reader of the log and of the manifest relies on, at every state that was published. */
function checkStates(manifests: readonly Manifest[]): void {
  let before = 0;
  for (const { level0, lastSequence, id } of manifests) {
    expect(lastSequence, `manifest ${id}`).toBeGreaterThanOrEqual(before);
    before = lastSequence;
    let newest = lastSequence;
    for (const { stats } of level0) {
      expect(stats.maxSequence, `manifest ${id}`).toBe(newest);
      newest = stats.minSequence - 1;
    }
    expect(newest, `manifest ${id}`).toBe(0);
  }
}

it("tables that arrive in any order, or not at first, are published in their own", async () => {
  const moves = fc.array(fc.record({ which: fc.nat(3), fails: fc.nat(3).map((n) => n === 0) }), {
    maxLength: 12,
  });
  const property = fc.asyncProperty(fc.constantFrom(1, 2, 4), moves, fc.boolean(), run);
  await fc.assert(property, { numRuns: 40 });
});

async function run(
  parallelFlushes: number,
  moves: readonly { readonly which: number; readonly fails: boolean }[],
  dies: boolean,
): Promise<void> {
  const clock = new SleepIsTime();
  const prng = new SeededPrng(1);
  const store = new Gated(clock);
  const processes = new Processes();
  const open = (): Promise<Engine> => {
    const wal = new ObjectWalStore(store, { clock, prng, prefix: "wal/" });
    const node = processes.start({ sight: () => "dead" });
    const options = { memtableBytes: 9_000, parallelFlushes, gcMinAgeMs: 0 };
    return Engine.open({
      store,
      wal,
      clock,
      prng,
      node,
      forTests: { ...options, compaction: "manual" },
    });
  };
  const engine = await open();
  // Each fills a memtable; each overwrites the one before.
  const rounds = 6;
  for (let i = 1; i <= rounds; i++) {
    await engine.put(bytes("key"), bytes(`${i}${"x".repeat(10_000)}`), { durable: true });
    await engine.put(bytes(`only ${i}`), bytes("x"), { durable: true });
  }
  for (const { which, fails } of moves) {
    await settled();
    expect(store.waiting.length).toBeLessThanOrEqual(parallelFlushes);
    const [table] = store.waiting.splice(which % Math.max(1, store.waiting.length), 1);
    if (fails) table?.fail();
    else table?.pass();
  }
  await settled();
  let last = engine;
  if (dies) {
    last = await open();
    store.open();
    await engine.close().catch(() => undefined);
  } else store.open();
  await last.flush();
  checkStates(store.manifests);
  const value = await last.get(bytes("key"));
  expect(Buffer.from(value ?? []).toString()).toMatch(/^6x/);
  for (let i = 1; i <= rounds; i++) expect(await last.get(bytes(`only ${i}`))).toBeDefined();
  await last.collectGarbage();
  expect((await store.list("sst/")).length).toBe(last.stats().tree.tables);
  await last.close();
}

/** Whatever can go on has done so. */
async function settled(): Promise<void> {
  for (let i = 0; i < 200; i++) await Promise.resolve();
}
