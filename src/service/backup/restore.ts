import { backoff } from "../../base/backoff.ts";
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
import type { Prng } from "../../base/prng.ts";
import { settleAll } from "../../base/settle-all.ts";
import type { BlobStore } from "../../blob/port.ts";
import { encodeChangeOp } from "../../catalog/changes.ts";
import { summaryOfItem } from "../../catalog/entities.ts";
import { entityPointers } from "../../catalog/entity-pointers.ts";
import { FAMILIES, type FamilyName, keyOf, parseKey } from "../../catalog/keys.ts";
import type { ChangedKey } from "../../catalog/model.ts";
import { isPart, partPointers } from "../../catalog/part-pointers.ts";
import { payloadPath, relativeKey, shaOfPath } from "../../catalog/paths.ts";
import { Payloads } from "../../catalog/payloads.ts";
import { payloadOfKey } from "../../catalog/references.ts";
import type { Engine } from "../../lsm/index.ts";
import type { Live, PointerOp, PointerStore } from "../../pointer/port.ts";
import { SortedLines } from "../gc/sorted-lines.ts";
import type { AccountThen } from "./account-states.ts";
import type { Backup } from "./format.ts";
import { isInVain, patientBlobs, patientPointers } from "./patient-stores.ts";
import { type BackedPointer, BackupContent, wholePayload } from "./read.ts";
import { restoreRows } from "./rows.ts";
import { canonicalOf, isOfCatalog } from "./scope.ts";

/** An empty store, and the location of the backup. */
export interface RestoreParts {
  readonly pointers: PointerStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly ids: IdSource;
  readonly source: BlobStore;
  /** Where what does not fit the memory is sorted. Empty. */
  readonly scratch: BlobStore;
  /** Opens a shard of rows, and closes it. Absent: the profile has no row tables. */
  readonly withRows?:
    | ((shard: string, work: (engine: Engine) => Promise<void>) => Promise<void>)
    | undefined;
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
  stores: RestoreParts,
  backup: Backup,
  scope: RestoreScope = {},
): Promise<RestoreReport> {
  const made = { known: new Set([backup.account]), isLast: true };
  const report = await restoreAccount(stores, backup, scope, made);
  if (report === undefined) throw invalid("RESTORE_TIME_INVALID", "no account at that time");
  return report;
}

/** What the same restore makes, and may have made before it was interrupted. */
interface MadeAccounts {
  /** Their ids. */
  readonly known: ReadonlySet<string>;
  /** Whether no other account comes behind this one: then the store is whole. */
  readonly isLast: boolean;
  /** What the account was at the time that is restored; absent: what the backup says. */
  readonly past?: AccountThen | undefined;
}

/** One account of a restore; undefined where it was not there at that time. @throws as above. */
export async function restoreAccount(
  stores: RestoreParts,
  backup: Backup,
  { atMs, catalog }: RestoreScope,
  made: MadeAccounts,
): Promise<RestoreReport | undefined> {
  const parts = {
    ...stores,
    pointers: patientPointers(stores.pointers, stores),
    blobs: patientBlobs(stores.blobs, stores),
    source: patientBlobs(stores.source, stores),
  };
  const account = backup.account as AccountId;
  const content = await BackupContent.open(parts, backup, atMs);
  const scope = catalog === undefined ? undefined : await content.catalogNamed(catalog);
  const restore = new Restore(parts, account, made.past, scope?.id);
  await restore.assertEmpty(made);
  for await (const pack of content.packs()) await restore.pack(pack);
  if (scope !== undefined) {
    for await (const pack of content.partsOf(restore.tables.lines())) await restore.parts(pack);
  }
  await restoreShards(parts, backup, scope?.id);
  if (!(await restore.finish())) return undefined;
  const { entities, written, skipped } = restore;
  return { id: backup.id, atMs: atMs ?? backup.cutMs, entities, pointers: written, skipped };
}

/** The rows of the catalogs that are restored, before anything of them can be found. */
async function restoreShards(
  parts: RestoreParts,
  { shards = [] }: Backup,
  only: CatalogId | undefined,
): Promise<void> {
  const { withRows } = parts;
  for (const shard of shards) {
    if (only !== undefined && shard.catalog !== only) continue;
    if (withRows === undefined) {
      const message = "the backup has row tables, which this profile does not have: use another";
      throw invalid("ROW_TABLES_UNSUPPORTED", message, { catalog: shard.catalog });
    }
    await withRows(
      shard.shard ?? shard.catalog,
      async (engine) => await restoreRows(parts, engine, shard),
    );
  }
}

class Restore {
  readonly #parts: RestoreParts;
  readonly #account: AccountId;
  readonly #past: AccountThen | undefined;
  readonly #catalog: CatalogId | undefined;
  readonly #payloads: Payloads;
  readonly #writerId: WriterId;
  readonly #pauses: Pauses;
  /** Ids of the tables of the one catalog that is restored: their parts come behind them. */
  readonly tables: SortedLines;
  /** The account's own, which make the rest visible. */
  #last: readonly Put[] = [];
  entities = 0;
  written = 0;
  skipped = 0;

  constructor(
    parts: RestoreParts,
    account: AccountId,
    past: AccountThen | undefined,
    catalog?: CatalogId,
  ) {
    this.#parts = parts;
    this.#account = account;
    this.#past = past;
    this.#catalog = catalog;
    this.#payloads = new Payloads(parts.blobs, account);
    this.#writerId = parts.ids.mint<WriterId>();
    this.#pauses = new Pauses(parts.clock, PAYLOADS_A_TURN);
    this.tables = new SortedLines(parts, "restore-tables");
  }

  /** @throws FirnError `STORE_NOT_EMPTY`: something else is there, or all of this backup. */
  async assertEmpty({ known, isLast }: MadeAccounts): Promise<void> {
    const found = await this.#parts.pointers.list(parentOf(keyOf(FAMILIES.accountByName, "x")), {
      limit: known.size + 1,
    });
    for (const item of found) {
      const { entityId } = summaryOfItem(item);
      if (!known.has(entityId) || (isLast && entityId === this.#account)) throw notEmpty();
    }
  }

  /** Restores pointers of all kinds; of one catalog, its entities alone. */
  pack(pointers: readonly BackedPointer[]): Promise<void> {
    return this.#all(pointers, (each) => this.#one(each));
  }

  /** Restores statistics and constraints. */
  parts(pointers: readonly BackedPointer[]): Promise<void> {
    return this.#all(pointers, (each) => this.#part(each));
  }

  async #all(
    pointers: readonly BackedPointer[],
    one: (pointer: BackedPointer) => Promise<readonly Put[]>,
  ): Promise<void> {
    for (let from = 0; from < pointers.length; from += PAYLOADS_A_TURN) {
      const some = pointers.slice(from, from + PAYLOADS_A_TURN);
      const ops = await inGroups(some, WRITES, one);
      await this.#commitAll(ops.flat());
      await this.#parts.clock.sleep(0);
    }
  }

  /** Puts a payload and answers its pointers. */
  async #one(pointer: BackedPointer): Promise<readonly Put[]> {
    const pause = this.#pauses.step();
    if (pause !== undefined) await pause;
    const { key, sha, blob } = pointer.line;
    const entity = canonicalOf(key);
    if (entity === undefined && this.#catalog !== undefined) return [];
    if (isPart(parseKey(key))) return this.#part(pointer);
    if (entity === undefined) {
      const payload = wholePayload(pointer);
      const summary = Buffer.from(pointer.line.summary ?? "", "base64");
      const blobPath = blob ?? "";
      await this.#payloads.putBytes(blobPath, payload);
      return [{ op: "put", key, expected: 0n, blobPath, summary }];
    }
    const past = entity.type === "account" ? this.#past : undefined;
    const payload = past?.payload ?? wholePayload(pointer);
    const path = payloadPath(entity.type, this.#account, entity.id, past?.sha ?? sha);
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
    if (this.#catalog !== undefined && entity.type === "table") await this.tables.add(entity.id);
    if (entity.type !== "account") return ops;
    this.#last = ops;
    return [];
  }

  async #part(pointer: BackedPointer): Promise<readonly Put[]> {
    const { key, sha } = pointer.line;
    const payload = wholePayload(pointer);
    const path = payloadOfKey(key, Buffer.from(sha, "hex"));
    await this.#payloads.putBytes(path, payload);
    return partPointers(this.#account, key, parseKey(key), path, payload);
  }

  /** Writes the account's own pointers. @returns whether there was an account. */
  async finish(): Promise<boolean> {
    if (this.#last.length === 0) return false;
    await this.#commit(this.#last);
    return true;
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
    const { clock, prng } = this.#parts;
    const begunMs = clock.monotonicMs();
    let left = ops;
    for (let tries = 1; left.length > 0; tries++) {
      const batch = [...left, ...(await this.#changeOf(left))];
      const done = await this.#parts.pointers.commit({ writerId: this.#writerId, ops: batch });
      if (done.outcome === "committed") break;
      if (isInVain(this.#parts, tries, begunMs)) throw busy();
      await backoff(clock, prng, tries, done.outcome === "overloaded" ? done.retryAfterMs : 0);
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
  "principalById",
  "principalByName",
  "storageProfileById",
  "storageProfileByName",
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
