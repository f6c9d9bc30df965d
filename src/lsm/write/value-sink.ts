import type { Clock } from "../../base/clock.ts";
import type { Prng } from "../../base/prng.ts";
import type { BlobStore } from "../../blob/port.ts";
import type { EntryBytes } from "../format/cursor.ts";
import { APART, EXPIRES, type Kind, PUT } from "../format/entry.ts";
import { mintUlid, type Ulid } from "../format/ulid.ts";
import { encodeValue, referenceTo, withValue } from "../format/value-reference.ts";
import type { LsmTuning } from "../options.ts";
import { valuePath } from "../read/apart-values.ts";

/** Where values go that are too long for their tables. */
export interface ValueTarget {
  readonly store: Pick<BlobStore, "put">;
  readonly prefix: string;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly options: Pick<LsmTuning, "compression" | "inlineValueBytes">;
  /** Told of an object before it is written: nothing refers to it yet. */
  readonly onBegin?: (id: Ulid) => void;
}

/** Objects on their way to the store: more would wait for each other. */
const MOST_PUTS = 32;
/** And their bytes. */
const MOST_BYTES = 8_388_608;
/** To hash and to copy so much takes about a turn of the event loop. */
const TURN_BYTES = 1_048_576;

/**
 * Writes long values to objects apart, each before the table that refers to it: a writer of tables
 * waits for `settled` before it ends one.
 */
export class ValueSink {
  readonly #target: ValueTarget;
  readonly #putting = new Set<Promise<void>>();
  #waitingBytes = 0;
  #turnBytes = 0;
  #storedBytes = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(target: ValueTarget) {
    this.#target = target;
  }

  /** Bytes of the objects that it was given. */
  get storedBytes(): number {
    return this.#storedBytes;
  }

  /** Others are to have the event loop, or the store is to catch up: wait for `room`. */
  get isFull(): boolean {
    return this.#turnBytes >= TURN_BYTES || this.#isBehind;
  }

  get #isBehind(): boolean {
    return this.#putting.size >= MOST_PUTS || this.#waitingBytes >= MOST_BYTES;
  }

  /** The entry as it stands in a table: with a reference in place of a long value. */
  entryOf(entry: EntryBytes): EntryBytes {
    const { kind, valueSource, valueStart, valueEnd } = entry;
    const { clock, prng, options, onBegin } = this.#target;
    const isLong = valueEnd - valueStart > options.inlineValueBytes;
    if (!isLong || (kind !== PUT && kind !== (PUT | EXPIRES))) return entry;
    const value = valueSource.subarray(valueStart, valueEnd);
    const id = mintUlid(clock, prng);
    onBegin?.(id);
    this.store(id, encodeValue(id, value, options.compression));
    return withValue(entry, (kind | APART) as Kind, referenceTo(id, value));
  }

  /** Begins to write the object of a value. */
  store(id: Ulid, object: Uint8Array): void {
    const { store, prefix } = this.#target;
    this.#waitingBytes += object.length;
    this.#turnBytes += object.length;
    this.#storedBytes += object.length;
    const putting: Promise<void> = store
      .put(valuePath(prefix, id), object, "absent")
      .then(
        () => undefined,
        (error: unknown) => {
          this.#failure ??= { error };
        },
      )
      .finally(() => {
        this.#waitingBytes -= object.length;
        this.#putting.delete(putting);
      });
    this.#putting.add(putting);
  }

  /** Resolves when more may be given, in another turn. @throws what the store throws. */
  async room(): Promise<void> {
    this.#turnBytes = 0;
    await this.#target.clock.sleep(0);
    while (this.#isBehind) await Promise.race(this.#putting);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Resolves when the store has all of them. @throws what the store throws. */
  async settled(): Promise<void> {
    await Promise.all(this.#putting);
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
