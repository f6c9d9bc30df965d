import type { Clock } from "../../base/clock.ts";
import type { IdSource, TableId } from "../../base/ids.ts";
import { type JsonValue, printJson } from "../../base/json.ts";
import { LruMap } from "../../base/lru.ts";
import { settleAll } from "../../base/settle-all.ts";
import type { Table } from "../../catalog/model.ts";
import {
  ARCHIVE_SHAPE,
  Archive,
  type ArchivedRows,
  type ArchiveRequest,
  type ArchiveRun,
  CONFIGURATION_SHAPE,
  COUNTER_SHAPE,
  Configuration,
  Counters,
  DEDUPLICATION_SHAPE,
  Deduplication,
  type DeduplicationOptions,
  EventLog,
  IDEMPOTENCY_SHAPE,
  IdempotencyStore,
  type JsonForm,
  LEASE_SHAPE,
  Leases,
  LINK_SHAPE,
  Links,
  LOG_SHAPE,
  type PatternShape,
  type PatternTable,
  QUEUE_SHAPE,
  Queue,
  type QueueOptions,
} from "../../patterns/index.ts";
import type { RowStore } from "../../rows/index.ts";
import type { Actor } from "../actor.ts";
import type { ResourceNames } from "../resources/names.ts";
import type { RelationResources } from "../resources/relations.ts";
import type { NamespacePlace, RelationPlace } from "../resources/resource.ts";
import type { Archives } from "./archives.ts";
import type { RowTables } from "./row-tables.ts";

/** A pattern that a request asks for, with the options that it is opened with. */
export interface Pattern<T> {
  readonly name: string;
  readonly shape: PatternShape;
  readonly open: (table: PatternTable) => T;
}

/** JSON of events, tasks and replies is given as parsed without loss, and told as text. */
const AS_TEXT: JsonForm = {
  print: (value) => printJson(value as JsonValue),
  parse: (text) => text,
};

export const LEASES: Pattern<Leases> = {
  name: "leases",
  shape: LEASE_SHAPE,
  open: (table) => new Leases(table),
};

export function queueOf({ maxAttempts }: QueueOptions = {}): Pattern<Queue> {
  return {
    name: `queue ${maxAttempts ?? ""}`,
    shape: QUEUE_SHAPE,
    open: (table) => new Queue(table, maxAttempts === undefined ? {} : { maxAttempts }),
  };
}

export const LOG: Pattern<EventLog> = {
  name: "log",
  shape: LOG_SHAPE,
  open: (table) => new EventLog(table),
};

export const COUNTERS: Pattern<Counters> = {
  name: "counters",
  shape: COUNTER_SHAPE,
  open: (table) => new Counters(table),
};

export const COMMANDS: Pattern<IdempotencyStore> = {
  name: "idempotency",
  shape: IDEMPOTENCY_SHAPE,
  open: (table) => new IdempotencyStore(table),
};

export const LINKS: Pattern<Links> = {
  name: "links",
  shape: LINK_SHAPE,
  open: (table) => new Links(table),
};

export const CONFIGURATION: Pattern<Configuration> = {
  name: "configuration",
  shape: CONFIGURATION_SHAPE,
  open: (table) => new Configuration(table),
};

/** The pattern, whatever its keys' time to live: for the table that is to be made. */
export const SEEN_SHAPE: Pick<Pattern<Deduplication>, "shape"> = { shape: DEDUPLICATION_SHAPE };

export function seenFor({ ttlMs, bucketMs }: DeduplicationOptions): Pattern<Deduplication> {
  return {
    ...SEEN_SHAPE,
    name: `deduplication ${ttlMs} ${bucketMs}`,
    open: (table) => new Deduplication(table, { ttlMs, bucketMs }),
  };
}

/** For the table that is to be made: an archive is opened with the place of its objects. */
export const ARCHIVES: Pick<Pattern<Archive>, "shape"> = { shape: ARCHIVE_SHAPE };

/** Rows of a table of the archive's namespace that are to be archived. */
export interface ArchiveAsked extends ArchiveRequest {
  readonly table: string;
}

export interface PatternRequestParts {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly rows: RowTables;
  readonly archives: Archives;
  readonly names: ResourceNames;
  readonly tables: RelationResources<Table>;
}

interface Kept {
  readonly store: RowStore;
  readonly pattern: unknown;
}

/** Patterns that are kept between requests, so that requests of one share their commits. */
const MOST_KEPT = 1_024;

/** Leases, queues and other patterns over HTTP. Each request is one transaction. */
export class PatternRequests {
  readonly #parts: PatternRequestParts;
  readonly #kept = new LruMap<string, Kept>(MOST_KEPT);

  constructor(parts: PatternRequestParts) {
    this.#parts = parts;
  }

  /**
   * Makes the table of a pattern.
   *
   * @throws FirnError `NAMESPACE_NOT_FOUND`, `TABLE_ALREADY_EXISTS`, `ROW_TABLES_UNSUPPORTED`,
   *   `ROW_SHARD_NOT_FOUND`.
   */
  async create(
    actor: Actor,
    place: NamespacePlace,
    { name, shard }: { readonly name: string; readonly shard?: string },
    { shape }: Pick<Pattern<unknown>, "shape">,
  ): Promise<{ readonly name: string }> {
    const { rows, names } = this.#parts;
    const { ref } = await names.namespace(place);
    await rows.create(actor, ref, { ...shape, name, ...(shard !== undefined && { shard }) });
    return { name };
  }

  /**
   * Work that only reads.
   *
   * @throws FirnError `TABLE_NOT_FOUND`, `FORMAT_UNSUPPORTED`, `PATTERN_TABLE_MISMATCH`, and what
   *   the pattern throws.
   */
  async read<T, Result>(
    actor: Actor,
    place: RelationPlace,
    pattern: Pattern<T>,
    work: (pattern: T) => Promise<Result>,
  ): Promise<Result> {
    return await work(await this.#open(actor, place, pattern));
  }

  /** Work that tells nothing of what is there. @throws as `read`. */
  async write<T, Result>(
    actor: Actor,
    place: RelationPlace,
    pattern: Pattern<T>,
    work: (pattern: T) => Promise<Result>,
  ): Promise<Result> {
    return await work(await this.#open(actor, place, pattern));
  }

  /** Work that writes and tells what is there. @throws as `read`. */
  async exchange<T, Result>(
    actor: Actor,
    place: RelationPlace,
    pattern: Pattern<T>,
    work: (pattern: T) => Promise<Result>,
  ): Promise<Result> {
    return await work(await this.#open(actor, place, pattern));
  }

  /**
   * Archives old rows of another table of the namespace.
   *
   * @throws FirnError `TABLE_NOT_FOUND`, `FORMAT_UNSUPPORTED`, `PATTERN_TABLE_MISMATCH`, and as
   *   `Archive.run`.
   */
  async archive(
    actor: Actor,
    place: RelationPlace,
    { table, ...request }: ArchiveAsked,
  ): Promise<ArchiveRun> {
    const { archives } = this.#parts;
    const { archive, ref } = await this.#archiveAt(actor, place);
    return await archive.run(await archives.source(actor, { ...ref, name: table }), request);
  }

  /** Objects of an archive. @throws as `read`. */
  async archived(
    actor: Actor,
    place: RelationPlace,
    request: Parameters<Archive["objects"]>[0],
  ): Promise<readonly ArchivedRows[]> {
    const { archive } = await this.#archiveAt(actor, place);
    return await archive.objects(request);
  }

  async #archiveAt(actor: Actor, place: RelationPlace) {
    const { rows, tables, names, archives, clock, ids } = this.#parts;
    const [{ entity }, { ref: namespace }] = await settleAll([
      tables.get(actor, place),
      names.namespace(place),
    ]);
    const ref = { ...namespace, name: entity.name };
    const opened = await rows.of(actor, entity);
    const archive = new Archive(
      { ...opened, clock, ids },
      await archives.files(actor, ref, opened),
    );
    return { archive, ref };
  }

  async #open<T>(actor: Actor, place: RelationPlace, pattern: Pattern<T>): Promise<T> {
    const { rows, tables, clock, ids } = this.#parts;
    const { entity } = await tables.get(actor, place);
    const { store, id } = await rows.of(actor, entity);
    const key = keyOf(id, pattern);
    const kept = this.#kept.get(key);
    // An engine that was opened again has another store.
    if (kept?.store === store) return kept.pattern as T;
    const opened = pattern.open({ store, id, clock, ids, json: AS_TEXT });
    this.#kept.set(key, { store, pattern: opened });
    return opened;
  }
}

function keyOf(id: TableId, { name }: Pick<Pattern<unknown>, "name">): string {
  return `${id} ${name}`;
}
