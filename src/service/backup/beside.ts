import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import { Pauses } from "../../base/pauses.ts";
import { settleAll } from "../../base/settle-all.ts";
import type { BlobStore } from "../../blob/port.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { decodePayload } from "../../catalog/codec/entities.ts";
import { catalogExists } from "../../catalog/errors.ts";
import type { Catalog, Entity, Namespace, Table, View } from "../../catalog/model.ts";
import { dotted } from "../../catalog/names.ts";
import { byIdKey } from "../../catalog/paths.ts";
import { purgingUuids } from "../../catalog/purging.ts";
import type { Actor } from "../actor.ts";
import type { CatalogAdmin } from "../catalog-admin.ts";
import type { UseCases } from "../operations.ts";
import type { RelationCopies } from "../relation-copies.ts";
import type { Backup } from "./format.ts";
import { BackupContent, wholePayload } from "./read.ts";
import { canonicalOf, isOfCatalog } from "./scope.ts";

/*
 * A catalog of a backup, made again beside what is there, under another name and with new ids. It
 * is filled under a temporary name and renamed last, so that no reader finds half of it under the
 * name that was asked for; the same restore, run again, goes on with it.
 *
 * The tables are copies (see `relation-copies.ts`). A purge of the original that began before the
 * copy was there does not count it: so every copy is looked after once more at the end, and one
 * whose files are going is taken back.
 */

/** What a restore beside is made with. */
export interface BesideParts {
  readonly catalog: AccountCatalog;
  readonly catalogs: UseCases<CatalogAdmin>;
  readonly copies: RelationCopies;
  readonly clock: Clock;
  readonly source: BlobStore;
}

/** What is restored, and as what. */
export interface BesideScope {
  /** Name of the catalog in the backup. */
  readonly catalog: string;
  /** Name of the new catalog. */
  readonly as: string;
  readonly atMs?: number | undefined;
  /** Root of the new catalog; absent: as of a new catalog of that name. */
  readonly location?: string | undefined;
}

/** A restore beside, as an operator asks for it. */
export interface BesideRequest extends BesideScope {
  /** Where the backup lies; the process that restores must reach it. */
  readonly uri: string;
  /** Of the backup; the newest if absent. */
  readonly id?: string | undefined;
}

/** What is not in the new catalog, and why. */
export interface LeftOut {
  readonly type: "table" | "view";
  readonly name: string;
  readonly code: string;
}

export interface BesideReport {
  readonly id: string;
  readonly atMs: number;
  readonly catalog: string;
  readonly namespaces: number;
  readonly tables: number;
  readonly views: number;
  readonly leftOut: readonly LeftOut[];
}

/** Relations that are copied at once. */
const COPIES = 8;
/** Payloads between two turns of the event loop, at most. */
const STEPS_A_TURN = 256;
/** What is wrong with one metadata file, and no reason to restore nothing. */
const LOST: ReadonlySet<string> = new Set([
  "METADATA_FILE_MISSING",
  "METADATA_INVALID",
  "LOCATION_NOT_ALLOWED",
  "LOCATION_UNSUPPORTED",
  "TABLE_UUID_MISSING",
]);
/** The files of a table that is being purged. */
const FILES_PURGED = "FILES_PURGED";

/**
 * Makes the catalog of a backup beside those that are there. What was dropped stays out.
 *
 * @throws FirnError `AlreadyExists` `CATALOG_ALREADY_EXISTS`; `NotFound`: `CATALOG_NOT_FOUND`,
 *   `BACKUP_HISTORY_GONE`; `Conflict` `RESTORE_UNFINISHED`: of another restore to that name;
 *   `Invalid`: `RESTORE_TIME_INVALID`, `NAME_INVALID`; `Corrupt` `BACKUP_DAMAGED`; what the stores
 *   throw. Then the same restore is run again.
 */
export async function restoreBeside(
  parts: BesideParts,
  actor: Actor,
  backup: Backup,
  scope: BesideScope,
): Promise<BesideReport> {
  const atMs = scope.atMs ?? backup.cutMs;
  await assertFree(parts, scope.as);
  const content = await BackupContent.open(parts, backup, scope.atMs);
  const { id } = await content.catalogNamed(scope.catalog);
  const found = await entitiesOf(parts, content, (entity) => isOfCatalog(id, entity));
  const name = `${scope.as}.restoring`;
  const { catalog, namespaces } = found;
  await beginCatalog(parts, actor, name, catalog, scope, markOf(backup, scope, atMs));
  await makeNamespaces(parts, actor, name, namespaces);
  const beside = new Beside(parts, actor, name, namespaces);
  await beside.copyAll(content, id);
  await beside.takeBackPurged();
  await parts.catalog.catalogs.rename(actor, name, scope.as);
  const { tables, views, leftOut } = beside;
  const { length } = namespaces;
  return {
    id: backup.id,
    atMs,
    catalog: scope.as,
    namespaces: length,
    tables,
    views,
    leftOut,
  };
}

async function assertFree({ catalog }: BesideParts, name: string): Promise<void> {
  try {
    await catalog.catalogs.get(name);
  } catch (error) {
    if (error instanceof FirnError && error.code === "CATALOG_NOT_FOUND") return;
    throw error;
  }
  throw catalogExists(name);
}

interface Found {
  readonly catalog: Catalog;
  /** Parents before children. */
  readonly namespaces: readonly Namespace[];
}

async function entitiesOf(
  { clock }: BesideParts,
  content: BackupContent,
  isIn: (entity: Entity) => boolean,
): Promise<Found> {
  const pauses = new Pauses(clock, STEPS_A_TURN);
  const namespaces: Namespace[] = [];
  let catalog: Catalog | undefined;
  const isParent = (key: string): boolean =>
    ["catalog", "namespace"].includes(canonicalOf(key)?.type ?? "");
  for await (const pack of content.packs(isParent)) {
    for (const pointer of pack) {
      const pause = pauses.step();
      if (pause !== undefined) await pause;
      const type = canonicalOf(pointer.line.key)?.type ?? "account";
      const { entity } = decodePayload(type, wholePayload(pointer));
      if (entity.state !== "ACTIVE" || !isIn(entity)) continue;
      if (entity.type === "catalog") catalog = entity;
      if (entity.type === "namespace") namespaces.push(entity);
    }
  }
  if (catalog === undefined) throw new Error("the catalog was found a moment ago");
  return { catalog, namespaces: namespaces.sort((a, b) => a.path.length - b.path.length) };
}

/** What tells this restore from another one to the same name. */
function markOf(
  { id }: Backup,
  { catalog }: BesideScope,
  atMs: number,
): Readonly<Record<string, string>> {
  return {
    "restored-from-backup": id,
    "restored-from-catalog": catalog,
    "restored-as-of": new Date(atMs).toISOString(),
  };
}

/** Makes the catalog that is filled, or finds that of an earlier run. */
async function beginCatalog(
  { catalog, catalogs }: BesideParts,
  actor: Actor,
  name: string,
  source: Catalog,
  { as, location = catalogs.defaultLocationOf(actor, as) }: BesideScope,
  mark: Readonly<Record<string, string>>,
): Promise<void> {
  const given = { ...source.properties, ...mark };
  try {
    await catalogs.create(actor, name, location, given);
  } catch (error) {
    const there = error instanceof FirnError && error.code === "CATALOG_ALREADY_EXISTS";
    if (!there) throw error;
    const { properties } = await catalogs.get(actor, name);
    if (!Object.entries(mark).every(([key, value]) => properties[key] === value)) {
      const message = "another restore to that name was begun: run that again, or choose a name";
      throw new FirnError("Conflict", "RESTORE_UNFINISHED", message, { catalog: name });
    }
  }
  // Its tables begin with files that lie there, and every node is to read them.
  await catalog.catalogs.allow(actor, name, [source.defaultLocation, ...source.allowedLocations]);
  await catalogs.get(actor, name);
}

async function makeNamespaces(
  { catalog }: BesideParts,
  actor: Actor,
  name: string,
  namespaces: readonly Namespace[],
): Promise<void> {
  // One by one: a child needs its parent.
  for (const { path, properties } of namespaces) {
    try {
      await catalog.namespaces.create(actor, { catalog: name, path }, properties);
    } catch (error) {
      const there = error instanceof FirnError && error.code === "NAMESPACE_ALREADY_EXISTS";
      if (!there) throw error;
    }
  }
}

/** A table that was copied, with what tells whether its files stay. */
interface Copied {
  readonly table: Table;
  readonly path: readonly string[];
  readonly uuid: string;
  readonly metadataLocation: string;
}

/** Copies the relations of one catalog. */
class Beside {
  readonly #parts: BesideParts;
  readonly #actor: Actor;
  readonly #catalog: string;
  readonly #paths: ReadonlyMap<string, readonly string[]>;
  readonly #copied: Copied[] = [];
  readonly leftOut: LeftOut[] = [];
  views = 0;

  constructor(parts: BesideParts, actor: Actor, catalog: string, namespaces: readonly Namespace[]) {
    this.#parts = parts;
    this.#actor = actor;
    this.#catalog = catalog;
    this.#paths = new Map(namespaces.map(({ id, path }) => [id, path]));
  }

  get tables(): number {
    return this.#copied.length;
  }

  async copyAll(content: BackupContent, catalog: Catalog["id"]): Promise<void> {
    const isRelation = (key: string): boolean =>
      ["table", "view"].includes(canonicalOf(key)?.type ?? "");
    for await (const pack of content.packs(isRelation)) {
      for (let from = 0; from < pack.length; from += COPIES) {
        const some = pack.slice(from, from + COPIES).map(async (pointer) => {
          const type = canonicalOf(pointer.line.key)?.type ?? "account";
          const { entity } = decodePayload(type, wholePayload(pointer));
          if (entity.state !== "ACTIVE" || !isOfCatalog(catalog, entity)) return;
          if (entity.type === "table" || entity.type === "view") await this.#copy(entity);
        });
        await settleAll(some);
      }
    }
  }

  async #copy(entity: Table | View): Promise<void> {
    const { name } = entity;
    const path = this.#paths.get(entity.namespaceId);
    // A cut holds batches whole, and none drops a namespace with something in it.
    if (path === undefined) throw new Error(`the namespace of ${name} is not in the backup`);
    const ref = { catalog: this.#catalog, path, name };
    const { copies } = this.#parts;
    try {
      if (entity.type === "view") {
        const { viewUuid = "", metadataLocation = "" } = entity.iceberg ?? {};
        await copies.view(this.#actor, ref, metadataLocation, viewUuid);
        this.views++;
        return;
      }
      if (entity.format !== "ICEBERG") {
        return this.#leaveOut(entity.type, path, name, "TABLE_NOT_ICEBERG");
      }
      const { tableUuid: uuid, metadataLocation = "" } = entity.iceberg ?? {};
      await copies.table(this.#actor, ref, metadataLocation, uuid);
      this.#copied.push({ table: entity, path, uuid: uuid ?? "", metadataLocation });
    } catch (error) {
      if (!(error instanceof FirnError && LOST.has(error.code))) throw error;
      this.#leaveOut(entity.type, path, name, error.code);
    }
  }

  #leaveOut(type: LeftOut["type"], path: readonly string[], name: string, code: string): void {
    this.leftOut.push({ type, name: dotted([...path, name]), code });
  }

  /**
   * Takes the copies back whose files are going. A purge that begins from now on finds the copies:
   * so one that does not is PURGING here, or it has ended, and then the metadata file is gone,
   * which it deletes last, and the table.
   */
  async takeBackPurged(): Promise<void> {
    const { context } = this.#parts.catalog;
    const purging = await purgingUuids(context);
    for (let from = 0; from < this.#copied.length; ) {
      const some = this.#copied.slice(from, from + COPIES);
      const isGoing = await settleAll(
        some.map(async ({ table, uuid, metadataLocation }) => {
          if (purging.has(uuid)) return true;
          if (await this.#parts.copies.isThere(metadataLocation)) return false;
          // A commit deletes old metadata files too, of a table that is there.
          const item = await context.pointers.get(byIdKey("table", context.account, table.id));
          return item.state === "absent";
        }),
      );
      const gone = some.filter((_, i) => isGoing[i]);
      for (const { path, uuid, table } of gone) {
        const ref = { catalog: this.#catalog, path, name: table.name };
        await this.#parts.copies.takeBack(this.#actor, ref, uuid);
        this.#leaveOut("table", path, table.name, FILES_PURGED);
        this.#copied.splice(
          this.#copied.findIndex((each) => each.table === table),
          1,
        );
      }
      from += some.length - gone.length;
    }
  }
}
