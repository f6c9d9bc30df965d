import { assert } from "../../base/assert.ts";
import type { Sequence } from "../format/entry.ts";
import type { RecentWrites } from "./recent-writes.ts";
import type { Snapshots } from "./snapshots.ts";
import { Transaction, type TransactionHost, type TransactionOptions } from "./transaction.ts";

/** The transactions of one engine that are open. */
export class Transactions {
  readonly #host: TransactionHost;
  readonly #snapshots: Snapshots;
  readonly #sequence: () => Sequence;
  readonly #open = new Set<Transaction>();

  constructor(
    host: Omit<TransactionHost, "onEnd">,
    snapshots: Snapshots,
    sequence: () => Sequence,
  ) {
    this.#host = { ...host, onEnd: (transaction) => this.#ended(transaction) };
    this.#snapshots = snapshots;
    this.#sequence = sequence;
  }

  get count(): number {
    return this.#open.size;
  }

  get recent(): RecentWrites {
    return this.#host.written.recent;
  }

  /** Where the oldest one began, if there is one. */
  get oldest(): Sequence | undefined {
    let oldest: Sequence | undefined;
    for (const { sequence } of this.#open) {
      if (oldest === undefined || sequence < oldest) oldest = sequence;
    }
    return oldest;
  }

  begin(options: TransactionOptions = {}): Transaction {
    this.#host.assertOpen();
    const snapshot = this.#snapshots.open(this.#sequence());
    const isJudged = snapshot.sequence >= this.recent.floor;
    assert(isJudged, "a transaction begins with nothing to be judged by tables");
    const transaction = new Transaction(this.#host, snapshot, options);
    this.#open.add(transaction);
    return transaction;
  }

  /** Gives up those that have taken too long: their owners may be gone. */
  expire(): void {
    for (const transaction of this.#open) if (transaction.expired) transaction.expire();
  }

  #ended(transaction: Transaction): void {
    if (this.#open.delete(transaction)) this.recent.trim(this.oldest);
  }
}
