import type { Clock } from "../../base/clock.ts";
import { FirnError, invalid } from "../../base/error.ts";
import type {
  AccountId,
  CatalogId,
  ChangeId,
  IdSource,
  Revision,
  WriterId,
} from "../../base/ids.ts";
import { LIMITS } from "../../base/limits.ts";
import { Pauses } from "../../base/pauses.ts";
import { settleAll } from "../../base/settle-all.ts";
import type { BlobStore } from "../../blob/port.ts";
import { encodeChangeOp } from "../../catalog/changes.ts";
import { entityPointers } from "../../catalog/entity-pointers.ts";
import { FAMILIES, type FamilyName, keyOf, parseKey } from "../../catalog/keys.ts";
import type { ChangedKey } from "../../catalog/model.ts";
import { isPart, partPointers } from "../../catalog/part-pointers.ts";
import { payloadPath, relativeKey, shaOfPath } from "../../catalog/paths.ts";
import { Payloads } from "../../catalog/payloads.ts";
import { payloadOfKey } from "../../catalog/references.ts";
import type { Live, PointerOp, PointerStore } from "../../pointer/port.ts";
import type { Backup } from "./format.ts";
import { type BackedPointer, BackupContent, wholePayload } from "./read.ts";
import { canonicalOf, isOfCatalog } from "./scope.ts";

/** An empty store, and the location of the backup. */
export interface RestoreParts {
  readonly pointers: PointerStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly source: BlobStore;
}

/** What of a backup is restored; by default all of it, as of its end. */
export interface RestoreScope {
  readonly atMs?: number | undefined;
  /** Name of the only catalog. Its snapshot pointers are left out: reads make them again. */
  readonly catalog?: string | undefined;
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
/**
 * Makes the account of a backup in a store that has none of its name, as of the backup or of an
 * earlier time. Ids, names, locations, properties and revisions stay; versions begin anew, and so
 * does the history. The account's own pointers are written last, in one batch: until then a reader
 * finds nothing. Killed at any point, it is run again.
 *
 * @throws FirnError `AlreadyExists` `STORE_NOT_EMPTY`; `Invalid` `RESTORE_TIME_INVALID`;
 *   `NotFound`: `BACKUP_HISTORY_GONE`, `CATALOG_NOT_FOUND`; `Corrupt` `BACKUP_DAMAGED`; what the
 *   stores throw.
 */
export async function restoreBackup(
  parts: RestoreParts,
  backup: Backup,
  { atMs, catalog }: RestoreScope = {},
): Promise<RestoreReport> {
  const account = backup.account as AccountId;
  const content = await BackupContent.open(parts, backup, atMs);
  const scope = catalog === undefined ? undefined : await content.catalogNamed(catalog);
  const restore = new Restore(parts, account, scope?.id);
  await restore.assertEmpty();
  for await (const pack of content.packs()) await restore.pack(pack);
  await restore.finish();
  const { entities, written, skipped } = restore;
  return { id: backup.id, atMs: atMs ?? backup.cutMs, entities, pointers: written, skipped };
}

class Restore {
  readonly #parts: RestoreParts;
  readonly #account: AccountId;
  readonly #catalog: CatalogId | undefined;
  readonly #payloads: Payloads;
  readonly #writerId: WriterId;
  readonly #pauses: Pauses;
  /** The account's own, which make the rest visible. */
  #last: readonly Put[] = [];
  entities = 0;
  written = 0;
  skipped = 0;

  constructor(parts: RestoreParts, account: AccountId, catalog?: CatalogId) {
    this.#parts = parts;
    this.#account = account;
    this.#catalog = catalog;
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

  async pack(pointers: readonly BackedPointer[]): Promise<void> {
    for (let from = 0; from < pointers.length; from += PAYLOADS_A_TURN) {
      const some = pointers.slice(from, from + PAYLOADS_A_TURN);
      const ops = await inGroups(some, WRITES, (each) => this.#one(each));
      await this.#commitAll(ops.flat());
      await this.#parts.clock.sleep(0);
    }
  }

  /** Puts a payload and answers its pointers. */
  async #one(pointer: BackedPointer): Promise<readonly Put[]> {
    const pause = this.#pauses.step();
    if (pause !== undefined) await pause;
    const { key, sha, blob } = pointer.line;
    const payload = wholePayload(pointer);
    const entity = canonicalOf(key);
    const parsed = parseKey(key);
    if (isPart(parsed)) {
      // Of one catalog's restore: its tables are found by reads, and may be in other packs.
      if (this.#catalog !== undefined) return [];
      const path = payloadOfKey(key, Buffer.from(sha, "hex"));
      await this.#payloads.putBytes(path, payload);
      return partPointers(this.#account, key, parsed, path, payload);
    }
    if (entity === undefined) {
      if (this.#catalog !== undefined) return [];
      const summary = Buffer.from(pointer.line.summary ?? "", "base64");
      const blobPath = blob ?? "";
      await this.#payloads.putBytes(blobPath, payload);
      return [{ op: "put", key, expected: 0n, blobPath, summary }];
    }
    const path = payloadPath(entity.type, this.#account, entity.id, sha);
    const { ops, entity: found } = entityPointers(
      this.#account,
      entity.type,
      entity.id,
      path,
      payload,
    );
    if (this.#catalog !== undefined && !isOfCatalog(this.#catalog, found)) return [];
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
  "connectorById",
  "connectorByName",
  "targetStats",
  "constraints",
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
    results.push(...(await settleAll(items.slice(from, from + width).map(work))));
  }
  return results;
}
