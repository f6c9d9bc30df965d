import type { RowTransaction, SequenceDescriptor, SqlObject } from "../../rows/index.ts";
import { ALL_HELD, isKnown } from "../catalog/held.ts";
import type { CatalogListing, ListedSequence } from "../catalog/listing.ts";
import { commentedId } from "../catalog/system/comment-names.ts";
import type { ListedStatement } from "../catalog/system/provider.ts";
import { defineRowTypes } from "../catalog/system/row-types.ts";
import { CatalogSnapshot } from "../catalog/system/snapshot.ts";
import { systemRelations } from "../catalog/system/system-relations.ts";
import type { CatalogView } from "../catalog/view.ts";
import type { VirtualRelation, VirtualRelations } from "../catalog/virtual.ts";
import type { Statement } from "../parse/statement.ts";
import type { Plan } from "../plan/plan.ts";
import type { SqlSession } from "./session.ts";
import type { TypeNames } from "./type-names.ts";
import { type ViewPorts, ViewTexts } from "./view-texts.ts";

/**
 * Statements that may ask for catalog objects, by their text: most do not. What waits for a lock
 * must not have begun to read before.
 */
const ASKS: RegExp = new RegExp(
  "\\bpg_(?!(?:try_)?advisory_|sleep)|information_schema|(?:\\b|to_)reg[a-z]+|format_type|" +
    "(?:next|curr|set)val\\b|_description|has_[a-z]+_privilege|current_schema",
  "i",
);

/** Statements that may ask for principals and roles: owners, and who was granted what. */
const ROLES: RegExp = new RegExp(
  "\\bpg_(?:roles|authid|auth_members|user|shadow|group|get_userbyid|has_role|tables|views)\\b|" +
    "\\bhas_\\w+_privilege\\b|acl\\b|owner\\b|regrole|_privileges\\b|_grants\\b|_roles\\b",
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

/** Sequences whose tables or schemas may be known, with what may be done with them. */
function visibleSequences(
  sequences: readonly SequenceDescriptor[],
  { namespaces, relations, held: top }: CatalogListing,
): readonly ListedSequence[] {
  const tables = new Map(relations.map(({ table, held }) => [table?.id, held ?? ALL_HELD]));
  const schemas = new Map(
    namespaces.map(({ path, held }) => [path.join("."), held ?? ALL_HELD] as const),
  );
  return sequences.flatMap((sequence) => {
    const { ownedBy, namespace } = sequence;
    const schema = namespace.join(".");
    const around = schemas.get(schema) ?? (schema === "public" ? (top ?? ALL_HELD) : undefined);
    const held = ownedBy === undefined ? around : tables.get(ownedBy.table);
    return held?.isAny === true ? [{ sequence, held }] : [];
  });
}

/** Views and types whose schemas may be known, and the comments on what may be known. */
function visibleObjects(
  objects: readonly SqlObject[],
  { namespaces, relations, held: top = ALL_HELD }: CatalogListing,
  sequences: readonly ListedSequence[],
): readonly SqlObject[] {
  const schemas = new Set(
    namespaces.filter(({ held = ALL_HELD }) => isKnown(held)).map(({ path }) => path.join(".")),
  );
  const isPublicListed = namespaces.some(({ path }) => path.join(".") === "public");
  if (!isPublicListed && isKnown(top)) schemas.add("public");
  const seen = objects.filter(
    ({ kind, namespace }) => kind !== "comment" && schemas.has(namespace.join(".")),
  );
  const commented = new Set<string>(schemas);
  for (const { id } of seen) commented.add(id);
  for (const { table } of relations) if (table !== undefined) commented.add(table.id);
  for (const { sequence } of sequences) commented.add(sequence.id);
  const comments = objects.filter(
    ({ kind, name }) => kind === "comment" && commented.has(commentedId(name)),
  );
  return [...seen, ...comments];
}

/** Prepared statements with a name, in the order in which they were made. */
function listed(prepared: SqlSession["prepared"]): readonly ListedStatement[] {
  return [...prepared].flatMap(([name, each]): readonly ListedStatement[] => {
    if (name === "" || each === undefined) return [];
    const { statement, preparedMicros: micros, parameterTypes, isSql } = each;
    return [{ name, text: statement.text, micros, parameterTypes, isSql }];
  });
}

/** `pg_catalog` and `information_schema` of a session. */
export class SystemCatalog {
  readonly #relations: VirtualRelations;
  readonly #catalog: CatalogView;
  readonly #views = new WeakMap<SqlSession, ViewTexts>();

  constructor(catalog: CatalogView, session: () => SqlSession) {
    this.#catalog = catalog;
    this.#relations = systemRelations({
      get types() {
        return session().types;
      },
      snapshotOf: ({ catalog: snapshot, session: { user, database } }) =>
        snapshot ?? new CatalogSnapshot(EMPTY, user, database),
      settings: () => session().settings.all(),
      prepared: () => listed(session().prepared),
    });
  }

  find(schema: string, name: string): VirtualRelation | undefined {
    return this.#catalog.list === undefined ? undefined : this.#relations.find(schema, name);
  }

  /** Reads the catalog for a statement that may ask for it. */
  async load(
    session: SqlSession,
    { source, kind }: Statement,
    types: TypeNames,
    viewPorts: ViewPorts,
  ): Promise<boolean> {
    const { list } = this.#catalog;
    const isAsked = list !== undefined && KINDS.has(kind) && ASKS.test(source.text);
    session.contexts.catalog = undefined;
    session.contexts.views = undefined;
    if (!isAsked) return false;
    session.transactionState.beginImplicit();
    const rows = (await session.transactionState.rows()) as RowTransaction;
    const { user, database } = session;
    const listing = await session.transactionState.names.over(await list(rows), rows);
    const sequences = visibleSequences(await rows.sequences.list(), listing);
    const lastNumbers = new Map<string, bigint>();
    if (/\bpg_sequences\b/i.test(source.text)) {
      for (const { sequence } of sequences) {
        const { last, isCalled } = await rows.sequenceState(sequence);
        if (isCalled) lastNumbers.set(sequence.id, last);
      }
    }
    const roles = ROLES.test(source.text) ? await this.#catalog.roles?.list() : undefined;
    const objects = visibleObjects(await rows.objects.list(), listing, sequences);
    await types.defineAll(objects);
    for (const { table } of listing.relations) if (table) await types.defineColumns(table);
    const whole = { ...listing, sequences, lastNumbers, roles, objects };
    const snapshot = new CatalogSnapshot(whole, user, database);
    defineRowTypes(session.types, snapshot);
    session.contexts.catalog = snapshot;
    if (!ViewTexts.isAsked(source.text)) return true;
    const views = this.#views.get(session) ?? new ViewTexts();
    this.#views.set(session, views);
    session.contexts.views = await views.load(objects, listing.relations, viewPorts);
    return true;
  }

  /** A plan that reads the catalog again each time it is run. */
  reloading(
    session: SqlSession,
    statement: Statement,
    plan: Plan,
    types: TypeNames,
    viewPorts: ViewPorts,
  ): Plan {
    return {
      ...plan,
      start: async (run, parameters) => {
        await this.load(session, statement, types, viewPorts);
        return await plan.start(run, parameters);
      },
    };
  }
}
