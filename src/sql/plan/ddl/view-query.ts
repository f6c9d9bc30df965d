import type { Node } from "libpg-query";
import {
  isTemporaryId,
  type RowTransaction,
  type TableDescriptor,
  type ViewUse,
} from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import { notSupported } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import { signatures } from "../../signatures/tables.ts";
import { type PlanEnv, withRelations } from "../env.ts";
import { bindFrom } from "../from.ts";
import { type DdlPorts, rangeOf } from "./ddl-run.ts";

type Select = NodeOf<"SelectStmt">;
type Tree = Readonly<Record<string, unknown>>;

/**
 * The query of a view as it is stored: names of relations and types have their schemas, and the
 * targets of its list are written out, so that later changes give it no other meaning.
 */
export class ViewQuery {
  readonly #env: PlanEnv;
  readonly #rows: RowTransaction;
  readonly #ports: DdlPorts;
  readonly #uses = new Map<string, { readonly table?: TableDescriptor }>();
  readonly #columns = new Set<string>();
  #hasStar = false;
  /** It reads a temporary table or view; known once it is resolved. */
  isTemporary = false;

  constructor(env: PlanEnv, rows: RowTransaction, ports: DdlPorts) {
    this.#env = env;
    this.#rows = rows;
    this.#ports = ports;
  }

  /** What the query needs; known once it is resolved. */
  get uses(): readonly ViewUse[] {
    return [...this.#uses].map(([id, { table }]) => {
      if (table === undefined) return { id };
      const lastColumn = Math.max(0, ...table.columns.map((column) => column.id));
      const columns = this.#hasStar ? {} : { columns: [...this.#columns].sort() };
      return { id, ...columns, lastColumn };
    });
  }

  async resolve(select: Select): Promise<Select> {
    const named = (await this.#named(select as Tree, new Set())) as Select;
    const whole = await this.#written(named);
    this.#note(whole);
    return whole;
  }

  /** Names with their schemas, below any tree. */
  async #named(tree: unknown, ctes: ReadonlySet<string>): Promise<unknown> {
    if (Array.isArray(tree)) {
      return await Promise.all(tree.map((each) => this.#named(each, ctes)));
    }
    if (typeof tree !== "object" || tree === null) return tree;
    const known = tree as Tree;
    if ("withClause" in known) return await this.#below(known, ctes);
    if ("relname" in known) return await this.#relation(known as NodeOf<"RangeVar">, ctes);
    if ("names" in known && "typemod" in known) {
      return await this.#type(known as NodeOf<"TypeName">);
    }
    return await this.#entries(known, ctes);
  }

  async #entries(tree: Tree, ctes: ReadonlySet<string>): Promise<Tree> {
    const entries: [string, unknown][] = [];
    for (const [name, value] of Object.entries(tree)) {
      // What FOR UPDATE names are relations of FROM, as they are called there.
      const isKept = name === "lockedRels";
      entries.push([name, isKept ? value : await this.#named(value, ctes)]);
    }
    return Object.fromEntries(entries);
  }

  /** A query below its WITH. */
  async #below({ withClause, ...select }: Tree, around: ReadonlySet<string>): Promise<Tree> {
    const clause = withClause as NodeOf<"WithClause">;
    const seen = new Set(around);
    const nameOf = (node: Node): string => contentOf(node, "CommonTableExpr")?.ctename ?? "";
    if (clause.recursive === true) for (const each of clause.ctes ?? []) seen.add(nameOf(each));
    const ctes: unknown[] = [];
    for (const each of clause.ctes ?? []) {
      ctes.push(await this.#named(each, new Set(seen)));
      seen.add(nameOf(each));
    }
    return { ...(await this.#entries(select, seen)), withClause: { ...clause, ctes } };
  }

  async #relation(range: NodeOf<"RangeVar">, ctes: ReadonlySet<string>): Promise<unknown> {
    const { relname = "", schemaname } = range;
    if (schemaname === undefined && ctes.has(relname)) return range;
    const table = await this.#ports.find(this.#rows, range, ["read-data"]);
    if (table !== undefined) {
      this.isTemporary ||= isTemporaryId(table.table.id);
      this.#uses.set(table.table.id, { table: table.table });
      return { ...range, schemaname: table.path.join(".") };
    }
    const view = await this.#ports.viewNamed(this.#rows, schemaname, relname);
    if (view === undefined) return await this.#sequence(range);
    this.isTemporary ||= isTemporaryId(view.id);
    this.#uses.set(view.id, {});
    return { ...range, schemaname: view.namespace.join(".") };
  }

  async #sequence(range: NodeOf<"RangeVar">): Promise<unknown> {
    const { relname = "", schemaname } = range;
    if (schemaname === "pg_catalog" || schemaname === "information_schema") return range;
    const sequence = await this.#env.sequence(schemaname, relname, ["read-data"]);
    if (sequence === undefined) return range;
    this.isTemporary ||= isTemporaryId(sequence.id);
    return { ...range, schemaname: sequence.namespace.join(".") };
  }

  async #type(type: NodeOf<"TypeName">): Promise<unknown> {
    const names = textsOf(type.names);
    const name = names.at(-1) ?? "";
    const isBuiltIn = names.length === 1 && signatures().typeByName.has(name);
    if (isBuiltIn || names[0] === "pg_catalog") return type;
    const found = await this.#ports.typeNamed(this.#rows, names.at(-2), name);
    if (found === undefined && (await this.#ports.find(this.#rows, rangeOf(names), []))) {
      throw notSupported(`the row type ${name} in a view`, "Use a type of CREATE TYPE … AS.");
    }
    if (found === undefined) return type;
    this.#uses.set(found.id, {});
    const own = [found.namespace.join("."), found.name].map((sval) => ({ String: { sval } }));
    return { ...type, names: own };
  }

  /** With `*` of its target lists written out. */
  async #written(select: Select): Promise<Select> {
    const { larg, rarg, targetList = [] } = select;
    if (larg !== undefined && rarg !== undefined) {
      return { ...select, larg: await this.#written(larg), rarg: await this.#written(rarg) };
    }
    if (!targetList.some(isStar) || select.withClause !== undefined) return select;
    const env = this.#env;
    const { tables } = await withRelations(env, () => bindFrom(env, select.fromClause ?? []));
    const targets = targetList.flatMap((node): readonly Node[] => {
      if (!isStar(node)) return [node];
      const fields = contentOf(contentOf(node, "ResTarget")?.val, "ColumnRef")?.fields ?? [];
      const [name, schema] = [...textsOf(fields.slice(0, -1))].reverse();
      const seen = tables.filter((table) =>
        name === undefined
          ? table.visible !== "qualified"
          : table.visible !== "unqualified" &&
            table.name === name &&
            (schema === undefined || table.schema === schema),
      );
      if (seen.length === 0) return [node];
      return seen.flatMap((table) =>
        table.columns.map((column): Node => {
          const isBare = table.visible === "unqualified" || table.name === "";
          const path = isBare ? [column.name] : [table.name, column.name];
          const own = path.map((sval): Node => ({ String: { sval } }));
          return { ResTarget: { val: { ColumnRef: { fields: own } } } };
        }),
      );
    });
    return { ...select, targetList: targets };
  }

  /** Which columns of its tables it may read: by their names. */
  #note(tree: unknown): void {
    if (Array.isArray(tree)) for (const each of tree) this.#note(each);
    if (typeof tree !== "object" || tree === null || Array.isArray(tree)) return;
    const fields = (tree as { readonly ColumnRef?: NodeOf<"ColumnRef"> }).ColumnRef?.fields;
    const last = fields?.at(-1);
    if (last !== undefined && "A_Star" in last) this.#hasStar = true;
    for (const name of textsOf(fields)) this.#columns.add(name);
    const join = tree as { readonly isNatural?: boolean; readonly usingClause?: readonly Node[] };
    if (join.isNatural === true) this.#hasStar = true;
    // Columns are read by the names that an alias gives them.
    const { colnames } = tree as { readonly colnames?: readonly Node[] };
    if (colnames !== undefined) this.#hasStar = true;
    for (const name of textsOf(join.usingClause)) this.#columns.add(name);
    for (const each of Object.values(tree)) this.#note(each);
  }
}

function isStar(node: Node): boolean {
  const last = contentOf(contentOf(node, "ResTarget")?.val, "ColumnRef")?.fields?.at(-1);
  return last !== undefined && "A_Star" in last;
}
