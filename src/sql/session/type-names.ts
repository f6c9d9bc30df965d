import type { ColumnType, RowTransaction, SqlObject, TableDescriptor } from "../../rows/index.ts";
import { domainCheck, domainNull, domainsOf } from "../../rows/index.ts";
import { bindExpr } from "../bind/bind-expression.ts";
import { coerceToBool } from "../bind/coerce.ts";
import { Parameters, type Scope } from "../bind/scope.ts";
import { isKnown } from "../catalog/held.ts";
import { SqlError } from "../error.ts";
import { compile, type Evaluator } from "../exec/evaluate.ts";
import type { FunctionRegistry } from "../functions/resolve.ts";
import { parseExpression } from "../parse/expression-text.ts";
import { isOwnType } from "../plan/ddl/types.ts";
import { NeededType, type ObjectUse } from "../plan/env.ts";
import { valueTable } from "../plan/table-columns.ts";
import { arrayOid, type DomainConstraint, type SqlType } from "../types/registry.ts";
import type { SqlSession } from "./session.ts";

/** The types of a database, as one session knows them. */
export class TypeNames {
  readonly #session: SqlSession;
  readonly #functions: FunctionRegistry;
  readonly #known = new Map<string, SqlType | undefined>();

  constructor(session: SqlSession, functions: FunctionRegistry) {
    this.#session = session;
    this.#functions = functions;
  }

  /** A statement is planned: what names meant to the one before may have changed. */
  begin(searchPath: readonly string[]): void {
    const { types } = this.#session;
    this.#known.clear();
    types.searchPath = searchPath;
    types.finder = (schema, name) => {
      const key = keyOf(schema, name);
      if (this.#known.has(key)) return this.#known.get(key);
      const array = name.startsWith("_")
        ? this.#known.get(keyOf(schema, name.slice(1)))
        : undefined;
      if (array !== undefined) return types.find(array.array);
      throw new NeededType(schema, name);
    };
  }

  /** Looks up what a name of a type means. */
  async load({ schema, name }: NeededType, rows: RowTransaction, used: ObjectUse[]): Promise<void> {
    const object = await this.find(schema, name, rows);
    if (object !== undefined) used.push({ id: object.id, version: object.version });
    this.note({ schema, name }, isOwnType(object) ? await this.define(object.type) : undefined);
  }

  /** Whether a name that was looked up means a type. */
  isKnown({ schema, name }: NeededType): boolean {
    return this.#known.get(keyOf(schema, name)) !== undefined;
  }

  /** What a name of a type means. */
  note({ schema, name }: NeededType, type: SqlType | undefined): void {
    this.#known.set(keyOf(schema, name), type);
  }

  async find(
    schema: string | undefined,
    name: string,
    rows: RowTransaction,
  ): Promise<SqlObject | undefined> {
    const { searchPath } = this.#session.types;
    for (const each of schema === undefined ? searchPath : [schema]) {
      const object = await rows.objects.byName("type", each.split("."), name);
      if (object === undefined) continue;
      const { names } = this.#session.transactionState;
      if (isKnown(await names.heldIn(object.namespace, rows.isOfPast))) return object;
    }
    return undefined;
  }

  /** Defines the types of a table's columns. */
  async defineColumns({ columns }: TableDescriptor): Promise<void> {
    for (const { type } of columns) if (hasDomain(type)) await this.define(type);
  }

  /** Defines all types of the database, and no others. */
  async defineAll(objects: readonly SqlObject[]): Promise<void> {
    const { types } = this.#session;
    const there = new Set<number>();
    for (const object of objects) {
      if (!isOwnType(object)) continue;
      const type = await this.define(object.type);
      there.add(type?.oid ?? 0);
    }
    for (const type of types.own()) {
      if (type.labels === undefined && type.base === undefined) continue;
      if (!there.has(type.oid)) types.remove(type.oid);
    }
  }

  async define(type: ColumnType): Promise<SqlType | undefined> {
    const { types } = this.#session;
    const { domain } = type;
    // A type of fields or elements is made of types that are defined.
    for (const part of partsOf(type)) if (hasDomain(part)) await this.define(part);
    if (domain === undefined) return types.find(types.fromColumnType(type).oid);
    const known = types.find(domain.typeId);
    if (known !== undefined && JSON.stringify(known.column) === JSON.stringify(type)) return known;
    const { domain: _, ...plain } = type;
    const below: ColumnType = domain.base === undefined ? plain : { ...plain, domain: domain.base };
    if (domain.base !== undefined) await this.define(below);
    const constraint = await this.#constraintOf(type);
    if (known !== undefined) types.remove(domain.typeId);
    const base = types.fromColumnType(below);
    const more = { column: type, constraint };
    types.defineDomain(domain.typeId, arrayOid(domain.typeId), domain.name, base, more);
    return types.find(domain.typeId);
  }

  /** Of all domains that it rests on, the innermost first. */
  async #constraintOf(type: ColumnType): Promise<DomainConstraint | undefined> {
    const checks: { domain: string; name: string; holds: Evaluator }[] = [];
    const domains = domainsOf(type);
    for (const { name: domain, checks: own = [] } of domains) {
      for (const { name, expression } of own) {
        checks.push({ domain, name, holds: await this.#check(type, expression) });
      }
    }
    const strict = domains.find(({ notNull }) => notNull === true);
    if (checks.length === 0 && strict === undefined) return undefined;
    return {
      notNull: strict !== undefined,
      check: (value, sql) => {
        if (value === null && strict !== undefined) {
          throw new SqlError("23502", domainNull(strict.name));
        }
        const failed = checks.find(
          ({ holds }) => holds([value], { sql, parameters: [] }) === false,
        );
        if (failed === undefined) return;
        throw new SqlError("23514", domainCheck(failed.domain, failed.name), {
          constraint: failed.name,
        });
      },
    };
  }

  async #check(type: ColumnType, expression: string): Promise<Evaluator> {
    const parser = { parse: (text: string) => this.#session.parse(text) };
    const parsed = await parseExpression(parser, expression, "check constraint");
    const functions = this.#functions;
    const scope: Scope = {
      functions,
      context: this.#session.contexts.now(),
      source: parsed.source,
      parameters: new Parameters([], true),
      tables: [valueTable(functions.types, type)],
      clause: "check constraints",
      depth: 0,
    };
    return compile(coerceToBool(scope, bindExpr(scope, parsed.node), "CHECK"));
  }
}

/** The types that a type is made of. */
function partsOf({ element, fields = [] }: ColumnType): readonly ColumnType[] {
  return [...(element === undefined ? [] : [element]), ...fields.map(({ type }) => type)];
}

function hasDomain(type: ColumnType): boolean {
  return type.domain !== undefined || partsOf(type).some(hasDomain);
}

function keyOf(schema: string | undefined, name: string): string {
  return `${schema ?? ""}\0${name}`;
}
