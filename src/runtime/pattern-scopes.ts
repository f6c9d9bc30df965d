import { FirnError } from "../base/error.ts";
import { IdSource } from "../base/ids.ts";
import type { RelationRef } from "../catalog/relations.ts";
import {
  ARCHIVE_SHAPE,
  type Archive,
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
} from "../patterns/index.ts";
import { OWN_ACTOR } from "../service/actor.ts";
import type { RelationPlace } from "../service/resources/resource.ts";
import type { OpenRowTable } from "../service/rows/row-tables.ts";
import { SystemClock } from "./clock.ts";
import type { Composition } from "./compose.ts";
import { SystemPrng } from "./prng.ts";

type Requests = Composition["model"]["patterns"];

/** Objects that hold the old rows of tables, and the record of them. */
export class RowArchive {
  readonly #requests: Requests;
  readonly #place: RelationPlace;

  constructor(requests: Requests, place: RelationPlace) {
    this.#requests = requests;
    this.#place = place;
  }

  /** Archives the old rows of a table of the namespace. @throws FirnError as `Archive.run`. */
  async run(table: string, request: ArchiveRequest): Promise<ArchiveRun> {
    return await this.#requests.archive(OWN_ACTOR, this.#place, { table, ...request });
  }

  /** What was archived, by buckets; those behind `after`. */
  async objects(request: Parameters<Archive["objects"]>[0] = {}): Promise<readonly ArchivedRows[]> {
    return await this.#requests.archived(OWN_ACTOR, this.#place, request);
  }
}

/**
 * The patterns of a namespace: each has one row table, which is made where it is absent.
 * Keep what a method answers: calls of one object share their commits.
 */
export class PatternScope {
  readonly #rows: Composition["rows"];
  readonly #requests: Requests;
  readonly #namespace: Omit<RelationRef, "name">;

  constructor(rows: Composition["rows"], requests: Requests, namespace: Omit<RelationRef, "name">) {
    this.#rows = rows;
    this.#requests = requests;
    this.#namespace = namespace;
  }

  /** @throws FirnError `NAMESPACE_NOT_FOUND`, `FORMAT_UNSUPPORTED`. */
  async leases(name: string): Promise<Leases> {
    return new Leases(await this.#table(name, LEASE_SHAPE));
  }

  async queue(name: string, options: QueueOptions = {}): Promise<Queue> {
    return new Queue(await this.#table(name, QUEUE_SHAPE), options);
  }

  async log(name: string): Promise<EventLog> {
    return new EventLog(await this.#table(name, LOG_SHAPE));
  }

  async counters(name: string, options: { readonly cells?: number } = {}): Promise<Counters> {
    return new Counters(await this.#table(name, COUNTER_SHAPE), options);
  }

  async idempotency(name: string): Promise<IdempotencyStore> {
    return new IdempotencyStore(await this.#table(name, IDEMPOTENCY_SHAPE));
  }

  async deduplication(name: string, options: DeduplicationOptions): Promise<Deduplication> {
    return new Deduplication(await this.#table(name, DEDUPLICATION_SHAPE), options);
  }

  async links(name: string): Promise<Links> {
    return new Links(await this.#table(name, LINK_SHAPE));
  }

  async configuration(name: string): Promise<Configuration> {
    return new Configuration(await this.#table(name, CONFIGURATION_SHAPE));
  }

  async archive(name: string): Promise<RowArchive> {
    await this.#opened(name, ARCHIVE_SHAPE);
    const { catalog, path } = this.#namespace;
    const place = { catalog: { name: catalog }, namespace: { path }, relation: { name } };
    return new RowArchive(this.#requests, place);
  }

  async #table(name: string, shape: PatternShape): Promise<PatternTable> {
    const clock = new SystemClock();
    const ids = new IdSource(clock, new SystemPrng());
    return { ...(await this.#opened(name, shape)), clock, ids };
  }

  async #opened(name: string, shape: PatternShape): Promise<OpenRowTable> {
    const open = () => this.#rows.open(OWN_ACTOR, { ...this.#namespace, name });
    try {
      return await open();
    } catch (error) {
      if (!hasCode(error, "TABLE_NOT_FOUND")) throw error;
    }
    try {
      return await this.#rows.create(OWN_ACTOR, this.#namespace, { ...shape, name });
    } catch (error) {
      if (!hasCode(error, "TABLE_ALREADY_EXISTS")) throw error;
      return await open();
    }
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof FirnError && error.code === code;
}
