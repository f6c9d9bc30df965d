import type { Clock } from "../../base/clock.ts";
import { FirnError, invalid } from "../../base/error.ts";
import { sha256Hex } from "../../base/hash.ts";
import { Pauses } from "../../base/pauses.ts";
import type { BlobStore } from "../../blob/port.ts";
import { decodePayload } from "../../catalog/codec/entities.ts";
import { type CutRecord, type KeyState, rollBack } from "../../catalog/cut.ts";
import { catalogNotFound } from "../../catalog/errors.ts";
import type { ChangedKey } from "../../catalog/model.ts";
import {
  type Backup,
  type ChangeLine,
  damaged,
  type PayloadLine,
  type PointerLine,
  packPath,
  readHashed,
  readLines,
} from "./format.ts";
import { canonicalOf, type ScopedCatalog } from "./scope.ts";

/** Where a backup lies. */
export interface BackupSource {
  readonly source: BlobStore;
  readonly clock: Clock;
}

/** Pointers or records that are handled between two turns of the event loop, at most. */
const STEPS_A_TURN = 4_096;

/** A pointer with the bytes of its payload, whose hash was checked. */
export interface BackedPointer {
  readonly line: PointerLine;
  readonly payload: Uint8Array;
}

interface Placed {
  readonly line: PointerLine;
  readonly offset: number;
  readonly length: number;
}

/** What a backup holds, as of its end or of an earlier time. */
export class BackupContent {
  readonly #source: BlobStore;
  /** What to read of each pack, by its hash. */
  readonly #packs: ReadonlyMap<string, readonly Placed[]>;

  private constructor(source: BlobStore, packs: ReadonlyMap<string, readonly Placed[]>) {
    this.#source = source;
    this.#packs = packs;
  }

  /**
   * @throws FirnError `Invalid` `RESTORE_TIME_INVALID`; `NotFound` `BACKUP_HISTORY_GONE`; `Corrupt`
   *   `BACKUP_DAMAGED`.
   */
  static async open(from: BackupSource, backup: Backup, atMs?: number): Promise<BackupContent> {
    const lines = await linesAt(from, backup, atMs);
    return new BackupContent(from.source, await placesOf(from, backup, lines, atMs));
  }

  /**
   * The pointers whose key is asked for, pack by pack: each pack is read once, and only where it
   * holds one of them.
   *
   * @throws FirnError `Corrupt` `BACKUP_DAMAGED`.
   */
  async *packs(
    isAsked: (key: string) => boolean = () => true,
  ): AsyncGenerator<readonly BackedPointer[]> {
    for (const [name, placed] of this.#packs) {
      const asked = placed.filter(({ line }) => isAsked(line.key));
      if (asked.length === 0) continue;
      const bytes = await readHashed(this.#source, packPath(name), name);
      yield asked.map(({ line, offset, length }) => {
        return { line, payload: bytes.subarray(offset, offset + length) };
      });
    }
  }

  /** The catalog that had a name. @throws FirnError `NotFound` `CATALOG_NOT_FOUND`. */
  async catalogNamed(name: string): Promise<ScopedCatalog> {
    for await (const pack of this.packs((key) => canonicalOf(key)?.type === "catalog")) {
      for (const pointer of pack) {
        const { entity } = decodePayload("catalog", wholePayload(pointer));
        const isIt = entity.type === "catalog" && entity.state === "ACTIVE" && entity.name === name;
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

/** The pointers that live at a time. */
async function linesAt(
  { source, clock }: BackupSource,
  backup: Backup,
  atMs: number | undefined,
): Promise<readonly PointerLine[]> {
  const lines: PointerLine[] = [];
  for await (const line of readLines<PointerLine>(source, backup.pointers)) lines.push(line);
  if (atMs === undefined) return lines;
  if (atMs > backup.cutMs || atMs < backup.historyFromMs) {
    const [from, to] = [backup.historyFromMs, backup.cutMs].map((ms) => new Date(ms).toISOString());
    const message = "the backup does not reach this time: choose one within its history";
    throw invalid("RESTORE_TIME_INVALID", message, { from: String(from), to: String(to) });
  }
  const pauses = new Pauses(clock, STEPS_A_TURN);
  const states = new Map<string, KeyState>();
  // Derived pointers are of the newest state: those of an earlier one are made again by reads.
  for (const { key, version, sha, blob } of lines) {
    if (blob === undefined) states.set(key, { version: BigInt(version), sha });
    const pause = pauses.step();
    if (pause !== undefined) await pause;
  }
  const records: CutRecord[] = [];
  for await (const line of readLines<ChangeLine>(source, backup.changes)) {
    records.push({ id: line.id, timeMs: line.timeMs, keys: line.keys.map(changedKey) });
  }
  const then: PointerLine[] = [];
  for (const [key, { version, sha }] of await rollBack(states, records, atMs, pauses)) {
    if (sha !== undefined) then.push({ key, version: String(version), sha });
    const pause = pauses.step();
    if (pause !== undefined) await pause;
  }
  return then;
}

function changedKey([
  key,
  from,
  to,
  shaFrom,
  shaTo,
  deleted,
]: ChangeLine["keys"][number]): ChangedKey {
  return {
    key,
    versionFrom: BigInt(from),
    versionTo: BigInt(to),
    deleted,
    ...(shaFrom !== null && { blobFrom: Buffer.from(shaFrom, "hex") }),
    ...(shaTo !== null && { blobTo: Buffer.from(shaTo, "hex") }),
  };
}

/** What to read of each pack. */
async function placesOf(
  { source, clock }: BackupSource,
  backup: Backup,
  lines: readonly PointerLine[],
  atMs: number | undefined,
): Promise<ReadonlyMap<string, readonly Placed[]>> {
  const pauses = new Pauses(clock, STEPS_A_TURN);
  const bySha = new Map<string, PointerLine[]>();
  for (const line of lines) {
    const pause = pauses.step();
    if (pause !== undefined) await pause;
    const some = bySha.get(line.sha);
    if (some === undefined) bySha.set(line.sha, [line]);
    else some.push(line);
  }
  const places = new Map<string, Placed[]>();
  for await (const { sha, pack, offset, length } of readLines<PayloadLine>(
    source,
    backup.payloads,
  )) {
    const from = backup.packs[pack];
    if (from === undefined) throw damaged("a payload is in no pack", String(pack));
    const placed = (bySha.get(sha) ?? []).map((line) => ({ line, offset, length }));
    bySha.delete(sha);
    const some = places.get(from);
    if (some === undefined) places.set(from, placed);
    else some.push(...placed);
  }
  const [missing] = bySha.values();
  if (missing?.[0] === undefined) return places;
  const { key } = missing[0];
  if (atMs === undefined) throw damaged("a pointer's payload is missing", key);
  const message = "the backup no longer has a version of that time: choose a later one";
  throw new FirnError("NotFound", "BACKUP_HISTORY_GONE", message, { key });
}
