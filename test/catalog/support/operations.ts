import { FirnError } from "../../../src/base/error.ts";
import type { ViewUuid } from "../../../src/base/ids.ts";
import { persist } from "../../../src/base/persist.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import type { AccountCatalog } from "../../../src/catalog/catalog.ts";
import { directoriesAbove } from "../../../src/catalog/claims.ts";
import type { UndropTarget } from "../../../src/catalog/dropped.ts";
import type { Droppable } from "../../../src/catalog/drops.ts";
import type { Stored } from "../../../src/catalog/entities.ts";
import { JobLease } from "../../../src/catalog/jobs.ts";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import type {
  IcebergTable,
  Relation,
  Table,
  TableSnapshot,
  View,
} from "../../../src/catalog/model.ts";
import type { NamespaceRef } from "../../../src/catalog/namespaces.ts";
import type { Page, PageRequest } from "../../../src/catalog/pages.ts";
import { beginPurge, endPurge } from "../../../src/catalog/purging.ts";
import type { RelationDraft, RelationRef, Relations } from "../../../src/catalog/relations.ts";
import type { TableDraft, TableRef } from "../../../src/catalog/tables.ts";
import { commitTogether, type TableChange } from "../../../src/catalog/transactions.ts";
import { ACTOR } from "../../support/open-catalog.ts";
import { NOT_ONE } from "./model.ts";

/** What an operation works on: one node, and the store that metadata files go to. */
export interface Node {
  readonly catalog: AccountCatalog;
  readonly blobs: BlobStore;
}

/** One call of a user; answers in words, so that two histories can be compared. */
export interface Operation {
  readonly name: string;
  readonly run: (node: Node) => Promise<string>;
}

function operation(name: string, run: (node: Node) => Promise<string>): Operation {
  return { name, run };
}

/** What an operation came to, an error by its kind and code. Anything but ours is a defect. */
export async function answerOf(node: Node, { run }: Operation): Promise<string> {
  try {
    return await run(node);
  } catch (error) {
    if (!(error instanceof FirnError) || error.kind === "Internal") throw error;
    return `${error.kind} ${error.code}`;
  }
}

/** The catalog in which the trees below stand. */
export const CATALOG = "c";

function refOf(path: string): TableRef {
  const levels = path.split(".");
  return { catalog: CATALOG, path: levels.slice(0, -1), name: levels.at(-1) ?? "" };
}

export function icebergAt(metadataLocation: string): IcebergTable {
  return { metadataLocation, currentSnapshotId: 9_007_199_254_740_993n, purgeRequested: false };
}

/** A dotted name: namespaces, then the table. */
/** The location is taken to be fresh, also where others had it before: the batch finds that out. */
export function createTable(path: string, location: string = `file:///w/${path}`): Operation {
  return operation(`create table ${path} at ${location}`, async ({ catalog }) => {
    const iceberg = icebergAt(`${path}/0`);
    const draft = async (): Promise<TableDraft> => ({ location, fresh: true, iceberg });
    const { version } = await catalog.tables.create(ACTOR, "create-table", refOf(path), draft);
    return `created at ${version}`;
  });
}

/** As the commit of a staged create: its metadata file is written before the batch. */
export function commitStaged(path: string, location: string = `file:///w/${path}`): Operation {
  return operation(`commit staged ${path} at ${location}`, async ({ catalog, blobs }) => {
    let files = 0;
    const draft = async (): Promise<TableDraft> => ({
      location,
      fresh: true,
      iceberg: icebergAt(`${path}/staged`),
      prepare: async () => {
        const file = `metadata/${path}-${files++}`;
        await persist(catalog.context, async () => {
          await blobs.put(file, new Uint8Array([1]));
        });
      },
    });
    const { version } = await catalog.tables.create(ACTOR, "create-table", refOf(path), draft);
    return `created at ${version}`;
  });
}

/** A table that looks for others above and below its location. */
export function createApart(path: string, location: string): Operation {
  return operation(`create table ${path} apart at ${location}`, async ({ catalog }) => {
    const draft = async (): Promise<TableDraft> => ({
      location,
      above: directoriesAbove(location),
      iceberg: icebergAt(`${path}/0`),
    });
    await catalog.tables.create(ACTOR, "create-table", refOf(path), draft);
    return "created";
  });
}

/** As for a location that came with a request: others may lie below it, which is looked for. */
function chosenAt(location: string): TableDraft {
  const iceberg = icebergAt(`${location}/metadata/1.json`);
  return { location, above: directoriesAbove(location), chosen: true, iceberg };
}

export function createChosen(path: string, location: string): Operation {
  return operation(`create table ${path} at the chosen ${location}`, async ({ catalog }) => {
    const draft = async () => chosenAt(location);
    await catalog.tables.create(ACTOR, "create-table", refOf(path), draft);
    return "created";
  });
}

/** As for a default location: no look before somebody was refused. */
export function createDefault(path: string, location: string): Operation {
  return operation(`create table ${path} at the default ${location}`, async ({ catalog }) => {
    const { chosen: _no, ...rest } = chosenAt(location);
    const draft = async (): Promise<TableDraft> => ({ ...rest, fresh: true });
    await catalog.tables.create(ACTOR, "create-table", refOf(path), draft);
    return "created";
  });
}

export function moveChosen(path: string, location: string): Operation {
  return operation(`move ${path} to the chosen ${location}`, async ({ catalog }) => {
    const draft = async () => chosenAt(location);
    await catalog.tables.update(ACTOR, "commit-table", refOf(path), draft);
    return "moved";
  });
}

export function createChosenTogether(
  tables: readonly { readonly path: string; readonly location: string }[],
): Operation {
  const words = tables.map(({ path, location }) => `${path} at ${location}`).join(" and ");
  return operation(`create ${words} at once`, async ({ catalog }) => {
    const changes = tables.map(({ path, location }) => ({
      ref: refOf(path),
      create: async () => chosenAt(location),
    }));
    await commitTogether(catalog.context, catalog.tables, ACTOR, changes);
    return "created";
  });
}

export function undropChosen(name: string, location: string): Operation {
  return operation(`undrop ${name} at the chosen ${location}`, async ({ catalog }) => {
    const { items } = await catalog.dropped.list({});
    const id = items.find((one) => one.name === name)?.id ?? "";
    const around = async () => ({ above: directoriesAbove(location), chosen: true });
    await catalog.dropped.undrop(ACTOR, id, {}, around);
    return "back";
  });
}

export function registerTable(path: string, location: string = `file:///w/${path}`): Operation {
  return operation(`register table ${path} at ${location}`, async ({ catalog }) => {
    const draft = async (): Promise<TableDraft> => ({ location, iceberg: icebergAt(`${path}/r`) });
    const { version } = await catalog.tables.create(ACTOR, "register-table", refOf(path), draft);
    return `registered at ${version}`;
  });
}

export function renameTable(from: string, to: string): Operation {
  return operation(`rename table ${from} to ${to}`, async ({ catalog }) => {
    await catalog.tables.rename(ACTOR, refOf(from), refOf(to));
    return "renamed";
  });
}

/** Tables made as one. */
export function createTogether(
  tables: readonly { readonly path: string; readonly location: string }[],
): Operation {
  return operation(`create ${tables.length} tables at once`, async ({ catalog }) => {
    const changes = tables.map(({ path, location }) => ({
      ref: refOf(path),
      create: async () => ({ location, iceberg: icebergAt(`${location}/metadata/1.json`) }),
    }));
    await commitTogether(catalog.context, catalog.tables, ACTOR, changes);
    return "created";
  });
}

function marked({ location, iceberg }: Table, mark: string): TableDraft {
  return { location, iceberg: icebergAt(`${iceberg?.metadataLocation}${mark}`) };
}

/** A commit to several tables as one; `held`: one that stays as it is, and takes part. */
export function commitTables(paths: readonly string[], mark: string, held?: string): Operation {
  const words = `${paths.join(" and ")} at once${held === undefined ? "" : `, beside ${held}`}`;
  return operation(`commit ${mark} to ${words}`, async ({ catalog }) => {
    const update = async ({ entity }: Stored<Table>) => marked(entity, mark);
    const changes: TableChange[] = paths.map((path) => ({ ref: refOf(path), update }));
    if (held !== undefined) changes.push({ ref: refOf(held), update: async () => undefined });
    await commitTogether(catalog.context, catalog.tables, ACTOR, changes);
    return "committed";
  });
}

/** Appends a mark to the metadata location: updates that are lost or doubled leave a trace. */
export function commitTable(path: string, mark: string): Operation {
  return operation(`commit ${mark} to ${path}`, async ({ catalog }) => {
    const { entity } = await catalog.tables.update(
      ACTOR,
      "commit-table",
      refOf(path),
      async ({ entity }) => marked(entity, mark),
    );
    return `committed ${entity.iceberg?.metadataLocation}`;
  });
}

/** A snapshot of this id, made at a time that follows from it. */
export function snapshotAt(snapshotId: bigint): TableSnapshot {
  return {
    snapshotId,
    timestampMs: 1_767_225_600_000 + Number(snapshotId % 1_000n),
    sequenceNumber: 1n,
    manifestList: `file:///w/${snapshotId}.avro`,
    operation: "append",
    summary: { "added-files": "1" },
  };
}

/** As `commitTable`, with new snapshots and removed ones; a file is written before the batch. */
export function commitSnapshots(
  path: string,
  added: readonly bigint[],
  removed: readonly bigint[] = [],
): Operation {
  const name = `commit +${added.join("+")} -${removed.join("-")} to ${path}`;
  return operation(name, async ({ catalog, blobs }) => {
    let files = 0;
    const change = async ({ entity }: { entity: Table }): Promise<TableDraft> => ({
      location: entity.location,
      iceberg: icebergAt(`${entity.iceberg?.metadataLocation}+`),
      snapshots: { added: added.map(snapshotAt), removed: removed.map(snapshotAt) },
      prepare: async () => {
        const file = `metadata/${path}-${added.join("-")}-${files++}`;
        await persist(catalog.context, async () => {
          await blobs.put(file, new Uint8Array([1]));
        });
      },
    });
    const done = await catalog.tables.update(ACTOR, "commit-table", refOf(path), change);
    return `committed ${done.entity.iceberg?.metadataLocation}`;
  });
}

export function moveTable(path: string, location: string): Operation {
  return operation(`move ${path} to ${location}`, async ({ catalog }) => {
    await catalog.tables.update(ACTOR, "commit-table", refOf(path), async ({ entity }) => ({
      location,
      iceberg: entity.iceberg ?? icebergAt("none"),
    }));
    return "moved";
  });
}

export function dropTable(path: string): Operation {
  return operation(`drop table ${path}`, async ({ catalog }) => {
    await catalog.tables.drop(ACTOR, refOf(path), { purgeRequested: false });
    return "dropped";
  });
}

export function dropTableWithFiles(path: string): Operation {
  return operation(`drop table ${path} with its files`, async ({ catalog }) => {
    await catalog.tables.drop(ACTOR, refOf(path), { purgeRequested: true });
    return "dropped";
  });
}

export function findTable(path: string): Operation {
  return operation(`load table ${path}`, async ({ catalog }) => {
    const { entity } = await catalog.tables.get(refOf(path));
    return `found ${entity.name} at ${entity.iceberg?.metadataLocation}`;
  });
}

export function listTables(path: string): Operation {
  return operation(`list tables of ${path}`, async ({ catalog }) => {
    const { items } = await catalog.tables.list({ catalog: CATALOG, path: path.split(".") }, {});
    return JSON.stringify(items);
  });
}

/** What an operation says of a relation, whatever its type. */
export interface Said {
  readonly location: string;
  readonly metadata: string;
}

/** Tables or views, for operations that both have. */
export interface RelationsOf {
  create(ref: RelationRef, said: Said): Promise<bigint>;
  update(ref: RelationRef, change: (was: Said) => Said): Promise<string>;
  rename(from: RelationRef, to: RelationRef): Promise<void>;
  drop(ref: RelationRef): Promise<void>;
  get(ref: RelationRef): Promise<Said>;
  list(ref: NamespaceRef, request: PageRequest): Promise<Page<string>>;
}

function relationsBy<E extends Relation>(
  type: E["type"],
  relations: Relations<E>,
  icebergAt: (metadata: string) => NonNullable<E["iceberg"]>,
  drop: (ref: RelationRef) => Promise<void>,
): RelationsOf {
  const draftOf = ({ location, metadata }: Said): RelationDraft<E> => ({
    location,
    above: directoriesAbove(location),
    chosen: true,
    iceberg: icebergAt(metadata),
  });
  const saidOf = ({ location, iceberg }: E): Said => ({
    location,
    metadata: iceberg?.metadataLocation ?? "",
  });
  return {
    create: async (ref, said) => {
      const operation = `create-${type}` as const;
      return (await relations.create(ACTOR, operation, ref, async () => draftOf(said))).version;
    },
    update: async (ref, change) => {
      const { entity } = await relations.update(
        ACTOR,
        `commit-${type}` as const,
        ref,
        async (stored) => draftOf(change(saidOf(stored.entity))),
      );
      return saidOf(entity).metadata;
    },
    rename: async (from, to) => void (await relations.rename(ACTOR, from, to)),
    drop,
    get: async (ref) => saidOf((await relations.get(ref)).entity),
    list: (ref, request) => relations.list(ref, request),
  };
}

export function relationsOf(
  { tables, views }: AccountCatalog,
  type: Relation["type"],
): RelationsOf {
  if (type === "table") {
    const drop = (ref: RelationRef) => tables.drop(ACTOR, ref, { purgeRequested: true });
    return relationsBy<Table>(type, tables, icebergAt, drop);
  }
  const viewUuid = "0199d8a0-0000-7000-8000-000000000002" as ViewUuid;
  const viewAt = (metadataLocation: string) => ({
    viewUuid,
    metadataLocation,
    currentVersionId: 1,
  });
  return relationsBy<View>(type, views, viewAt, (ref) => views.drop(ACTOR, ref));
}

export function createView(path: string, location: string = `file:///w/${path}`): Operation {
  return operation(`create view ${path} at ${location}`, async ({ catalog }) => {
    const said = { location, metadata: `${path}/0` };
    return `created at ${await relationsOf(catalog, "view").create(refOf(path), said)}`;
  });
}

/** As `commitTable`. */
export function commitView(path: string, mark: string): Operation {
  return operation(`commit ${mark} to view ${path}`, async ({ catalog }) => {
    const change = (was: Said) => ({ ...was, metadata: `${was.metadata}${mark}` });
    return `committed ${await relationsOf(catalog, "view").update(refOf(path), change)}`;
  });
}

export function renameView(from: string, to: string): Operation {
  return operation(`rename view ${from} to ${to}`, async ({ catalog }) => {
    await relationsOf(catalog, "view").rename(refOf(from), refOf(to));
    return "renamed";
  });
}

export function dropView(path: string): Operation {
  return operation(`drop view ${path}`, async ({ catalog }) => {
    await relationsOf(catalog, "view").drop(refOf(path));
    return "dropped";
  });
}

export function findView(path: string): Operation {
  return operation(`load view ${path}`, async ({ catalog }) => {
    const { location, metadata } = await relationsOf(catalog, "view").get(refOf(path));
    return `found ${metadata} at ${location}`;
  });
}

export function listViews(path: string): Operation {
  return operation(`list views of ${path}`, async ({ catalog }) => {
    const ref = { catalog: CATALOG, path: path.split(".") };
    return JSON.stringify((await relationsOf(catalog, "view").list(ref, {})).items);
  });
}

export function createNamespace(path: string): Operation {
  return operation(`create namespace ${path}`, async ({ catalog }) => {
    const ref = { catalog: CATALOG, path: path.split(".") };
    await catalog.namespaces.create(ACTOR, ref, {});
    return "created";
  });
}

export function renameNamespace(from: string, to: string): Operation {
  return operation(`rename namespace ${from} to ${to}`, async ({ catalog }) => {
    const ref = { catalog: CATALOG, path: from.split(".") };
    await catalog.namespaces.rename(ACTOR, ref, to.split("."));
    return "renamed";
  });
}

/** Appends a mark to a property. */
export function updateNamespace(path: string, mark: string): Operation {
  return operation(`update namespace ${path} by ${mark}`, async ({ catalog }) => {
    const ref = { catalog: CATALOG, path: path.split(".") };
    const marks = await catalog.namespaces.update(ACTOR, ref, ({ properties }) => {
      const detail = `${properties["marks"] ?? ""}${mark}`;
      return { properties: { marks: detail }, detail };
    });
    return `updated to ${marks}`;
  });
}

export function dropNamespace(path: string): Operation {
  return operation(`drop namespace ${path}`, async ({ catalog }) => {
    await catalog.namespaces.drop(ACTOR, { catalog: CATALOG, path: path.split(".") });
    return "dropped";
  });
}

export function listNamespaces(path: string): Operation {
  return operation(`list namespaces of ${path}`, async ({ catalog }) => {
    const above = path === "" ? [] : path.split(".");
    const { items } = await catalog.namespaces.list({ catalog: CATALOG, path: above }, {});
    return JSON.stringify(items);
  });
}

export function createCatalog(name: string): Operation {
  return operation(`create catalog ${name}`, async ({ catalog }) => {
    await catalog.catalogs.create(ACTOR, { name, defaultLocation: "file:///w" });
    return "created";
  });
}

export function renameCatalog(from: string, to: string): Operation {
  return operation(`rename catalog ${from} to ${to}`, async ({ catalog }) => {
    await catalog.catalogs.rename(ACTOR, from, to);
    return "renamed";
  });
}

export function dropCatalog(name: string): Operation {
  return operation(`drop catalog ${name}`, async ({ catalog }) => {
    await catalog.catalogs.drop(ACTOR, name);
    return "dropped";
  });
}

function undropOf(catalog: AccountCatalog, id: string, to: UndropTarget) {
  return catalog.dropped.undrop(ACTOR, id, to, async ({ location }) => ({
    above: directoriesAbove(location),
  }));
}

/** Brings back the one that was dropped under a name, if there is one; `to` is dotted. */
export async function undropNamed(
  catalog: AccountCatalog,
  type: Droppable["type"],
  name: string,
  to: UndropTarget,
): Promise<"undropped" | typeof NOT_ONE> {
  const { items } = await catalog.dropped.list({});
  const named = items.filter((one) => one.type === type && one.name === name);
  const [one] = named;
  if (one === undefined || named.length > 1) return NOT_ONE;
  await undropOf(catalog, one.id, to);
  return "undropped";
}

/** What is not there to be brought back, whether it came back before or went. */
const GONE: ReadonlySet<string> = new Set(["DROPPED_NOT_FOUND", "BEING_PURGED"]);

export function undrop(type: Droppable["type"], name: string, to?: string): Operation {
  return operation(`undrop ${type} ${name} to ${to ?? "where it was"}`, async ({ catalog }) => {
    const levels = to?.split(".");
    const target = levels && { parent: levels.slice(0, -1), name: levels.at(-1) };
    try {
      const answer = await undropNamed(catalog, type, name, target ?? {});
      return answer === NOT_ONE ? "gone" : answer;
    } catch (error) {
      if (error instanceof FirnError && GONE.has(error.code)) return "gone";
      throw error;
    }
  });
}

/** Takes up everything that is due, unless another node is at it or it came back meanwhile. */
async function eachDue(
  { jobs }: AccountCatalog,
  work: (lease: JobLease) => Promise<unknown>,
): Promise<void> {
  for (const id of (await jobs.due()).due) {
    const lease = await jobs.take(id);
    if (!(lease instanceof JobLease)) continue;
    try {
      await work(lease);
    } catch (error) {
      if (!(error instanceof FirnError && error.code === "JOB_LEASE_LOST")) throw error;
    }
  }
}

/** The first half of a purge: from then on nothing brings a table back whose files are to go. */
export function beginPurges(): Operation {
  return operation("begin purges", async ({ catalog }) => {
    await eachDue(catalog, async (lease) => {
      await beginPurge(catalog.context, lease);
      await lease.release(0);
    });
    return "begun";
  });
}

/** The second half. */
export function endPurges(): Operation {
  return operation("end purges", async ({ catalog }) => {
    await eachDue(catalog, (lease) => endPurge(catalog.context, lease));
    return "ended";
  });
}

/** Lets the retention pass, and everything that was dropped go for good. */
export async function expireDropped(catalog: AccountCatalog): Promise<void> {
  await catalog.context.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
  const { context } = catalog;
  await eachDue(catalog, async (lease) => {
    await beginPurge(context, lease);
    await endPurge(context, lease);
  });
}
