import type { PackedView, ViewReads, ViewScan } from "../view-scan.ts";
import { TreeScan } from "./packed.ts";
import type { Tree } from "./tree.ts";

/** Where what is committed stays. */
export interface TreeOwner {
  readonly committed: Tree;
  commit(tree: Tree): void;
  hold(bytes: number): void;
}

/** What one transaction sees and writes of its session's temporary tables. */
export class TemporaryView {
  readonly #owner: TreeOwner;
  #tree: Tree;
  /** Bytes that were written, until a savepoint keeps older states. */
  #kept: number | undefined;

  constructor(owner: TreeOwner) {
    this.#owner = owner;
    this.#tree = owner.committed;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#tree.get(key);
  }

  scan(request: ViewScan): PackedView {
    return new TreeScan(this.#tree, request);
  }

  estimate(from: Uint8Array, to?: Uint8Array): { entries: number; bytes: number } {
    return this.#tree.estimate(from, to);
  }

  /** Reads of what it sees now, whatever it writes later. */
  asOfNow(): ViewReads {
    return readsOf(this.savepoint());
  }

  /** @throws FirnError `Overloaded`, code `ROW_TEMPORARY_FULL` (53200). */
  put(key: Uint8Array, value: Uint8Array): void {
    // Copies: what comes in may be a part of a larger block, or be written again.
    const next = this.#tree.put(new Uint8Array(key), new Uint8Array(value));
    if (this.#kept !== undefined) this.#kept += key.length + value.length;
    this.#owner.hold(Math.max(next.bytes, this.#kept ?? 0));
    this.#tree = next;
  }

  delete(key: Uint8Array): void {
    this.#tree = this.#tree.delete(key);
  }

  deleteRange(from: Uint8Array, to: Uint8Array): void {
    this.#tree = this.#tree.deleteRange(from, to);
  }

  savepoint(): Tree {
    this.#kept ??= this.#tree.bytes;
    return this.#tree;
  }

  /** @param tree undefined: as it began. */
  rollbackTo(tree: Tree | undefined): void {
    this.#tree = tree ?? this.#owner.committed;
  }

  commit(): void {
    this.#owner.commit(this.#tree);
  }

  rollback(): void {
    this.#owner.commit(this.#owner.committed);
  }
}

/** Reads of one state. */
export function readsOf(tree: Tree): ViewReads {
  return {
    get: (key) => tree.get(key),
    getMany: (keys) => keys.map((key) => tree.get(key)),
    scan: (request) => new TreeScan(tree, request),
  };
}
