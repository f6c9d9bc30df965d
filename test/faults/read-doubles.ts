import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { KEY_FAMILIES } from "../../src/catalog/keys.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { type Attributes, decodeItem } from "../../src/pointer/dynamo/item.ts";
import { LsmPointerStore } from "../../src/pointer/lsm.ts";
import type { Item } from "../../src/pointer/port.ts";
import { SYSTEM_SHARD, shardPrefix } from "../../src/runtime/shard-parts.ts";
import { InstantClock } from "../catalog/support/instant-clock.ts";
import type { Item as Stored, Value } from "../double/dynamo/value-types.ts";
import { InlineMerger } from "../support/inline-merger.ts";
import type { Content } from "./doubles.ts";

/** What a check reads: every pointer, and any blob. */
export interface Direct {
  readonly pointers: { sweep(prefix: string): AsyncIterable<Item> };
  readonly blobs: BlobStore;
}

/** Objects and items as the services hold them: neither adapter nor SDK is asked. */
export async function readAws(content: Content): Promise<Direct> {
  const items = content.items.map((item) => decodeItem(attributesOf(item)));
  return { pointers: sweeping(items), blobs: await blobsOf(content) };
}

/** Objects as the service holds them, and the pointers that an engine finds among them. */
export async function readBucket(content: Content): Promise<Direct> {
  const blobs = await blobsOf(content);
  const items = await pointersIn(await blobsOf(content), content.nowMs);
  return { pointers: sweeping(items), blobs };
}

function sweeping(items: readonly Item[]): Direct["pointers"] {
  return {
    async *sweep(prefix) {
      yield* items.filter(({ key }) => key.startsWith(prefix));
    },
  };
}

async function blobsOf({ objects }: Content): Promise<BlobStore> {
  const blobs = new MemoryBlobStore(new InstantClock());
  for (const [key, { body }] of objects) await blobs.put(key, body);
  return blobs;
}

/** Recovers the shard from a copy of its objects, as a machine would that has nothing else. */
async function pointersIn(store: BlobStore, laterMs: number): Promise<readonly Item[]> {
  const clock = new InstantClock(laterMs);
  const prng = new SeededPrng(1);
  const prefix = shardPrefix(SYSTEM_SHARD);
  const engine = await Engine.open({
    store,
    clock,
    prng,
    prefix,
    merger: new InlineMerger(clock),
    takeOver: "takeover",
    wal: new ObjectWalStore(store, { clock, prng, prefix: `${prefix}wal/` }),
    options: { compaction: "manual" },
    node: { node: "judge", host: "judge", pid: 1, bootId: "judge", url: "", sight: () => "dead" },
  });
  const pointers = new LsmPointerStore({ families: KEY_FAMILIES, clock, engine: () => engine });
  const items: Item[] = [];
  for await (const item of pointers.sweep("/")) items.push(item);
  await engine.close();
  return items;
}

/** From the form of the wire to that of the SDK. */
function attributesOf(item: Stored): Attributes {
  const entries = Object.entries(item).map(([name, value]) => [name, attributeOf(value)]);
  return Object.fromEntries(entries) as Attributes;
}

function attributeOf(value: Value): Value | { readonly B: Uint8Array } {
  return "B" in value ? { B: Buffer.from(value.B, "base64") } : value;
}
