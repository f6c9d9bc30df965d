import type { Node } from "libpg-query";
import type { Privilege } from "../../api/privileges.ts";
import type {
  ColumnType,
  CompositeField,
  RowTransaction,
  SequenceDescriptor,
  StatementOptions,
  TableDescriptor,
  ViewObject,
} from "../../rows/index.ts";
import { rowFields } from "../../rows/index.ts";
import { Parameters } from "../bind/scope.ts";
import type { CatalogChanges, FoundEntry } from "../catalog/catalog-changes.ts";
import { assertHeld, type Held, isDescribed, isKnown } from "../catalog/held.ts";
import { tableOid } from "../catalog/system/object-oids.ts";
import { sequenceRelation } from "../catalog/system/sequence-relation.ts";
import type { CatalogView } from "../catalog/view.ts";
import { SYSTEM_DATABASE, type VirtualRelations } from "../catalog/virtual.ts";
import { notSupported, SqlError } from "../error.ts";
import type { SpillSpace } from "../exec/spill.ts";
import type { FunctionRegistry } from "../functions/resolve.ts";
import type { Source } from "../parse/source.ts";
import type { Statement } from "../parse/statement.ts";
import type { FoundTable } from "../plan/ddl/ddl-run.ts";
import {
  type KnownRelation,
  NeededRelation,
  NeededType,
  type ObjectUse,
  type PlanEnv,
  type TableRef,
} from "../plan/env.ts";
import { partitionsUse } from "../plan/partitions/partition-uses.ts";
import type { Plan, RunContext } from "../plan/plan.ts";
import { type PlannerPorts, planStatement } from "../plan/plan-statement.ts";
import { bindQuery } from "../plan/select.ts";
import { alsoNeeds, type TableUse } from "../plan/table-use.ts";
import { arrayOid } from "../types/registry.ts";
import { namesOf } from "./name-list.ts";
import { type IsSameTable, isSameTable, PlanBasis, PlanCache } from "./plan-cache.ts";
import type { SqlSession } from "./session.ts";
import { SystemCatalog } from "./system-catalog.ts";
import { TypeNames } from "./type-names.ts";
import type { ViewPorts } from "./view-texts.ts";

/** What the session's own schema of temporary tables is called, whatever its number. */
const TEMPORARY = "pg_temp";

/** The schema of names that say none and are nowhere else. It is there without being made. */
const PUBLIC = "public";

/** Plans statements of a session, by its settings and its transaction. */
export function sessionPlanner(
  functions: FunctionRegistry,
  catalog: CatalogView,
  spillSpace?: SpillSpace,
): (session: SqlSession, statement: Statement, types: readonly number[]) => Promise<Plan> {
  let current: SqlSession | undefined;
  const typeNames = new WeakMap<SqlSession, TypeNames>();
  const caches = new WeakMap<SqlSession, PlanCache>();
  const system = new SystemCatalog(catalog, () => current as SqlSession);
  const virtual: VirtualRelations = {
    find: (schema, name) => catalog.virtual?.find(schema, name) ?? system.find(schema, name),
  };
  const seen: CatalogView = { ...catalog, virtual };
  return async (session, statement, given) => {
    current = session;
    const { node } = statement;
    // What it runs is planned again where its tables have changed or may have moved.
    if ("ExecuteStmt" in node) await session.current(node.ExecuteStmt.name ?? "");
    let types = typeNames.get(session);
    if (types === undefined) {
      types = new TypeNames(session, functions);
      typeNames.set(session, types);
    }
    const names = new Names(session, seen, types);
    types.begin(names.schemas);
    const known = new PlanBasis();
    const viewEnv = names.relations(statement.source, [], [], known);
    const viewPorts: ViewPorts = {
      types: session.types,
      clock: session.clock,
      parse: (text) => names.parse(text),
      env: (trace) => ({
        ...viewEnv,
        usedObjects: [],
        functions,
        source: statement.source,
        parameters: new Parameters([], true),
        used: [],
        clock: session.clock,
        spillSpace,
        bindContext: session.contexts.now(),
        contextOf: () => session.contexts.now(),
        transactionOf: rowsOfRun,
        setting: (name) => session.settings.get(name),
        bindQuery,
        trace,
      }),
    };
    const isSystem = await system.load(session, statement, types, viewPorts);
    const cache = caches.get(session) ?? new PlanCache(session);
    caches.set(session, cache);
    const kept = isSystem ? undefined : await cache.find(statement, given, names.isSame);
    if (kept !== undefined) return kept;
    const basis = new PlanBasis();
    const ports: PlannerPorts = {
      prepared: session.prepared,
      current: (name) => session.current(name),
      cursors: session.cursors,
      prepare: (inner, types, isSql) => session.prepare(inner, types, isSql),
      searchPath: () => names.searchPath,
      namespaceFor: (schema, isTemporary) => names.namespaceFor(schema, isTemporary),
      roles: catalog.roles,
      find: (rows, range, needs) => names.find(rows, range, needs),
      heldOn: (path, privilege) => session.transactionState.names.assertHeldOn(path, privilege),
      parse: (text) => names.parse(text),
      viewNamed: (rows, schema, name) => names.viewNamed(rows, schema, name),
      typeNamed: (rows, schema, name) => names.typeNamed(rows, schema, name),
      defineType: (type) => names.defineType(type),
      env: ({ source }, parameters, used, usedObjects): Omit<PlanEnv, "bindQuery"> => ({
        ...names.relations(source, used, usedObjects, basis),
        usedObjects,
        functions,
        source,
        parameters,
        used,
        clock: session.clock,
        spillSpace,
        bindContext: basis.watched(session.contexts.now()),
        contextOf: () => session.contexts.now(),
        transactionOf: rowsOfRun,
        setting: (name) => session.settings.get(name),
      }),
    };
    const plan = await planStatement(statement, given, ports);
    if (isSystem) return system.reloading(session, statement, plan, types, viewPorts);
    cache.keep(statement, given, plan, basis);
    return plan;
  };
}

/** The work of a statement: READ COMMITTED reads what has been committed until it begins. */
async function rowsOfRun(
  { transaction, signal }: RunContext,
  options: Pick<StatementOptions, "holdsState"> = {},
): Promise<RowTransaction> {
  const rows = (await transaction.rows()) as RowTransaction;
  // A statement that is ended does not wait for rows of others any longer.
  signal.addEventListener("abort", () => rows.stopWaiting(signal.reason));
  await rows.statement({ ...options, checksAtEnd: true });
  return rows;
}

/** A plan rests on a table that it names, and on its partitions. */
function basedOn(
  basis: PlanBasis,
  schema: string | undefined,
  name: string,
  { descriptor, partitions }: TableUse,
): void {
  basis.table(schema, name, descriptor);
  for (const { use } of partitions?.members ?? []) {
    const { namespace, name: own } = use.descriptor;
    basedOn(basis, namespace.join("."), own, use);
  }
}

function missing({ schemaname, relname = "" }: TableRef): SqlError {
  const shown = schemaname === undefined ? relname : `${schemaname}.${relname}`;
  return new SqlError("42P01", `relation "${shown}" does not exist`);
}

/** A relation whose rows the server computes. */
function readOnly(name: string): SqlError {
  const hint = "The server computes its rows.";
  return new SqlError("42501", `permission denied for table ${name}`, { hint });
}

/** A relation that is computed of what is there now. */
function ofNow(name: string): SqlError {
  const hint = "Only tables, views and materialized views have a past.";
  return notSupported(`reading "${name}" AS OF SYSTEM TIME`, hint);
}

/** Names of tables and schemas, as `search_path` says. */
class Names {
  readonly #session: SqlSession;
  readonly #catalog: CatalogView;
  readonly #types: TypeNames;

  constructor(session: SqlSession, catalog: CatalogView, types: TypeNames) {
    this.#session = session;
    this.#catalog = catalog;
    this.#types = types;
  }

  async #rows(): Promise<RowTransaction> {
    const { transactionState } = this.#session;
    transactionState.beginImplicit();
    return (await transactionState.rows()) as RowTransaction;
  }

  async typeNamed(rows: RowTransaction, schema: string | undefined, name: string) {
    return await this.#types.find(schema, name, rows);
  }

  async defineType(type: ColumnType) {
    return await this.#types.define(type);
  }

  get #names(): CatalogChanges {
    return this.#session.transactionState.names;
  }

  /** The search path, as it is set. */
  get schemas(): readonly string[] {
    const { settings, user } = this.#session;
    return namesOf(settings.get("search_path")).map((each) => (each === "$user" ? user : each));
  }

  /** Where relations are looked for: among temporary ones first, unless the path places them. */
  get #path(): readonly string[] {
    const { schemas } = this;
    const { temporarySchema } = this.#names;
    const isPlaced = schemas.includes(TEMPORARY) || temporarySchema === undefined;
    return (isPlaced ? schemas : [temporarySchema, ...schemas]).flatMap((each) => this.#real(each));
  }

  /** The schemas where a name is looked for. */
  #among(schema: string | undefined): readonly string[] {
    return schema === undefined ? this.#path : this.#real(schema);
  }

  #real(schema: string): readonly string[] {
    if (schema !== TEMPORARY) return [schema];
    const { temporarySchema } = this.#names;
    return temporarySchema === undefined ? [] : [temporarySchema];
  }

  /** What names of one statement mean, as they are looked up. */
  relations(
    source: Source,
    used: TableUse[],
    usedObjects: ObjectUse[],
    basis: PlanBasis,
  ): Pick<PlanEnv, "table" | "relation" | "load" | "sequence"> {
    const known = new Map<string, KnownRelation | undefined>();
    /** Materialized views without rows to be read. */
    const empty = new Set<string>();
    const keyOf = (schema: string | undefined, name: string): string => `${schema ?? ""}\0${name}`;
    const noted = (
      found: KnownRelation | undefined,
      range: TableRef,
      needs: readonly Privilege[],
    ): KnownRelation => {
      const position = source.position(range.location);
      if (found === undefined) throw missing(range).at(position);
      if (found.kind === "virtual") {
        assertHeld(found.held, needs, "sequence", found.virtual.name);
        return found;
      }
      if (found.kind === "view") {
        // Its tables are judged as its query is bound: it is read with the reader's rights.
        usedObjects.push(found.view);
        return found;
      }
      const { id, materialized, name } = found.use.descriptor;
      if (materialized === true && needs.includes("write-data")) {
        throw new SqlError("42809", `cannot change materialized view "${name}"`);
      }
      if (materialized === true && needs.includes("read-data") && empty.has(id)) {
        throw new SqlError("55000", `materialized view "${name}" has not been populated`, {
          hint: "Use the REFRESH MATERIALIZED VIEW command.",
        });
      }
      alsoNeeds(found.use, needs);
      if (!used.includes(found.use)) used.push(found.use);
      return found;
    };
    const lookUp = async (schema: string | undefined, name: string) => {
      const found = await this.#lookUp(schema, name);
      if (found?.kind === "table") basedOn(basis, schema, name, found.use);
      else basis.other();
      if (found?.kind === "table" && !(await this.#isPopulated(found.use.descriptor))) {
        empty.add(found.use.descriptor.id);
      }
      return found;
    };
    const load: PlanEnv["load"] = async (needed) => {
      const { schema, name } = needed;
      if (needed instanceof NeededType) {
        basis.other();
        await this.#types.load(needed, await this.#rows(), usedObjects);
        if (!this.#types.isKnown(needed)) await this.#rowType(needed, used);
        return;
      }
      known.set(keyOf(schema, name), await lookUp(schema, name));
    };
    return {
      load,
      sequence: (schema, name, needs) => {
        basis.other();
        return this.#sequence(schema, name, needs);
      },
      relation: (range, needs) => {
        const { relname = "" } = range;
        const schema = this.#schemaOf(range);
        const key = keyOf(schema, relname);
        if (!known.has(key)) throw new NeededRelation(schema, relname);
        return noted(known.get(key), range, needs);
      },
      table: async (range, needs) => {
        const { relname = "" } = range;
        const found = await lookUp(this.#schemaOf(range), relname);
        const isWrite = needs.includes("write-data");
        if (found?.kind === "virtual" && isWrite) throw readOnly(relname);
        if (found?.kind === "view") {
          const hint = "Change the rows of its tables.";
          throw notSupported(`a change of the rows of view "${relname}"`, hint);
        }
        const table = noted(found, range, needs);
        if (table.kind === "table") return table.use;
        throw new SqlError("42809", `cannot copy from the computed relation "${relname}"`, {
          hint: "Try the COPY (SELECT ...) TO variant.",
        });
      },
    };
  }

  /** The name of a table is that of the type of its rows, too. */
  async #rowType(needed: NeededType, used: TableUse[]): Promise<void> {
    const { schema, name } = needed;
    const found = await this.#found(await this.#rows(), schema, name);
    if (found === undefined || !isDescribed(found.held)) return;
    const use = await this.#tableUse(found);
    used.push(use);
    this.#types.note(needed, this.#session.types.find(use.oid));
  }

  /** Whether a name means the same table as before. */
  readonly isSame: IsSameTable = async ({ schema, name, table }) => {
    if (this.#computed(schema, name) !== undefined) return false;
    const now = (await this.#found(await this.#rows(), schema, name))?.table;
    if (now === undefined || !isSameTable(now, table)) return false;
    await this.#types.defineColumns(now);
    return true;
  };

  #computed(schema: string | undefined, name: string) {
    const { virtual } = this.#catalog;
    return schema === undefined
      ? ["pg_catalog", ...this.#path].map((each) => virtual?.find(each, name)).find(Boolean)
      : virtual?.find(schema, name);
  }

  /** A temporary table of a name, where one comes before all that is computed. */
  async #shadowing(schema: string | undefined, name: string): Promise<FoundEntry | undefined> {
    const { temporarySchema } = this.#names;
    if (schema !== undefined || temporarySchema === undefined) return undefined;
    if (this.#path[0] !== temporarySchema) return undefined;
    return await this.#names.look(await this.#rows(), { path: [temporarySchema], name });
  }

  async #lookUp(schema: string | undefined, name: string): Promise<KnownRelation | undefined> {
    const shadowing = await this.#shadowing(schema, name);
    const computed = shadowing === undefined ? this.#computed(schema, name) : undefined;
    const { atMs } = this.#session.transactionState.modes;
    if (computed !== undefined && atMs !== undefined) throw ofNow(computed.name);
    if (computed !== undefined) return { kind: "virtual", virtual: computed };
    const rows = await this.#rows();
    const found = shadowing ?? (await this.#found(rows, schema, name));
    if (found === undefined) {
      const view = await this.viewNamed(rows, schema, name);
      if (view !== undefined) return await this.#knownView(view);
      const sequence = await this.#heldSequence(schema, name);
      if (sequence === undefined) {
        const type = await this.#types.find(schema, name, rows);
        if (type?.kind !== "composite") return undefined;
        throw new SqlError("42809", `"${name}" is a composite type`);
      }
      if (rows.isOfPast) throw ofNow(name);
      const virtual = sequenceRelation(sequence.sequence);
      return { kind: "virtual", virtual, held: sequence.held };
    }
    return { kind: "table", use: await this.#tableUse(found) };
  }

  async #tableUse({ table, held }: FoundEntry): Promise<TableUse> {
    // Types of columns tell of them.
    const isShown = isDescribed(held);
    if (isShown) await this.#types.defineColumns(table);
    const { rows } = await (await this.#rows()).estimate(table, 0);
    const oid = tableOid(table.relation);
    this.#defineRow(oid, table, isShown ? rowFields(table) : undefined);
    const partitions = await partitionsUse(await this.#rows(), table, {
      parse: (text) => this.parse(text),
      onFound: (one) => (isShown ? this.#types.defineColumns(one) : undefined),
    });
    return { descriptor: table, oid, held, needs: new Set<Privilege>(), rows, partitions };
  }

  /**
   * The schema of a name with a catalog in front: the catalog is the session's own one, or that of
   * the system tables, which every database has. @throws SqlError 0A000.
   */
  #schemaOf({ catalogname, schemaname, relname = "" }: TableRef): string | undefined {
    if (catalogname === undefined || catalogname === this.#session.database) return schemaname;
    if (catalogname === SYSTEM_DATABASE) return `${SYSTEM_DATABASE}.${schemaname}`;
    const name = `"${catalogname}.${schemaname}.${relname}"`;
    throw new SqlError("0A000", `cross-database references are not implemented: ${name}`);
  }

  async #sequence(
    schema: string | undefined,
    name: string,
    needs: readonly Privilege[],
  ): Promise<SequenceDescriptor | undefined> {
    const found = await this.#heldSequence(schema, name);
    if (found !== undefined) assertHeld(found.held, needs, "sequence", name);
    return found?.sequence;
  }

  /** A sequence that may be known. */
  async #heldSequence(
    schema: string | undefined,
    name: string,
  ): Promise<{ readonly sequence: SequenceDescriptor; readonly held: Held } | undefined> {
    const rows = await this.#rows();
    for (const each of this.#among(schema)) {
      const sequence = await rows.sequences.byName(each.split("."), name);
      const held = sequence && (await this.#heldOnSequence(rows, sequence));
      if (sequence !== undefined && held?.isAny === true) return { sequence, held };
    }
    return undefined;
  }

  /** What may be done with a sequence: as with the table of its column, or with its schema. */
  async #heldOnSequence(
    rows: RowTransaction,
    { ownedBy, namespace }: SequenceDescriptor,
  ): Promise<Held | undefined> {
    const owner = ownedBy && (await rows.tables.find(ownedBy.table));
    const at = owner && { path: owner.namespace, name: owner.name };
    const found = at && (await this.#names.look(rows, at));
    if (found !== undefined && found.table.id === owner?.id) return found.held;
    return await this.#names.heldIn(namespace);
  }

  async viewNamed(rows: RowTransaction, schema: string | undefined, name: string) {
    for (const each of this.#among(schema)) {
      const found = await rows.objects.byName("relation", each.split("."), name);
      if (found?.kind !== "view") continue;
      const held = await this.#names.heldIn(found.namespace, rows.isOfPast);
      if (isKnown(held)) return found;
    }
    return undefined;
  }

  async #isPopulated({ materialized, namespace, name }: TableDescriptor): Promise<boolean> {
    if (materialized !== true) return true;
    const view = await (await this.#rows()).objects.byName("relation", namespace, name);
    return view?.kind !== "view" || view.materialized?.isPopulated !== false;
  }

  async #knownView(view: ViewObject): Promise<KnownRelation> {
    const query = await this.parse(view.query);
    const oid = tableOid(view.number);
    this.#defineRow(oid, view);
    return { kind: "view", view, oid, query };
  }

  /** Rows of a relation as values have its type. */
  #defineRow(
    oid: number,
    { name, namespace }: Pick<ViewObject, "name" | "namespace">,
    fields?: readonly CompositeField[],
  ): void {
    const row = { oid, arrayOid: arrayOid(oid), name, schema: namespace.join(".") };
    this.#session.types.defineRow({ ...row, relation: oid, fields });
  }

  async parse(text: string): Promise<Node> {
    const [statement] = await this.#session.parse(text);
    if (statement !== undefined) return statement.node;
    throw new SqlError("XX001", "a stored statement is empty");
  }

  get searchPath(): readonly (readonly string[])[] {
    return this.#path.map((each) => each.split("."));
  }

  /** The table of a statement that changes tables. @throws SqlError 42501. */
  async find(
    rows: RowTransaction,
    range: TableRef,
    needs: readonly Privilege[],
  ): Promise<FoundTable | undefined> {
    const { relname = "" } = range;
    const schema = this.#schemaOf(range);
    const path = this.#among(schema);
    const { virtual } = this.#catalog;
    const isShadowed = (await this.#shadowing(schema, relname)) !== undefined;
    if (!isShadowed && path.some((each) => virtual?.find(each, relname) !== undefined)) {
      if (needs.every((need) => need === "read-data")) return undefined;
      throw readOnly(relname);
    }
    const found = await this.#found(rows, schema, relname);
    if (found !== undefined) assertHeld(found.held, needs, "table", relname);
    return found;
  }

  async #found(
    rows: RowTransaction,
    schema: string | undefined,
    name: string,
  ): Promise<(FoundTable & FoundEntry) | undefined> {
    for (const each of this.#among(schema)) {
      const path = each.split(".");
      const found = await this.#names.look(rows, { path, name });
      if (found !== undefined) return { ...found, path };
      // A temporary view comes before the tables of other schemas.
      const isOwn = each === this.#names.temporarySchema;
      if (isOwn && (await rows.objects.byName("relation", path, name)) !== undefined) break;
    }
    return undefined;
  }

  /** Where something new goes. @throws SqlError 3F000, 42501, 42P16. */
  async namespaceFor(
    schema: string | undefined,
    isTemporary: boolean | undefined,
  ): Promise<readonly string[]> {
    const first = schema ?? this.schemas[0];
    const isOwn = first === TEMPORARY || first === this.#names.temporarySchema;
    if (isTemporary === true || (isOwn && first !== undefined)) {
      if (schema === undefined || isOwn) return this.#temporary(isTemporary);
      const message = "cannot create temporary relation in non-temporary schema";
      throw new SqlError("42P16", message);
    }
    for (const each of schema === undefined ? this.schemas : [schema]) {
      if (each === TEMPORARY) continue;
      const path = each.split(".");
      if (each !== PUBLIC && !(await this.#names.hasNamespace(path))) continue;
      await this.#names.assertHeldOn(path, "create");
      return path;
    }
    if (schema !== undefined) throw new SqlError("3F000", `schema "${schema}" does not exist`);
    throw new SqlError("3F000", "no schema has been selected to create in");
  }

  /** @throws SqlError 0A000 for what cannot be temporary. */
  #temporary(isTemporary: boolean | undefined): readonly string[] {
    if (isTemporary !== undefined) return [this.#names.beginTemporary()];
    const hint = "Tables, views and sequences can be temporary.";
    throw notSupported("this in the temporary schema", hint);
  }
}
