import { FirnError } from "../base/error.ts";
import type { Pauses } from "../base/pauses.ts";
import type { ChangedKey } from "./model.ts";

/*
 * Consistent states of an account, computed from a sweep and the change records of its span.
 *
 * A sweep is not a snapshot: it may see one key of a batch before the batch, and another after it.
 * A cut is a set of batches such that a batch is in it only when every batch is that wrote a lower
 * version of one of its keys. So the state at a cut is one that existed, however late a batch of an
 * earlier minute lands: nothing in the cut can rest on it.
 */

/** What a canonical key held. `sha` is absent where nothing lived there. */
export interface KeyState {
  readonly version: bigint;
  readonly sha?: string | undefined;
}

/** One batch: the canonical keys that it wrote. */
export interface CutRecord {
  readonly id: string;
  readonly timeMs: number;
  readonly keys: readonly ChangedKey[];
}

function shaOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("hex");
}

async function copyOf(
  states: ReadonlyMap<string, KeyState>,
  pauses: Pauses,
): Promise<Map<string, KeyState>> {
  const copy = new Map<string, KeyState>();
  for (const [key, state] of states) {
    copy.set(key, state);
    const pause = pauses.step();
    if (pause !== undefined) await pause;
  }
  return copy;
}

/**
 * The newest consistent state that a sweep and the records read after it prove.
 *
 * @param swept what the sweep saw, tombstones too.
 * @param records of the span of the sweep, from attempt and skew before its start, and any more.
 * @param pauses between which an account's many pointers and records are gone through.
 * @returns the state, and the records that are in it.
 * @throws FirnError `Unavailable`, code `BACKUP_UNSETTLED`: the records do not explain the sweep.
 */
export async function rollForward(
  swept: ReadonlyMap<string, KeyState>,
  records: readonly CutRecord[],
  pauses: Pauses,
): Promise<{
  readonly states: Map<string, KeyState>;
  readonly included: readonly CutRecord[];
}> {
  const states = await copyOf(swept, pauses);
  const forgotten = await forgottenKeys(swept, records, pauses);
  const isIn = ({ key, versionTo }: ChangedKey): boolean =>
    forgotten.has(key) || (states.get(key)?.version ?? 0n) >= versionTo;
  const included: CutRecord[] = [];
  let left: readonly CutRecord[] = records;
  for (let moved = true; moved; ) {
    moved = false;
    const waiting: CutRecord[] = [];
    for (const record of left) {
      const pause = pauses.step();
      if (pause !== undefined) await pause;
      const follows = record.keys.every(
        (each) => isIn(each) || (states.get(each.key)?.version ?? 0n) === each.versionFrom,
      );
      if (!follows) {
        waiting.push(record);
        continue;
      }
      for (const each of record.keys) {
        if (isIn(each)) continue;
        states.set(each.key, { version: each.versionTo, sha: shaOf(each.blobTo) });
        moved = true;
      }
      included.push(record);
    }
    moved = moved && waiting.length > 0;
    left = waiting;
  }
  const torn = left.find(({ keys }) => keys.some(isIn));
  if (torn !== undefined) {
    const message = "the change records do not explain what was read: try again";
    throw new FirnError("Unavailable", "BACKUP_UNSETTLED", message, { change: torn.id });
  }
  return { states, included };
}

/** Keys that died, and whose tombstones were removed, before the sweep came by. */
async function forgottenKeys(
  swept: ReadonlyMap<string, KeyState>,
  records: readonly CutRecord[],
  pauses: Pauses,
): Promise<ReadonlySet<string>> {
  const first = new Map<string, bigint>();
  for (const { keys } of records) {
    const pause = pauses.step();
    if (pause !== undefined) await pause;
    for (const { key, versionFrom } of keys) {
      if (swept.has(key)) continue;
      const known = first.get(key);
      if (known === undefined || versionFrom < known) first.set(key, versionFrom);
    }
  }
  return new Set([...first].filter(([, from]) => from > 0n).map(([key]) => key));
}

/**
 * The state as of a time: every batch of a later time is undone, and with it what rests on it.
 *
 * @param included records that are in `states`, all of those since `atMs` among them.
 */
export async function rollBack(
  states: ReadonlyMap<string, KeyState>,
  included: readonly CutRecord[],
  atMs: number,
  pauses: Pauses,
): Promise<Map<string, KeyState>> {
  const oldest = new Map<string, ChangedKey>();
  const undo = ({ keys }: CutRecord): void => {
    for (const each of keys) {
      const known = oldest.get(each.key);
      if (known === undefined || each.versionFrom < known.versionFrom) oldest.set(each.key, each);
    }
  };
  let left: readonly CutRecord[] = included;
  for (let moved = true; moved; ) {
    const kept: CutRecord[] = [];
    for (const record of left) {
      const pause = pauses.step();
      if (pause !== undefined) await pause;
      const rests = record.keys.some(
        ({ key, versionFrom }) => (oldest.get(key)?.versionTo ?? versionFrom + 1n) <= versionFrom,
      );
      if (rests || record.timeMs > atMs) undo(record);
      else kept.push(record);
    }
    moved = kept.length < left.length;
    left = kept;
  }
  const before = await copyOf(states, pauses);
  for (const [key, { versionFrom, blobFrom }] of oldest) {
    const pause = pauses.step();
    if (pause !== undefined) await pause;
    before.set(key, { version: versionFrom, sha: shaOf(blobFrom) });
  }
  return before;
}
