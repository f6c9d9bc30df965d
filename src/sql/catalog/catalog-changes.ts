import type { Privilege } from "../../api/privileges.ts";
import { FirnError } from "../../base/error.ts";
import type { TableId } from "../../base/ids.ts";
import {
  type ForeignKeySpec,
  type IndexSpec,
  isTemporaryId,
  type RowTransaction,
  type TableDescriptor,
  type TemporaryShard,
  temporaryId,
} from "../../rows/index.ts";
import { notSupported, SqlError } from "../error.ts";
import { ALL_HELD, assertHeld, type Held, type HeldKind } from "./held.ts";
import type { CatalogListing, ListedRelation } from "./listing.ts";
import type { CatalogEntry, CatalogView, Claim, NewTable, TableName } from "./view.ts";

type Change =
  | { readonly kind: "create namespace" | "drop namespace"; readonly path: readonly string[] }
  | { readonly kind: "create" | "drop"; readonly at: TableName; readonly id: TableId }
  | {
      readonly kind: "rename";
      readonly at: TableName;
      readonly to: TableName;
      readonly id: TableId;
      readonly entry: CatalogEntry;
    };

/** A foreign key of a table to be made: without a table it references that one. */
export type NewForeignKey = Omit<ForeignKeySpec, "references"> & {
  readonly references: Partial<ForeignKeySpec["references"]>;
};

/** The namespace that SQL's names without a schema mean: made with its first table. */
const PUBLIC = "public";

/** What a transaction makes of a name. */
export type Becomes =
  | { readonly kind: "made" | "gone"; readonly was?: undefined }
  | { readonly kind: "moved"; readonly was: TableName };

/** What a name means to a transaction that has changed names. */
type Meaning = CatalogEntry | "absent" | "as before";

/** A table that a name means, and what may be done with it. */
export interface FoundEntry {
  readonly table: TableDescriptor;
  readonly held: Held;
}

/**
 * The names that a transaction makes, drops and changes. Its rows decide: a row table is there
 * where its shard has its descriptor, and the catalog's entry holds its name.
 *
 * The transaction claims names that it makes, commits its rows, descriptors among them, and then
 * releases names that it drops. It undoes a claim where the rows were refused. A crash between the
 * steps leaves an entry without a descriptor, which the next transaction that wants the name
 * removes.
 */
export class CatalogChanges {
  readonly #catalog: CatalogView;
  readonly #onUnreleased: (error: unknown) => void;
  readonly #temporary: TemporaryShard | undefined;
  #changes: Change[] = [];

  /** @param onUnreleased told of what a dropped table has left behind. */
  constructor(
    catalog: CatalogView,
    onUnreleased: (error: unknown) => void,
    temporary?: TemporaryShard,
  ) {
    this.#catalog = catalog;
    this.#onUnreleased = onUnreleased;
    this.#temporary = temporary;
  }

  /** The schema of the session's temporary tables; undefined while there is none. */
  get temporarySchema(): string | undefined {
    return this.#temporary?.schema;
  }

  /** The schema for a temporary table that is made. @throws SqlError 0A000. */
  beginTemporary(): string {
    if (this.#temporary === undefined) throw notSupported("a temporary table in this database");
    return this.#temporary.begin();
  }

  /** Whether a namespace is that of the session's temporary tables: the catalog knows none. */
  #isTemporary(path: readonly string[]): boolean {
    const { temporarySchema } = this;
    if (temporarySchema === undefined || path.length !== 1) return false;
    return path[0] === temporarySchema || path[0] === "pg_temp";
  }

  get mark(): number {
    return this.#changes.length;
  }

  rollbackTo(mark: number): void {
    this.#changes.length = Math.min(this.#changes.length, mark);
  }

  async hasNamespace(path: readonly string[]): Promise<boolean> {
    if (this.#isTemporary(path)) return true;
    const last = this.#changes.findLast(
      (change) => "path" in change && isSame({ path: change.path }, { path }),
    );
    if (last !== undefined) return last.kind === "create namespace";
    return await this.#catalog.hasNamespace(path);
  }

  /** The table that a name means. @throws SqlError 42809. */
  async find(rows: RowTransaction, at: TableName): Promise<TableDescriptor | undefined> {
    return (await this.look(rows, at))?.table;
  }

  /** The table that a name means, with what may be done with it. @throws SqlError 42809. */
  async look(rows: RowTransaction, at: TableName): Promise<FoundEntry | undefined> {
    if (this.#isTemporary(at.path)) {
      const path = [this.temporarySchema as string];
      const own = await rows.tables.temporary(path, at.name);
      return own && { table: own, held: ALL_HELD };
    }
    if (rows.isOfPast) return await this.#lookAtPast(rows, at);
    const entry = await this.#entryOf(at);
    const table = entry && (await rows.tables.find(entry.id));
    return table && { table, held: entry.held ?? ALL_HELD };
  }

  /**
   * The table that had a name in a state of the past, by the descriptors of then; or the one that
   * has it now, where the catalog alone has renamed it since. The grants are those of now.
   */
  async #lookAtPast(rows: RowTransaction, at: TableName): Promise<FoundEntry | undefined> {
    const entry = await this.#catalog.entry(at);
    const called = await rows.tables.called(at.path, at.name);
    const same = called.find(({ id }) => id === entry?.id) ?? called[0];
    const table = same ?? (entry && (await this.#renamedOutside(rows, at, entry.id)));
    if (table === undefined) return undefined;
    const held = await this.#heldNow(table);
    return held && { table, held };
  }

  /** A table of then that the catalog alone has renamed: its descriptor has another name still. */
  async #renamedOutside(
    rows: RowTransaction,
    { path, name }: TableName,
    id: TableId,
  ): Promise<TableDescriptor | undefined> {
    const now = await rows.tableNow(id);
    const isTold =
      now === undefined || isSame({ path: now.namespace, name: now.name }, { path, name });
    return isTold ? undefined : await rows.tables.find(id);
  }

  /** What may be done with a table by the grants of now: of a dropped one, by its schema's. */
  async #heldNow({ id, namespace }: TableDescriptor): Promise<Held | undefined> {
    const place = await this.#catalog.placeOf?.(id);
    if (place === undefined) return await this.heldIn(namespace, true);
    const entry = await this.#catalog.entry(place);
    return entry?.id === id ? (entry.held ?? ALL_HELD) : undefined;
  }

  /** What may be done with a namespace, or with the catalog; undefined where it is not there. */
  async heldOn(path: readonly string[]): Promise<Held | undefined> {
    const isMade = this.#changes.some(
      (change) => change.kind === "create namespace" && isSame(change, { path }),
    );
    // What this transaction makes belongs to its session.
    if (isMade || this.#isTemporary(path) || this.#catalog.heldOn === undefined) return ALL_HELD;
    return await this.#catalog.heldOn(path);
  }

  /**
   * As `heldOn`; the catalog's own hold for a namespace that is made with its first table.
   *
   * @param isOfPast that of the namespace above counts for one that is gone.
   */
  async heldIn(path: readonly string[], isOfPast = false): Promise<Held | undefined> {
    const held = await this.heldOn(path);
    if (held !== undefined || path.length === 0) return held;
    if (isOfPast) return await this.heldIn(path.slice(0, -1), true);
    return path.join(".") === PUBLIC ? await this.heldOn([]) : undefined;
  }

  /** What may be done with a table; undefined for none that may be known. */
  async heldAt(at: TableName): Promise<Held | undefined> {
    if (this.#isTemporary(at.path)) return ALL_HELD;
    const entry = await this.#entryOf(at);
    return entry && (entry.held ?? ALL_HELD);
  }

  /** @throws SqlError 42501; 3F000 where the namespace is not there. */
  async assertHeldOn(path: readonly string[], privilege: Privilege): Promise<void> {
    const name = path.join(".");
    if (privilege === "drop" && this.#isTemporary(path)) {
      const hint = "It goes with its session: DISCARD TEMP drops what is in it.";
      throw new SqlError("42501", `permission denied for schema ${name}`, { hint });
    }
    const kind: HeldKind = path.length === 0 ? "database" : "schema";
    const above = await this.heldIn(path);
    if (above === undefined) throw new SqlError("3F000", `schema "${name}" does not exist`);
    assertHeld(above, [privilege], kind, name === "" ? above.name : name);
  }

  /** A listing of the catalog with the changes of this transaction. */
  async over(listing: CatalogListing, rows: RowTransaction): Promise<CatalogListing> {
    const { temporarySchema: temporary } = this;
    if (temporary === undefined) return await this.#changed(listing, rows);
    const path = [temporary];
    const tables = await rows.tables.listTemporary();
    const relations = tables.map((table): ListedRelation => {
      return { id: table.id, path, name: table.name, kind: "rows", comment: "", table };
    });
    const changed = await this.#changed(listing, rows);
    return {
      ...changed,
      temporary,
      namespaces: [...changed.namespaces, { path }],
      relations: [...changed.relations, ...relations],
    };
  }

  async #changed(listing: CatalogListing, rows: RowTransaction): Promise<CatalogListing> {
    if (this.#changes.length === 0) return listing;
    const namespaces = new Map(listing.namespaces.map((each) => [each.path.join("."), each]));
    const relations = new Map(listing.relations.map((each) => [each.id, each]));
    for (const change of this.#changes) {
      if ("path" in change) {
        const { kind, path } = change;
        if (kind === "create namespace") namespaces.set(path.join("."), { path });
        else namespaces.delete(path.join("."));
        continue;
      }
      const { kind, id } = change;
      const table = kind === "drop" ? undefined : await rows.tables.find(id);
      if (table === undefined) relations.delete(id);
      else {
        const at = kind === "rename" ? change.to : change.at;
        const named = { ...table, name: at.name };
        const { held } = relations.get(id) ?? {};
        relations.set(id, { id, ...at, kind: "rows", comment: "", held, table: named });
      }
    }
    return {
      ...listing,
      namespaces: [...namespaces.values()],
      relations: [...relations.values()],
    };
  }

  /** As `CatalogView.buildIndex`: not part of the transaction. */
  async buildIndex(table: TableId, spec: IndexSpec, signal: AbortSignal): Promise<void> {
    await this.#catalog.buildIndex(table, spec, signal);
  }

  /** As `CatalogView.moveTable`: not part of the transaction. */
  async moveTable(table: TableId, shard: string, signal: AbortSignal): Promise<void> {
    await this.#catalog.moveTable(table, shard, signal);
  }

  /** The tables of a namespace. */
  async tablesIn(rows: RowTransaction, path: readonly string[]): Promise<TableDescriptor[]> {
    if (this.#isTemporary(path)) return [...(await rows.tables.listTemporary())];
    const isThere = await this.#catalog.hasNamespace(path);
    const before = isThere ? (await this.#catalog.contentOf(path)).tables : [];
    const names = new Set(before.map(({ name }) => name));
    for (const change of this.#changes) {
      if (change.kind === "create" && isSame({ path: change.at.path }, { path })) {
        names.add(change.at.name);
      }
      if (change.kind === "rename" && isSame({ path: change.to.path }, { path })) {
        names.add(change.to.name);
      }
    }
    const found: TableDescriptor[] = [];
    for (const name of names) {
      const table = await this.find(rows, { path, name });
      if (table !== undefined) found.push({ ...table, name });
    }
    return found;
  }

  /** @throws SqlError 42P06, 42501, 3F000. */
  async createNamespace(path: readonly string[]): Promise<void> {
    await this.assertHeldOn(path.slice(0, -1), "create");
    if (await this.hasNamespace(path)) {
      throw new SqlError("42P06", `schema "${path.join(".")}" already exists`);
    }
    this.#changes.push({ kind: "create namespace", path });
  }

  /** Drops a namespace that has nothing but row tables that go as well. @throws SqlError 2BP01. */
  async dropNamespace(rows: RowTransaction, path: readonly string[]): Promise<void> {
    await this.assertHeldOn(path, "drop");
    const isThere = await this.#catalog.hasNamespace(path);
    const { other } = isThere ? await this.#catalog.contentOf(path) : {};
    const [table] = await this.tablesIn(rows, path);
    const child = other ?? (table && `table ${table.name}`);
    if (child !== undefined) {
      const schema = path.join(".");
      throw new SqlError(
        "2BP01",
        `cannot drop schema ${schema} because other objects depend on it`,
        {
          detail: `${child} depends on schema ${schema}`,
          hint: "Use DROP ... CASCADE to drop the row tables too.",
        },
      );
    }
    this.#changes.push({ kind: "drop namespace", path });
  }

  async createTable(
    rows: RowTransaction,
    at: TableName,
    table: NewTable,
    keys: readonly NewForeignKey[],
  ): Promise<void> {
    await this.assertHeldOn(at.path, "create");
    if ((await this.find(rows, at)) !== undefined) throw taken(at.name);
    if (this.#isTemporary(at.path)) {
      const id = temporaryId(this.#catalog.newTableId());
      const foreignKeys = ofTable(id, keys);
      await rows.createTable({ ...table, foreignKeys, id, namespace: at.path });
      return;
    }
    // In the place of one that this transaction drops: the entry stays, and gets other rows.
    const dropped = this.#changes.find(
      (change) => change.kind === "drop" && isSame(change.at, at) && !this.#isNew(change.id),
    );
    const id = dropped !== undefined && "id" in dropped ? dropped.id : this.#catalog.newTableId();
    const foreignKeys = ofTable(id, keys);
    await rows.createTable({ ...table, foreignKeys, id, namespace: at.path, unnamed: true });
    this.#changes.push({ kind: "create", at, id });
  }

  /**
   * Drops a table and its rows, which nothing brings back.
   *
   * @param isCascade foreign keys of other tables that refer to it go too.
   * @throws SqlError 42501.
   */
  async dropTable(
    rows: RowTransaction,
    at: TableName,
    { id }: TableDescriptor,
    isCascade = false,
  ): Promise<void> {
    if (isTemporaryId(id)) {
      await rows.dropTable(id, { cascade: isCascade });
      return;
    }
    await this.assertHeld(at, ["drop", "write-data"]);
    await rows.dropTable(id, { cascade: isCascade });
    this.#changes.push({ kind: "drop", at, id });
  }

  async renameTable(
    rows: RowTransaction,
    at: TableName,
    to: TableName,
    { id }: TableDescriptor,
  ): Promise<void> {
    if (!(await this.hasNamespace(to.path))) {
      throw new SqlError("3F000", `schema "${to.path.join(".")}" does not exist`);
    }
    if (this.#isTemporary(to.path) !== isTemporaryId(id)) {
      const message = "cannot move objects into or out of temporary schemas";
      throw new SqlError("0A000", message);
    }
    if (isTemporaryId(id)) {
      if ((await this.find(rows, to)) !== undefined) throw taken(to.name);
      await rows.alter(id, { kind: "rename", namespace: to.path, name: to.name });
      return;
    }
    await this.assertHeld(at, ["drop"]);
    await this.assertHeldOn(to.path, "create");
    if ((await this.find(rows, to)) !== undefined) throw taken(to.name);
    await rows.alter(id, { kind: "rename", namespace: to.path, name: to.name });
    const entry = { ...(await this.#entryOf(at)), id };
    this.#changes.push({ kind: "rename", at, to, id, entry });
  }

  /** Commits rows and names together. Names are as before where it throws. */
  async commit(
    rows: RowTransaction | undefined,
    commitRows: () => Promise<unknown>,
  ): Promise<void> {
    const changes = this.#changes;
    if (changes.length === 0 || rows === undefined) {
      await commitRows();
      return;
    }
    this.#changes = [];
    const claims: Claim[] = [];
    const moved = new Set<TableId>();
    let isRefused = true;
    try {
      for (const change of inOrderOfClaims(changes)) {
        const claim = await this.#claim(rows, change, changes, moved);
        if (claim !== undefined) claims.push(claim);
      }
      isRefused = false;
      await commitRows();
    } catch (error) {
      const isConflict = error instanceof FirnError && error.kind === "Conflict";
      for (const claim of claims.reverse()) {
        // Where the rows may have been committed after all, their names stay.
        if (isRefused || isConflict) await claim.undo().catch(this.#onUnreleased);
        else claim.kept();
      }
      throw error;
    }
    for (const claim of claims) claim.kept();
    for (const change of changes) {
      try {
        await this.#release(change, changes, moved);
      } catch (error) {
        this.#onUnreleased(error);
      }
    }
  }

  forget(): void {
    this.#changes = [];
  }

  async #claim(
    rows: RowTransaction,
    change: Change,
    changes: readonly Change[],
    moved: Set<TableId>,
  ): Promise<Claim | undefined> {
    switch (change.kind) {
      case "create namespace": {
        const isDropped = changes.some(
          (one) => one.kind === "drop namespace" && isSame(one, change),
        );
        return isDropped ? undefined : await this.#catalog.claimNamespace(change.path);
      }
      case "create": {
        const table = await rows.tables.find(change.id);
        // Dropped again, or in the place of one whose entry is there.
        if (table === undefined || !this.#isNew(change.id, changes)) return undefined;
        // Under the name that it has at the end.
        const at = { path: table.namespace, name: table.name };
        return await this.#catalog.claimTable(at, table, rows.shardOf?.(table.id));
      }
      case "rename": {
        const { id } = change;
        if (this.#isNew(id, changes) || (await rows.tables.find(id)) === undefined)
          return undefined;
        // The name of a table that goes is free only behind the rows.
        const isHeld = changes.some((one) => one.kind === "drop" && isSame(one.at, change.to));
        if (isHeld || moved.has(id)) {
          moved.add(id);
          return undefined;
        }
        return await this.#catalog.renameTable(change.at, change.to);
      }
      default:
        return undefined;
    }
  }

  async #release(
    change: Change,
    changes: readonly Change[],
    moved: ReadonlySet<TableId>,
  ): Promise<void> {
    if (change.kind === "drop namespace") {
      const isMade = changes.some((one) => one.kind === "create namespace" && isSame(one, change));
      if (!isMade) await this.#catalog.dropNamespace(change.path);
    } else if (change.kind === "drop") {
      const { id } = change;
      if (this.#isNew(id, changes)) return;
      const isBack = changes.indexOf(change) < lastIndexOf(changes, "create", id);
      // Under the name that the catalog knows it by.
      const first = changes.find((one) => "id" in one && one.id === id);
      const at = first !== undefined && "at" in first ? first.at : change.at;
      if (!isBack) await this.#catalog.releaseTable(at, id);
    } else if (change.kind === "rename" && moved.has(change.id)) {
      const { at, to, id } = change;
      // An entry that moves later moves from where it is then.
      if (this.#isNew(id, changes)) return;
      (await this.#catalog.renameTable(at, to)).kept();
    }
  }

  /** What this transaction makes of a name of the catalog; undefined: it is as before. */
  becomes(at: Named): Becomes | undefined {
    let made: Becomes | undefined;
    for (const change of this.#changes) {
      if ("path" in change) {
        if (!isSame(change, at)) continue;
        made = change.kind === "create namespace" ? { kind: "made" } : { kind: "gone" };
      } else if (change.kind === "create" && isSame(change.at, at)) made = { kind: "made" };
      else if (change.kind === "rename" && isSame(change.to, at)) made = this.#moved(change.id);
      else if (change.kind !== "create" && isSame(change.at, at)) made = { kind: "gone" };
    }
    return made;
  }

  #moved(id: TableId): Becomes {
    const first = this.#changes.find((change) => "id" in change && change.id === id);
    return first?.kind === "rename" ? { kind: "moved", was: first.at } : { kind: "made" };
  }

  /** The names of tables that it makes or moves into a namespace. */
  madeIn(path: readonly string[]): readonly string[] {
    const names = this.#changes.flatMap((change) => {
      if (change.kind !== "create" && change.kind !== "rename") return [];
      const to = change.kind === "rename" ? change.to : change.at;
      return isSame({ path: to.path }, { path }) ? [to.name] : [];
    });
    return names.filter((name) => this.becomes({ path, name })?.kind !== "gone");
  }

  /** The row table that a name means now. @throws SqlError 42809. */
  async idAt(at: TableName): Promise<TableId | undefined> {
    return (await this.#entryOf(at))?.id;
  }

  /** The name that it gives a table at last; undefined: the one that it has. */
  lastName(table: string): TableName | "gone" | undefined {
    const last = this.#changes.findLast((change) => "id" in change && change.id === table);
    if (last === undefined || "path" in last) return undefined;
    if (last.kind === "drop") return "gone";
    return last.kind === "rename" ? last.to : last.at;
  }

  /** Whether a table was made by this transaction, and stands in the place of none. */
  #isNew(id: TableId, changes: readonly Change[] = this.#changes): boolean {
    const first = changes.find((change) => "id" in change && change.id === id);
    return first?.kind === "create";
  }

  /** @throws SqlError 42501. */
  async assertHeld(at: TableName, needs: readonly Privilege[]): Promise<void> {
    if (this.#isTemporary(at.path)) return;
    assertHeld((await this.#entryOf(at))?.held, needs, "table", at.name);
  }

  async #entryOf(at: TableName): Promise<CatalogEntry | undefined> {
    let meaning: Meaning = "as before";
    for (const change of this.#changes) {
      if (!("at" in change)) continue;
      if (change.kind === "create" && isSame(change.at, at)) meaning = { id: change.id };
      else if (change.kind === "rename" && isSame(change.to, at)) meaning = change.entry;
      else if (change.kind !== "create" && isSame(change.at, at)) meaning = "absent";
    }
    if (meaning === "absent") return undefined;
    if (meaning !== "as before") return meaning;
    return await this.#catalog.entry(at);
  }
}

/** Foreign keys that say no table are of the table itself. */
function ofTable(table: TableId, keys: readonly NewForeignKey[]): readonly ForeignKeySpec[] {
  return keys.map((key) => ({ ...key, references: { table, ...key.references } }));
}

/** A new table may take a name that another one gives up: tables that are there move first. */
function inOrderOfClaims(changes: readonly Change[]): readonly Change[] {
  const isCreate = ({ kind }: Change): boolean => kind === "create";
  return [...changes.filter((one) => !isCreate(one)), ...changes.filter(isCreate)];
}

function lastIndexOf(changes: readonly Change[], kind: "create", id: TableId): number {
  return changes.findLastIndex((change) => change.kind === kind && change.id === id);
}

interface Named {
  readonly path: readonly string[];
  readonly name?: string | undefined;
}

function isSame(a: Named, b: Named): boolean {
  return (
    a.name === b.name &&
    a.path.length === b.path.length &&
    a.path.every((part, i) => part === b.path[i])
  );
}

function taken(name: string): SqlError {
  return new SqlError("42P07", `relation "${name}" already exists`);
}
