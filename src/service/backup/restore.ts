import type { Clock } from "../../base/clock.ts";
import { FirnError, invalid } from "../../base/error.ts";
import { sha256Hex } from "../../base/hash.ts";
import type { AccountId, ChangeId, IdSource, Revision, WriterId } from "../../base/ids.ts";
import { LIMITS } from "../../base/limits.ts";
import { Pauses } from "../../base/pauses.ts";
import type { BlobStore } from "../../blob/port.ts";
import { encodeChangeOp } from "../../catalog/changes.ts";
import { type CutRecord, type KeyState, rollBack } from "../../catalog/cut.ts";
import { entityPointers } from "../../catalog/entity-pointers.ts";
import { FAMILIES, type FamilyName, keyOf, parseKey } from "../../catalog/keys.ts";
import type { ChangedKey } from "../../catalog/model.ts";
import { payloadPath, relativeKey, shaOfPath } from "../../catalog/paths.ts";
import { Payloads } from "../../catalog/payloads.ts";
import type { Live, PointerOp, PointerStore } from "../../pointer/port.ts";
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
import { canonicalOf } from "./take.ts";

/** An empty store, and the location of the backup. */
export interface RestoreParts {
  readonly pointers: PointerStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly source: BlobStore;
}

/** What a restore came to. */
export interface RestoreReport {
  readonly id: string;
  /** The time that the state is of. */
  readonly atMs: number;
  readonly entities: number;
  readonly pointers: number;
  /** Tables that were being purged: their files are going. */
  readonly skipped: number;
}

type Put = Extract<PointerOp, { op: "put" }>;

/** Payloads that are put at once, and batches that are sent at once. */
const WRITES = 16;
/** Tries of a batch while the store is busy. */
const TRIES = 8;
/** Pointers or records that are handled between two turns of the event loop, at most. */
const STEPS_A_TURN = 4_096;

/**
 * Makes the account of a backup in a store that has none of its name, as of the backup or of an
 * earlier time. Ids, names, locations, properties and revisions stay; versions begin anew, and so
 * does the history. The account's own pointers are written last, in one batch: until then a reader
 * finds nothing. Killed at any point, it is run again.
 *
 * @throws FirnError `AlreadyExists` `STORE_NOT_EMPTY`; `Invalid` `RESTORE_TIME_INVALID`; `NotFound`
 *   `BACKUP_HISTORY_GONE`; `Corrupt` `BACKUP_DAMAGED`; what the stores throw.
 */
export async function restoreBackup(
  parts: RestoreParts,
  backup: Backup,
  atMs?: number,
): Promise<RestoreReport> {
  const account = backup.account as AccountId;
  const states = await statesAt(parts, backup, atMs);
  const restore = new Restore(parts, account);
  await restore.assertEmpty();
  const pauses = new Pauses(parts.clock, STEPS_A_TURN);
  const packs = await placesOf(parts.source, backup, states.lines, pauses, atMs);
  for (const [pack, lines] of packs) await restore.pack(pack, lines);
  await restore.finish();
  const { entities, written, skipped } = restore;
  return { id: backup.id, atMs: atMs ?? backup.cutMs, entities, pointers: written, skipped };
}

/** The pointers that live at a time. */
async function statesAt(
  { source, clock }: RestoreParts,
  backup: Backup,
  atMs: number | undefined,
): Promise<{ readonly lines: readonly PointerLine[] }> {
  const lines: PointerLine[] = [];
  for await (const line of readLines<PointerLine>(source, backup.pointers)) lines.push(line);
  if (atMs === undefined) return { lines };
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
  return { lines: then };
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

interface Placed {
  readonly line: PointerLine;
  readonly offset: number;
  readonly length: number;
}

interface Pack {
  readonly store: BlobStore;
  readonly name: string;
}

/** What to read of each pack. */
async function placesOf(
  source: BlobStore,
  backup: Backup,
  lines: readonly PointerLine[],
  pauses: Pauses,
  atMs: number | undefined,
): Promise<ReadonlyMap<Pack, readonly Placed[]>> {
  const bySha = new Map<string, PointerLine[]>();
  for (const line of lines) {
    const pause = pauses.step();
    if (pause !== undefined) await pause;
    const some = bySha.get(line.sha);
    if (some === undefined) bySha.set(line.sha, [line]);
    else some.push(line);
  }
  const packs = backup.packs.map((name) => ({ store: source, name }));
  const places = new Map<Pack, Placed[]>();
  for await (const { sha, pack, offset, length } of readLines<PayloadLine>(
    source,
    backup.payloads,
  )) {
    const from = packs[pack];
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

class Restore {
  readonly #parts: RestoreParts;
  readonly #account: AccountId;
  readonly #payloads: Payloads;
  readonly #writerId: WriterId;
  readonly #pauses: Pauses;
  /** The account's own, which make the rest visible. */
  #last: readonly Put[] = [];
  entities = 0;
  written = 0;
  skipped = 0;

  constructor(parts: RestoreParts, account: AccountId) {
    this.#parts = parts;
    this.#account = account;
    this.#payloads = new Payloads(parts.blobs, account);
    this.#writerId = parts.ids.mint<WriterId>();
    this.#pauses = new Pauses(parts.clock, PAYLOADS_A_TURN);
  }

  /** @throws FirnError `STORE_NOT_EMPTY`. */
  async assertEmpty(): Promise<void> {
    const found = await this.#parts.pointers.list(parentOf(keyOf(FAMILIES.accountByName, "x")), {
      limit: 1,
    });
    if (found.length > 0) throw notEmpty();
  }

  async pack({ store, name }: Pack, placed: readonly Placed[]): Promise<void> {
    const bytes = await readHashed(store, packPath(name), name);
    for (let from = 0; from < placed.length; from += PAYLOADS_A_TURN) {
      const some = placed.slice(from, from + PAYLOADS_A_TURN);
      const ops = await inGroups(some, WRITES, (each) => this.#one(bytes, each));
      await this.#commitAll(ops.flat());
      await this.#parts.clock.sleep(0);
    }
  }

  /** Puts a payload and answers its pointers. */
  async #one(bytes: Uint8Array, { line, offset, length }: Placed): Promise<readonly Put[]> {
    const pause = this.#pauses.step();
    if (pause !== undefined) await pause;
    const { key, sha, blob } = line;
    const payload = bytes.subarray(offset, offset + length);
    if (sha256Hex(payload) !== sha) throw damaged("a payload has other bytes than its hash", sha);
    const entity = canonicalOf(key);
    if (entity === undefined) {
      const summary = Buffer.from(line.summary ?? "", "base64");
      const blobPath = blob ?? "";
      await this.#payloads.putBytes(blobPath, payload);
      return [{ op: "put", key, expected: 0n, blobPath, summary }];
    }
    const path = payloadPath(entity.type, this.#account, entity.id, sha);
    const { ops } = entityPointers(this.#account, entity.type, entity.id, path, payload);
    if (ops.length === 0) {
      this.skipped++;
      return [];
    }
    await this.#payloads.putBytes(path, payload);
    this.entities++;
    if (entity.type !== "account") return ops;
    this.#last = ops;
    return [];
  }

  async finish(): Promise<void> {
    if (this.#last.length === 0) throw invalid("RESTORE_TIME_INVALID", "no account at that time");
    await this.#commit(this.#last);
  }

  async #commitAll(ops: readonly Put[]): Promise<void> {
    // Where overlaps are allowed, several tables may have one location.
    const once = [...new Map(ops.map((op) => [op.key, op])).values()];
    const batches: Put[][] = [];
    for (let from = 0; from < once.length; from += BATCH_POINTERS) {
      batches.push(once.slice(from, from + BATCH_POINTERS));
    }
    await inGroups(batches, WRITES, (batch) => this.#commit(batch));
  }

  /** Every pointer of a batch, those that an earlier run has put already among them. */
  async #commit(ops: readonly Put[]): Promise<void> {
    let left = ops;
    for (let tries = 0; left.length > 0; tries++) {
      const batch = [...left, ...(await this.#changeOf(left))];
      const done = await this.#parts.pointers.commit({ writerId: this.#writerId, ops: batch });
      if (done.outcome === "committed") break;
      if (tries >= TRIES) throw busy();
      if (done.outcome !== "conflict") {
        const waitMs = done.outcome === "overloaded" ? done.retryAfterMs : 100 * 2 ** tries;
        await this.#parts.clock.sleep(waitMs);
      }
      left = await this.#missing(left);
    }
    this.written += ops.length;
  }

  /** The change record of a batch, a new one for each try: it tells what that very batch wrote. */
  async #changeOf(ops: readonly Put[]): Promise<readonly PointerOp[]> {
    const { clock, ids } = this.#parts;
    const keys = ops.flatMap(({ key, blobPath }): readonly ChangedKey[] => {
      if (!RECORDED.has(parseKey(key).family)) return [];
      const to = blobPath === undefined ? {} : { blobTo: Buffer.from(shaOfPath(blobPath), "hex") };
      const changed = relativeKey(this.#account, key);
      return [{ key: changed, versionFrom: 0n, versionTo: 1n, deleted: false, ...to }];
    });
    if (keys.length === 0) return [];
    const authorship = {
      revision: ids.mint<Revision>(),
      updatedAtMs: clock.nowMs(),
      updatedBy: "firn",
      requestId: "restore",
    };
    const id = ids.mint<ChangeId>();
    const { op, blob } = encodeChangeOp(this.#account, id, "restore", authorship, keys);
    if (blob !== undefined) await this.#payloads.putBytes(blob.path, blob.bytes);
    return [op];
  }

  /** @throws FirnError `STORE_NOT_EMPTY`: something else is there. */
  async #missing(ops: readonly Put[]): Promise<readonly Put[]> {
    const found = await this.#parts.pointers.getMany(ops.map(({ key }) => key));
    return ops.filter((op, i) => {
      const item = found[i];
      if (item === undefined || item.version === 0n) return true;
      const same = item.state === "live" && isSame(op, item);
      // Where overlaps are allowed, one of those that share a location claims it.
      if (!same && parseKey(op.key).family !== "location") throw notEmpty();
      return false;
    });
  }
}

/** What change records tell of; the rest follows from it. */
const RECORDED: ReadonlySet<FamilyName> = new Set<FamilyName>([
  "accountById",
  "accountByName",
  "catalogById",
  "catalogByName",
  "namespaceById",
  "namespaceByPath",
  "tableById",
  "viewById",
  "relationByName",
  "location",
  "dropped",
]);

/** Pointers of a batch, beside its change record. */
const BATCH_POINTERS = LIMITS.batchOps - 1;

/** Payloads between two turns of the event loop. */
const PAYLOADS_A_TURN = 256;

function parentOf(key: string): string {
  return key.slice(0, key.lastIndexOf("/"));
}

function isSame({ blobPath, summary }: Put, item: Live): boolean {
  const [one, other] = [summary ?? new Uint8Array(), item.summary ?? new Uint8Array()];
  return item.blobPath === blobPath && Buffer.from(one).equals(other);
}

function notEmpty(): FirnError {
  const message = "the store is not empty: restore into an empty directory, bucket prefix or table";
  return new FirnError("AlreadyExists", "STORE_NOT_EMPTY", message);
}

function busy(): FirnError {
  const message = "the store does not take the pointers: run the restore again";
  return new FirnError("Unavailable", "RESTORE_INTERRUPTED", message);
}

async function inGroups<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += width) {
    results.push(...(await Promise.all(items.slice(from, from + width).map(work))));
  }
  return results;
}
