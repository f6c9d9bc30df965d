import { type Key, keyOfBytes, type Sequence } from "../format/entry.ts";
import type { Maybe } from "../maybe.ts";
import type { ReadView } from "../read/read-view.ts";
import { type PackedScan, ViewScan } from "../read/scan.ts";
import { checkedScan, type RangeScan } from "../read/scan-request.ts";
import type { EngineSnapshot } from "../transaction/snapshots.ts";
import type { Reads } from "./reads.ts";

interface StateViewParts {
  readonly reads: Reads;
  readonly scanBatchRows: number;
  readonly readAheadBytes: number;
  readonly assertReadable: (sequence: Sequence) => void;
  readonly assertOpen: (snapshot: EngineSnapshot) => void;
}

/**
 * Reads of one state: as a transaction reads, without its read set and its end. What expires after
 * it was opened is there until it is closed. Flushes and compactions keep what it sees.
 */
export class StateView {
  readonly #parts: StateViewParts;
  readonly #snapshot: EngineSnapshot;

  constructor(parts: StateViewParts, snapshot: EngineSnapshot) {
    this.#parts = parts;
    this.#snapshot = snapshot;
  }

  /** What it reads: everything up to it. */
  get sequence(): Sequence {
    return this.#snapshot.sequence;
  }

  /** As `Engine.get`. @throws FirnError `Invalid`, code `LSM_SNAPSHOT_CLOSED`. */
  get(key: Uint8Array): Maybe<Uint8Array | undefined> {
    return this.#parts.reads.lookups.get(this.#view(), keyOfBytes(key), this.sequence);
  }

  /** As `Engine.getMany`. @throws as `get`. */
  getMany(keys: readonly Uint8Array[]): Maybe<readonly (Uint8Array | undefined)[]> {
    const names: Key[] = keys.map(keyOfBytes);
    return this.#parts.reads.lookups.getMany(this.#view(), names, this.sequence);
  }

  /** As `Engine.scan`. A scan that is open goes on when the view is closed. @throws as `get`. */
  scan(request: RangeScan = {}): PackedScan {
    const { reads, scanBatchRows, readAheadBytes } = this.#parts;
    const scan = checkedScan(request, scanBatchRows);
    const options = { ...scan, sequence: this.sequence, readAheadBytes };
    return new ViewScan(reads.source, this.#view(), options);
  }

  /** Nothing is kept for it any more. */
  close(): void {
    this.#snapshot.close();
  }

  #view(): ReadView {
    const { reads, assertReadable, assertOpen } = this.#parts;
    assertOpen(this.#snapshot);
    assertReadable(this.sequence);
    return { ...reads.views.current, timeMs: this.#snapshot.timeMs };
  }
}
