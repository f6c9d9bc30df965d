import type { Clock } from "../../base/clock.ts";
import { type FirnError, invalid } from "../../base/error.ts";
import { sha256Hex } from "../../base/hash.ts";
import type { BlobStore } from "../../blob/port.ts";
import { decodePayload } from "../../catalog/codec/entities.ts";
import { type KeyStep, statesBefore, undoneWith } from "../../catalog/cut.ts";
import { isNamed } from "../../catalog/delete-marks.ts";
import { catalogNotFound } from "../../catalog/errors.ts";
import { parseKey } from "../../catalog/keys.ts";
import { isPart } from "../../catalog/part-pointers.ts";
import { joined, SortedLines } from "../gc/sorted-lines.ts";
import {
  type Backup,
  type ChangeLine,
  damaged,
  historyGone,
  type PayloadLine,
  type PointerLine,
  packPath,
  readHashed,
  readLines,
  type ScopedCatalog,
} from "./format.ts";
import {
  jsonLine,
  jsonOf,
  packedLine,
  packedOf,
  placeLine,
  placeOf,
  pointerOf,
  type SweptState,
  stepLine,
  stepOf,
  stepsOf,
  zipped,
} from "./lines.ts";
import { canonicalOf } from "./scope.ts";

/** Where a backup lies. */
export interface BackupSource {
  readonly source: BlobStore;
  readonly clock: Clock;
  /** Where what does not fit the memory is sorted. Empty. */
  readonly scratch: BlobStore;
}

/** Pointers of one pack that are answered at once. */
const POINTERS_AT_ONCE = 1_024;

/** A pointer with the bytes of its payload, whose hash was checked. */
export interface BackedPointer {
  readonly line: PointerLine;
  readonly payload: Uint8Array;
}

/** What a backup holds, as of its end or of an earlier time. */
export class BackupContent {
  readonly #from: BackupSource;
  readonly #backup: Backup;
  /** The pointers, by the place of their payloads. */
  readonly #placed: SortedLines;

  private constructor(from: BackupSource, backup: Backup, placed: SortedLines) {
    this.#from = from;
    this.#backup = backup;
    this.#placed = placed;
  }

  /**
   * @throws FirnError `Invalid` `RESTORE_TIME_INVALID`; `NotFound` `BACKUP_HISTORY_GONE`; `Corrupt`
   *   `BACKUP_DAMAGED`.
   */
  static async open(from: BackupSource, backup: Backup, atMs?: number): Promise<BackupContent> {
    const bySha = new SortedLines(from, "restore-pointers");
    for await (const line of linesAt(from, backup, atMs)) await bySha.add(jsonLine(line.sha, line));
    const placed = new SortedLines(from, "restore-places");
    for await (const [text, place] of zipped(bySha.lines(), placeLines(from.source, backup))) {
      const line = jsonOf<PointerLine>(text);
      if (place === undefined) throw missing(line, atMs);
      const { pack, offset, length } = placeOf(place);
      await placed.add(packedLine({ pack: Number(pack), offset, length }, line));
    }
    return new BackupContent(from, backup, placed);
  }

  /**
   * The pointers whose key is asked for, pack by pack: each pack is read once, and only where it
   * holds one of them.
   *
   * @throws FirnError `Corrupt` `BACKUP_DAMAGED`.
   */
  packs(isAsked: (key: string) => boolean = () => true): AsyncGenerator<readonly BackedPointer[]> {
    return this.#packs(this.#placed.lines(), isAsked);
  }

  /**
   * Statistics and constraints of some tables, as `packs`.
   *
   * @param tables their ids as first words, sorted.
   */
  async *partsOf(tables: AsyncIterable<string>): AsyncGenerator<readonly BackedPointer[]> {
    const parts = new SortedLines(this.#from, "restore-parts");
    for await (const line of this.#placed.lines()) {
      const key = parseKey(packedOf<PointerLine>(line).value.key);
      if (isPart(key)) await parts.add(`${key.values[1]} ${line}`);
    }
    const own = new SortedLines(this.#from, "restore-own-parts");
    for await (const line of joined(parts.lines(), tables, true)) {
      await own.add(line.slice(line.indexOf(" ") + 1));
    }
    yield* this.#packs(own.lines(), () => true);
  }

  async *#packs(
    lines: AsyncIterable<string>,
    isAsked: (key: string) => boolean,
  ): AsyncGenerator<readonly BackedPointer[]> {
    let open: { readonly pack: number; readonly bytes: Uint8Array } | undefined;
    let some: BackedPointer[] = [];
    for await (const text of lines) {
      const { pack, offset, length, value: line } = packedOf<PointerLine>(text);
      if (!isAsked(line.key)) continue;
      if (some.length > 0 && (open?.pack !== pack || some.length >= POINTERS_AT_ONCE)) {
        yield some;
        some = [];
      }
      if (open?.pack !== pack) open = { pack, bytes: await this.#read(pack) };
      some.push({ line, payload: open.bytes.subarray(offset, offset + length) });
    }
    if (some.length > 0) yield some;
  }

  #read(pack: number): Promise<Uint8Array> {
    const name = this.#backup.packs[pack];
    if (name === undefined) throw damaged("a payload is in no pack", String(pack));
    return readHashed(this.#from.source, packPath(name), name);
  }

  /** The catalog that had a name. @throws FirnError `NotFound` `CATALOG_NOT_FOUND`. */
  async catalogNamed(name: string): Promise<ScopedCatalog> {
    for await (const pack of this.packs((key) => canonicalOf(key)?.type === "catalog")) {
      for (const pointer of pack) {
        const { entity } = decodePayload("catalog", wholePayload(pointer));
        const isIt = entity.type === "catalog" && isNamed(entity) && entity.name === name;
        if (isIt) return { id: entity.id, name };
      }
    }
    throw catalogNotFound(name);
  }
}

/** The bytes of a payload. @throws FirnError `Corrupt` `BACKUP_DAMAGED`: they have another hash. */
export function wholePayload({ line: { sha }, payload }: BackedPointer): Uint8Array {
  if (sha256Hex(payload) === sha) return payload;
  throw damaged("a payload has other bytes than its hash", sha);
}

/** Where payloads lie, by their hash; the pack by its number. */
export async function* placeLines(source: BlobStore, backup: Backup): AsyncGenerator<string> {
  for await (const line of readLines<PayloadLine>(source, backup.payloads)) {
    yield placeLine({ ...line, pack: String(line.pack) });
  }
}

function missing({ key }: PointerLine, atMs: number | undefined): FirnError {
  if (atMs === undefined) return damaged("a pointer's payload is missing", key);
  return historyGone(key);
}

/** The pointers that live at a time. */
async function* linesAt(
  from: BackupSource,
  backup: Backup,
  atMs: number | undefined,
): AsyncGenerator<PointerLine> {
  const { source } = from;
  if (atMs === undefined) {
    yield* readLines<PointerLine>(source, backup.pointers);
    return;
  }
  if (atMs > backup.cutMs || atMs < backup.historyFromMs) {
    const [begin, end] = [backup.historyFromMs, backup.cutMs].map((ms) =>
      new Date(ms).toISOString(),
    );
    const message = "the backup does not reach this time: choose one within its history";
    throw invalid("RESTORE_TIME_INVALID", message, { from: String(begin), to: String(end) });
  }
  const lines = new SortedLines(from, "restore-steps");
  for await (const change of readLines<ChangeLine>(source, backup.changes)) {
    for (const step of stepsOf(change)) await lines.add(stepLine(step));
  }
  const steps = async function* (): AsyncGenerator<KeyStep> {
    for await (const line of lines.lines()) yield stepOf(line);
  };
  // Derived pointers are of the newest state: those of an earlier one are made again by reads.
  const states = async function* (): AsyncGenerator<SweptState> {
    for await (const { key, version, sha, blob } of readLines<PointerLine>(
      source,
      backup.pointers,
    )) {
      if (blob === undefined) yield { key, version: BigInt(version), sha };
    }
  };
  const undone = await undoneWith(steps, atMs);
  for await (const state of statesBefore(states, steps, atMs, undone)) yield* pointerOf(state);
}
