import type { Datum } from "../../rows/index.ts";
import { bare, type CallExpr, type Expr, isVolatile, mapExpr, someExpr } from "../bind/expr.ts";
import { ExprPrinter } from "../bind/expr-text.ts";
import { compile } from "../exec/evaluate.ts";
import { applied, BatchRows, type JoinParts, joined, lookedUp } from "../exec/join.ts";
import { isHashable, joinKey } from "../exec/join-key.ts";
import { RowsMemo } from "../exec/memo.ts";
import { MappedRows } from "../exec/operators.ts";
import type { ExecRun, Row } from "../exec/run.ts";
import { WorkFacts } from "../exec/tape.ts";
import type { AccessPath, WantedOrder } from "./access-path.ts";
import type { PlanEnv } from "./env.ts";
import {
  type FromJoin,
  type FromRelation,
  type FromTree,
  movedColumns,
  pulledUp,
  relationsOf,
  slotsOf,
} from "./from-tree.ts";
import { openNode, type PlanNode } from "./node.ts";
import type { Lookup, Relation } from "./relation.ts";

/** A plan over relations, and which slots of the query its rows hold, in their order. */
export interface Placed {
  readonly node: PlanNode;
  readonly slots: readonly number[];
  /** About how many rows it gives. */
  readonly rows: number;
  /** About how many rows its largest relation has. */
  readonly baseRows: number;
  readonly path?: AccessPath | undefined;
  readonly isFiltered?: boolean;
}

/** How joins may be made: each way gives the same rows. */
export interface JoinWays {
  readonly hash: boolean;
  readonly lookup: boolean;
  readonly nested: boolean;
  /** Relations are joined in the order of the text. */
  readonly isOrdered: boolean;
}

/** Two sides that a condition says are equal, one of each side of a join. */
interface Pair {
  readonly left: Expr;
  readonly right: Expr;
  readonly expr: Expr;
}

/** A right side that is read anew for each row of the left one. */
interface Applied extends Pick<Placed, "node" | "rows" | "slots"> {
  /** Conditions that its rows are still to meet. */
  readonly filters: readonly Expr[];
  readonly isVolatile: boolean;
  /** What it is told for a row. */
  readonly outer: (row: Row, run: ExecRun) => readonly Datum[];
}

export interface JoinWanted {
  /** Slots that something reads. */
  readonly needed: ReadonlySet<number>;
  readonly order: readonly WantedOrder[];
  readonly limit?: ((run: ExecRun) => number | undefined) | undefined;
  readonly ways: JoinWays;
}

/** Slots of a query as places in the rows of a plan. */
export function placesOf(slots: readonly number[]): (expr: Expr) => Expr {
  const places = new Map(slots.map((slot, place) => [slot, place]));
  return (expr) => movedColumns(expr, (slot) => places.get(slot) ?? -1);
}

/** Plans relations and their joins, with the conditions of WHERE as low as they may stand. */
export class JoinPlanner {
  readonly #env: PlanEnv;
  readonly #printer: ExprPrinter;
  readonly #wanted: JoinWanted;
  /** How many values of rows around it the part that is planned is told. */
  #outerWidth: number;

  constructor(env: PlanEnv, wanted: JoinWanted) {
    this.#env = env;
    this.#outerWidth = env.outer?.refs.length ?? 0;
    this.#printer = new ExprPrinter(env.functions.types, env.bindContext);
    this.#wanted = wanted;
  }

  plan(tree: FromTree, filters: readonly Expr[]): Placed {
    if (tree.kind === "relation") return this.#relation(tree, filters, true);
    return this.#tree(tree, filters);
  }

  #tree(tree: FromTree, filters: readonly Expr[]): Placed {
    if (tree.kind === "relation") return this.#relation(tree, filters, false);
    if (tree.type === "inner") return this.#inner(tree, filters);
    return this.#outer(tree, filters);
  }

  /** One relation; alone it may give the query's order and stop at its limit. */
  #relation({ relation, base }: FromRelation, filters: readonly Expr[], isAlone: boolean): Placed {
    const { needed, order, limit } = this.#wanted;
    const local = filters.map((filter) => movedColumns(filter, (slot) => slot - base));
    const own = localSlots(needed, base, relation.width);
    const { node, path, slots, rows } = relation.plan({
      filters: local,
      needed: own,
      order: isAlone ? order : [],
      limit: isAlone ? limit : undefined,
      isCompact: !isAlone,
    });
    const placed = (slots ?? Array.from({ length: relation.width }, (_, i) => i)).map(
      (slot) => slot + base,
    );
    // Bounds of a key may be wider than what they stand for: all of it is asked of each row.
    const inBounds = filters.filter((_, i) => path?.shown.includes(local[i] as Expr) === true);
    const filtered = this.filtered(withRefs(node, relation), placed, filters, inBounds);
    const baseRows = Math.max(1, relation.rows);
    return { node: filtered, slots: placed, rows, baseRows, path, isFiltered: filters.length > 0 };
  }

  /** Rows that meet conditions. */
  filtered(
    node: PlanNode,
    slots: readonly number[],
    filters: readonly Expr[],
    hidden: readonly Expr[] = [],
  ): PlanNode {
    if (filters.length === 0) return node;
    const place = placesOf(slots);
    const condition = compile(place(allOf(filters)));
    const texts = filters
      .filter((each) => !hidden.includes(each))
      .map((e) => this.#printer.text(e));
    const shown = texts.length > 1 ? `(${texts.join(" AND ")})` : texts.join("");
    return {
      ...node,
      details: shown === "" ? node.details : [...node.details, `Filter: ${shown}`],
      open: async (run, observe) =>
        new MappedRows(await node.open(run, observe), run, condition, undefined),
    };
  }

  /** Inner joins: of all orders one that keeps results small. */
  #inner(tree: FromJoin, filters: readonly Expr[]): Placed {
    const items: FromTree[] = [];
    const conditions: Expr[] = [...filters];
    flatten(tree, items, conditions);
    const ranges = items.map(slotTest);
    const itemsOf = (expr: Expr): readonly number[] => {
      const slots = [...slotsOf([expr])];
      return ranges.flatMap((has, i) => (slots.some(has) ? [i] : []));
    };
    const own: Expr[][] = items.map(() => []);
    const between: { readonly expr: Expr; readonly items: readonly number[] }[] = [];
    for (const expr of conditions) {
      const used = itemsOf(expr);
      const [first, second] = used;
      if (first === undefined && !isVolatile(expr)) own[0]?.push(expr);
      else if (first !== undefined && second === undefined && !isVolatile(expr)) {
        own[first]?.push(expr);
      } else between.push({ expr, items: used });
    }
    const waits = items.map((item) => {
      const refs = relationsOf(item).flatMap(({ relation }) => relation.refs ?? []);
      const slots = [...slotsOf(refs)];
      return ranges.flatMap((has, i) => (slots.some(has) && items[i] !== item ? [i] : []));
    });
    const left = new Set(items.keys());
    const takeFor = (done: ReadonlySet<number>): readonly Expr[] => {
      const ready = between.filter(
        ({ expr, items: used }) => !isVolatile(expr) && used.every((i) => done.has(i)),
      );
      for (const each of ready) between.splice(between.indexOf(each), 1);
      return ready.map(({ expr }) => expr);
    };
    const estimates = items.map((item, i) => this.#estimate(item, own[i] as Expr[]));
    const done = new Set<number>();
    let whole: Placed | undefined;
    while (left.size > 0) {
      const next = this.#next({ left, done, waits, between, estimates, whole });
      left.delete(next);
      done.add(next);
      const item = items[next] as FromTree;
      const filters = own[next] as Expr[];
      whole =
        whole === undefined
          ? this.#tree(item, filters)
          : this.#step("inner", whole, item, filters, takeFor(done));
    }
    const placed = whole as Placed;
    const rest = between.map(({ expr }) => expr);
    return { ...placed, node: this.filtered(placed.node, placed.slots, rest) };
  }

  /** Rows of an item, about, without planning it for good. */
  #estimate(item: FromTree, filters: readonly Expr[]): number {
    if (item.kind !== "relation") return this.#tree(item, filters).rows;
    return this.#relation(item, filters, false).rows;
  }

  /** The item that is joined next: connected to what is there, and small. */
  #next(state: {
    readonly left: ReadonlySet<number>;
    readonly done: ReadonlySet<number>;
    readonly waits: readonly (readonly number[])[];
    readonly between: readonly { readonly expr: Expr; readonly items: readonly number[] }[];
    readonly estimates: readonly number[];
    readonly whole: Placed | undefined;
  }): number {
    const { left, done, waits, between, estimates } = state;
    const ready = [...left].filter((i) => (waits[i] as number[]).every((each) => done.has(each)));
    const [first] = ready as [number];
    if (this.#wanted.ways.isOrdered) return Math.min(...ready);
    const isConnected = (i: number): boolean =>
      done.size > 0 &&
      between.some(
        ({ expr, items }) =>
          items.includes(i) &&
          items.every((each) => each === i || done.has(each)) &&
          expr.kind === "call" &&
          expr.name === "=",
      );
    let best = first;
    for (const i of ready) {
      const better = Number(isConnected(i)) - Number(isConnected(best));
      const isSmaller = (estimates[i] as number) < (estimates[best] as number);
      if (better > 0 || (better === 0 && isSmaller)) best = i;
    }
    return best;
  }

  /** LEFT, FULL, semi and anti joins: conditions pass to the side that may lose rows by them. */
  #outer(tree: FromJoin, filters: readonly Expr[]): Placed {
    const { type, left, right, on } = tree;
    const [inLeft, inRight] = [slotTest(left), slotTest(right)];
    const only = (expr: Expr, has: (slot: number) => boolean): boolean =>
      !isVolatile(expr) && [...slotsOf([expr])].every(has);
    const mayPass = type !== "full";
    const below = filters.filter((expr) => mayPass && only(expr, inLeft));
    const above = filters.filter((expr) => !below.includes(expr));
    const loses = (has: (slot: number) => boolean): boolean =>
      above.some((expr) => !isVolatile(expr) && rejectsNull(expr, has));
    if (type === "left" && loses(inRight)) return this.#inner({ ...tree, type: "inner" }, filters);
    // Rows that only one side has do not meet the filters: the other side need not be kept whole.
    if (type === "full" && loses(inLeft)) return this.#outer({ ...tree, type: "left" }, filters);
    if (type === "full" && loses(inRight)) {
      return this.#outer({ ...tree, type: "left", left: right, right: left }, filters);
    }
    // A semi join's rows meet what its condition says of the left side.
    const ofLeft = type === "semi" ? on.filter((expr) => only(expr, inLeft)) : [];
    const pushed = on.filter((expr) => mayPass && only(expr, inRight) && slotsOf([expr]).size > 0);
    const rest = on.filter((expr) => !pushed.includes(expr) && !ofLeft.includes(expr));
    const placed = this.#step(type, this.#tree(left, [...below, ...ofLeft]), right, pushed, rest);
    return { ...placed, node: this.filtered(placed.node, placed.slots, above) };
  }

  /** Joins what is there with one more item. */
  #step(
    type: FromJoin["type"],
    left: Placed,
    item: FromTree,
    filters: readonly Expr[],
    conditions: readonly Expr[],
  ): Placed {
    const { ways } = this.#wanted;
    const applied = this.#lateral(left, item, filters);
    if (applied !== undefined) return this.#apply(type, left, applied, conditions);
    const [inLeft, inRight] = [left.slots, slotTest(item)];
    const leftSlots = new Set(inLeft);
    const pairs = conditions.flatMap((expr) => {
      const pair = this.#pair(expr, (slot) => leftSlots.has(slot), inRight);
      return pair === undefined ? [] : [{ ...pair, expr }];
    });
    const found = this.#lookup(type, left, item, filters, conditions, pairs);
    if (found !== undefined) return found;
    const right = this.#tree(item, filters);
    const isSwapped = type === "inner" && !ways.isOrdered && left.rows < right.rows;
    const keyed = ways.hash ? pairs : [];
    const rest = conditions.filter((expr) => !keyed.some((pair) => pair.expr === expr));
    const [first, second] = isSwapped ? [right, left] : [left, right];
    const exprs = keyed.map(({ left: mine, right: theirs }) =>
      isSwapped ? { left: theirs, right: mine } : { left: mine, right: theirs },
    );
    return this.#whole(type, first, second, exprs, rest);
  }

  #whole(
    type: FromJoin["type"],
    left: Placed,
    right: Placed,
    pairs: readonly { readonly left: Expr; readonly right: Expr }[],
    rest: readonly Expr[],
  ): Placed {
    const { types } = this.#env.functions;
    const [onLeft, onRight] = [placesOf(left.slots), placesOf(right.slots)];
    const both = [...left.slots, ...right.slots];
    const [mine, theirs] = [pairs.map((pair) => pair.left), pairs.map((pair) => pair.right)];
    const oids = (exprs: readonly Expr[]): readonly number[] => exprs.map(({ oid }) => oid);
    const parts: JoinParts = {
      type,
      leftKey:
        pairs.length === 0
          ? undefined
          : joinKey(
              types,
              mine.map((e) => compile(onLeft(e))),
              oids(mine),
              oids(theirs),
            ),
      rightKey:
        pairs.length === 0
          ? undefined
          : joinKey(
              types,
              theirs.map((e) => compile(onRight(e))),
              oids(theirs),
              oids(mine),
            ),
      leftWidth: left.slots.length,
      rightWidth: right.slots.length,
      condition: rest.length === 0 ? undefined : compile(placesOf(both)(allOf(rest))),
    };
    const equal = pairs.map((pair) => equality(pair.left, pair.right, this.#printer));
    const node: PlanNode = {
      title: `${pairs.length > 0 ? "Hash" : "Nested Loop"}${shownType(type, pairs.length > 0)}`,
      details: [
        ...(pairs.length > 0 ? [`Hash Cond: ${this.#shown(equal)}`] : []),
        ...(rest.length > 0
          ? [`Join Filter: ${this.#shown(rest.map((expr) => this.#printer.text(expr)))}`]
          : []),
      ],
      children: [left.node, right.node],
      open: async (run, observe) => {
        const first = await openNode(left.node, run, observe);
        const second = await openNode(right.node, run, observe);
        const work = new WorkFacts();
        const close = (): void => {
          first.close();
          second.close();
        };
        const facts = () => (pairs.length > 0 || work.disk > 0 ? work.hash : []);
        return new BatchRows(joined(first, second, run, parts, work), close, facts);
      },
    };
    return { node, ...this.#size(type, left, right, pairs.length > 0) };
  }

  #size(
    type: FromJoin["type"],
    left: Placed,
    right: Pick<Placed, "rows" | "baseRows" | "slots">,
    isKeyed: boolean,
  ): Pick<Placed, "slots" | "rows" | "baseRows"> {
    const baseRows = Math.max(left.baseRows, right.baseRows);
    if (type === "semi" || type === "anti") {
      return { slots: left.slots, rows: Math.max(1, left.rows / 2), baseRows: left.baseRows };
    }
    const product = left.rows * right.rows;
    const rows = Math.max(1, isKeyed ? product / baseRows : product);
    return { slots: [...left.slots, ...right.slots], rows, baseRows };
  }

  /** Two sides that must be equal, one of each side of a join. */
  #pair(
    expr: Expr,
    inLeft: (slot: number) => boolean,
    inRight: (slot: number) => boolean,
  ): { readonly left: Expr; readonly right: Expr } | undefined {
    if (expr.kind !== "call" || !expr.isOperator || expr.name !== "=" || isVolatile(expr)) {
      return undefined;
    }
    const [a, b] = expr.args as [Expr, Expr];
    if (someExpr(expr, ({ kind }) => kind === "subquery")) return undefined;
    if (!isHashable(this.#env.functions.types, a.oid, b.oid)) return undefined;
    const is = (side: Expr, has: (slot: number) => boolean): boolean => {
      const slots = [...slotsOf([side])];
      return slots.length > 0 && slots.every(has);
    };
    if (is(a, inLeft) && is(b, inRight)) return { left: a, right: b };
    if (is(b, inLeft) && is(a, inRight)) return { left: b, right: a };
    return undefined;
  }

  /** Reads the right side by keys of the left one, where an index has them. */
  #lookup(
    type: FromJoin["type"],
    left: Placed,
    item: FromTree,
    filters: readonly Expr[],
    conditions: readonly Expr[],
    pairs: readonly Pair[],
  ): Placed | undefined {
    const { ways, needed } = this.#wanted;
    if (!ways.lookup || type === "full" || item.kind !== "relation") return undefined;
    const { relation, base } = item;
    if (relation.lookup === undefined) return undefined;
    const outerWidth = this.#outerWidth;
    const keyed = pairs.filter(({ right }) => bare(right).kind === "column");
    if (keyed.length === 0) return undefined;
    const byKey = keyed.map(({ left: mine, right, expr }, i): Expr => {
      const { oid, typmod } = mine;
      const given: Expr = {
        kind: "outer",
        oid,
        typmod,
        index: outerWidth + i,
        name: shortOf(mine),
      };
      const local = movedColumns(right, (slot) => slot - base);
      const call = expr as CallExpr;
      return { ...call, args: call.args.map((arg) => (arg === right ? local : given)) };
    });
    const local = filters.map((filter) => movedColumns(filter, (slot) => slot - base));
    const own = localSlots(needed, base, relation.width);
    const lookup = relation.lookup({ filters: local, needed: own, order: [] }, byKey);
    if (lookup === undefined) return undefined;
    const each = lookup.path.isUnique ? 1 : Math.max(1, relation.rows * 0.01);
    const isCheap = left.rows * (each * 2 + 8) < relation.rows;
    if (!isCheap && (ways.hash || ways.nested)) return undefined;
    const lists = { keyed, filters, conditions };
    return this.#looked(type, left, item, lookup, { ...lists, outerWidth });
  }

  #looked(
    type: FromJoin["type"],
    left: Placed,
    { relation, base }: FromRelation,
    lookup: Lookup,
    lists: {
      readonly keyed: readonly Pair[];
      readonly filters: readonly Expr[];
      readonly conditions: readonly Expr[];
      readonly outerWidth: number;
    },
  ): Placed {
    const { types } = this.#env.functions;
    const { keyed, filters, conditions, outerWidth } = lists;
    const slots = lookup.slots.map((slot) => slot + base);
    const inner = this.filtered(lookup.node, slots, filters);
    const onLeft = placesOf(left.slots);
    const onRight = placesOf(slots);
    const both = [...left.slots, ...slots];
    const oids = (side: "left" | "right"): readonly number[] => keyed.map((each) => each[side].oid);
    const values = keyed.map((each) => compile(onLeft(each.left)));
    const leftKey = joinKey(types, values, oids("left"), oids("right"));
    const theirs = keyed.map((each) => compile(onRight(each.right)));
    const rest = conditions.filter((expr) => !keyed.some((pair) => pair.expr === expr));
    const parts: JoinParts = {
      type,
      leftKey,
      rightKey: joinKey(types, theirs, oids("right"), oids("left")),
      leftWidth: left.slots.length,
      rightWidth: slots.length,
      condition: rest.length === 0 ? undefined : compile(placesOf(both)(allOf(rest))),
    };
    const meets = filters.length === 0 ? undefined : compile(onRight(allOf(filters)));
    const look = async (run: ExecRun, batch: readonly Row[]) => {
      const tuples = new Map<unknown, readonly Datum[]>();
      const before = outerOf(run, outerWidth);
      for (const row of batch) {
        const key = leftKey(row, run);
        if (key === undefined || tuples.has(key)) continue;
        tuples.set(key, [...before, ...values.map((value) => value(row, run.evaluation))]);
      }
      const source = await lookup.open(run, [...tuples.values()]);
      return meets === undefined ? source : new MappedRows(source, run, meets, undefined);
    };
    const details =
      rest.length > 0
        ? [`Join Filter: ${this.#shown(rest.map((expr) => this.#printer.text(expr)))}`]
        : [];
    const node: PlanNode = {
      title: `Nested Loop${shownType(type, false)}`,
      details,
      children: [left.node, inner],
      open: async (run, observe) => {
        const source = await openNode(left.node, run, observe);
        const seen = (batch: readonly Row[]) => look(run, batch);
        return new BatchRows(lookedUp(source, run, parts, seen), () => source.close());
      },
    };
    const rows = lookup.path.isUnique ? left.rows : left.rows * Math.max(1, relation.rows * 0.01);
    const baseRows = Math.max(left.baseRows, relation.rows);
    if (type === "semi" || type === "anti") {
      return { node, slots: left.slots, rows: left.rows, baseRows: left.baseRows };
    }
    return { node, slots: both, rows, baseRows };
  }

  /** What is read anew for each row of the left side, as it takes values of it. */
  #lateral(left: Placed, item: FromTree, filters: readonly Expr[]): Applied | undefined {
    if (item.kind === "join") return this.#lateralTree(left, item, filters);
    const { relation, base } = item;
    const { refs = [] } = relation;
    if (slotsOf(refs).size === 0) return undefined;
    const place = placesOf(left.slots);
    const values = refs.map((ref) => compile(place(ref)));
    const { node, rows } = relation.plan({
      filters: [],
      needed: localSlots(this.#wanted.needed, base, relation.width),
      order: [],
    });
    const slots = Array.from({ length: relation.width }, (_, i) => i + base);
    const outer = (row: Row, run: ExecRun) => values.map((value) => value(row, run.evaluation));
    return { node, rows, slots, filters, isVolatile: relation.isVolatile === true, outer };
  }

  /** Joins of which a relation takes values from before them: these stand behind those around. */
  #lateralTree(left: Placed, item: FromJoin, filters: readonly Expr[]): Applied | undefined {
    const isOwn = slotTest(item);
    const relations = relationsOf(item).map(({ relation }) => relation);
    const taken = [...slotsOf(relations.flatMap(({ refs }) => refs ?? []))].filter(
      (slot) => !isOwn(slot),
    );
    if (taken.length === 0) return undefined;
    const before = this.#outerWidth;
    const change = (expr: Expr): Expr =>
      mapExpr(expr, (part) => {
        const at = part.kind === "column" ? taken.indexOf(part.slot) : -1;
        if (part.kind !== "column" || at < 0) return undefined;
        const { oid, typmod, name } = part;
        return { kind: "outer", oid, typmod, index: before + at, name };
      });
    this.#outerWidth += taken.length;
    const { node, rows, slots } = this.#tree(pulledUp(item, 0, change), filters);
    this.#outerWidth = before;
    const places = taken.map((slot) => left.slots.indexOf(slot));
    const outer = (row: Row, run: ExecRun): readonly Datum[] => [
      ...outerOf(run, before),
      ...places.map((place) => row[place] ?? null),
    ];
    const isVolatile = relations.some((relation) => relation.isVolatile === true);
    return { node, rows, slots, filters: [], isVolatile, outer };
  }

  /** LATERAL: the right side is read anew for each row. */
  #apply(
    type: FromJoin["type"],
    left: Placed,
    { node: inner, rows, slots, filters, isVolatile, outer }: Applied,
    conditions: readonly Expr[],
  ): Placed {
    const both = [...left.slots, ...slots];
    const all = [...filters, ...conditions];
    const parts: JoinParts = {
      type,
      leftWidth: left.slots.length,
      rightWidth: slots.length,
      condition: all.length === 0 ? undefined : compile(placesOf(both)(allOf(all))),
    };
    const details =
      all.length > 0
        ? [`Join Filter: ${this.#shown(all.map((expr) => this.#printer.text(expr)))}`]
        : [];
    const node: PlanNode = {
      title: `Nested Loop${shownType(type, false)}`,
      details,
      children: [left.node, inner],
      open: async (run, observe) => {
        const source = await openNode(left.node, run, observe);
        const memo = isVolatile ? undefined : new RowsMemo(run);
        const open = async (row: Row) => {
          const values = await run.evaluate(() => outer(row, run));
          const opened = () => openNode(inner, run.below(values), observe);
          return memo === undefined ? await opened() : await memo.open(values, opened);
        };
        return new BatchRows(applied(source, run, parts, open), () => source.close());
      },
    };
    return { node, slots: both, rows: left.rows * rows, baseRows: left.baseRows };
  }

  #shown(texts: readonly string[]): string {
    return texts.length > 1 ? `(${texts.join(" AND ")})` : texts.join("");
  }
}

/** Values of the rows around a run, as many as planning counted. */
function outerOf({ evaluation: { outer = [] } }: ExecRun, width: number): readonly Datum[] {
  return Array.from({ length: width }, (_, i) => outer[i] ?? null);
}

function equality(left: Expr, right: Expr, printer: ExprPrinter): string {
  return `(${printer.text(left)} = ${printer.text(right)})`;
}

function shortOf(expr: Expr): string {
  const column = bare(expr);
  return column.kind === "column" ? column.name : "value";
}

function shownType(type: FromJoin["type"], isHash: boolean): string {
  const word = { inner: "", left: " Left", full: " Full", semi: " Semi", anti: " Anti" }[type];
  return word === "" ? (isHash ? " Join" : "") : `${word} Join`;
}

export function allOf(filters: readonly Expr[]): Expr {
  const [first] = filters;
  if (first !== undefined && filters.length === 1) return first;
  return { kind: "and", oid: 16, typmod: -1, args: filters };
}

function localSlots(needed: ReadonlySet<number>, base: number, width: number): Set<number> {
  const own = new Set<number>();
  for (const slot of needed) if (slot >= base && slot < base + width) own.add(slot - base);
  return own;
}

/** What depends on the query around it alone is told its values as it is opened. */
function withRefs(node: PlanNode, { refs }: Relation): PlanNode {
  if (refs === undefined || refs.length === 0) return node;
  const values = refs.map(compile);
  return {
    ...node,
    open: async (run, observe) => {
      const outer = await run.evaluate(() => values.map((value) => value([], run.evaluation)));
      return await node.open(run.below(outer), observe);
    },
  };
}

function slotTest(tree: FromTree): (slot: number) => boolean {
  const relations = relationsOf(tree);
  return (slot) =>
    relations.some(({ base, relation }) => slot >= base && slot < base + relation.width);
}

function flatten(tree: FromTree, items: FromTree[], conditions: Expr[]): void {
  if (tree.kind === "relation" || tree.type !== "inner") {
    items.push(tree);
    return;
  }
  flatten(tree.left, items, conditions);
  flatten(tree.right, items, conditions);
  conditions.push(...tree.on);
}

/** Whether a condition holds for no row whose columns of one side are all NULL. */
function rejectsNull(expr: Expr, has: (slot: number) => boolean): boolean {
  if (expr.kind === "and") return expr.args.some((arg) => rejectsNull(arg, has));
  if (expr.kind === "isNull") return expr.isNegated && isNullWith(expr.arg, has);
  return isNullWith(expr, has);
}

/** Whether an expression is NULL where the columns of one side are. */
function isNullWith(expr: Expr, has: (slot: number) => boolean): boolean {
  switch (expr.kind) {
    case "column":
      return has(expr.slot);
    case "call":
      return expr.isStrict && expr.args.some((arg) => isNullWith(arg, has));
    case "cast":
    case "not":
      return isNullWith(expr.arg, has);
    case "any":
      return isNullWith(expr.left, has) && (expr.list?.length ?? 0) > 0;
    default:
      return false;
  }
}
