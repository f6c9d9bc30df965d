import type { RowTransaction } from "../../rows/index.ts";
import { CatalogSnapshot } from "../catalog/system/snapshot.ts";
import { systemRelations } from "../catalog/system/system-relations.ts";
import type { CatalogView } from "../catalog/view.ts";
import type { VirtualRelation, VirtualRelations } from "../catalog/virtual.ts";
import type { Statement } from "../parse/statement.ts";
import type { Plan } from "../plan/plan.ts";
import type { SqlSession } from "./session.ts";
import type { TypeNames } from "./type-names.ts";

/** Statements that may ask for catalog objects, by their text: most do not. */
const ASKS: RegExp = new RegExp(
  "\\bpg_|information_schema|(?:\\b|to_)reg[a-z]+|format_type|(?:next|curr|set)val\\b|" +
    "_description|has_[a-z]+_privilege|current_schema",
  "i",
);

/** Statements that expressions are evaluated in. */
const KINDS: ReadonlySet<string> = new Set([
  "SelectStmt",
  "InsertStmt",
  "UpdateStmt",
  "DeleteStmt",
  "MergeStmt",
  "ExplainStmt",
  "DeclareCursorStmt",
  "CreateTableAsStmt",
  "CreateStmt",
  "AlterTableStmt",
  "CopyStmt",
]);

const EMPTY = { namespaces: [], relations: [], databases: [] };

/** `pg_catalog` and `information_schema` of a session. */
export class SystemCatalog {
  readonly #relations: VirtualRelations;
  readonly #catalog: CatalogView;

  constructor(catalog: CatalogView, session: () => SqlSession) {
    this.#catalog = catalog;
    this.#relations = systemRelations({
      get types() {
        return session().types;
      },
      snapshotOf: ({ catalog: snapshot, session: { user, database } }) =>
        snapshot ?? new CatalogSnapshot(EMPTY, user, database),
      settings: () => session().settings.all(),
    });
  }

  find(schema: string, name: string): VirtualRelation | undefined {
    return this.#catalog.list === undefined ? undefined : this.#relations.find(schema, name);
  }

  /** Reads the catalog for a statement that may ask for it. */
  async load(session: SqlSession, { source, kind }: Statement, types: TypeNames): Promise<boolean> {
    const { list } = this.#catalog;
    const isAsked = list !== undefined && KINDS.has(kind) && ASKS.test(source.text);
    session.contexts.catalog = undefined;
    if (!isAsked) return false;
    session.transactionState.beginImplicit();
    const rows = (await session.transactionState.rows()) as RowTransaction;
    const { user, database } = session;
    const listing = await session.transactionState.names.over(await list(rows), rows);
    const sequences = await rows.sequences.list();
    const lastNumbers = new Map<string, bigint>();
    if (/\bpg_sequences\b/i.test(source.text)) {
      for (const sequence of sequences) {
        const { last, isCalled } = await rows.sequenceState(sequence);
        if (isCalled) lastNumbers.set(sequence.id, last);
      }
    }
    const objects = await rows.objects.list();
    await types.defineAll(objects);
    const whole = { ...listing, sequences, lastNumbers, objects };
    session.contexts.catalog = new CatalogSnapshot(whole, user, database);
    return true;
  }

  /** A plan that reads the catalog again each time it is run. */
  reloading(session: SqlSession, statement: Statement, plan: Plan, types: TypeNames): Plan {
    return {
      ...plan,
      start: async (run, parameters) => {
        await this.load(session, statement, types);
        return await plan.start(run, parameters);
      },
    };
  }
}
