import { FirnError } from "../base/error.ts";
import { inTurns, type Steps } from "../base/steps.ts";
import type { Actor, CatalogContext } from "../catalog/context.ts";
import type { Stored } from "../catalog/entities.ts";
import { isLocationTaken, relationExists, relationNotFound } from "../catalog/errors.ts";
import type { Relation } from "../catalog/model.ts";
import type { RelationDraft, RelationRef, Relations } from "../catalog/relations.ts";
import type { RevisedEntity } from "../catalog/revised-entity.ts";
import { afterCommit, CommitFiles, type Describe, type Drafted } from "./commit-files.ts";
import { assertIceberg } from "./iceberg-only.ts";
import type { Head, Metadata, MetadataFile, MetadataFiles, ReadFile } from "./metadata-files.ts";
import { type CatalogPlaces, samePlaces, type TableLocations } from "./table-locations.ts";

/** What a commit came to: the file that it names, or that was named already. */
export interface Committed<M extends Metadata> {
  readonly head: Head;
  readonly file: MetadataFile<M>;
  /** The file that it follows, where it was looked at for the change. */
  readonly base?: MetadataFile<M> | undefined;
}

/** Metadata after a change; the base itself where nothing changes. */
export type Change<M extends Metadata> = (base: M, baseLocation: string) => Steps<M>;

/** How the metadata of a new relation is made. */
export interface MetadataFactory<M extends Metadata> {
  /** Whether it goes where its namespace says, which is then read with the catalog's places. */
  readonly byDefault: boolean;
  /** Its uuid came with the request. */
  readonly uuidGiven?: boolean;
  readonly metadata: (places: CatalogPlaces) => Steps<M>;
}

/** What may have become of the file of a relation that another file takes the place of. */
const LOST: ReadonlySet<string> = new Set([
  "METADATA_FILE_MISSING",
  "METADATA_INVALID",
  "LOCATION_NOT_ALLOWED",
]);

/** What a register finds of a file that is not what it was when it was read. */
const MOVED: ReadonlySet<string> = new Set(["METADATA_FILE_MISSING", "METADATA_FILE_CHANGED"]);

/** Restoring a relation fails so for good: its namespace is gone, or another took its name. */
const FINAL: ReadonlySet<string> = new Set(["NotFound", "AlreadyExists", "Conflict"]);

/** The file that the last look at a relation came to, written or there already. */
export class CommitAttempt<E extends Relation, M extends Metadata> {
  file: MetadataFile<M> | undefined;
  /** What it follows: nothing for a new relation, and itself where nothing changes. */
  base: MetadataFile<M> | undefined;

  at({ file, draft }: Drafted<E, M>, base: MetadataFile<M> | undefined): RelationDraft<E> {
    this.file = file;
    this.base = base;
    return draft;
  }

  stay(file: MetadataFile<M>): undefined {
    this.file = file;
    this.base = file;
  }
}

/** What the last look of a register came to, for the case that it has to be taken back. */
export class Registration<E extends Relation, M extends Metadata> {
  /** What stood there before, if anything did, and its metadata, where they could be read. */
  before: Stored<E> | undefined;
  base: M | undefined;
  read: ReadFile<M> | undefined;
}

/** What relations of one type are made of, and how. */
interface Parts<E extends Relation, M extends Metadata> {
  readonly type: E["type"];
  readonly relations: Relations<E>;
  readonly describe: Describe<E, M>;
  readonly context: CatalogContext;
  readonly files: MetadataFiles<M>;
  readonly places: TableLocations;
}

/**
 * Commits of tables or of views whose truth is a metadata file. What is to be written is worked out
 * anew at every look at the catalog, and only the file of the look that won stays.
 */
export class RelationCommits<E extends Relation, M extends Metadata> {
  readonly #parts: Parts<E, M>;

  constructor(parts: Parts<E, M>) {
    this.#parts = parts;
  }

  /** Where the current metadata file lies. Warm: one batch read. */
  async find(ref: RelationRef): Promise<Head> {
    const { relations } = this.#parts;
    const link = await relations.find(ref);
    const { item, summary } = link;
    assertIceberg(summary, ref);
    const location =
      summary.metadataLocation ??
      (await relations.read(link, ref)).entity.iceberg?.metadataLocation;
    if (location === undefined) throw this.#missing(ref);
    const { entityId: id, revision } = summary;
    return { id, location, version: item.version, revision };
  }

  async create(actor: Actor, ref: RelationRef, factory: MetadataFactory<M>): Promise<Committed<M>> {
    const { relations, type } = this.#parts;
    const files = this.commitFiles();
    const attempt = new CommitAttempt<E, M>();
    const draft = this.creating(files, ref, factory, attempt);
    return files.cleanAfter(async () => {
      const done = await relations.create(actor, `create-${type}` as const, ref, draft);
      return this.#fileOf(done, ref, attempt);
    }, headsOf);
  }

  /** `change` gives the base itself where nothing is to be written. */
  async update(actor: Actor, ref: RelationRef, change: Change<M>): Promise<Committed<M>> {
    const { relations, type } = this.#parts;
    const files = this.commitFiles();
    const attempt = new CommitAttempt<E, M>();
    const draft = this.changing(files, ref, change, attempt);
    return files.cleanAfter(async () => {
      const done = await relations.update(actor, `commit-${type}` as const, ref, draft);
      return { ...(await this.#fileOf(done, ref, attempt)), base: attempt.base };
    }, headsOf);
  }

  /** What the catalog asks for to create a relation; every try leaves its file in `attempt`. */
  creating(
    files: CommitFiles<E, M>,
    ref: RelationRef,
    { byDefault, uuidGiven = false, metadata: make }: MetadataFactory<M>,
    attempt: CommitAttempt<E, M>,
  ): () => Promise<RelationDraft<E>> {
    return async () => {
      const places = await this.#parts.places.of(ref.catalog, ref.path, true);
      const metadata = await inTurns(this.#parts.context.clock, make(places));
      const location = places.locationOf(metadata);
      const drafted = await files.draft(location, metadata, undefined);
      if (!byDefault) await this.#parts.places.assertApart(places, ref.path, location);
      const around = places.surroundings(location, byDefault);
      return {
        ...attempt.at(drafted, undefined),
        ...places.withWritePaths(around, location, metadata),
        ...(byDefault ? { fresh: true } : this.#apart(places, location)),
        ...(uuidGiven ? { uuidGiven: "own" as const } : {}),
      };
    };
  }

  /** What the catalog asks for to change a relation. */
  changing(
    files: CommitFiles<E, M>,
    ref: RelationRef,
    change: Change<M>,
    attempt: CommitAttempt<E, M>,
  ): (current: Stored<E>) => Promise<RelationDraft<E> | undefined> {
    return async (current) => {
      const { entity } = current;
      assertIceberg(current.summary, ref);
      const head = headOf(current);
      if (head === undefined) throw this.#missing(ref);
      const baseLocation = head.location;
      const base = await this.#parts.files.load(head);
      const { clock } = this.#parts.context;
      const next = await inTurns(clock, change(base.metadata, baseLocation));
      if (next === base.metadata) return attempt.stay(base);
      // Where nothing moves, the places were allowed when the relation came to them.
      if (samePlaces(base.metadata, next)) {
        return attempt.at(await files.draft(entity.location, next, base), base);
      }
      const places = await this.#parts.places.of(ref.catalog, ref.path, true);
      const location = places.locationOf(next);
      if (location !== entity.location) {
        await this.#parts.places.assertApart(places, ref.path, location);
      }
      const drafted = await files.draft(location, next, base);
      const around = location === entity.location ? {} : places.surroundings(location);
      return {
        ...attempt.at(drafted, base),
        ...places.withWritePaths(around, location, next, base.metadata),
        ...(location === entity.location ? {} : this.#apart(places, location)),
      };
    };
  }

  /** The look behind the hold of a location that came with a request. */
  #apart(places: CatalogPlaces, location: string): Pick<RelationDraft<E>, "apart"> {
    return { apart: () => this.#parts.places.assertNoHome(places, location) };
  }

  /** The files of one commit, to one relation or several. */
  commitFiles(): CommitFiles<E, M> {
    const { context, files, places, describe } = this.#parts;
    return new CommitFiles(context, files, places, describe);
  }

  /**
   * A draft of what a metadata file holds, wherever it lies within the catalog's roots. `before`:
   * what the relation was until then, if it was. The look is left in `registration`.
   *
   * @throws FirnError `METADATA_FILE_MISSING`, `METADATA_INVALID`, `LOCATION_NOT_ALLOWED`.
   */
  async registered(
    { catalog, path, name }: RelationRef,
    metadataLocation: string,
    registration: Registration<E, M>,
    before?: Stored<E>,
  ): Promise<RelationDraft<E>> {
    if (before !== undefined && (before.summary.format ?? "ICEBERG") !== "ICEBERG") {
      throw relationExists("table", path, name, { type: this.#parts.type });
    }
    const { context, files, describe } = this.#parts;
    const places = await this.#parts.places.of(catalog, path, true);
    const where = places.allowed(metadataLocation);
    const read = await files.readAnew(where);
    const { metadata } = read.file;
    const base = await this.#baseOf(before);
    Object.assign(registration, { before, base, read });
    const location = places.locationOf(metadata);
    if (location !== before?.entity.location) {
      await this.#parts.places.assertApart(places, path, location);
    }
    const around = places.surroundings(location);
    const claims = places.withWritePaths(around, location, metadata, base);
    const apart = location === before?.entity.location ? {} : this.#apart(places, location);
    const described = await inTurns(context.clock, describe(metadata, base));
    return { location, ...claims, ...apart, ...described(where), uuidGiven: "shared" };
  }

  /** What a relation held, unless its file is gone or was never readable. */
  async #baseOf(before: Stored<E> | undefined): Promise<M | undefined> {
    const head = before && headOf(before);
    if (head === undefined) return undefined;
    try {
      return (await this.#parts.files.load(head)).metadata;
    } catch (error) {
      const lost = error instanceof FirnError && LOST.has(error.code);
      if (lost) return undefined;
      throw error;
    }
  }

  /**
   * What was registered. The file is looked at once more after the commit: a purge may have taken
   * it meanwhile, or its writer replaced it, and then what names it is taken back. What was there
   * before stands again.
   */
  async confirm(
    { requestId, principal, idempotency }: Actor,
    done: RevisedEntity<E>,
    ref: RelationRef,
    registration: Registration<E, M>,
  ): Promise<Committed<M>> {
    try {
      const { files } = this.#parts;
      const head = this.#headOf(done, ref);
      const { read } = registration;
      const ours = read?.file.location === head.location && idempotency?.replayed !== true;
      const file = await (ours ? files.keepRead(read, head) : files.load(head));
      return { head, file };
    } catch (error) {
      const gone = error instanceof FirnError && MOVED.has(error.code);
      if (!gone) return afterCommit(Promise.reject(error));
      // Another request's commit, and long ago perhaps: what has become of its file since is no
      // reason to undo it.
      if (idempotency?.replayed === true) throw error;
      // No part of what was asked for, so it does not go under the request's key.
      await afterCommit(this.#takeBack({ requestId, principal }, done, ref, registration));
      throw error;
    }
  }

  /** Gives a name the content that a register took from it; a name that it made goes. */
  async #takeBack(
    actor: Actor,
    done: RevisedEntity<E>,
    ref: RelationRef,
    { before, base, read }: Registration<E, M>,
  ): Promise<void> {
    const { context, relations, describe, type } = this.#parts;
    const iceberg = before?.entity.iceberg;
    const metadata = read?.file.metadata;
    if (before === undefined || iceberg === undefined) {
      return relations.takeBack(actor, ref, done.entity.id);
    }
    const { location } = before.entity;
    const places = await this.#parts.places.of(ref.catalog);
    const described = base &&
      metadata && {
        ...(await inTurns(context.clock, describe(base, metadata)))(iceberg.metadataLocation),
        ...places.surroundings(location),
      };
    // Whatever was made of it since belongs to another writer.
    const restore = async ({ entity, summary }: Stored<E>) =>
      entity.id === done.entity.id && summary.revision === done.revision
        ? { ...described, iceberg, location }
        : undefined;
    try {
      await relations.update(actor, `register-${type}` as const, ref, restore);
    } catch (error) {
      // Gone, or its place was taken since: then it stays with all that is kept of it.
      const final = error instanceof FirnError && (FINAL.has(error.kind) || isLocationTaken(error));
      if (!final) throw error;
    }
  }

  /**
   * The file that a commit names: the last look's, unless another request under the same key was
   * faster, whose outcome is the answer.
   */
  async #fileOf(
    done: RevisedEntity<E>,
    ref: RelationRef,
    { file }: CommitAttempt<E, M>,
  ): Promise<Committed<M>> {
    const head = this.#headOf(done, ref);
    const ours = file?.location === head.location;
    return { head, file: ours ? file : await this.#parts.files.load(head) };
  }

  #headOf(done: RevisedEntity<E>, ref: RelationRef): Head {
    const head = headOfRevised(done);
    if (head === undefined) throw this.#missing(ref);
    return head;
  }

  #missing(ref: RelationRef): FirnError {
    return relationNotFound(this.#parts.type, ref.path, ref.name);
  }
}

function headsOf<M extends Metadata>({ head }: Committed<M>): readonly Head[] {
  return [head];
}

/** @returns undefined for what has no metadata file. */
export function headOf({ entity, item, summary }: Stored<Relation>): Head | undefined {
  return headOfRevised({ entity, version: item.version, revision: summary.revision });
}

/** As `headOf`, of what a change came to. */
export function headOfRevised({
  entity,
  version,
  revision,
}: Pick<RevisedEntity<Relation>, "entity" | "version" | "revision">): Head | undefined {
  const location = entity.iceberg?.metadataLocation;
  return location === undefined ? undefined : { id: entity.id, location, version, revision };
}
