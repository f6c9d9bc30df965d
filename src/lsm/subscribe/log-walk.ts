import { FirnError } from "../../base/error.ts";
import type { Sequence } from "../format/entry.ts";
import type { Wal, WalBatch, WalGroup, WalReader } from "../wal/port.ts";

/** What a walk reads, and what is known of it. */
export interface LogSource {
  readonly reader: WalReader;
  readonly wal: Pick<Wal, "fileOf">;
  /** What survives a crash: nothing beyond is ever handed out. */
  readonly durableSequence: () => Sequence;
}

/** What one step hands out, unless a batch is larger. */
const STEP_BYTES = 1_048_576;
/** A file may vanish, or a list be behind, while one looks. */
const ATTEMPTS = 4;

/** A file that is being read. Groups up to `upTo` were whole before it was. */
interface OpenFile {
  readonly id: number;
  readonly groups: Iterator<WalGroup>;
  readonly upTo: Sequence;
}

/**
 * Batches of the log in order, from any sequence that is still there, for one who lags behind its
 * writer. Holds one file at a time. What the log holds beyond what is durable is not looked at: it
 * may be half written, or undone by the next owner.
 */
export class LogWalk {
  readonly #source: LogSource;
  #file: OpenFile | undefined;
  /** The file that was last read, or tried. */
  #id = 0;

  constructor(source: LogSource) {
    this.#source = source;
  }

  /**
   * The batches from that on which holds `due`, which is durable; at least one. Requests: a read
   * for each file, an object being one for each group; of files from before this owner, some more
   * to find the first.
   *
   * @throws FirnError `NotFound`, code `LSM_SEQUENCE_GONE`, naming the `oldest` that is there;
   *   `Unavailable`, code `LSM_LOG_UNREADABLE`: try again; `Corrupt`; what the store throws.
   */
  async from(due: Sequence): Promise<readonly WalBatch[]> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        this.#file ??= await this.#open(await this.#fileOf(due));
        const found = await this.#walk(due);
        if (found.length > 0) return found;
      } catch (error) {
        this.#file = undefined;
        if (!(await this.#isReleased(error))) throw error;
      }
      this.#file = undefined;
    }
    const message = "the log changes faster than the reader reads it";
    throw new FirnError("Unavailable", "LSM_LOG_UNREADABLE", message, { sequence: due });
  }

  /** Of one file; empty where that comes to a gap, or to its end, before `due`. */
  async #walk(due: Sequence): Promise<readonly WalBatch[]> {
    const found: WalBatch[] = [];
    let next = due;
    for (let bytes = 0; bytes < STEP_BYTES; ) {
      const file = this.#file;
      // It may hold more by now: what was seen of that when it was read may have been half of it.
      if (file === undefined || next > file.upTo) {
        this.#file = undefined;
        return found;
      }
      const step = file.groups.next();
      if (step.done === true) {
        this.#file = undefined;
        return found;
      }
      for (const batch of step.value.batches) {
        const { firstSequence, count, payload } = batch;
        if (firstSequence + count <= next) continue;
        // A file between them has gone.
        if (firstSequence > next) {
          this.#file = undefined;
          return found;
        }
        // Durability ends with a batch: one across its end is of an owner that was overtaken.
        if (firstSequence + count - 1 > file.upTo && firstSequence <= file.upTo) {
          throw gone(next, this.#firstKnown(next, file.upTo));
        }
        found.push(batch);
        bytes += payload.length;
        next = firstSequence + count;
      }
    }
    return found;
  }

  /**
   * A point-in-time restore takes one sequence that no batch has: a subscriber that reaches it has
   * to begin anew, with that state, as where a file is gone.
   *
   * @throws FirnError `NotFound`, code `LSM_SEQUENCE_GONE`.
   */
  async #fileOf(due: Sequence): Promise<number> {
    const { wal, reader, durableSequence } = this.#source;
    const known = wal.fileOf(due);
    if ("file" in known) return known.file;
    const found = await reader.holding(due, known.below, this.#id);
    if ("file" in found) return found.file;
    throw gone(due, found.next ?? this.#firstKnown(due, durableSequence()));
  }

  /** The first sequence above one that this owner knows the file of. */
  #firstKnown(due: Sequence, last: Sequence): Sequence {
    let [low, high] = [due, last + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ("file" in this.#source.wal.fileOf(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  async #open(id: number): Promise<OpenFile> {
    // Before it is read: up to here it is whole.
    const upTo = this.#source.durableSequence();
    this.#id = id;
    const { groups } = await this.#source.reader.read(id);
    return { id, groups: groups[Symbol.iterator](), upTo };
  }

  /** Whether the file that cannot be read is one that its owner has released meanwhile. */
  async #isReleased(error: unknown): Promise<boolean> {
    if (!(error instanceof FirnError) || error.kind !== "Corrupt") return false;
    return !(await this.#source.reader.exists(this.#id));
  }
}

/** What comes next can no longer be told. */
export function gone(due: Sequence, oldest: Sequence): FirnError {
  const message = "the log no longer contains this sequence";
  const facts = { sequence: due, oldest };
  return new FirnError("NotFound", "LSM_SEQUENCE_GONE", message, facts);
}
