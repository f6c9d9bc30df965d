import type { Clock } from "../../base/clock.ts";
import type { BlobStore } from "../../blob/port.ts";
import { closed } from "../errors.ts";
import { type Key, keyOfBytes, type Sequence } from "../format/entry.ts";
import type { Manifest } from "../format/manifest.ts";
import type { Ulid } from "../format/ulid.ts";
import type { Maybe } from "../maybe.ts";
import { LogReplay } from "../memtable/log-replay.ts";
import { Memtable } from "../memtable/memtable.ts";
import type { LsmTuning } from "../options.ts";
import type { TailGroup, WalPlace } from "../wal/port.ts";
import type { BlockCache } from "./cache.ts";
import { type EntrySemantics, ExpiryClock } from "./entry-semantics.ts";
import { Operators } from "./operators.ts";
import { PointLookups, ReadFigures } from "./point-lookups.ts";
import { type ReadView, ReadViews } from "./read-view.ts";
import { type PackedScan, type ScanSource, ViewScan } from "./scan.ts";
import { type AbortableScan, checkedScan } from "./scan-request.ts";
import { TableCache } from "./table-cache.ts";

export interface ReadableStateParts {
  readonly store: BlobStore;
  readonly prefix: string;
  readonly clock: Clock;
  readonly cache: BlockCache;
  readonly options: LsmTuning;
  /** Tells what it means that a table could not be read. */
  readonly explain: (error: unknown) => Promise<unknown>;
}

export interface ReadableFigures {
  readonly reads: ReadFigures & TableCache["figures"];
  readonly memtables: { readonly count: number; readonly bytes: number };
}

/** A memtable of the log's tail is copied in part when its first half is in tables. */
const MEMTABLE_BYTES = 4_194_304;

/**
 * A state that can be read by one who does not own the shard: the tables of a manifest, and what
 * the log holds beyond it. It only moves forward, each time in one step.
 */
export class ReadableState {
  readonly views: ReadViews;
  readonly #parts: ReadableStateParts;
  readonly #tables: TableCache;
  readonly #lookups: PointLookups;
  readonly #source: ScanSource;
  readonly #semantics: EntrySemantics & { operators: Operators };
  readonly #replay: LogReplay;
  #manifest: Manifest;
  #place: WalPlace;
  #sequence: Sequence;
  #closed = false;

  constructor(parts: ReadableStateParts, manifest: Manifest) {
    const { store, prefix, cache, clock, options, explain } = parts;
    const { lastSequence } = manifest;
    this.#parts = parts;
    this.#manifest = manifest;
    this.#sequence = lastSequence;
    this.#place = placeOf(manifest);
    this.#tables = new TableCache(store, prefix, cache, { ...options, explain });
    this.#replay = new LogReplay(MEMTABLE_BYTES, lastSequence);
    this.views = new ReadViews({ active: new Memtable(), frozen: [], ...this.#sorted(manifest) });
    const { nowMs } = new ExpiryClock(clock);
    const { values } = this.#tables;
    this.#semantics = { operators: new Operators(manifest.operators), nowMs, values };
    const figures = new ReadFigures();
    const { views } = this;
    const assertReadable = () => this.#assertOpen();
    const shared = { tables: this.#tables, views, semantics: this.#semantics, figures };
    this.#source = { ...shared, assertReadable, turn: () => clock.sleep(0) };
    this.#lookups = new PointLookups(this.#source, figures, clock, () => undefined);
    this.#show();
  }

  get manifest(): Manifest {
    return this.#manifest;
  }

  /** Everything up to it can be read, and nothing beyond. */
  get sequence(): Sequence {
    return this.#sequence;
  }

  /** How far the log was read. */
  get place(): WalPlace {
    return this.#place;
  }

  get figures(): ReadableFigures {
    const { active, frozen } = this.views.current;
    const memtables = [active, ...frozen];
    const bytes = memtables.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
    const reads = { ...this.#lookups.figures, ...this.#tables.figures };
    return { reads, memtables: { count: memtables.length, bytes } };
  }

  /** Takes in a newer manifest: what its tables hold is given up in memory. */
  accept(manifest: Manifest): void {
    const { lastSequence } = manifest;
    if (manifest.id <= this.#manifest.id) return;
    this.#manifest = manifest;
    this.#semantics.operators = new Operators(manifest.operators);
    this.#replay.cut(lastSequence);
    if (this.#place.sequence <= lastSequence) this.#place = placeOf(manifest);
    this.#sequence = Math.max(this.#sequence, lastSequence);
    this.#show();
    this.#tables.keepOnly(this.views.tables());
  }

  /** Takes in a group that lies where the log was read to, whole. */
  add({ group, place }: TailGroup): void {
    this.#replay.add(group);
    this.#place = place;
    if (this.#replay.memtables[0] !== this.views.current.active) this.#show();
    this.#sequence = Math.max(this.#sequence, place.sequence);
  }

  /** As `Engine.get`. */
  get(key: Uint8Array): Maybe<Uint8Array | undefined> {
    this.#assertOpen();
    return this.#lookups.get(this.views.current, keyOfBytes(key), this.#sequence);
  }

  /** As `Engine.getMany`. */
  getMany(keys: readonly Uint8Array[]): Maybe<readonly (Uint8Array | undefined)[]> {
    this.#assertOpen();
    const names: Key[] = keys.map(keyOfBytes);
    return this.#lookups.getMany(this.views.current, names, this.#sequence);
  }

  /** As `Engine.scan`: of the state of this moment. */
  scan(request: AbortableScan): PackedScan {
    this.#assertOpen();
    const { scanBatchRows, readAheadBytes } = this.#parts.options;
    const scan = checkedScan(request, scanBatchRows);
    const { signal } = request;
    const options = { ...scan, sequence: this.#sequence, signal, readAheadBytes };
    return new ViewScan(this.#source, this.views.current, options);
  }

  close(): void {
    this.#closed = true;
    this.#tables.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw closed();
  }

  #show(): void {
    const [active = new Memtable(), ...frozen] = this.#replay.memtables;
    this.views.replace({ active, frozen, ...this.#sorted(this.#manifest) });
  }

  #sorted({ level0, runs }: Manifest): Pick<ReadView, "l0" | "runs"> {
    const tables = this.#tables;
    return {
      l0: level0.map((meta) => tables.of(meta)),
      runs: runs.map((run) => ({ id: run.id, tables: run.tables.map((meta) => tables.of(meta)) })),
    };
  }
}

/** Where the log goes on behind the tables of a manifest. */
function placeOf({ walFrom, lastSequence }: Manifest): WalPlace {
  return { file: walFrom, offset: 0, sequence: lastSequence };
}

/** The tables that a manifest names. */
export function tableIds({ level0, runs }: Manifest): ReadonlySet<Ulid> {
  return new Set([...level0, ...runs.flatMap((run) => run.tables)].map(({ id }) => id));
}
