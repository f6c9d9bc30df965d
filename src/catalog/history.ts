import { assert } from "../base/assert.ts";
import { FirnError } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import { Pauses } from "../base/pauses.ts";
import { settleAll } from "../base/settle-all.ts";
import type { Live } from "../pointer/port.ts";
import { changeDirectories, changeOf } from "./changes.ts";
import { decodePayload } from "./codec/entities.ts";
import type { CatalogContext } from "./context.ts";
import { corrupt } from "./errors.ts";
import { leafText } from "./keys.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import type { ChangeRecord, Entity, EntityType, Envelope } from "./model.ts";
import { listPage } from "./pages.ts";
import { byIdKey, relativeKey } from "./paths.ts";
import { payloadOfKey } from "./references.ts";
import { takeApart } from "./walk.ts";

/*
 * Change records lie by minute and shard, not by entity. A version is found all the same: its
 * payload says when its attempt began, which is the minute of its record, and the record names the
 * payload of the version before. So a walk back from the newest version reads what it answers, and
 * no more.
 */

/** One version of an entity, and the change that wrote it. */
export interface EntityVersion {
  readonly version: bigint;
  readonly entity: Entity;
  readonly envelope: Envelope;
  /** Absent where the change record is past its retention: then no earlier version is known. */
  readonly change?: { readonly id: string; readonly operation: string };
}

/** A change as the feed and the audit tell it. */
export interface StoredChange extends ChangeRecord {
  readonly id: string;
}

/** A version, or what was current at a time, in milliseconds of wall time. */
export type Moment = { readonly version: bigint } | { readonly timeMs: number };

/** Records that are read together, and such chunks between two turns of the event loop. */
const CHUNK = 32;
const CHUNKS_A_TURN = 8;
/** Versions between two turns. */
const VERSIONS_A_TURN = 16;

/** The changes of the key that is walked, of the minute that was listed last. */
interface Minute {
  directories: string;
  changes: readonly StoredChange[];
}

/** A version as a walk back finds it, with what leads to the one before. */
interface Found {
  readonly version: EntityVersion;
  /** Absent where nothing came before. */
  readonly before?: { readonly version: bigint; readonly path: string };
}

export function historyGone(facts: Record<string, string | number | bigint>): FirnError {
  const message = "the history no longer goes back that far: see --history-retention";
  return new FirnError("NotFound", "HISTORY_GONE", message, facts);
}

/** What became of the entities of one account, as far as change records are kept. */
export class History {
  readonly #context: CatalogContext;

  constructor(context: CatalogContext) {
    this.#context = context;
  }

  /**
   * The versions of an entity, the newest first, back to the first one or to the end of the
   * retention. For each: one read, and one list for each shard of a minute.
   *
   * @throws FirnError `NotFound` `ENTITY_NOT_FOUND`; `Corrupt`.
   */
  async *versions(type: EntityType, id: string): AsyncGenerator<EntityVersion> {
    for await (const { version } of this.#walk(type, id)) yield version;
  }

  /**
   * An entity as it was.
   *
   * @throws FirnError `NotFound`: `HISTORY_GONE`; `VERSION_NOT_FOUND`, one that never was, or a
   * time before the first; `ENTITY_NOT_FOUND`.
   */
  async at(type: EntityType, id: string, moment: Moment): Promise<EntityVersion> {
    let oldest: Found | undefined;
    for await (const found of this.#walk(type, id)) {
      const { version, envelope } = found.version;
      const isIt =
        "version" in moment ? version === moment.version : envelope.updatedAtMs <= moment.timeMs;
      if (isIt) return found.version;
      if ("version" in moment && version < moment.version) break;
      oldest = found;
    }
    const facts = { type, id, ...moment };
    // The first version of all has a record that says so.
    const isWhole = oldest?.version.change !== undefined && oldest.before === undefined;
    if (oldest === undefined || isWhole) {
      const message = "the entity never had this version";
      throw new FirnError("NotFound", "VERSION_NOT_FOUND", message, facts);
    }
    throw historyGone(facts);
  }

  /**
   * The changes of one minute and shard, in no order. One list for a page, one read for each record
   * that is too long for its pointer.
   */
  async changesIn(directory: string): Promise<readonly StoredChange[]> {
    const { pointers, clock } = this.#context;
    const { items } = await listPage(pointers, directory, {});
    const pauses = new Pauses(clock, CHUNKS_A_TURN);
    const changes: StoredChange[] = [];
    for (let from = 0; from < items.length; from += CHUNK) {
      const chunk = items.slice(from, from + CHUNK);
      changes.push(...(await settleAll(chunk.map((item) => this.#changeOf(item)))));
      const pause = pauses.step();
      if (pause !== undefined) await pause;
    }
    return changes;
  }

  async #changeOf(item: Live): Promise<StoredChange> {
    const walked = takeApart(item);
    if (walked.state === "unreadable") throw walked.error;
    const id = leafText(item.key);
    if (walked.state !== "live" || walked.references.content.is !== "change" || !id) {
      throw corrupt("not a change record", { key: item.key });
    }
    const known = walked.references.content.record;
    return { id, ...(known ?? (await this.#record(item.key, item.blobPath))) };
  }

  async *#walk(type: EntityType, id: string): AsyncGenerator<Found> {
    const { account, pointers } = this.#context;
    const key = byIdKey(type, account, id);
    const item = await pointers.get(key);
    if (item.state === "absent") {
      throw new FirnError("NotFound", "ENTITY_NOT_FOUND", "the entity does not exist", {
        type,
        id,
      });
    }
    let next: Found["before"] = { version: item.version, path: item.blobPath ?? "" };
    const minute: Minute = { directories: "", changes: [] };
    const pauses = new Pauses(this.#context.clock, VERSIONS_A_TURN);
    while (next !== undefined) {
      const pause = pauses.step();
      if (pause !== undefined) await pause;
      const found: Found | undefined = await this.#version(type, key, next, minute);
      if (found === undefined) {
        if (next.version === item.version) throw corrupt("payload is missing", { key });
        return;
      }
      yield found;
      next = found.before;
    }
  }

  /** @returns undefined where its payload has been collected. */
  async #version(
    type: EntityType,
    key: string,
    { version, path }: NonNullable<Found["before"]>,
    minute: Minute,
  ): Promise<Found | undefined> {
    const bytes = await this.#context.payloads.getBytes(path);
    if (bytes === undefined) return undefined;
    const { entity, envelope } = decodePayload(type, bytes);
    const base = { version, entity, envelope };
    const record = await this.#recordOf(key, version, envelope.updatedAtMs, minute);
    if (record === undefined) return { version: base };
    const { id, operation, changed } = record;
    const found = { version: { ...base, change: { id, operation } } };
    const { versionFrom, blobFrom } = changed;
    // A name that died in between led to nothing: what was before it was another life.
    if (versionFrom === 0n || blobFrom === undefined) return found;
    assert(versionFrom < version, "a walk back goes to earlier versions");
    return { ...found, before: { version: versionFrom, path: payloadOfKey(key, blobFrom) } };
  }

  /**
   * The change that wrote a version of a key. A walk goes back, so the list of a minute that a
   * later version was found in has the records of all earlier ones: it is not read again.
   */
  async #recordOf(key: string, version: bigint, timeMs: number, minute: Minute) {
    const { account } = this.#context;
    const relative = relativeKey(account, key);
    const shards = changeDirectories(account, timeMs);
    const directories = shards.join(" ");
    if (minute.directories !== directories) {
      const found = await settleAll(shards.map((directory) => this.changesIn(directory)));
      minute.directories = directories;
      minute.changes = found
        .flat()
        .filter(({ keys }) => keys.some((changed) => changed.key === relative));
    }
    for (const change of minute.changes) {
      const changed = change.keys.find((one) => one.key === relative && one.versionTo === version);
      if (changed !== undefined) return { ...change, changed };
    }
    return undefined;
  }

  async #record(key: string, path: string | undefined): Promise<ChangeRecord> {
    const bytes = path === undefined ? undefined : await this.#context.payloads.getBytes(path);
    if (bytes === undefined) throw corrupt("payload is missing", { key });
    return changeOf(bytes);
  }
}

/** What a reader of the feed has seen: everything before a minute, and so much of those after. */
export interface FeedPlace {
  /** Everything before it is settled, and was delivered. */
  readonly minute: number;
  /** Of later ones: how many records of each shard were delivered, by minute and shard. */
  readonly seen: Readonly<Record<string, number>>;
}

/** Some changes, and where the feed goes on. */
export interface FeedPage {
  readonly changes: readonly StoredChange[];
  readonly place: FeedPlace;
  /** There is more by now. */
  readonly hasMore: boolean;
}

const MINUTE_MS = 60_000;
/** Minutes that are listed in one read: a reader that is far behind comes back for more. */
const MINUTES_A_READ = 120;

/**
 * Changes behind a place, at least once each, those of one minute in the order of their versions'
 * making as far as clocks tell. A minute is read again until no request of it can land any more: a
 * shard that has more records than were delivered is delivered again, whole.
 *
 * @param limit no further shard is delivered once there are so many.
 * @throws FirnError `NotFound` `HISTORY_GONE`: records behind the place may be gone.
 */
export async function readFeed(
  context: CatalogContext,
  history: History,
  from: FeedPlace,
  { limit, retentionMs }: { readonly limit: number; readonly retentionMs: number },
): Promise<FeedPage> {
  const { account, clock } = context;
  assert(limit > 0 && retentionMs > 0, "a read of the feed has a limit and a retention");
  // Before the first list: what is settled now is settled in all of them.
  const nowMs = clock.nowMs();
  if ((from.minute + 1) * MINUTE_MS < nowMs - retentionMs) {
    const oldestMs = nowMs - retentionMs;
    throw historyGone({ minute: from.minute, oldestMs });
  }
  const settled = Math.floor((nowMs - CATALOG_LIMITS.changeSettledMs) / MINUTE_MS);
  // The clocks of others may be ahead.
  const newest = Math.floor((nowMs + LIMITS.clockSkewMs) / MINUTE_MS);
  const changes: StoredChange[] = [];
  const seen: Record<string, number> = { ...from.seen };
  let { minute: through } = from;
  for (let minute = from.minute; minute <= newest; minute++) {
    const isFull = minute - from.minute >= MINUTES_A_READ || changes.length >= limit;
    if (isFull) return { changes, place: { minute: through, seen }, hasMore: true };
    const shards = changeDirectories(account, minute * MINUTE_MS);
    const found = await settleAll(shards.map((directory) => history.changesIn(directory)));
    for (const [shard, records] of found.entries()) {
      const name = `${minute}-${shard}`;
      if (records.length <= (seen[name] ?? 0)) continue;
      if (changes.length >= limit)
        return { changes, place: { minute: through, seen }, hasMore: true };
      changes.push(...[...records].sort((a, b) => a.timeMs - b.timeMs));
      seen[name] = records.length;
    }
    if (minute >= settled || through !== minute) continue;
    // Nothing can be added to it any more.
    through = minute + 1;
    for (let shard = 0; shard < shards.length; shard++) delete seen[`${minute}-${shard}`];
  }
  assert(through >= from.minute, "a feed never goes back");
  return { changes, place: { minute: through, seen }, hasMore: false };
}
