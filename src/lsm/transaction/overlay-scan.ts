import { bytesOfKey, type Key, latin1Text } from "../format/entry.ts";
import type { Row, Scan } from "../read/scan.ts";

/** What a transaction has written to a key. */
export interface OwnRow {
  readonly key: Key;
  /** What there is then, of what was stored: undefined where there is nothing. */
  readonly over: (stored: Uint8Array | undefined) => Uint8Array | undefined;
}

export interface OverlayOptions {
  readonly reverse: boolean;
  readonly limit: number;
  readonly batchRows: number;
  /** Keys of rows that it has deleted as part of a range. */
  readonly hides: (key: Key) => boolean;
  /** Everything up to this key was read; up to the bound where it is undefined. */
  readonly onRead: (key: Key | undefined) => void;
}

/** The rows of a scan, with a transaction's own writes in place of what they hide. */
export class OverlayScan implements Scan {
  readonly #base: Scan;
  readonly #options: OverlayOptions;
  readonly #own: readonly OwnRow[];
  #ownAt = 0;
  #rows: readonly Row[] = [];
  #rowAt = 0;
  #baseDone = false;
  #left: number;

  /** @param own in the order of the scan. */
  constructor(base: Scan, own: readonly OwnRow[], options: OverlayOptions) {
    this.#base = base;
    this.#own = own;
    this.#options = options;
    this.#left = options.limit;
  }

  async next(): Promise<readonly Row[] | undefined> {
    const { batchRows, onRead } = this.#options;
    const most = Math.min(batchRows, this.#left);
    const rows: Row[] = [];
    let last: Key | undefined;
    while (rows.length < most) {
      if (this.#rowAt === this.#rows.length && !this.#baseDone) await this.#refill();
      const taken = this.#take();
      if (taken === undefined) {
        onRead(undefined);
        this.close();
        return rows.length === 0 ? undefined : rows;
      }
      last = taken.key;
      if (taken.row !== undefined) rows.push(taken.row);
    }
    if (last !== undefined) onRead(last);
    this.#left -= rows.length;
    if (this.#left === 0) this.close();
    return rows.length === 0 ? undefined : rows;
  }

  close(): void {
    this.#base.close();
    this.#baseDone = true;
    this.#left = 0;
    this.#rows = [];
    this.#rowAt = 0;
    this.#ownAt = this.#own.length;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Row[]> {
    try {
      for (let rows = await this.next(); rows !== undefined; rows = await this.next()) yield rows;
    } finally {
      this.close();
    }
  }

  async #refill(): Promise<void> {
    const rows = await this.#base.next();
    this.#rows = rows ?? [];
    this.#rowAt = 0;
    this.#baseDone = rows === undefined;
  }

  /** The next key of either side; no row where it was deleted. */
  #take(): { readonly key: Key; readonly row: Row | undefined } | undefined {
    const stored = this.#rows[this.#rowAt];
    const own = this.#own[this.#ownAt];
    if (stored === undefined && own === undefined) return undefined;
    const key = stored && latin1Text(stored.key, 0, stored.key.length);
    if (own === undefined || (key !== undefined && this.#isBefore(key, own.key))) {
      this.#rowAt++;
      const name = key ?? "";
      return { key: name, row: this.#options.hides(name) ? undefined : stored };
    }
    if (key === own.key) this.#rowAt++;
    this.#ownAt++;
    const hidden = key !== own.key || this.#options.hides(own.key);
    const value = own.over(hidden ? undefined : stored?.value);
    return { key: own.key, row: value && { key: bytesOfKey(own.key), value } };
  }

  #isBefore(a: Key, b: Key): boolean {
    return this.#options.reverse ? a > b : a < b;
  }
}
