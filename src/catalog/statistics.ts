import { assert } from "../base/assert.ts";
import { bytesEqual } from "../base/bytes.ts";
import { sha256Bytes, sha256Hex } from "../base/hash.ts";
import type { AccountId, Revision } from "../base/ids.ts";
import { settleAll } from "../base/settle-all.ts";
import type { Item, Live, Version } from "../pointer/port.ts";
import { BatchBuilder, type PartBlob } from "./batch.ts";
import { MIN_WRITER_VERSION, SCHEMA_VERSION } from "./codec/envelope.ts";
import {
  decodePartSummary,
  decodeStats,
  encodePack,
  encodePartSummary,
  encodeStats,
} from "./codec/stats.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { corrupt, statsNotFound } from "./errors.ts";
import { leafText } from "./keys.ts";
import type { Envelope, PartSummary, Receipt, TargetKind, TargetStats } from "./model.ts";
import { listPage, type Page, type PageRequest } from "./pages.ts";
import {
  type SnapshotRef,
  statsDirectories,
  statsKeys,
  statsPath,
  statsSnapshotKey,
  TARGET_PREFIXES,
  targetIdOf,
  targetKey,
} from "./part-keys.ts";
import type { Authorship } from "./payloads.ts";
import { type Attempt, type Planned, write } from "./repository.ts";
import { idSegment } from "./snapshot-puts.ts";

/*
 * Statistics are put leniently: engines capture them before they commit the snapshot, so the
 * snapshot need not be there. Garbage collection removes those whose snapshot never came. Several
 * targets of one put are packed: one payload, and pointers that say where in it each of them lies.
 */

/** Targets of one batch: each of a file is two operations. */
export const STATS_A_BATCH = 45;
/** A pointer whose payload is missing may have moved on: looked at this often. */
const MAX_LOOKS = 3;
/** Payloads that are read at once. */
const READS = 16;

/** Statistics as they are stored. */
export interface StoredStats {
  readonly id: string;
  readonly stats: TargetStats;
  readonly version: Version;
  readonly revision: Revision;
  readonly updatedAtMs: number;
  readonly updatedBy: string;
}

/** What a put came to for one target. */
export interface PutStats {
  readonly id: string;
  readonly version: Version;
  readonly revision: Revision;
  /** Whether it said something else before, or nothing. */
  readonly changed: boolean;
}

/** One target of a put, with what stands under its keys. */
interface Wanted {
  readonly stats: TargetStats;
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly hash: Uint8Array;
  readonly items: readonly Item[];
  readonly known: PartSummary | undefined;
}

/** The statistics of the tables of one account, by snapshot and target. */
export class Statistics {
  readonly #context: CatalogContext;

  constructor(context: CatalogContext) {
    this.#context = context;
  }

  /**
   * Puts statistics of several targets, all or none. Those that say the same already stay as they
   * are. One batch of an operation for each target (two for a file), at most `STATS_A_BATCH`.
   */
  async put(
    actor: Actor,
    at: SnapshotRef,
    stats: readonly TargetStats[],
  ): Promise<readonly PutStats[]> {
    assert(stats.length > 0 && stats.length <= STATS_A_BATCH, "a put of statistics fits a batch");
    const plan = async (attempt: Attempt): Promise<Planned<readonly PutStats[]>> => {
      const { index, wanted } = await this.#look(at, stats);
      const changed = wanted.filter(({ known, hash }) => !isSame(known, hash));
      const primary = wanted[0]?.items[0]?.key ?? "";
      const result = wanted.map((one) => outcomeOf(one, attempt.authorship));
      const detail = result.map((one) => (one.changed ? 1 : 0)).join("");
      if (changed.length === 0) return { unchanged: result, primary, detail };
      const { account } = this.#context;
      const batch = new BatchBuilder(account);
      if (index.state === "live") batch.check(index);
      else batch.derive(index, {});
      for (const kind of ["FILE", "other"] as const) {
        const some = changed.filter(
          (one) => (one.stats.target.kind === "FILE") === (kind === "FILE"),
        );
        if (some.length > 0) joinPack(batch, account, at, some, attempt.authorship);
      }
      return { batch, primary: changed[0]?.items[0]?.key ?? primary, detail, result: () => result };
    };
    return write(this.#context, actor, "put-statistics", plan, (done) =>
      this.#replay(done, at, stats),
    );
  }

  async #look(at: SnapshotRef, stats: readonly TargetStats[]) {
    const { account, pointers } = this.#context;
    const keys = stats.map(({ target }) => statsKeys(account, at, target));
    const [index, ...items] = await pointers.getMany([
      statsSnapshotKey(account, at),
      ...keys.flat(),
    ]);
    if (index === undefined) throw corrupt("store answered fewer items than asked for", {});
    assert(items.length === keys.flat().length, "a read answers every key");
    let next = 0;
    const wanted = stats.map((one, i): Wanted => {
      const own = items.slice(next, next + (keys[i]?.length ?? 0));
      next += own.length;
      const bytes = encodeStats(one);
      return {
        stats: one,
        id: targetIdOf(one.target),
        bytes,
        hash: sha256Bytes(bytes),
        items: own,
        known: saidBy(own[0]),
      };
    });
    return { index, wanted };
  }

  /** @throws FirnError `STATS_NOT_FOUND`. One read, and one of a part of a payload. */
  async get(at: SnapshotRef, id: string): Promise<StoredStats> {
    const { account, pointers } = this.#context;
    const key = targetKey(account, at, id);
    return this.#follow(key, () => pointers.get(key), id);
  }

  /** As `get`, by any of its keys. */
  async at(key: string, id: string): Promise<StoredStats> {
    return this.#follow(key, () => this.#context.pointers.get(key), id);
  }

  async #follow(key: string, read: () => Promise<Item>, id: string): Promise<StoredStats> {
    for (let look = 0; look < MAX_LOOKS; look++) {
      const item = await read();
      if (item.state === "absent") throw statsNotFound(id);
      const found = await this.#read(item);
      if (found !== undefined) return found;
    }
    throw corrupt("payload is missing", { key });
  }

  /** Those of a kind, or all, in the order of their ids. One list, and a read for each. */
  async list(
    at: SnapshotRef,
    kind: TargetKind | undefined,
    { after, limit }: PageRequest,
  ): Promise<Page<StoredStats>> {
    assert(limit === undefined || limit > 0, "a page has room for something");
    const [targets] = this.#directories(at);
    const prefix = kind === undefined ? "" : TARGET_PREFIXES[kind];
    // A list begins behind what it is given: the id of a table's own is its whole prefix.
    const from = after ?? (prefix === "" ? undefined : prefix.slice(0, -1));
    const page = await listPage(this.#context.pointers, targets, { after: from, limit });
    const isOfKind = ({ key }: Live) => leafText(key)?.startsWith(prefix) === true;
    const items = page.items.filter(isOfKind);
    const passed = page.items.some(
      (item) => !isOfKind(item) && (leafText(item.key) ?? "") > prefix,
    );
    const found = await this.#readAll(items);
    return page.next === undefined || passed ? { items: found } : { items: found, next: page.next };
  }

  /** Those of files, in the order of their paths. */
  async files(at: SnapshotRef, request: PageRequest): Promise<Page<StoredStats>> {
    const [, files] = this.#directories(at);
    const page = await listPage(this.#context.pointers, files, request);
    return { ...page, items: await this.#readAll(page.items) };
  }

  /** Deletes the statistics of a target. @throws FirnError `STATS_NOT_FOUND`. */
  async delete(
    actor: Actor,
    at: SnapshotRef,
    id: string,
    expect: (stored: Pick<StoredStats, "version" | "revision">) => void = () => {},
  ): Promise<void> {
    const { account, pointers } = this.#context;
    const key = targetKey(account, at, id);
    const plan = async (): Promise<Planned<void>> => {
      const item = await pointers.get(key);
      const said = saidBy(item);
      if (item.state === "absent" || said === undefined) throw statsNotFound(id);
      expect({ version: item.version, revision: said.revision });
      const batch = new BatchBuilder(account).delete(item);
      const { stats } = await this.get(at, id);
      const [, ...aliases] = statsKeys(account, at, stats.target);
      for (const alias of await pointers.getMany(aliases)) {
        if (alias.state === "live") batch.deriveDelete(alias);
      }
      return { batch, primary: key, result: () => undefined };
    };
    await write(this.#context, actor, "delete-statistics", plan, async () => undefined);
  }

  #directories({ table, snapshotId }: SnapshotRef) {
    return statsDirectories(this.#context.account, table, idSegment(snapshotId));
  }

  async #readAll(items: readonly Live[]): Promise<readonly StoredStats[]> {
    const found: StoredStats[] = [];
    for (let from = 0; from < items.length; from += READS) {
      const some = items.slice(from, from + READS).map((item) => this.#readAgain(item));
      // What was deleted since the list is left out.
      for (const one of await settleAll(some)) if (one !== undefined) found.push(one);
    }
    return found;
  }

  async #readAgain(item: Live): Promise<StoredStats | undefined> {
    const found = await this.#read(item);
    if (found !== undefined) return found;
    const again = await this.#context.pointers.get(item.key);
    if (again.state === "absent") return undefined;
    if (again.version === item.version) throw corrupt("payload is missing", { key: item.key });
    return this.#read(again);
  }

  /** @returns undefined where the payload is missing. @throws FirnError `Corrupt`. */
  async #read(item: Live): Promise<StoredStats | undefined> {
    const said = saidBy(item);
    if (said === undefined || item.blobPath === undefined) {
      throw corrupt("statistics without a summary", { key: item.key });
    }
    const { payloads } = this.#context;
    const bytes = await payloads.getPart(item.blobPath, said.offset, said.length);
    if (bytes === undefined) return undefined;
    if (!bytesEqual(sha256Bytes(bytes), said.contentHash)) {
      throw corrupt("statistics differ from their hash", { key: item.key });
    }
    const stats = decodeStats(bytes);
    assert(said.length === bytes.length, "statistics are as long as their pointer says");
    const { revision, updatedAtMs, updatedBy } = said;
    const id = targetIdOf(stats.target);
    return { id, stats, version: item.version, revision, updatedAtMs, updatedBy };
  }

  /** What an earlier request of the same key came to, as it stands now. */
  async #replay({ detail = "" }: Receipt, at: SnapshotRef, stats: readonly TargetStats[]) {
    const { wanted } = await this.#look(at, stats);
    return wanted.map(({ id, items, known }, i): PutStats => {
      const item = items[0];
      if (known === undefined || item === undefined) throw statsNotFound(id);
      const { revision } = known;
      return { id, version: item.version, revision, changed: detail[i] === "1" };
    });
  }
}

function saidBy(item: Item | undefined): PartSummary | undefined {
  if (item?.state !== "live" || item.summary === undefined) return undefined;
  return decodePartSummary(item.summary);
}

function isSame(known: PartSummary | undefined, hash: Uint8Array): boolean {
  return known !== undefined && bytesEqual(known.contentHash, hash);
}

function outcomeOf({ id, hash, known, items }: Wanted, { revision }: Authorship): PutStats {
  const version = items[0]?.version ?? 0n;
  return known !== undefined && isSame(known, hash)
    ? { id, version, revision: known.revision, changed: false }
    : { id, version: version + 1n, revision, changed: true };
}

/** Adds one payload of these targets to a batch, and the pointers to each. */
function joinPack(
  batch: BatchBuilder,
  account: AccountId,
  { table, snapshotId }: SnapshotRef,
  some: readonly Wanted[],
  authorship: Authorship,
): void {
  const envelope: Envelope = {
    schemaVersion: SCHEMA_VERSION,
    minWriterVersion: MIN_WRITER_VERSION,
    entityType: "statistics",
    accountId: account,
    entityId: table,
    ...authorship,
  };
  const { bytes, places } = encodePack(
    envelope,
    snapshotId,
    some.map((one) => one.bytes),
  );
  assert(places.length === some.length, "a pack says where each of its targets lies");
  const sha = sha256Hex(bytes);
  const path = statsPath(account, table, idSegment(snapshotId), some[0]?.id ?? "", sha);
  const blob: PartBlob = { path, bytes };
  const { revision, updatedAtMs, updatedBy } = authorship;
  for (const [i, { hash, items }] of some.entries()) {
    const place = places[i] ?? { offset: 0, length: 0 };
    const said = { snapshotId, contentHash: hash, revision, updatedAtMs, updatedBy, ...place };
    const content = { blob, bytes: encodePartSummary(said) };
    const [own, ...aliases] = items;
    assert(own !== undefined && place.length > 0, "each target has a pointer and a place");
    batch.put(own, content);
    for (const alias of aliases) batch.derive(alias, content);
  }
}
