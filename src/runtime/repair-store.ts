import { existsSync } from "node:fs";
import { join } from "node:path";
import { FirnError, invalid } from "../base/error.ts";
import { createMetrics } from "../base/metrics.ts";
import type { BlobEntry, BlobStore } from "../blob/port.ts";
import type { OpenOptions } from "../lsm/index.ts";
import {
  assertRepairable,
  noShard,
  placeTaken,
  type Repaired,
  type RepairSource,
  type RepairTarget,
  repairShard,
} from "../lsm/tools.ts";
import { localBlobStore, localParts, makeLog } from "./local-shard.ts";
import { parseBucket, parsePrefix } from "./setting-values.ts";
import type { Settings } from "./settings.ts";
import { type OwningParts, shardPrefix } from "./shard-parts.ts";
import { type Components, engineParts, ownershipOf } from "./stores.ts";

/** What a repair of a store came to. */
export interface RepairedStore {
  readonly shard: Repaired;
  /** The objects beside the shard, which are copied as they are. */
  readonly copied: { readonly objects: number; readonly bytes: number };
  readonly damaged: readonly { readonly path: string; readonly what: string }[];
}

/** The damaged store and the place of the new one. */
interface Stores {
  readonly source: RepairSource;
  readonly target: RepairTarget;
  /** Makes what a shard of the target has beside its objects. */
  readonly prepare: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const PAGE = 1_000;
/** Larger objects are copied in parts. */
const PART_BYTES = 8_388_608;

/**
 * Makes a new store of a damaged one: its shard as `repairShard` does, and a copy of every other
 * object. The shard comes last: a server does not open what has none.
 *
 * @param into a directory, or `s3://bucket/prefix`, as the profile has it. It must be empty.
 * @throws FirnError as `repairShard`; `Unavailable`, code `LSM_OWNED`: a process of this host has
 *   the shard open; `Invalid`, code `REPAIR_TARGET_INVALID`; what the stores throw.
 */
export async function repairStore(
  settings: Settings,
  shard: string,
  into: string,
  components: Components,
): Promise<RepairedStore> {
  const { source, target, prepare, close } = await storesOf(settings, shard, into, components);
  try {
    const [taken] = await target.store.list("", { limit: 1 });
    if (taken !== undefined) throw placeTaken(into, taken.path);
    await assertRepairable(source);
    await prepare();
    const copied = await copyObjects(source.store, target.store, source.prefix);
    return { ...copied, shard: await repairShard(source, target) };
  } finally {
    await close();
  }
}

async function storesOf(
  settings: Settings,
  shard: string,
  into: string,
  components: Components,
): Promise<Stores> {
  switch (settings.profile) {
    case "memory":
    case "aws":
      throw noShard(`profile ${settings.profile}`);
    case "local":
      return await localStores(settings, shard, into, components);
    case "bucket":
      return await bucketStores(settings, shard, into, components);
  }
}

async function localStores(
  settings: Settings,
  shard: string,
  into: string,
  components: Components,
): Promise<Stores> {
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(into))
    throw badTarget(into, "profile local repairs into a directory");
  const { dir } = settings;
  if (!existsSync(join(dir, "store"))) throw noShard(dir);
  const store = localBlobStore(dir, components);
  const parts = localParts(dir, shard, owningParts(settings, components));
  const target = localBlobStore(into, components);
  return {
    source: { ...sourceOf(parts), store, readDamaged: store.readDamaged.bind(store) },
    target: targetOf({ ...parts, store: target }, shard),
    prepare: () => makeLog(into, shard),
    close: async () => {},
  };
}

async function bucketStores(
  settings: Settings,
  shard: string,
  into: string,
  components: Components,
): Promise<Stores> {
  const found = /^s3:\/\/([^/]+)\/(.+)$/.exec(into);
  if (found === null) throw badTarget(into, "profile bucket repairs into s3://bucket/prefix");
  const [, s3Bucket, s3Prefix] = found.map((part, i) => {
    try {
      return [String, parseBucket, parsePrefix][i]?.(part) ?? part;
    } catch (error) {
      throw badTarget(into, (error as Error).message);
    }
  });
  const { bucketParts } = await import("./bucket-stores.ts");
  const owning = owningParts(settings, components);
  const source = await bucketParts(settings, shard, components, owning);
  const place = { ...settings, s3Bucket, s3Prefix: s3Prefix ?? "", init: false };
  const target = await bucketParts(place, shard, components, owning).catch(async (error) => {
    await source.close();
    throw error;
  });
  return {
    source: sourceOf(source.parts),
    target: targetOf(target.parts, shard),
    prepare: async () => {},
    close: async () => {
      await source.close();
      await target.close();
    },
  };
}

function sourceOf({ store, prefix = "", wal, clock, node }: OpenOptions): RepairSource {
  return { store, prefix, wal: wal.reader(), clock, node };
}

function targetOf({ store, clock, prng, options = {} }: OpenOptions, shard: string): RepairTarget {
  return { store, prefix: shardPrefix(shard), clock, prng, options };
}

function owningParts(settings: Settings, components: Components): OwningParts {
  const { clock, prng } = components;
  const { node: self, ...owning } = ownershipOf(settings, components);
  const { budget, options = {} } = engineParts(settings, createMetrics());
  return { clock, prng, self, budget, ...owning, options };
}

/** Every object but those below a prefix. What is damaged is left out, and told. */
async function copyObjects(
  from: BlobStore,
  to: BlobStore,
  except: string,
): Promise<Omit<RepairedStore, "shard">> {
  const damaged: { path: string; what: string }[] = [];
  let [objects, bytes] = [0, 0];
  for (let after: string | undefined; ; ) {
    const page = await from.list("", after === undefined ? {} : { after });
    for (const entry of page) {
      if (entry.path.startsWith(except)) continue;
      try {
        await copyObject(from, to, entry);
        objects++;
        bytes += entry.size;
      } catch (error) {
        if (!(error instanceof FirnError) || error.kind !== "Corrupt") throw error;
        damaged.push({ path: entry.path, what: error.message });
      }
    }
    after = page.at(-1)?.path;
    if (page.length < PAGE) return { copied: { objects, bytes }, damaged };
  }
}

async function copyObject(from: BlobStore, to: BlobStore, entry: BlobEntry): Promise<void> {
  const { path, size } = entry;
  if (size <= PART_BYTES) {
    const blob = await from.get(path);
    if (blob !== undefined) await to.put(path, blob.bytes);
    return;
  }
  const parts = (async function* () {
    for (let at = 0; at < size; at += PART_BYTES) {
      const part = await from.getRange(path, at, Math.min(PART_BYTES, size - at));
      if (part !== undefined) yield part.bytes;
    }
  })();
  await to.putStream(path, parts);
}

function badTarget(into: string, why: string): FirnError {
  return invalid("REPAIR_TARGET_INVALID", `invalid target of a repair: ${why}`, { into });
}
