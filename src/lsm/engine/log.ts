import type { Clock } from "../../base/clock.ts";
import type { Sequence } from "../format/entry.ts";
import type { Health } from "../health.ts";
import type { LsmTuning } from "../options.ts";
import type { Operators } from "../read/operators.ts";
import { Feed } from "../subscribe/feed.ts";
import { LogSubscription, type Subscription } from "../subscribe/subscription.ts";
import { GroupCommit } from "../wal/group-commit.ts";
import type { Wal, WalReader } from "../wal/port.ts";

/** What one replay reads at most, beside `walFiles`. */
const REPLAY_BYTES = 268_435_456;

interface LogParts {
  readonly wal: Wal;
  readonly reader: WalReader;
  readonly clock: Clock;
  readonly health: Health;
  readonly options: Pick<LsmTuning, "minFlushIntervalMs" | "walFiles">;
  readonly isQuiet: () => boolean;
}

/** The write-ahead log of an open engine: group commit, change feed, growth since it was rolled. */
export class Log {
  readonly wal: Wal;
  readonly commits: GroupCommit;
  readonly feed: Feed = new Feed();
  readonly #parts: LogParts;
  /** What the log had taken when the active memtable began. */
  #files = 0;
  #bytes = 0;

  constructor(parts: LogParts) {
    const { wal, clock, health, options, isQuiet } = parts;
    this.#parts = parts;
    this.wal = wal;
    this.commits = new GroupCommit(wal, {
      clock,
      minFlushIntervalMs: options.minFlushIntervalMs,
      isQuiet,
      onDurable: (batches) => this.feed.push(batches),
    });
    health.onEnd(() => this.feed.wake());
  }

  /** The next write goes into a new file. */
  roll(): void {
    this.commits.roll().catch(this.#parts.health.fail);
    this.mark();
  }

  /** The active memtable begins here. */
  mark(): void {
    const { files, writtenBytes } = this.wal.stats();
    this.#files = files;
    this.#bytes = writtenBytes;
  }

  /** Whether a replay of what was written since the mark would take too long. */
  isLong({
    files,
    writtenBytes,
  }: {
    readonly files: number;
    readonly writtenBytes: number;
  }): boolean {
    const { walFiles } = this.#parts.options;
    return files - this.#files >= walFiles || writtenBytes - this.#bytes >= REPLAY_BYTES;
  }

  /** Committed batches from a sequence on. @throws as `Engine.subscribe`. */
  subscribe(
    from: Sequence,
    operators: Operators,
    writes: { readonly durableSequence: Sequence },
  ): Subscription {
    const { reader, wal, health } = this.#parts;
    health.assertOpen();
    const source = {
      reader,
      wal,
      feed: this.feed,
      health,
      operators,
      durableSequence: () => writes.durableSequence,
    };
    return new LogSubscription(source, from);
  }
}
