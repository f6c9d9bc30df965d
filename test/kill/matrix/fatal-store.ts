import type {
  Blob,
  BlobEntry,
  BlobInfo,
  BlobStore,
  ListOptions,
  PutCondition,
  PutResult,
} from "../../../src/blob/port.ts";
import { decodeManifest, encodeManifest, type Manifest } from "../../../src/lsm/format/manifest.ts";
import { manifestPath } from "../../../src/lsm/manifest/objects.ts";
import { type Fate, isApart } from "./fate.ts";

const FOLDERS: Readonly<Record<string, string>> = {
  manifest: "manifest",
  gc: "boundary",
  sst: "table",
  values: "value",
};

const SEGMENT_BEGUN = "the segment begun";
const INGEST = "an ingest";

/** A store each call of which is a step, and may be the last. */
export class FatalStore implements BlobStore {
  readonly #store: BlobStore;
  readonly #fate: Fate;
  /** The newest that was read or published. */
  #manifest: Manifest | undefined;
  /** Phases in which a rival has published its state in between, once in each, and an ingest. */
  readonly #raced = new Set<string>();

  constructor(store: BlobStore, fate: Fate) {
    this.#store = store;
    this.#fate = fate;
  }

  async get(path: string): Promise<Blob | undefined> {
    const blob = await this.#meet("read", path, () => this.#store.get(path));
    if (blob !== undefined && path.startsWith("manifest/")) this.#see(blob.bytes);
    return blob;
  }

  getRange(path: string, offset: number, length: number): Promise<Blob | undefined> {
    return this.#meet("read", path, () => this.#store.getRange(path, offset, length));
  }

  getSuffix(path: string, length: number): Promise<Blob | undefined> {
    return this.#meet("read", path, () => this.#store.getSuffix(path, length));
  }

  head(path: string): Promise<BlobInfo | undefined> {
    return this.#meet("read", path, () => this.#store.head(path));
  }

  async put(path: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult> {
    if (!path.startsWith("manifest/")) {
      return this.#meet("write", path, () => this.#store.put(path, bytes, condition));
    }
    const next = decodeManifest(bytes);
    const change = changeOf(this.#manifest, next);
    // The log begins a segment whenever one is full, in whatever phase that is.
    const isOfLog = change === SEGMENT_BEGUN && !isApart(this.#fate.phase);
    const lost = change !== SEGMENT_BEGUN && (await this.#race(next, change));
    const phase = isOfLog ? "log" : this.#fate.phase;
    const step = `${phase}: publish ${change}${lost ? ", lost" : ""}`;
    const put = await this.#fate.meet(step, () => this.#store.put(path, bytes, condition));
    if (put.outcome === "stored") this.#manifest = next;
    return put;
  }

  /** Half of a table: its source breaks off, as a process does. */
  putStream(path: string, source: AsyncIterable<Uint8Array>): Promise<PutResult> {
    return this.#meet(
      "write",
      path,
      () => this.#store.putStream(path, source),
      // The end must come while the store holds the half, so its put never returns.
      () => new Promise((reached) => void this.#store.putStream(path, halfOf(source, reached))),
    );
  }

  delete(path: string): Promise<void> {
    return this.#meet("delete", path, () => this.#store.delete(path));
  }

  deleteMany(paths: readonly string[]): Promise<void> {
    const [first = ""] = paths;
    return this.#meet(
      "delete",
      first,
      () => this.#store.deleteMany(paths),
      () => this.#store.deleteMany(paths.slice(0, Math.ceil(paths.length / 2))),
    );
  }

  list(prefix: string, options?: ListOptions): Promise<readonly BlobEntry[]> {
    return this.#meet("list", prefix, () => this.#store.list(prefix, options));
  }

  #see(bytes: Uint8Array): void {
    const manifest = decodeManifest(bytes);
    if (manifest.id > (this.#manifest?.id ?? 0)) this.#manifest = manifest;
  }

  /** Another publishes the last state again, once a phase: as who keeps checkpoints may. */
  async #race(next: Manifest, change: string): Promise<boolean> {
    const when = change === INGEST ? change : this.#fate.phase;
    const last = this.#manifest;
    if (last === undefined || next.id !== last.id + 1 || this.#raced.has(when)) return false;
    this.#raced.add(when);
    const rival = encodeManifest({ ...last, id: next.id });
    await this.#store.put(manifestPath("", next.id), rival, "absent");
    return true;
  }

  #meet<T>(
    verb: string,
    path: string,
    call: () => Promise<T>,
    half?: () => Promise<unknown>,
  ): Promise<T> {
    const folder = FOLDERS[path.slice(0, path.indexOf("/"))] ?? path;
    return this.#fate.meet(`${this.#fate.phase}: ${verb} ${folder}`, call, half);
  }
}

/** What a manifest says that the one before did not. */
function changeOf(before: Manifest | undefined, next: Manifest): string {
  if (next.writerEpoch !== (before?.writerEpoch ?? 0)) return "the owner";
  if (before === undefined) return "a state";
  if (next.compactorEpoch !== before.compactorEpoch) return "the compactor";
  if (next.lastSequence !== before.lastSequence) return isIngest(next) ? INGEST : "a flush";
  if (next.owner?.state !== before.owner?.state) return "the release";
  if (next.walFrom !== before.walFrom) return "the log's mark";
  if (next.owner?.outwaits !== before.owner?.outwaits) return "the end of the wait";
  if (next.walBegun !== before.walBegun) return SEGMENT_BEGUN;
  return "a compaction";
}

/** Whether its last sequence is that of an ingest. */
function isIngest({ level0, runs, lastSequence }: Manifest): boolean {
  const tables = [...level0, ...runs.flatMap((run) => run.tables)];
  return tables.some(({ sequence }) => sequence === lastSequence);
}

async function* halfOf(
  source: AsyncIterable<Uint8Array>,
  reached: (value: unknown) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    yield chunk.subarray(0, Math.ceil(chunk.length / 2));
    break;
  }
  reached(undefined);
  await new Promise<never>(() => undefined);
}
