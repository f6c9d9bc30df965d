import { type Key, latin1Text } from "../format/entry.ts";
import type { PackedRows } from "../format/packed-rows.ts";
import type { Maybe } from "../maybe.ts";
import { type Bounds, boundsOf, type Range } from "../range.ts";
import { type PackedScan, type Row, within } from "../read/scan.ts";

/** What a scan tells its transaction. */
export interface ScanTracker {
  /** @throws where the transaction is over. */
  readonly assertGoing: () => void;
  /** It begins to read within bounds. */
  readonly begin: (bounds: Bounds) => void;
  /** It has read everything up to a key; all of its bounds where there is none. */
  readonly onRead: (key: Key | undefined) => void;
  readonly onEnd: () => void;
}

/** A scan of a transaction, which notes what it has read. */
export class TrackedScan implements PackedScan {
  readonly #base: PackedScan;
  readonly #tracker: ScanTracker;
  readonly #limit: number;
  readonly #within: Bounds;
  /** Rows since it began at its place. */
  #rows = 0;
  #closed = false;

  constructor(base: PackedScan, bounds: Bounds, limit: number, tracker: ScanTracker) {
    this.#base = base;
    this.#limit = limit;
    this.#tracker = tracker;
    this.#within = bounds;
    tracker.begin(bounds);
  }

  get passed(): number {
    return this.#base.passed ?? 0;
  }

  next(): Maybe<readonly Row[] | undefined> {
    this.#tracker.assertGoing();
    const rows = this.#base.next();
    return rows instanceof Promise ? rows.then(this.#noted) : this.#noted(rows);
  }

  nextPacked(): Maybe<PackedRows | undefined> {
    this.#tracker.assertGoing();
    const rows = this.#base.nextPacked();
    return rows instanceof Promise ? rows.then(this.#notedPacked) : this.#notedPacked(rows);
  }

  seek(range: Pick<Range, "from" | "to">): void {
    this.#tracker.assertGoing();
    this.#base.seek(range);
    this.#rows = 0;
    this.#tracker.begin(within(boundsOf(range), this.#within));
  }

  close(): void {
    this.#closed = true;
    this.#base.close();
    this.#tracker.onEnd();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Row[]> {
    try {
      for (let rows = await this.next(); rows !== undefined; rows = await this.next()) yield rows;
    } finally {
      this.close();
    }
  }

  readonly #noted = (rows: readonly Row[] | undefined): readonly Row[] | undefined => {
    const last = rows?.at(-1)?.key;
    this.#note(rows?.length ?? 0, last && latin1Text(last, 0, last.length));
    return rows;
  };

  readonly #notedPacked = (rows: PackedRows | undefined): PackedRows | undefined => {
    this.#note(rows?.count ?? 0, rows && lastKeyOf(rows));
    return rows;
  };

  /** Only where it is not told to stop before does it come to its end. */
  #note(rows: number, last: Key | undefined): void {
    if (this.#closed) return;
    this.#tracker.assertGoing();
    this.#rows += rows;
    if (last !== undefined || this.#rows < this.#limit) this.#tracker.onRead(last);
    if (last === undefined) this.#tracker.onEnd();
  }
}

function lastKeyOf({ keys, keyEnds, count }: PackedRows): Key | undefined {
  if (count === 0) return undefined;
  const start = count === 1 ? 0 : (keyEnds[count - 2] as number);
  return latin1Text(keys, start, keyEnds[count - 1] as number);
}
