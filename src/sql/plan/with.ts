import type { Node } from "libpg-query";
import { textsOf } from "../bind/names.ts";
import { formatType } from "../catalog/system/format-type.ts";
import { notSupported, SqlError } from "../error.ts";
import { BatchRows } from "../exec/join.ts";
import { rowKey } from "../exec/row-key.ts";
import { eachRow } from "../exec/run.ts";
import { recursed, type SharedRows } from "../exec/shared.ts";
import { contentOf, kindOf, type NodeOf } from "../parse/statement.ts";
import type { ChangePlan } from "./change-plan.ts";
import type { Cte, CteScope, PlanEnv } from "./env.ts";
import { openNode, type PlanNode, UNOBSERVED } from "./node.ts";
import type { BoundQuery, OutputColumn, Query } from "./query.ts";
import { assertRecursive, ctesInOrder, mentions } from "./recursion.ts";
import { changePart, type Part, queryPart, shareParts, shownPart } from "./with-parts.ts";

interface BoundWith {
  /** Where the queries have names. */
  readonly inner: PlanEnv;
  readonly parts: readonly Part[];
  readonly isVolatile: boolean;
}

/** A query of WITH, and how its rows come to be. */
interface Named {
  readonly cte: Cte;
  readonly part: Part;
  readonly isVolatile: boolean;
}

/** Binds WITH: each query sees those before it; with RECURSIVE also itself. */
export function bindWith(env: PlanEnv, clause: NodeOf<"WithClause">): BoundWith {
  const names = new Map<string, Cte>();
  const inner = envWith(env, names);
  const named = ctesInOrder(clause).map((cte) => {
    if (isChange(cte)) throw belowTop(env, cte);
    const one = bindNamed(inner, names, cte, clause.recursive === true);
    names.set(one.cte.name, one.cte);
    return one;
  });
  return bound(inner, named);
}

/** As `bindWith`, for a statement: at its top the queries may change rows. */
async function bindOfStatement(env: PlanEnv, clause: NodeOf<"WithClause">): Promise<BoundWith> {
  const { planChange } = env;
  if (planChange === undefined) return bindWith(env, clause);
  const names = new Map<string, Cte>();
  const inner = envWith(env, names);
  const named: Named[] = [];
  const isRecursive = clause.recursive === true;
  for (const cte of ctesInOrder(clause)) {
    const one = isChange(cte)
      ? await bindChange(inner, planChange, cte, isRecursive)
      : bindNamed(inner, names, cte, isRecursive);
    names.set(one.cte.name, one.cte);
    named.push(one);
  }
  return bound(inner, named);
}

/** What is below WITH sees its names, and has no changes in WITH itself. */
function envWith(env: PlanEnv, names: ReadonlyMap<string, Cte>): PlanEnv {
  const scope: CteScope = { names, around: env.ctes };
  return { ...env, ctes: scope, planChange: undefined };
}

function bound(inner: PlanEnv, named: readonly Named[]): BoundWith {
  const isVolatile = named.some((one) => one.isVolatile);
  return { inner, parts: named.map(({ part }) => part), isVolatile };
}

function isChange({ ctequery }: NodeOf<"CommonTableExpr">): boolean {
  return contentOf(ctequery, "SelectStmt") === undefined;
}

/** Whether WITH changes rows. */
export function changesRows(clause: NodeOf<"WithClause"> | undefined): boolean {
  return (clause?.ctes ?? []).some((each) => isChange(contentOf(each, "CommonTableExpr") ?? {}));
}

function belowTop({ source }: PlanEnv, { location }: NodeOf<"CommonTableExpr">): SqlError {
  const what = "WITH clause containing a data-modifying statement must be at the top level";
  return new SqlError("0A000", what).at(source.position(location));
}

/** A statement below its WITH: what it names is shared by one run. */
export async function planWithin(
  env: PlanEnv,
  clause: NodeOf<"WithClause"> | undefined,
  plan: (env: PlanEnv) => Promise<ChangePlan>,
): Promise<ChangePlan> {
  if (clause === undefined) return await plan({ ...env, planChange: undefined });
  const { inner, parts } = await bindOfStatement(env, clause);
  const change = await plan(inner);
  return {
    ...change,
    children: [...parts.map(shownPart), ...change.children],
    hasParts: changesRows(clause),
    run: async (run, told, observe = UNOBSERVED) => {
      const { below, finish } = shareParts(run, parts, observe);
      const count = await change.run(below, told, observe);
      await finish();
      return count;
    },
  };
}

/** A query whose WITH changes rows: these are changed whether or not it reads them. */
export async function planSelectWithin(
  env: PlanEnv,
  { withClause = {}, ...select }: NodeOf<"SelectStmt">,
  plan: (env: PlanEnv, select: NodeOf<"SelectStmt">) => Promise<Query>,
): Promise<ChangePlan> {
  const { inner, parts } = await bindOfStatement(env, withClause);
  const { node, columns } = await plan(inner, select);
  const { title, children } = node;
  const shown = { ...node, children: [...parts.map(shownPart), ...children] };
  return {
    word: "SELECT",
    title,
    children: shown.children,
    shown,
    returning: columns,
    hasParts: true,
    run: async (run, told, observe = UNOBSERVED) => {
      const { below, finish } = shareParts(run, parts, observe);
      let count = 0;
      for await (const row of eachRow(await openNode(shown, below, observe), below)) {
        told(row);
        count++;
      }
      await finish();
      return count;
    },
  };
}

/** INSERT, UPDATE or DELETE in WITH. @throws SqlError 0A000, 42P19, 42P10. */
async function bindChange(
  env: PlanEnv,
  planChange: NonNullable<PlanEnv["planChange"]>,
  cte: NodeOf<"CommonTableExpr">,
  isRecursive: boolean,
): Promise<Named> {
  const { ctename: name = "", ctequery = { SelectStmt: {} }, aliascolnames, location } = cte;
  const position = env.source.position(location);
  if ("MergeStmt" in ctequery) {
    throw new SqlError("0A000", "MERGE not supported in WITH query").at(position);
  }
  if (isRecursive && mentions(ctequery, name)) {
    const message = `recursive query "${name}" must not contain data-modifying statements`;
    throw new SqlError("42P19", message).at(position);
  }
  const change = await planChange(env, ctequery);
  if (change === undefined) throw notSupported(`${kindOf(ctequery)} in WITH`);
  const columns = namedColumns(name, change.returning ?? [], textsOf(aliascolnames));
  const isSilent = change.returning === undefined;
  const key = {};
  const part = changePart(name, key, change);
  const node = (): PlanNode => cteScan(name, key);
  return { cte: { name, columns, isSilent, node }, part, isVolatile: true };
}

function bindNamed(
  env: PlanEnv,
  names: Map<string, Cte>,
  cte: NodeOf<"CommonTableExpr">,
  isRecursive: boolean,
): Named {
  const { ctename: name = "", ctequery, aliascolnames } = cte;
  const select = contentOf(ctequery, "SelectStmt") ?? {};
  const given = textsOf(aliascolnames);
  const key = {};
  const node = (): PlanNode => cteScan(name, key);
  if (cte.search_clause !== undefined || cte.cycle_clause !== undefined) {
    throw notSupported(`${cte.search_clause === undefined ? "CYCLE" : "SEARCH"} of WITH RECURSIVE`);
  }
  const isSelf = isRecursive && mentions(ctequery as Node, name);
  if (isSelf) return bindRecursive(env, names, name, select, given);
  const query = env.bindQuery(env, ctequery as Node);
  const columns = namedColumns(name, query.columns, given);
  const part = queryPart(name, key, query.plan);
  return { cte: { name, columns, node }, part, isVolatile: query.isVolatile };
}

function namedColumns(
  name: string,
  columns: readonly OutputColumn[],
  given: readonly string[],
): readonly OutputColumn[] {
  if (given.length > columns.length) {
    const message =
      `WITH query "${name}" has ${columns.length} columns available ` +
      `but ${given.length} columns specified`;
    throw new SqlError("42P10", message);
  }
  return columns.map((column, i) => ({ ...column, name: given[i] ?? column.name }));
}

/** `WITH RECURSIVE t AS (first UNION [ALL] step)`. */
function bindRecursive(
  env: PlanEnv,
  names: Map<string, Cte>,
  name: string,
  select: NodeOf<"SelectStmt">,
  given: readonly string[],
): Named {
  assertRecursive(name, select);
  const first = { SelectStmt: select.larg ?? {} };
  const around = select.withClause && bindWith(env, select.withClause);
  const inner = around?.inner ?? env;
  const begin = inner.bindQuery(inner, first);
  const columns = namedColumns(name, begin.columns, given);
  const key = {};
  const working = {};
  names.set(name, { name, columns, node: () => workScan(name, working), isWorking: true });
  const step = inner.bindQuery(
    inner,
    { SelectStmt: select.rarg ?? {} },
    {
      unknownAs: columns.map(({ oid }) => oid),
    },
  );
  assertSameTypes(env, name, begin, step);
  const { types } = env.functions;
  const keyOf =
    select.all === true
      ? undefined
      : rowKey(
          types,
          columns.map(({ oid }) => oid),
        );
  const plan = (): PlanNode => {
    const [left, right] = [begin.plan(), step.plan()];
    const union: PlanNode = {
      title: "Recursive Union",
      details: [],
      children: [left, right],
      open: (run, observe) =>
        new BatchRows(
          recursed(run, {
            first: () => openNode(left, run, observe),
            step: (below) => openNode(right, below, observe),
            working,
            keyOf,
          }),
        ),
    };
    return around === undefined ? union : withNode(union, around);
  };
  const cte: Cte = { name, columns, node: () => cteScan(name, key) };
  const part = queryPart(name, key, plan);
  return { cte, part, isVolatile: begin.isVolatile || step.isVolatile };
}

function assertSameTypes(
  { functions }: PlanEnv,
  name: string,
  begin: BoundQuery,
  step: BoundQuery,
): void {
  if (begin.columns.length !== step.columns.length) {
    throw new SqlError("42601", "each UNION query must have the same number of columns");
  }
  for (const [i, { oid, typmod }] of begin.columns.entries()) {
    const other = step.columns[i] ?? { oid, typmod };
    const isSame = other.oid === oid && (typmod === -1 || other.typmod === typmod);
    if (isSame) continue;
    const { types } = functions;
    const overall = formatType(types, other.oid, -1);
    const message =
      `recursive query "${name}" column ${i + 1} has type ${formatType(types, oid, typmod)} ` +
      `in non-recursive term but type ${overall} overall`;
    throw new SqlError("42804", message, {
      hint: "Cast the output of the non-recursive term to the correct type.",
    });
  }
}

function cteScan(name: string, key: object): PlanNode {
  return {
    title: `CTE Scan on ${name}`,
    details: [],
    children: [],
    open: (run) => run.shared<SharedRows>(key).reader(),
  };
}

function workScan(name: string, key: object): PlanNode {
  return {
    title: `WorkTable Scan on ${name}`,
    details: [],
    children: [],
    open: (run) => run.shared<SharedRows>(key).reader(),
  };
}

/** A plan whose runs share the rows of named queries, each read once and as far as needed. */
export function withNode(node: PlanNode, { parts }: Pick<BoundWith, "parts">): PlanNode {
  const shown = parts.map(shownPart);
  return {
    ...node,
    get children() {
      return [...shown, ...node.children];
    },
    open: (run, observe) => node.open(shareParts(run, parts, observe).below, observe),
  };
}
