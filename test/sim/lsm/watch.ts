import type { BlobStore } from "../../../src/blob/port.ts";
import { decodeGcBoundary } from "../../../src/lsm/format/gc-boundary.ts";
import { decodeManifest, type Manifest } from "../../../src/lsm/format/manifest.ts";
import { tablePath } from "../../../src/lsm/tables.ts";
import { walId } from "../../../src/lsm/wal/names.ts";
import type { Sim } from "../harness/sim.ts";

/** What must hold in the store at every instant, whoever writes to it. */
export class Watch {
  readonly store: BlobStore;
  readonly #sim: Sim;
  readonly #inner: BlobStore;
  #latest: Manifest | undefined;
  /** The last manifest that may have been deleted. */
  #boundary = 0;

  constructor(sim: Sim, inner: BlobStore) {
    this.#sim = sim;
    this.#inner = inner;
    this.store = {
      get: (path) => inner.get(path),
      getRange: (path, offset, length) => inner.getRange(path, offset, length),
      getSuffix: (path, length) => inner.getSuffix(path, length),
      head: (path) => inner.head(path),
      list: (prefix, options) => inner.list(prefix, options),
      put: async (path, bytes, condition) => {
        this.#must(condition === "absent", () => `${path} is put over what may stand there`);
        const put = await inner.put(path, bytes, condition);
        if (put.outcome !== "stored") return put;
        if (path.startsWith("gc/")) this.#boundary = decodeGcBoundary(bytes).manifestThrough;
        if (path.startsWith("manifest/")) await this.#published(bytes);
        return put;
      },
      putStream: (path, source) => inner.putStream(path, source),
      delete: async (path) => {
        this.#deleted(path);
        await inner.delete(path);
      },
      deleteMany: async (paths) => {
        for (const path of paths) this.#deleted(path);
        await inner.deleteMany(paths);
      },
    };
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
    const { id, writerEpoch, lastSequence, walFrom } = manifest;
    if (before !== undefined) {
      this.#must(id === before.id + 1, () => `manifest ${id} follows ${before.id}`);
      this.#must(writerEpoch >= before.writerEpoch, () => `the epoch falls in manifest ${id}`);
      this.#must(lastSequence >= before.lastSequence, () => `the sequence falls in manifest ${id}`);
      this.#must(walFrom >= before.walFrom, () => `the log's mark falls in manifest ${id}`);
    }
    for (const table of tablesOf(manifest)) {
      const stored = await this.#inner.head(tablePath("", table.id));
      const size = stored?.size;
      this.#must(size === table.fileBytes, () => `manifest ${id}: ${table.id} has ${size} bytes`);
      const { maxSequence } = table.stats;
      const what = `manifest ${id} up to ${lastSequence}: ${table.id} holds ${maxSequence}`;
      this.#must(maxSequence <= lastSequence, () => what);
    }
  }

  #deleted(path: string): void {
    if (path.startsWith("wal/")) this.released(path.slice("wal/".length));
    const latest = this.#latest;
    const id = /^manifest\/(\d+)/.exec(path)?.[1];
    const collected = id === undefined || Number(id) <= this.#boundary;
    this.#must(collected, () => `${path} goes, the boundary is at ${this.#boundary}`);
    this.#must(!this.names(path), () => `${path} goes, manifest ${latest?.id} names it`);
  }

  #must(holds: boolean, statement: () => string): void {
    this.#sim.must(holds, statement);
  }
}

function tablesOf({ level0, runs }: Manifest): Manifest["level0"] {
  return [...level0, ...runs.flatMap((run) => run.tables)];
}
