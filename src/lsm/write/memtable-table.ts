import { assert } from "../../base/assert.ts";
import { giveBack } from "../../base/bytes.ts";
import type { Clock } from "../../base/clock.ts";
import type { Prng } from "../../base/prng.ts";
import type { BlobStore } from "../../blob/port.ts";
import { ENTRY } from "../format/cursor.ts";
import type { Sequence } from "../format/entry.ts";
import { joinRanges } from "../format/range-map.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import { SstWriter } from "../format/sst-writer.ts";
import { mintUlid, type Ulid } from "../format/ulid.ts";
import type { Memtable } from "../memtable/memtable.ts";
import type { LsmTuning } from "../options.ts";
import type { EntrySemantics } from "../read/entry-semantics.ts";
import { tablePath } from "../read/table-cache.ts";
import { keptRanges, VersionFilter } from "../read/versions.ts";
import { ValueSink } from "./value-sink.ts";

/** Where a memtable becomes a table. */
export interface TableTarget {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly options: LsmTuning;
  readonly store: BlobStore;
  readonly prefix: string;
  readonly semantics: EntrySemantics;
}

/** Who is told of values apart. */
export interface ValueNews {
  /** Before one is written. */
  readonly onValue?: (id: Ulid) => void;
  /** How many bytes all of them took, once they are there. */
  readonly onStored?: (bytes: number) => void;
}

/** The event loop belongs to others after this long. */
const SLICE_MS = 2;
/** Entries between two looks at the clock. */
const SLICE_ENTRIES = 256;

/**
 * Tables of memtables, in their order, of which the newest state alone is needed; under new ids.
 *
 * @throws as `writeTable`.
 */
export async function writeTables(
  target: TableTarget,
  memtables: readonly Memtable[],
): Promise<readonly SstMeta[]> {
  const { clock, prng } = target;
  const tables: SstMeta[] = [];
  for (const memtable of memtables) {
    memtable.freeze();
    tables.push(await writeTable(target, memtable, mintUlid(clock, prng), []));
  }
  return tables;
}

/**
 * Writes a memtable that is no longer written to a table, without what no reader can see. One
 * put, of a stream; before it ends, one for each value that goes apart.
 *
 * @param states that are read, ascending.
 * @throws what the store throws: then there is no such table.
 */
export async function writeTable(
  target: TableTarget,
  memtable: Memtable,
  id: Ulid,
  states: readonly Sequence[],
  { onValue, onStored }: ValueNews = {},
): Promise<SstMeta> {
  const { clock, options, store, prefix, semantics } = target;
  assert(memtable.frozen, "a memtable takes no write while it is written to a table");
  const { compression, blockBytes, prefixes } = options;
  const writer = new SstWriter(id, { compression, blockBytes, prefixes });
  const values = new ValueSink({ ...target, ...(onValue && { onBegin: onValue }) });
  const filter = new VersionFilter(
    {
      snapshots: states,
      dropTombstones: false,
      ranges: memtable.ranges,
      operators: semantics.operators,
      // What has expired is for compactions to drop: a table has to hold something.
      nowMs: 0,
    },
    (entry) => writer.append(values.entryOf(entry)),
  );
  const deleted = memtable.ranges?.fragments() ?? [];
  for (const fragment of joinRanges([deleted], (all) => keptRanges(all, states, false))) {
    writer.addRange(fragment);
  }
  let meta: SstMeta | undefined;
  const encoded = encodeTable(memtable, writer, { filter, values, clock });
  const source = (async function* () {
    yield* encoded;
    await values.settled();
    meta = writer.finish();
    yield* passing(writer);
  })();
  try {
    await store.putStream(tablePath(prefix, id), source);
  } catch (error) {
    // What comes after the attempt is garbage that no collector is told of.
    await values.settled().catch(() => undefined);
    throw error;
  }
  const made = meta as SstMeta | undefined;
  assert(made !== undefined, "a stream that was stored was read to its end");
  assert(
    made.stats.entries <= memtable.entries,
    "a table holds no more versions than its memtable",
  );
  onStored?.(values.storedBytes);
  return made;
}

/** Chunks that are gone once the next one is asked for: a store copies what it keeps. */
function* passing(writer: SstWriter): Generator<Uint8Array> {
  for (const chunk of writer.takeChunks()) {
    yield chunk;
    giveBack(chunk);
  }
}

async function* encodeTable(
  memtable: Memtable,
  writer: SstWriter,
  to: { readonly filter: VersionFilter; readonly values: ValueSink; readonly clock: Clock },
): AsyncGenerator<Uint8Array> {
  const { filter, values, clock } = to;
  const cursor = memtable.cursor();
  let sliceMs = clock.monotonicMs();
  let entries = 0;
  for (let step = cursor.first(); step === ENTRY; step = cursor.next()) {
    filter.take(cursor);
    if (values.isFull) await values.room();
    if (++entries % SLICE_ENTRIES !== 0) continue;
    yield* passing(writer);
    if (clock.monotonicMs() - sliceMs >= SLICE_MS) {
      await clock.sleep(0);
      sliceMs = clock.monotonicMs();
    }
  }
  filter.end();
}
