import type { BlobStore } from "../../../src/blob/port.ts";
import { decodeGcBoundary, type GcBoundary } from "../../../src/lsm/format/gc-boundary.ts";
import { decodeManifest, type Manifest } from "../../../src/lsm/format/manifest.ts";
import { pathOf, tablePath } from "../../../src/lsm/read/table-cache.ts";
import { walId } from "../../../src/lsm/wal/names.ts";
import type { Sim } from "../harness/sim.ts";
import { CLONE_OF } from "./places.ts";

/** What must hold in the store at every instant, whoever writes to it. */
export class Watch {
  readonly #sim: Sim;
  readonly #sizeOf: (path: string) => Promise<number | undefined>;
  #latest: Manifest | undefined;
  /** Told of each state that counts, and of the one before it. */
  onPublished: (manifest: Manifest, before: Manifest) => void = () => undefined;
  /** The last manifest that may have been deleted. */
  #boundary = 0;
  #boundaryId = 0;
  /** The newest manifests of clones, by their prefixes, and those that somebody counts on. */
  readonly #clones = new Map<string, Manifest>();
  readonly #counted = new Set<string>();
  /** What each manifest names: files of tables. */
  readonly #tables = new Map<number, ReadonlySet<string>>();

  /** `sizeOf`: of what lies in the store itself. */
  constructor(sim: Sim, sizeOf: (path: string) => Promise<number | undefined>) {
    this.#sim = sim;
    this.#sizeOf = sizeOf;
  }

  /** A store, each call of which is watched when it gets there. */
  over(inner: BlobStore): BlobStore {
    return {
      get: (path) => inner.get(path),
      getRange: (path, offset, length) => inner.getRange(path, offset, length),
      getSuffix: (path, length) => inner.getSuffix(path, length),
      head: (path) => inner.head(path),
      list: (prefix, options) => inner.list(prefix, options),
      put: async (path, bytes, condition) => {
        this.putting(path, condition === "absent");
        const put = await inner.put(path, bytes, condition);
        if (put.outcome === "stored") await this.stored(path, bytes);
        return put;
      },
      putStream: (path, source) => inner.putStream(path, source),
      delete: async (path) => {
        this.deleted(path);
        await inner.delete(path);
      },
      deleteMany: async (paths) => {
        for (const path of paths) this.deleted(path);
        await inner.deleteMany(paths);
      },
    };
  }

  /** A put has got to the store. */
  putting(path: string, whereAbsent: boolean): void {
    this.#must(whereAbsent, () => `${path} is put over what may stand there`);
  }

  /** And was applied. */
  async stored(path: string, bytes: Uint8Array): Promise<void> {
    if (path.startsWith("gc/")) this.#raised(decodeGcBoundary(bytes));
    if (path.startsWith("manifest/")) await this.#published(bytes);
    const [prefix] = CLONE_OF.exec(path) ?? [];
    if (prefix !== undefined && path.startsWith(`${prefix}manifest/`)) {
      await this.#cloned(prefix, decodeManifest(bytes));
    }
  }

  /** The highest number counts. A lower one may land late, where what stood there is deleted. */
  #raised({ id, manifestThrough }: GcBoundary): void {
    if (id < this.#boundaryId) return;
    this.#boundaryId = id;
    this.#boundary = manifestThrough;
  }

  /** A clone was answered: from here on it is there. */
  acknowledged(prefix: string): void {
    this.#counted.add(prefix);
  }

  /** What the shard keeps for good for a clone. */
  pinsOf(prefix: string): readonly string[] {
    const pins = (this.#latest?.checkpoints ?? []).filter(({ kind }) => kind === "clone");
    const lasting = pins.filter(({ expiresAtMs }) => expiresAtMs === undefined);
    return lasting.map(({ name }) => name).filter((name) => name.startsWith(prefix));
  }

  /** Whether the newest manifest of a clone refers to a table's file. */
  cloneNames(prefix: string, path: string): boolean {
    const latest = this.#clones.get(prefix);
    return latest !== undefined && tablesOf(latest).some((table) => pathOf(prefix, table) === path);
  }

  async #cloned(prefix: string, manifest: Manifest): Promise<void> {
    const { id } = manifest;
    // Where others stood once.
    if (id <= (this.#clones.get(prefix)?.id ?? 0)) return;
    this.#clones.set(prefix, manifest);
    // One that nobody has opened may be of somebody who came too late.
    if (manifest.writerEpoch === 0) return;
    this.#counted.add(prefix);
    for (const table of tablesOf(manifest)) {
      const size = await this.#sizeOf(pathOf(prefix, table));
      const what = () => `${prefix} manifest ${id}: ${table.id} has ${size} bytes`;
      this.#must(size === table.fileBytes, what);
    }
  }

  /** A file of the log is about to go. Those that a power cut left may be gone already. */
  released(name: string): void {
    const id = walId(name);
    const from = this.#latest?.walFrom ?? 0;
    this.#must(id === undefined || id < from, () => `${name} goes, replay begins at ${from}`);
  }

  /** Whether the newest manifest refers to a table's file. */
  names(path: string): boolean {
    const latest = this.#latest;
    return latest !== undefined && tablesOf(latest).some(({ id }) => path.includes(id));
  }

  async #published(bytes: Uint8Array): Promise<void> {
    const manifest = decodeManifest(bytes);
    const before = this.#latest;
    // Where others stood once: whoever put it looks at the boundary next, and has lost.
    if (manifest.id <= this.#boundary) return;
    this.#latest = manifest;
    this.#tables.set(manifest.id, new Set(tablesOf(manifest).map(({ id }) => tablePath("", id))));
    const { id, writerEpoch, lastSequence, walFrom } = manifest;
    if (before !== undefined) {
      this.#must(id === before.id + 1, () => `manifest ${id} follows ${before.id}`);
      this.#must(writerEpoch >= before.writerEpoch, () => `the epoch falls in manifest ${id}`);
      this.#must(lastSequence >= before.lastSequence, () => `the sequence falls in manifest ${id}`);
      this.#must(walFrom >= before.walFrom, () => `the log's mark falls in manifest ${id}`);
    }
    if (before !== undefined) this.onPublished(manifest, before);
    for (const table of tablesOf(manifest)) {
      const size = await this.#sizeOf(tablePath("", table.id));
      this.#must(size === table.fileBytes, () => `manifest ${id}: ${table.id} has ${size} bytes`);
      const { maxSequence } = table.stats;
      const what = `manifest ${id} up to ${lastSequence}: ${table.id} holds ${maxSequence}`;
      this.#must(maxSequence <= lastSequence, () => what);
    }
  }

  /** A file is about to go. */
  deleted(path: string): void {
    if (path.startsWith("wal/")) this.released(path.slice("wal/".length));
    const latest = this.#latest;
    const id = /^manifest\/(\d+)/.exec(path)?.[1];
    const collected = id === undefined || Number(id) <= this.#boundary;
    this.#must(collected, () => `${path} goes, the boundary is at ${this.#boundary}`);
    this.#must(!this.names(path), () => `${path} goes, manifest ${latest?.id} names it`);
    for (const prefix of this.#counted) {
      this.#must(!this.cloneNames(prefix, path), () => `${path} goes, ${prefix} names it`);
    }
    const nowMs = this.#sim.clock.nowMs();
    for (const { kind, name, manifestId, expiresAtMs } of latest?.checkpoints ?? []) {
      if (kind !== "named" || (expiresAtMs !== undefined && expiresAtMs <= nowMs)) continue;
      const needs = this.#tables.get(manifestId)?.has(path) === true || Number(id) === manifestId;
      this.#must(!needs, () => `${path} goes, checkpoint ${name} needs it`);
    }
  }

  #must(holds: boolean, statement: () => string): void {
    this.#sim.must(holds, statement);
  }
}

function tablesOf({ level0, runs }: Manifest): Manifest["level0"] {
  return [...level0, ...runs.flatMap((run) => run.tables)];
}
