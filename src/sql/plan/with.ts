import type { Node } from "libpg-query";
import { textsOf } from "../bind/names.ts";
import { formatType } from "../catalog/system/format-type.ts";
import { notSupported, SqlError } from "../error.ts";
import { BatchRows } from "../exec/join.ts";
import { rowKey } from "../exec/row-key.ts";
import type { ExecRun } from "../exec/run.ts";
import { recursed, SharedRows } from "../exec/shared.ts";
import { contentOf, kindOf, type NodeOf } from "../parse/statement.ts";
import type { ChangePlan } from "./change-plan.ts";
import type { Cte, CteScope, PlanEnv } from "./env.ts";
import { openNode, type PlanNode, UNOBSERVED } from "./node.ts";
import type { BoundQuery, OutputColumn } from "./query.ts";
import { assertRecursive, ctesInOrder, mentions } from "./recursion.ts";

interface BoundWith {
  /** Where the queries have names. */
  readonly inner: PlanEnv;
  /** A plan with its queries beside it. */
  readonly wrap: (node: PlanNode) => PlanNode;
  /** A run below which the queries may be read. */
  readonly share: (run: ExecRun) => ExecRun;
  readonly isVolatile: boolean;
}

/** A query of WITH, and how its rows come to be. */
interface Named {
  readonly cte: Cte;
  /** The key by which runs share its rows. */
  readonly key: object;
  readonly plan: () => PlanNode;
  readonly isVolatile: boolean;
}

/** Binds WITH: each query sees those before it; with RECURSIVE also itself. */
export function bindWith(env: PlanEnv, clause: NodeOf<"WithClause">): BoundWith {
  const names = new Map<string, Cte>();
  const scope: CteScope = { names, around: env.ctes };
  const inner: PlanEnv = { ...env, ctes: scope };
  const named: Named[] = [];
  for (const cte of ctesInOrder(clause)) {
    const { ctename = "" } = cte;
    const bound = bindNamed(inner, names, cte, clause.recursive === true);
    names.set(ctename, bound.cte);
    named.push(bound);
  }
  return {
    inner,
    isVolatile: named.some(({ isVolatile }) => isVolatile),
    wrap: (node) => withNode(node, named),
    share: (run) => {
      const below = run.below(undefined);
      for (const { key, plan } of named) {
        const node = plan();
        const open = () => openNode(node, below, UNOBSERVED);
        below.share(key, new SharedRows(open, below));
      }
      return below;
    },
  };
}

/** A statement below its WITH: what it names is shared by one run. */
export async function planWithin(
  env: PlanEnv,
  clause: NodeOf<"WithClause"> | undefined,
  plan: (env: PlanEnv) => Promise<ChangePlan>,
): Promise<ChangePlan> {
  if (clause === undefined) return await plan(env);
  const { inner, share } = bindWith(env, clause);
  const change = await plan(inner);
  return { ...change, run: (run, told) => change.run(share(run), told) };
}

function bindNamed(
  env: PlanEnv,
  names: Map<string, Cte>,
  cte: NodeOf<"CommonTableExpr">,
  isRecursive: boolean,
): Named {
  const { ctename: name = "", ctequery, aliascolnames } = cte;
  const select = contentOf(ctequery, "SelectStmt");
  if (select === undefined) throw notSupported(`${kindOf(ctequery as Node)} in WITH`);
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
  return { cte: { name, columns, node }, key, plan: query.plan, isVolatile: query.isVolatile };
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
    return around?.wrap(union) ?? union;
  };
  const cte: Cte = { name, columns, node: () => cteScan(name, key) };
  return { cte, key, plan, isVolatile: begin.isVolatile || step.isVolatile };
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
function withNode(node: PlanNode, named: readonly Named[]): PlanNode {
  const plans = named.map(({ plan }) => plan());
  const shown = plans.map((plan, i): PlanNode => {
    const title = `CTE ${(named[i] as Named).cte.name}`;
    return { ...plan, title, details: [], children: [plan] };
  });
  return {
    ...node,
    get children() {
      return [...shown, ...node.children];
    },
    open: async (run, observe) => {
      const below = run.below(undefined);
      for (const [i, plan] of plans.entries()) {
        const open = () => openNode(plan, below, observe);
        below.share((named[i] as Named).key, new SharedRows(open, below));
      }
      return await node.open(below, observe);
    },
  };
}
