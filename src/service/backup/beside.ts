import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { AccountId, TableId } from "../../base/ids.ts";
import { Pauses } from "../../base/pauses.ts";
import type { Prng } from "../../base/prng.ts";
import { settleAll } from "../../base/settle-all.ts";
import type { BlobStore } from "../../blob/port.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { decodeConstraints } from "../../catalog/codec/constraints.ts";
import { decodePayload } from "../../catalog/codec/entities.ts";
import { decodePack, decodeStats, encodeStats } from "../../catalog/codec/stats.ts";
import type { CatalogContext } from "../../catalog/context.ts";
import { isNamed } from "../../catalog/delete-marks.ts";
import { catalogExists, corrupt } from "../../catalog/errors.ts";
import { parseKey } from "../../catalog/keys.ts";
import type { Catalog, Entity, Namespace, Table, TargetStats, View } from "../../catalog/model.ts";
import { dotted } from "../../catalog/names.ts";
import { statsKeys } from "../../catalog/part-keys.ts";
import { byIdKey } from "../../catalog/paths.ts";
import { purgingUuids } from "../../catalog/purging.ts";
import { STATS_A_BATCH } from "../../catalog/statistics.ts";
import type { Live } from "../../pointer/port.ts";
import type { Actor } from "../actor.ts";
import type { CatalogAdmin } from "../catalog-admin.ts";
import { SortedLines } from "../gc/sorted-lines.ts";
import type { UseCases } from "../operations.ts";
import type { RelationCopies } from "../relation-copies.ts";
import type { Backup } from "./format.ts";
import { jsonLine, jsonOf, zipped } from "./lines.ts";
import { insist, patientBlobs } from "./patient-stores.ts";
import { type BackedPointer, BackupContent, wholePayload } from "./read.ts";
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
  readonly prng: Prng;
  readonly source: BlobStore;
  /** Where what does not fit the memory is sorted. Empty. */
  readonly scratch: BlobStore;
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
  /** Name of the account in the backup, into which the catalog goes; absent: its main one. */
  readonly account?: string | undefined;
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
  /** Statistics of a target each, and constraints of a snapshot each. */
  readonly statistics: number;
  readonly constraints: number;
  readonly leftOut: readonly LeftOut[];
}

/** Relations that are copied at once. */
const COPIES = 8;
/** Payloads between two turns of the event loop, at most. */
const STEPS_A_TURN = 256;
/** Of the number of names in a path: parents sort before children. */
const DEPTH_DIGITS = 6;
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
  stores: BesideParts,
  actor: Actor,
  backup: Backup,
  scope: BesideScope,
): Promise<BesideReport> {
  const parts = { ...stores, source: patientBlobs(stores.source, stores) };
  const atMs = scope.atMs ?? backup.cutMs;
  await insist(parts, () => assertFree(parts, scope.as));
  const content = await BackupContent.open(parts, backup, scope.atMs);
  const { id } = await content.catalogNamed(scope.catalog);
  const found = await entitiesOf(parts, content, (entity) => isOfCatalog(id, entity));
  const name = `${scope.as}.restoring`;
  const mark = markOf(backup, scope, atMs);
  await insist(parts, () => beginCatalog(parts, actor, name, found.catalog, scope, mark));
  const namespaces = await makeNamespaces(parts, actor, name, found.namespaces);
  const beside = new Beside(parts, actor, name);
  await beside.copyAll(content, id, found.paths);
  await beside.putParts(content);
  await beside.takeBackPurged();
  await insist(parts, () => finish(parts, actor, name, scope.as, mark));
  const { tables, views, statistics, constraints, leftOut } = beside;
  const counts = { namespaces, tables, views, statistics, constraints };
  return { id: backup.id, atMs, catalog: scope.as, ...counts, leftOut };
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
  readonly namespaces: SortedLines;
  /** Paths of the namespaces, by their ids. */
  readonly paths: SortedLines;
}

type NamespaceLine = Pick<Namespace, "path" | "properties">;

async function entitiesOf(
  parts: BesideParts,
  content: BackupContent,
  isIn: (entity: Entity) => boolean,
): Promise<Found> {
  const pauses = new Pauses(parts.clock, STEPS_A_TURN);
  const namespaces = new SortedLines(parts, "beside-namespaces");
  const paths = new SortedLines(parts, "beside-paths");
  let catalog: Catalog | undefined;
  const isParent = (key: string): boolean =>
    ["catalog", "namespace"].includes(canonicalOf(key)?.type ?? "");
  for await (const pack of content.packs(isParent)) {
    for (const pointer of pack) {
      const pause = pauses.step();
      if (pause !== undefined) await pause;
      const type = canonicalOf(pointer.line.key)?.type ?? "account";
      const { entity } = decodePayload(type, wholePayload(pointer));
      if (!isNamed(entity) || !isIn(entity)) continue;
      if (entity.type === "catalog") catalog = entity;
      if (entity.type !== "namespace") continue;
      const { id, path, properties } = entity;
      const line: NamespaceLine = { path, properties };
      await namespaces.add(jsonLine(String(path.length).padStart(DEPTH_DIGITS, "0"), line));
      await paths.add(jsonLine(id, path));
    }
  }
  if (catalog === undefined) throw new Error("the catalog was found a moment ago");
  return { catalog, namespaces, paths };
}

/** What tells this restore from another one to the same name. */
function markOf({ id }: Backup, { catalog }: BesideScope, atMs: number): Properties {
  return {
    "restored-from-backup": id,
    "restored-from-catalog": catalog,
    "restored-as-of": new Date(atMs).toISOString(),
  };
}

type Properties = Readonly<Record<string, string>>;

function isMarked(properties: Properties, mark: Properties): boolean {
  return Object.entries(mark).every(([key, value]) => properties[key] === value);
}

/** Makes the catalog that is filled, or finds that of an earlier run. */
async function beginCatalog(
  { catalog, catalogs }: BesideParts,
  actor: Actor,
  name: string,
  source: Catalog,
  { as, location = catalogs.defaultLocationOf(actor, as) }: BesideScope,
  mark: Properties,
): Promise<void> {
  const given = { ...source.properties, ...mark };
  try {
    await catalogs.create(actor, name, location, given);
  } catch (error) {
    const there = error instanceof FirnError && error.code === "CATALOG_ALREADY_EXISTS";
    if (!there) throw error;
    const { properties } = await catalogs.get(actor, name);
    if (!isMarked(properties, mark)) {
      const message = "another restore to that name was begun: run that again, or choose a name";
      throw new FirnError("Conflict", "RESTORE_UNFINISHED", message, { catalog: name });
    }
  }
  // Its tables begin with files that lie there, and every node is to read them.
  await catalog.catalogs.allow(actor, name, [source.defaultLocation, ...source.allowedLocations]);
  await catalogs.get(actor, name);
}

/** Gives the filled catalog its name; an earlier try may have done so, and not been told. */
async function finish(
  { catalog, catalogs }: BesideParts,
  actor: Actor,
  name: string,
  as: string,
  mark: Properties,
): Promise<void> {
  try {
    await catalog.catalogs.rename(actor, name, as);
  } catch (error) {
    if (!(error instanceof FirnError && error.code === "CATALOG_NOT_FOUND")) throw error;
    const { properties } = await catalogs.get(actor, as);
    if (!isMarked(properties, mark)) throw error;
  }
}

/** @returns how many there are. */
async function makeNamespaces(
  parts: BesideParts,
  actor: Actor,
  name: string,
  namespaces: SortedLines,
): Promise<number> {
  let count = 0;
  // One by one: a child needs its parent.
  for await (const line of namespaces.lines()) {
    const { path, properties } = jsonOf<NamespaceLine>(line);
    count++;
    try {
      const { namespaces: made } = parts.catalog;
      await insist(parts, () => made.create(actor, { catalog: name, path }, properties));
    } catch (error) {
      const there = error instanceof FirnError && error.code === "NAMESPACE_ALREADY_EXISTS";
      if (!there) throw error;
    }
  }
  return count;
}

/** What of a table or view its copy needs. */
interface RelationLine {
  readonly type: "table" | "view";
  readonly id: string;
  readonly name: string;
  readonly isIceberg: boolean;
  readonly uuid: string;
  readonly metadataLocation: string;
}

/** A table that was copied, with what tells whether its files stay. */
interface CopiedLine extends RelationLine {
  readonly path: readonly string[];
}

/** Copies the relations of one catalog. */
class Beside {
  readonly #parts: BesideParts;
  readonly #actor: Actor;
  readonly #catalog: string;
  /** The tables, by their ids in the backup. */
  readonly #copied: SortedLines;
  readonly leftOut: LeftOut[] = [];
  tables = 0;
  views = 0;
  statistics = 0;
  constraints = 0;

  constructor(parts: BesideParts, actor: Actor, catalog: string) {
    this.#parts = parts;
    this.#actor = actor;
    this.#catalog = catalog;
    this.#copied = new SortedLines(parts, "beside-copied");
  }

  async copyAll(content: BackupContent, catalog: Catalog["id"], paths: SortedLines): Promise<void> {
    const relations = await this.#relationsOf(content, catalog);
    const copied = grouped(zipped(relations.lines(), paths.lines()), COPIES);
    for await (const some of copied) {
      await settleAll(
        some.map(([line, path]) => {
          const relation = jsonOf<RelationLine>(line);
          // A cut holds batches whole, and none drops a namespace with something in it.
          if (path === undefined) {
            throw new Error(`the namespace of ${relation.name} is not in the backup`);
          }
          return this.#copy({ ...relation, path: jsonOf<readonly string[]>(path) });
        }),
      );
    }
  }

  /** By the ids of their namespaces. */
  async #relationsOf(content: BackupContent, catalog: Catalog["id"]): Promise<SortedLines> {
    const relations = new SortedLines(this.#parts, "beside-relations");
    const isRelation = (key: string): boolean =>
      ["table", "view"].includes(canonicalOf(key)?.type ?? "");
    for await (const pack of content.packs(isRelation)) {
      for (const pointer of pack) {
        const type = canonicalOf(pointer.line.key)?.type ?? "account";
        const { entity } = decodePayload(type, wholePayload(pointer));
        if (!isNamed(entity) || !isOfCatalog(catalog, entity)) continue;
        if (entity.type !== "table" && entity.type !== "view") continue;
        await relations.add(jsonLine(entity.namespaceId, relationLine(entity)));
      }
      await this.#parts.clock.sleep(0);
    }
    return relations;
  }

  async #copy(relation: CopiedLine): Promise<void> {
    const { type, id, name, path, uuid, metadataLocation, isIceberg } = relation;
    const ref = { catalog: this.#catalog, path, name };
    const { copies } = this.#parts;
    try {
      if (type === "view") {
        await insist(this.#parts, () => copies.view(this.#actor, ref, metadataLocation, uuid));
        this.views++;
        return;
      }
      if (!isIceberg) return this.#leaveOut(type, path, name, "TABLE_NOT_ICEBERG");
      const given = uuid === "" ? undefined : uuid;
      await insist(this.#parts, () => copies.table(this.#actor, ref, metadataLocation, given));
      await this.#copied.add(jsonLine(id, relation));
      this.tables++;
    } catch (error) {
      if (!(error instanceof FirnError && LOST.has(error.code))) throw error;
      this.#leaveOut(type, path, name, error.code);
    }
  }

  /** Puts statistics and constraints of the originals to the copies. */
  async putParts(content: BackupContent): Promise<void> {
    const parts = new SortedLines(this.#parts, "beside-parts");
    for await (const pack of content.partsOf(this.#copied.lines())) {
      for (const pointer of pack) await parts.add(partLine(pointer));
    }
    let copy: { readonly line: string; readonly table: TableId } | undefined;
    let waiting: PartLine[] = [];
    for await (const [text, line = ""] of zipped(parts.lines(), this.#copied.lines())) {
      const part = partOf(text);
      if (!isTogether(waiting, part)) {
        await this.#put(copy?.table, waiting);
        waiting = [];
      }
      if (copy?.line !== line) copy = { line, table: await this.#idOf(jsonOf<CopiedLine>(line)) };
      waiting.push(part);
    }
    await this.#put(copy?.table, waiting);
  }

  async #idOf({ path, name }: CopiedLine): Promise<TableId> {
    const ref = { catalog: this.#catalog, path, name };
    const found = await insist(this.#parts, () => this.#parts.catalog.tables.get(ref));
    return found.entity.id;
  }

  async #put(table: TableId | undefined, parts: readonly PartLine[]): Promise<void> {
    const [first] = parts;
    if (first === undefined || table === undefined) return;
    const { catalog } = this.#parts;
    const at = { table, snapshotId: first.snapshotId };
    if (first.family === "constraints") {
      const { context } = catalog;
      const { constraints } = decodeConstraints(first.bytes);
      const root = () => liveRoot(context, table);
      await insist(this.#parts, () =>
        catalog.constraints.change(this.#actor, at, root, () => constraints),
      );
      this.constraints++;
      return;
    }
    const stats = parts.map(({ bytes }) => decodeStats(bytes));
    await insist(this.#parts, () => catalog.statistics.put(this.#actor, at, stats));
    this.statistics += stats.length;
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
    const { copies } = this.#parts;
    const purging = await insist(this.#parts, () => purgingUuids(context));
    for await (const some of grouped(this.#copied.lines(), COPIES)) {
      const looks = some.map(async (line) => {
        const copied = jsonOf<CopiedLine>(line);
        const { id, uuid, metadataLocation } = copied;
        if (purging.has(uuid)) return copied;
        if (await insist(this.#parts, () => copies.isThere(metadataLocation))) return undefined;
        // A commit deletes old metadata files too, of a table that is there.
        const key = byIdKey("table", context.account, id as TableId);
        const item = await insist(this.#parts, () => context.pointers.get(key));
        return item.state === "absent" ? copied : undefined;
      });
      for (const gone of await settleAll(looks)) {
        if (gone === undefined) continue;
        const { path, uuid, name } = gone;
        const ref = { catalog: this.#catalog, path, name };
        await insist(this.#parts, () => copies.takeBack(this.#actor, ref, uuid));
        this.#leaveOut("table", path, name, FILES_PURGED);
        this.tables--;
      }
    }
  }
}

function relationLine(entity: Table | View): RelationLine {
  const { type, id, name } = entity;
  const { metadataLocation = "" } = entity.iceberg ?? {};
  if (entity.type === "view") {
    const { viewUuid = "" } = entity.iceberg ?? {};
    return { type, id, name, isIceberg: true, uuid: viewUuid, metadataLocation };
  }
  const { tableUuid = "" } = entity.iceberg ?? {};
  return {
    type,
    id,
    name,
    isIceberg: entity.format === "ICEBERG",
    uuid: tableUuid,
    metadataLocation,
  };
}

/** The canonical pointer of a copy. @throws FirnError `NotFound` `TABLE_NOT_FOUND`. */
async function liveRoot({ account, pointers }: CatalogContext, table: TableId): Promise<Live> {
  const item = await pointers.get(byIdKey("table", account, table));
  if (item.state === "live") return item;
  throw new FirnError("NotFound", "TABLE_NOT_FOUND", "the copy was dropped", { table });
}

/** Statistics of one target, or the constraints of a snapshot. */
interface PartLine {
  readonly table: string;
  readonly snapshotId: bigint;
  readonly family: "constraints" | "targetStats";
  /** Of the target alone. */
  readonly bytes: Uint8Array;
}

/** By the id of the table, then by snapshot. */
function partLine(pointer: BackedPointer): string {
  const { key } = pointer.line;
  const bytes = wholePayload(pointer);
  const { family, values } = parseKey(key);
  const [account = "", table = ""] = values;
  const line = (snapshotId: bigint, content: Uint8Array): string =>
    `${table} ${snapshotId} ${family} ${Buffer.from(content).toString("base64")}`;
  if (family === "constraints") return line(decodeConstraints(bytes).snapshotId, bytes);
  const { snapshotId, stats } = decodePack(bytes);
  const at = { table: table as TableId, snapshotId };
  const isIt = ({ target }: TargetStats): boolean =>
    statsKeys(account as AccountId, at, target)[0] === key;
  const found = stats.find(isIt);
  if (found === undefined) throw corrupt("payload without the target of its pointer", { key });
  return line(snapshotId, encodeStats(found));
}

function partOf(line: string): PartLine {
  const [table = "", snapshotId = "0", family, text = ""] = line.split(" ");
  return {
    table,
    snapshotId: BigInt(snapshotId),
    family: family === "constraints" ? family : "targetStats",
    bytes: Buffer.from(text, "base64"),
  };
}

/** Whether a part is put with those before it: statistics of one snapshot. */
function isTogether(parts: readonly PartLine[], part: PartLine): boolean {
  const [first] = parts;
  if (first === undefined) return true;
  const { table, snapshotId, family } = first;
  const isSame = part.table === table && part.snapshotId === snapshotId;
  return (
    isSame &&
    family === "targetStats" &&
    part.family === "targetStats" &&
    parts.length < STATS_A_BATCH
  );
}

async function* grouped<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let some: T[] = [];
  for await (const item of items) {
    if (some.push(item) < size) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}
