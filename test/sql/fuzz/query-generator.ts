import { type Random, seeded } from "./generate.ts";

/** A column of a made table or query, as expressions name it. */
interface Column {
  readonly name: string;
  readonly type: "int4" | "int8" | "text" | "numeric" | "bool" | "date";
}

interface Relation {
  readonly sql: string;
  readonly columns: readonly Column[];
}

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
}

const TYPES = ["int4", "int4", "int4", "int8", "text", "numeric", "bool", "date"] as const;

/** A schema with indexes and rows, and queries over it, all from one seed. */
export class QueryGenerator {
  readonly #random: Random;
  readonly tables: readonly Table[];
  readonly schema: readonly string[];
  #aliases = 0;

  constructor(seed: number) {
    this.#random = seeded(seed);
    const made = Array.from({ length: 3 }, (_, i) => this.#table(i));
    this.tables = made.map(({ table }) => table);
    this.schema = made.flatMap(({ sql }) => sql);
  }

  /** A query whose rows are compared in any order. */
  query(): string {
    this.#aliases = 0;
    const kind = this.#below(10);
    if (kind === 0) return this.#setOperation();
    if (kind === 1) return this.#with();
    return this.#select(2, []).sql;
  }

  #below(most: number): number {
    return Math.floor(this.#random() * most);
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #one<T>(values: readonly T[]): T {
    return values[this.#below(values.length)] as T;
  }

  #table(index: number): { readonly table: Table; readonly sql: readonly string[] } {
    const name = `t${index}`;
    const count = 2 + this.#below(4);
    const others = Array.from({ length: count }, (_, i): Column => {
      return { name: `c${i}`, type: this.#one(TYPES) };
    });
    const columns: readonly Column[] = [{ name: "id", type: "int4" }, ...others];
    const isComposite = this.#chance(0.3);
    const first = others[0] as Column;
    const defined = columns.map((each) => {
      const isKey = each.name === "id" || (isComposite && each === first);
      return `${each.name} ${each.type}${isKey ? " not null" : ""}`;
    });
    const key = isComposite ? `${first.name}, id` : "id";
    const indexes = others
      .filter(() => this.#chance(0.6))
      .map((each) => `unique (${each.name}, ${this.#chance(0.3) ? "c1, id" : "id"})`)
      .filter((each) => !each.includes("c1, c1"));
    const parts = [...defined, `primary key (${key})`, ...indexes];
    const create = `create table ${name} (${parts.join(", ")})`;
    const size = this.#chance(0.15) ? 0 : 1 + this.#below(this.#chance(0.2) ? 90 : 20);
    const rows = Array.from({ length: size }, (_, id) => {
      const values = others.map((each) => {
        const isKey = isComposite && each === first;
        return !isKey && this.#chance(0.15) ? "null" : this.#value(each.type);
      });
      return `(${[id, ...values].join(", ")})`;
    });
    const inserts = size === 0 ? [] : [`insert into ${name} values ${rows.join(", ")}`];
    return { table: { name, columns }, sql: [create, ...inserts] };
  }

  #value(type: Column["type"]): string {
    const number = this.#below(7) - 1;
    switch (type) {
      case "int4":
        return String(number);
      case "int8":
        return `${number}::int8`;
      case "text":
        return this.#one(["'a'", "'b'", "'ab'", "'B'", "''", "'é'"]);
      case "numeric":
        return this.#one(["1", "1.5", "2.5", "-1", "0", "3"]);
      case "bool":
        return this.#one(["true", "false"]);
      case "date":
        return `date '2024-01-0${1 + this.#below(5)}'`;
    }
  }

  #alias(): string {
    return `r${this.#aliases++}`;
  }

  /** A relation of FROM with a fresh name. */
  #relation(depth: number, outer: readonly Column[]): Relation {
    const alias = this.#alias();
    const named = (columns: readonly Column[]): readonly Column[] =>
      columns.map((each) => ({ ...each, name: `${alias}.${each.name}` }));
    if (depth > 0 && this.#chance(0.2)) {
      const isLateral = outer.length > 0 && this.#chance(0.5);
      const inner = this.#select(depth - 1, isLateral ? outer : []);
      const sql = `${isLateral ? "lateral " : ""}(${inner.sql}) ${alias}`;
      return { sql, columns: named(inner.columns) };
    }
    if (this.#chance(0.08)) {
      const sql = `generate_series(0, ${this.#below(5)}) ${alias}(n)`;
      return { sql, columns: [{ name: `${alias}.n`, type: "int4" }] };
    }
    const table = this.#one(this.tables);
    return { sql: `${table.name} ${alias}`, columns: named(table.columns) };
  }

  #from(depth: number, outer: readonly Column[]): Relation {
    let whole = this.#relation(depth, outer);
    const joins = this.#one([0, 0, 1, 1, 1, 2, 2, 3]);
    for (let i = 0; i < joins; i++) {
      const type = this.#one([
        "join",
        "join",
        "left join",
        "right join",
        "full join",
        "cross join",
      ]);
      const isOpen = type === "join" || type === "left join" || type === "cross join";
      const next = this.#relation(depth, isOpen ? [...whole.columns] : []);
      const columns = [...whole.columns, ...next.columns];
      const on =
        type === "cross join"
          ? ""
          : ` on ${this.#joinCondition(whole.columns, next.columns, type === "full join")}`;
      whole = { sql: `${whole.sql} ${type} ${next.sql}${on}`, columns };
    }
    return whole;
  }

  #joinCondition(left: readonly Column[], right: readonly Column[], isFull: boolean): string {
    const pairs = left.flatMap((mine) =>
      right.filter((theirs) => isComparable(mine, theirs)).map((theirs) => [mine, theirs] as const),
    );
    if (pairs.length === 0) return isFull ? "1 = 1" : this.#one(["true", "1 = 0"]);
    const parts = Array.from({ length: this.#one([1, 1, 2]) }, () => {
      const [mine, theirs] = this.#one(pairs);
      const operator = isFull || this.#chance(0.85) ? "=" : this.#one(["<", ">=", "<>"]);
      return `${mine.name} ${operator} ${theirs.name}`;
    });
    if (!isFull && this.#chance(0.3)) parts.push(this.#condition([...left, ...right], 0));
    return parts.join(" and ");
  }

  #condition(columns: readonly Column[], depth: number): string {
    const column = this.#one(columns);
    const value = (): string => this.#value(column.type);
    const same = columns.filter((each) => isComparable(each, column));
    switch (this.#below(depth > 0 ? 14 : 9)) {
      case 0:
        return `${column.name} is ${this.#one(["null", "not null"])}`;
      case 1:
        return `${column.name} in (${value()}, ${value()})`;
      case 2:
        return `(${this.#condition(columns, depth - 1)} or ${this.#condition(columns, depth - 1)})`;
      case 3:
        return `not (${this.#condition(columns, depth - 1)})`;
      case 4:
        return `${column.name} ${this.#one(["=", "<", ">"])} ${this.#one(same).name}`;
      case 5:
        return `${column.name} is distinct from ${value()}`;
      case 9:
      case 10: {
        const inner = this.#select(0, columns);
        return `${this.#one(["exists", "not exists"])} (${inner.sql})`;
      }
      case 11:
      case 12: {
        const table = this.#one(this.tables);
        const alias = this.#alias();
        const theirs = table.columns.filter((each) => isComparable(each, column));
        if (theirs.length === 0) return `${column.name} is null`;
        const all = table.columns.map((each) => ({ ...each, name: `${alias}.${each.name}` }));
        const where = this.#chance(0.6)
          ? ` where ${this.#condition([...all, ...(this.#chance(0.5) ? columns : [])], 0)}`
          : "";
        const value = `${alias}.${this.#one(theirs).name}`;
        const from = `select ${value} from ${table.name} ${alias}${where}`;
        return `${column.name} ${this.#one(["in", "not in", "= any", "< all"])} (${from})`;
      }
      case 13: {
        const table = this.#one(this.tables);
        const alias = this.#alias();
        const all = table.columns.map((each) => ({ ...each, name: `${alias}.${each.name}` }));
        const where = this.#condition([...all, ...columns], 0);
        return `(select count(*) from ${table.name} ${alias} where ${where}) > ${this.#below(4)}`;
      }
      default:
        return `${column.name} ${this.#one(["=", "=", "<", "<=", ">", "<>"])} ${value()}`;
    }
  }

  /** A query; its columns have names of their own. */
  #select(depth: number, outer: readonly Column[]): Relation {
    const from = this.#from(depth, outer);
    const all = [...from.columns, ...outer];
    const where = this.#chance(0.7) ? ` where ${this.#conditions(all, depth)}` : "";
    const kind = this.#below(10);
    if (kind < 3) return this.#grouped(from, where);
    const chosen = Array.from({ length: 1 + this.#below(3) }, () => this.#one(from.columns));
    const targets = chosen.map(({ name }, i) => `${name} as o${i}`);
    const columns = chosen.map(({ type }, i): Column => ({ name: `o${i}`, type }));
    if (kind === 3) {
      const [first] = from.columns as [Column];
      const by = this.#one(from.columns).name;
      const call = this.#one([
        `count(*) over (partition by ${by})`,
        `rank() over (order by ${by})`,
        `dense_rank() over (partition by ${first.name} order by ${by} desc)`,
        `count(${first.name}) over (order by ${by} range unbounded preceding)`,
        `count(*) over (order by ${by} groups between 1 preceding and 1 following exclude ties)`,
      ]);
      const sql = `select ${targets.join(", ")}, ${call} as w from ${from.sql}${where}`;
      return { sql, columns: [...columns, { name: "w", type: "int8" }] };
    }
    const distinct = kind === 4 ? "distinct " : "";
    const isLimited = kind === 5;
    const order = chosen.map((_, i) => `${i + 1}${this.#chance(0.3) ? " desc" : ""}`);
    const limit = isLimited
      ? ` order by ${order.join(", ")} limit ${this.#below(6)} offset ${this.#below(3)}`
      : "";
    return {
      sql: `select ${distinct}${targets.join(", ")} from ${from.sql}${where}${limit}`,
      columns,
    };
  }

  #conditions(columns: readonly Column[], depth: number): string {
    const count = this.#one([1, 1, 2, 3]);
    return Array.from({ length: count }, () => this.#condition(columns, depth)).join(" and ");
  }

  #grouped(from: Relation, where: string): Relation {
    const keys = [
      ...new Set(Array.from({ length: this.#below(3) }, () => this.#one(from.columns))),
    ];
    const numbers = from.columns.filter(({ type }) => type === "int4" || type === "numeric");
    const aggregates = Array.from({ length: 1 + this.#below(2) }, () => {
      const { name } = this.#one(from.columns);
      const number = numbers.length === 0 ? undefined : this.#one(numbers).name;
      const call = this.#one([
        "count(*)",
        `count(${name})`,
        `count(distinct ${name})`,
        ...(number === undefined ? [] : [`sum(${number})::int8`, `max(${number})::int8`]),
      ]);
      return this.#chance(0.2)
        ? `count(*) filter (where ${this.#condition(from.columns, 0)})`
        : call;
    });
    const targets = [...keys.map(({ name }) => name), ...aggregates].map(
      (each, i) => `${each} as o${i}`,
    );
    const columns = targets.map(
      (_, i): Column => ({ name: `o${i}`, type: keys[i]?.type ?? "int8" }),
    );
    const names = keys.map(({ name }) => name).join(", ");
    const set = this.#one(["", "", "", "rollup ", "cube "]);
    const group = keys.length === 0 ? "" : ` group by ${set === "" ? names : `${set}(${names})`}`;
    const having = this.#chance(0.3) ? ` having count(*) > ${this.#below(3)}` : "";
    return {
      sql: `select ${targets.join(", ")} from ${from.sql}${where}${group}${having}`,
      columns,
    };
  }

  #setOperation(): string {
    const sides = [this.#typed(), this.#typed()];
    const word = this.#one([
      "union",
      "union all",
      "intersect",
      "except",
      "except all",
      "intersect all",
    ]);
    return sides.join(` ${word} `);
  }

  #typed(): string {
    const from = this.#from(1, []);
    const number = from.columns.find(({ type }) => type === "int4");
    const where = this.#conditions(from.columns, 1);
    return `select ${number?.name ?? "1"} as o0 from ${from.sql} where ${where}`;
  }

  #with(): string {
    const inner = this.#select(1, []);
    const [first] = inner.columns as [Column];
    return (
      `with q as (${inner.sql}) select a.*, b.${first.name} from q a ` +
      `${this.#one(["join", "left join", "full join"])} q b on a.${first.name} = b.${first.name}`
    );
  }
}

function isComparable(left: Column, right: Column): boolean {
  const isNumber = ({ type }: Column): boolean => ["int4", "int8", "numeric"].includes(type);
  return left.type === right.type || (isNumber(left) && isNumber(right));
}
