import type { Node } from "libpg-query";
import type {
  ColumnType,
  RowTransaction,
  SequenceDescriptor,
  ViewObject,
} from "../../rows/index.ts";
import type { CatalogChanges } from "../catalog/catalog-changes.ts";
import { sequenceRelation } from "../catalog/system/sequence-relation.ts";
import type { CatalogView } from "../catalog/view.ts";
import type { VirtualRelations } from "../catalog/virtual.ts";
import { notSupported, SqlError } from "../error.ts";
import type { FunctionRegistry } from "../functions/resolve.ts";
import type { Source } from "../parse/source.ts";
import type { Statement } from "../parse/statement.ts";
import {
  type KnownRelation,
  NeededRelation,
  NeededType,
  type ObjectUse,
  type PlanEnv,
} from "../plan/env.ts";
import type { Plan, RunContext } from "../plan/plan.ts";
import { type PlannerPorts, planStatement } from "../plan/plan-statement.ts";
import type { TableUse } from "../plan/table-use.ts";
import { namesOf } from "./name-list.ts";
import type { SqlSession } from "./session.ts";
import { SystemCatalog } from "./system-catalog.ts";
import { TypeNames } from "./type-names.ts";

/** The schema of names that say none and are nowhere else. It is there without being made. */
const PUBLIC = "public";

/** Plans statements of a session, by its settings and its transaction. */
export function sessionPlanner(
  functions: FunctionRegistry,
  catalog: CatalogView,
): (session: SqlSession, statement: Statement, types: readonly number[]) => Promise<Plan> {
  let current: SqlSession | undefined;
  const typeNames = new WeakMap<SqlSession, TypeNames>();
  const system = new SystemCatalog(catalog, () => current as SqlSession);
  const virtual: VirtualRelations = {
    find: (schema, name) => catalog.virtual?.find(schema, name) ?? system.find(schema, name),
  };
  const seen: CatalogView = { ...catalog, virtual };
  return async (session, statement, given) => {
    current = session;
    let types = typeNames.get(session);
    if (types === undefined) {
      types = new TypeNames(session, functions);
      typeNames.set(session, types);
    }
    const names = new Names(session, seen, types);
    types.begin(names.searchPath.map((path) => path.join(".")));
    const isSystem = await system.load(session, statement, types);
    const ports: PlannerPorts = {
      prepared: session.prepared,
      cursors: session.cursors,
      prepare: (inner, types, isSql) => session.prepare(inner, types, isSql),
      searchPath: () => names.searchPath,
      namespaceFor: (schema) => names.namespaceFor(schema),
      find: (rows, schema, name) => names.find(rows, schema, name),
      parse: (text) => names.parse(text),
      viewNamed: (rows, schema, name) => names.viewNamed(rows, schema, name),
      typeNamed: (rows, schema, name) => names.typeNamed(rows, schema, name),
      defineType: (type) => names.defineType(type),
      env: ({ source }, parameters, used, usedObjects): Omit<PlanEnv, "bindQuery"> => ({
        ...names.relations(source, used, usedObjects),
        usedObjects,
        functions,
        source,
        parameters,
        used,
        clock: session.clock,
        bindContext: session.contexts.now(),
        contextOf: () => session.contexts.now(),
        transactionOf: rowsOfRun,
        setting: (name) => session.settings.get(name),
      }),
    };
    const plan = await planStatement(statement, given, ports);
    return isSystem ? system.reloading(session, statement, plan, types) : plan;
  };
}

/** OIDs of tables: above those of PostgreSQL itself, by the number of their relation. */
const FIRST_OID = 100_000;

/** The work of a statement: READ COMMITTED reads what has been committed until it begins. */
async function rowsOfRun({ transaction, signal }: RunContext): Promise<RowTransaction> {
  const rows = (await transaction.rows()) as RowTransaction;
  // A statement that is ended does not wait for rows of others any longer.
  signal.addEventListener("abort", () => rows.stopWaiting(signal.reason));
  await rows.statement({ checksAtEnd: true });
  return rows;
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

  get #path(): readonly string[] {
    const { settings, user } = this.#session;
    return namesOf(settings.get("search_path")).map((each) => (each === "$user" ? user : each));
  }

  /** What names of one statement mean, as they are looked up. */
  relations(
    source: Source,
    used: TableUse[],
    usedObjects: ObjectUse[],
  ): Pick<PlanEnv, "table" | "relation" | "load" | "sequence"> {
    const known = new Map<string, KnownRelation | undefined>();
    const keyOf = (schema: string | undefined, name: string): string => `${schema ?? ""}\0${name}`;
    const missing = (
      schema: string | undefined,
      name: string,
      location: number | undefined,
    ): SqlError => {
      const shown = schema === undefined ? name : `${schema}.${name}`;
      const error = new SqlError("42P01", `relation "${shown}" does not exist`);
      return error.at(source.position(location));
    };
    const noted = (found: KnownRelation): KnownRelation => {
      if (found.kind === "table" && !used.includes(found.use)) used.push(found.use);
      if (found.kind === "view") usedObjects.push(found.view);
      return found;
    };
    const load: PlanEnv["load"] = async (needed) => {
      const { schema, name } = needed;
      if (needed instanceof NeededType) {
        await this.#types.load(needed, await this.#rows(), usedObjects);
        return;
      }
      known.set(keyOf(schema, name), await this.#lookUp(schema, name));
    };
    return {
      load,
      sequence: (schema, name) => this.#sequence(schema, name),
      relation: (schema, name, location) => {
        const key = keyOf(schema, name);
        if (!known.has(key)) throw new NeededRelation(schema, name);
        const found = known.get(key);
        if (found === undefined) throw missing(schema, name, location);
        return noted(found);
      },
      table: async (schema, name, location) => {
        const found = await this.#lookUp(schema, name);
        if (found?.kind === "view") {
          const hint = "Change the rows of its tables.";
          throw notSupported(`a change of the rows of view "${name}"`, hint);
        }
        if (found?.kind === "virtual") {
          const message = `permission denied for table ${name}`;
          throw new SqlError("42501", message, { hint: "The server computes its rows." });
        }
        if (found === undefined) throw missing(schema, name, location);
        noted(found);
        return found.use;
      },
    };
  }

  async #lookUp(schema: string | undefined, name: string): Promise<KnownRelation | undefined> {
    const { virtual } = this.#catalog;
    const computed =
      schema === undefined
        ? ["pg_catalog", ...this.#path].map((each) => virtual?.find(each, name)).find(Boolean)
        : virtual?.find(schema, name);
    if (computed !== undefined) return { kind: "virtual", virtual: computed };
    const rows = await this.#rows();
    const found = await this.find(rows, schema, name);
    if (found === undefined) {
      const view = await this.viewNamed(rows, schema, name);
      if (view !== undefined) return await this.#knownView(view);
      const sequence = await this.#sequence(schema, name);
      return sequence && { kind: "virtual", virtual: sequenceRelation(sequence) };
    }
    const { table } = found;
    await this.#types.defineColumns(table);
    const estimate = await rows.estimate(table, 0);
    const oid = FIRST_OID + table.relation;
    return { kind: "table", use: { descriptor: table, oid, rows: estimate.rows } };
  }

  async #sequence(
    schema: string | undefined,
    name: string,
  ): Promise<SequenceDescriptor | undefined> {
    const rows = await this.#rows();
    for (const each of schema === undefined ? this.#path : [schema]) {
      const sequence = await rows.sequences.byName(each.split("."), name);
      if (sequence !== undefined) return sequence;
    }
    return undefined;
  }

  async viewNamed(rows: RowTransaction, schema: string | undefined, name: string) {
    for (const each of schema === undefined ? this.#path : [schema]) {
      const found = await rows.objects.byName("relation", each.split("."), name);
      if (found?.kind === "view") return found;
    }
    return undefined;
  }

  async #knownView(view: ViewObject): Promise<KnownRelation> {
    const query = await this.parse(view.query);
    return { kind: "view", view, oid: FIRST_OID + view.number, query };
  }

  async parse(text: string): Promise<Node> {
    const [statement] = await this.#session.parse(text);
    if (statement !== undefined) return statement.node;
    throw new SqlError("XX001", "a stored statement is empty");
  }

  get searchPath(): readonly (readonly string[])[] {
    return this.#path.map((each) => each.split("."));
  }

  async find(rows: RowTransaction, schema: string | undefined, name: string) {
    for (const each of schema === undefined ? this.#path : [schema]) {
      const path = each.split(".");
      const table = await this.#names.find(rows, { path, name });
      if (table !== undefined) return { table, path };
    }
    return undefined;
  }

  async namespaceFor(schema: string | undefined): Promise<readonly string[]> {
    for (const each of schema === undefined ? this.#path : [schema]) {
      const path = each.split(".");
      if (each === PUBLIC || (await this.#names.hasNamespace(path))) return path;
    }
    if (schema !== undefined) throw new SqlError("3F000", `schema "${schema}" does not exist`);
    throw new SqlError("3F000", "no schema has been selected to create in");
  }
}
