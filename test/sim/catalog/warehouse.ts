import type { Clock } from "../../../src/base/clock.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { type Sim, Violation } from "../harness/sim.ts";

/** Where the simulated tables lie. */
export const WAREHOUSE = "sim://warehouse";

/** The bucket of the metadata files, and what must hold of them at every instant. */
export class Warehouse {
  readonly store: BlobStore;
  /** Paths that a canonical pointer has named. None of them may ever go: nothing is purged. */
  readonly #named = new Set<string>();
  /** What stands at each path, known without waiting. */
  readonly #whole = new Map<string, boolean>();

  constructor(sim: Sim, clock: Clock) {
    const inner = new MemoryBlobStore(clock);
    const gone = (path: string): void => {
      if (this.#named.has(path)) sim.fail(new Violation(`a file in use was deleted: ${path}`));
      this.#whole.delete(path);
    };
    this.store = {
      get: (path) => inner.get(path),
      getRange: (path, offset, length) => inner.getRange(path, offset, length),
      getSuffix: (path, length) => inner.getSuffix(path, length),
      head: (path) => inner.head(path),
      list: (prefix, options) => inner.list(prefix, options),
      put: async (path, bytes, condition) => {
        const result = await inner.put(path, bytes, condition);
        if (result.outcome === "stored") this.#whole.set(path, isJson(bytes));
        return result;
      },
      putStream: (path, source) => inner.putStream(path, source),
      delete: (path) => {
        gone(path);
        return inner.delete(path);
      },
      deleteMany: (paths) => {
        paths.forEach(gone);
        return inner.deleteMany(paths);
      },
    };
  }

  /** A batch that names a metadata file has just been applied. */
  named(key: string, location: string): void {
    const path = pathOf(location);
    const whole = this.#whole.get(path);
    if (whole === undefined) throw new Violation(`${key} names a file that is not there: ${path}`);
    if (!whole) throw new Violation(`${key} names a file that is torn: ${path}`);
    this.#named.add(path);
  }

  /** Whether a canonical pointer has ever named the file. */
  wasNamed(location: string): boolean {
    return this.#named.has(pathOf(location));
  }

  /** How many files no pointer ever named: what an orphan scan would find. */
  get orphans(): number {
    return [...this.#whole.keys()].filter((path) => !this.#named.has(path)).length;
  }
}

/** The path of a location below the warehouse. */
export function pathOf(location: string): string {
  return location.slice(WAREHOUSE.length + 1);
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes).toString("utf8"));
    return true;
  } catch {
    return false;
  }
}
