import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";

/** A scan between two pages. */
export interface RowCursor {
  /** @returns the text of the next page, and whether there is another one behind it. */
  next(): Promise<CursorPage>;
  /** Lets go of what it reads. */
  close(): void;
}

export interface CursorPage {
  readonly text: string;
  readonly hasMore: boolean;
}

interface Open {
  readonly cursor: RowCursor;
  /** The page that was read last, which may be asked for again. */
  page: number;
  last: CursorPage;
  usedAtMs: number;
  /** Pages are read one after the other. */
  reading: Promise<unknown>;
}

/** How long a scan waits for the request of its next page. */
const IDLE_MS = 60_000;
/** Each keeps a snapshot and the page that it gave last. */
const MOST = 64;

function gone(): FirnError {
  const message = "the page is not kept any more: scan again from the beginning";
  return new FirnError("NotFound", "ROW_PAGE_GONE", message, { sqlState: "34000" });
}

/**
 * Scans whose next page may still be asked for. They live in this process: those that have waited
 * too long end, as does the one that has waited longest where there are too many.
 */
export class RowCursors {
  readonly #clock: Clock;
  readonly #open = new Map<string, Open>();
  readonly #closed = new AbortController();
  #isSweeping = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Keeps a scan of which the first page was read. */
  keep(id: string, cursor: RowCursor, first: CursorPage): void {
    if (this.#closed.signal.aborted) {
      cursor.close();
      return;
    }
    const usedAtMs = this.#clock.monotonicMs();
    const reading = Promise.resolve();
    this.#open.set(id, { cursor, page: 0, last: first, usedAtMs, reading });
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST && oldest !== undefined) this.#end(oldest);
    void this.#sweep();
  }

  /**
   * A page: the one behind the last that was read, or that one again.
   *
   * @throws FirnError `NotFound`, code `ROW_PAGE_GONE`; what reading it throws.
   */
  async page(id: string, page: number): Promise<CursorPage> {
    const open = this.#open.get(id);
    if (open === undefined) throw gone();
    const work = open.reading.then(async () => await this.#read(id, open, page));
    open.reading = work.catch(() => undefined);
    return await work;
  }

  close(): void {
    this.#closed.abort();
    for (const id of this.#open.keys()) this.#end(id);
  }

  async #read(id: string, open: Open, page: number): Promise<CursorPage> {
    const isOpen = this.#open.get(id) === open;
    if (!isOpen || (page !== open.page && page !== open.page + 1)) throw gone();
    // Those that were used last end last.
    this.#open.delete(id);
    this.#open.set(id, open);
    open.usedAtMs = this.#clock.monotonicMs();
    if (page === open.page) return open.last;
    if (!open.last.hasMore) throw gone();
    try {
      open.last = await open.cursor.next();
      open.page = page;
      return open.last;
    } catch (error) {
      this.#end(id);
      throw error;
    }
  }

  #end(id: string): void {
    this.#open.get(id)?.cursor.close();
    this.#open.delete(id);
  }

  /** Ends those that wait for too long, for as long as there are any. */
  async #sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    while (this.#open.size > 0) {
      await this.#clock.sleep(IDLE_MS / 4, this.#closed.signal).catch(() => undefined);
      const before = this.#clock.monotonicMs() - IDLE_MS;
      for (const [id, { usedAtMs }] of this.#open) if (usedAtMs < before) this.#end(id);
    }
    this.#isSweeping = false;
  }
}
