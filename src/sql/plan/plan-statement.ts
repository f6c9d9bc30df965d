import type { Node } from "libpg-query";
import type { Datum } from "../../rows/index.ts";
import { bindExpr } from "../bind/bind-expression.ts";
import { coerce } from "../bind/coerce.ts";
import { textsOf } from "../bind/names.ts";
import { Parameters } from "../bind/scope.ts";
import { typeOfName } from "../bind/type-name.ts";
import { planCopy } from "../copy/plan-copy.ts";
import { notSupported, SqlError } from "../error.ts";
import { compile } from "../exec/evaluate.ts";
import { collect } from "../exec/operators.ts";
import type { Row, RowSource } from "../exec/run.ts";
import { typeName } from "../functions/coercion.ts";
import { contentOf, kindOf, type NodeOf, type Statement } from "../parse/statement.ts";
import { planClose, planDeclare, planFetch } from "../session/cursor-statements.ts";
import type { Cursors } from "../session/cursors.ts";
import {
  type PreparePorts,
  planDeallocate,
  planExecute,
  planPrepare,
} from "../session/prepare-statements.ts";
import { rowsOf, textColumn } from "../session/rows-of.ts";
import { planDiscard, planSet, planShow } from "../session/setting-statements.ts";
import type { Started } from "../session/started.ts";
import { planTransaction } from "../session/transaction-statements.ts";
import { planDelete, planUpdate } from "./change.ts";
import type { ChangePlan } from "./change-plan.ts";
import { planTableAs, tableQueryOf } from "./ddl/create-table-as.ts";
import type { DdlPorts } from "./ddl/ddl-run.ts";
import { planDdl } from "./ddl/plan-ddl.ts";
import { planSetRole } from "./ddl/roles.ts";
import { planSetConstraints } from "./ddl/set-constraints.ts";
import { NeededType, type ObjectUse, type PlanEnv, scopeOf, withRelations } from "./env.ts";
import { execRun } from "./exec-parts.ts";
import { explainOptions, PlanWatch, planLines } from "./explain.ts";
import { planInsert } from "./insert.ts";
import { planLock } from "./lock-table.ts";
import { planMerge } from "./merge.ts";
import { openNode, type PlanNode, UNOBSERVED } from "./node.ts";
import { commandPlan, type Plan, type Prepared } from "./plan.ts";
import { type Query, resultColumns } from "./query.ts";
import { bindQuery, planSelect } from "./select.ts";
import type { TableUse } from "./table-use.ts";
import { changesRows, planSelectWithin } from "./with.ts";

/** What planning needs of its session and its server. */
export interface PlannerPorts extends DdlPorts, Pick<PreparePorts, "prepare"> {
  readonly env: (
    statement: Statement,
    parameters: Parameters,
    used: TableUse[],
    usedObjects: ObjectUse[],
  ) => Omit<PlanEnv, "bindQuery">;
  readonly prepared: ReadonlyMap<string, Prepared | undefined>;
  /** Plans a prepared statement again where its tables have changed. */
  readonly current: (name: string) => Promise<unknown>;
  readonly cursors: Cursors;
}

/** Binds and plans one statement. @throws SqlError. */
export async function planStatement(
  statement: Statement,
  given: readonly number[],
  ports: PlannerPorts,
): Promise<Plan> {
  const { node } = statement;
  if ("TransactionStmt" in node) return planTransaction(node.TransactionStmt);
  if ("VariableSetStmt" in node) {
    const { VariableSetStmt: set } = node;
    return set.name === "role" ? planSetRole(set, ports.roles) : planSet(set);
  }
  if ("VariableShowStmt" in node) return planShow(node.VariableShowStmt);
  if ("DiscardStmt" in node) return planDiscard(node.DiscardStmt);
  if ("DeallocateStmt" in node) return planDeallocate(node.DeallocateStmt);
  // No session listens: LISTEN is refused.
  if ("UnlistenStmt" in node) return commandPlan("UNLISTEN", () => undefined);
  if ("ConstraintsSetStmt" in node) return planSetConstraints(node.ConstraintsSetStmt, ports);
  if ("FetchStmt" in node) return planFetch(node.FetchStmt, ports.cursors);
  if ("ClosePortalStmt" in node) return planClose(node.ClosePortalStmt);
  const parameters = new Parameters(given);
  const used: TableUse[] = [];
  const env: PlanEnv = { ...ports.env(statement, parameters, used, []), bindQuery, planChange };
  if ("PrepareStmt" in node) {
    const { PrepareStmt } = node;
    return withRelations(env, () => planPrepare(PrepareStmt, statement, preparing(env, ports)));
  }
  if ("ExecuteStmt" in node) {
    const { ExecuteStmt } = node;
    const { prepared } = ports;
    await ports.current(ExecuteStmt.name ?? "");
    const plan = () => planExecute(ExecuteStmt, statement, prepared, preparing(env, ports));
    return withRelations(env, plan);
  }
  const ddl = planDdl(env, node, ports);
  if (ddl !== undefined) return withTypeNames(env, node, ddl);
  const made = tableQueryOf(node);
  if (made !== undefined) return withTypeNames(env, node, await planTableAs(env, made, ports));
  if ("ExplainStmt" in node) {
    const { query, options = [] } = node.ExplainStmt;
    return await planExplain(env, query as Node, options);
  }
  if ("CopyStmt" in node) return await planCopyOf(env, node.CopyStmt);
  if ("LockStmt" in node) return await planLock(env, node.LockStmt);
  const declare = "DeclareCursorStmt" in node ? node.DeclareCursorStmt : undefined;
  const query = declare?.query ?? node;
  if (declare !== undefined && changesRows(contentOf(query, "SelectStmt")?.withClause)) {
    const message = "DECLARE CURSOR must not contain data-modifying statements in WITH";
    throw new SqlError("0A000", message);
  }
  const work = await planWork(env, query);
  if (work === undefined) throw notSupported(nameOf(statement.kind));
  const own = { ...workPlan(env, work), onlyReads: onlyReads(query), ...writesOf(query) };
  const isLocking = (contentOf(query, "SelectStmt")?.lockingClause ?? []).length > 0;
  const plan = declare === undefined ? own : planDeclare(declare, own, isLocking);
  const { usedObjects: objects } = env;
  return { ...plan, parameterTypes: settledTypes(parameters), tables: used, objects };
}

/** Looks up the types that a statement names before it runs: what it does is not done twice. */
function withTypeNames(env: PlanEnv, node: Node, plan: Plan): Plan {
  const names = typeNamesIn(node);
  if (names.length === 0) return plan;
  return {
    ...plan,
    start: async (run, parameters) => {
      for (const name of names) await env.load(name);
      return await plan.start(run, parameters);
    },
  };
}

function typeNamesIn(tree: unknown): readonly NeededType[] {
  if (Array.isArray(tree)) return tree.flatMap(typeNamesIn);
  if (typeof tree !== "object" || tree === null) return [];
  const below = Object.values(tree).flatMap(typeNamesIn);
  if (!("names" in tree && "typemod" in tree)) return below;
  const parts = textsOf((tree as NodeOf<"TypeName">).names);
  const name = parts.at(-1);
  const isOwn = name !== undefined && parts[0] !== "pg_catalog";
  return isOwn ? [...below, new NeededType(parts.at(-2), name)] : below;
}

/** What a read-only transaction refuses in a query: row locks. */
function writesOf(query: Node): Pick<Plan, "writes"> {
  const [locking] = contentOf(query, "SelectStmt")?.lockingClause ?? [];
  const strength = contentOf(locking, "LockingClause")?.strength;
  if (strength === undefined) return {};
  const words = LOCKS[strength];
  return { writes: `SELECT ${words ?? "FOR UPDATE"}` };
}

const LOCKS: Readonly<Record<string, string>> = {
  LCS_FORKEYSHARE: "FOR KEY SHARE",
  LCS_FORSHARE: "FOR SHARE",
  LCS_FORNOKEYUPDATE: "FOR NO KEY UPDATE",
  LCS_FORUPDATE: "FOR UPDATE",
};

/** Whether a statement is a query whose WITH changes nothing. */
function onlyReads(node: Node): boolean {
  const select = contentOf(node, "SelectStmt");
  if (select === undefined) return false;
  return !changesRows(select.withClause);
}

async function planCopyOf(env: PlanEnv, copy: NodeOf<"CopyStmt">): Promise<Plan> {
  const plan = await planCopy(env, copy, async (query) => {
    const work = await planWork(env, query);
    if (work === undefined) throw notSupported(`COPY of ${nameOf(kindOf(query))}`);
    return workPlan(env, work);
  });
  const writes = copy.is_from === true ? { writes: "COPY FROM" } : {};
  return { ...plan, ...writes, tables: env.used, objects: env.usedObjects };
}

/** `CreateFunctionStmt` → `CREATE FUNCTION`. */
function nameOf(kind: string): string {
  const words = kind.replace(/Stmt$/, "").replace(/([a-z])([A-Z])/g, "$1 $2");
  return words.toUpperCase();
}

/** A parameter whose type nothing says is text. */
function settledTypes({ types }: Parameters): readonly number[] {
  return types.map((oid) => (oid === 0 ? 25 : oid));
}

/** A query, or a statement that changes rows. */
type Work =
  | { readonly kind: "query"; readonly query: Query }
  | { readonly kind: "change"; readonly change: ChangePlan };

function planWork(env: PlanEnv, node: Node): Promise<Work | undefined> {
  return withRelations(env, () => workOf(env, node));
}

async function workOf(env: PlanEnv, node: Node): Promise<Work | undefined> {
  if ("SelectStmt" in node && changesRows(node.SelectStmt.withClause)) {
    return { kind: "change", change: await planSelectWithin(env, node.SelectStmt, planSelect) };
  }
  if ("SelectStmt" in node) return { kind: "query", query: await planSelect(env, node.SelectStmt) };
  const change = await planChange(env, node);
  return change && { kind: "change", change };
}

/** INSERT, UPDATE, DELETE and MERGE; undefined for anything else. */
async function planChange(env: PlanEnv, node: Node): Promise<ChangePlan | undefined> {
  if ("InsertStmt" in node) return await planInsert(env, node.InsertStmt);
  if ("UpdateStmt" in node) return await planUpdate(env, node.UpdateStmt);
  if ("DeleteStmt" in node) return await planDelete(env, node.DeleteStmt);
  return "MergeStmt" in node ? await planMerge(env, node.MergeStmt) : undefined;
}

function workPlan(env: PlanEnv, work: Work): Plan {
  const { types } = env.functions;
  if (work.kind === "query") {
    const columns = resultColumns(types, work.query.columns);
    return {
      tag: "SELECT",
      parameterTypes: [],
      columns,
      start: async (run, parameters) => {
        const exec = execRun(env, run, parameters);
        const source = await openNode(work.query.node, exec, UNOBSERVED);
        return streamed(columns, source);
      },
    };
  }
  const { change } = work;
  const columns = change.returning && resultColumns(types, change.returning);
  const [tag = ""] = change.word.split(" ");
  return {
    tag,
    parameterTypes: [],
    columns,
    isRetried: true,
    writes: tag,
    start: async (run, parameters): Promise<Started> => {
      const rows: Row[] = [];
      const exec = execRun(env, run, parameters, change.hasParts);
      const count = await change.run(exec, (row) => {
        exec.keep(64 + row.length * 24);
        rows.push(row);
      });
      const done = `${change.word} ${count}`;
      if (columns === undefined) return { kind: "done", finish: () => done };
      return rowsOf(columns, rows, () => done);
    },
  };
}

/** Rows as the client takes them. */
function streamed(columns: NonNullable<Plan["columns"]>, source: RowSource): Started {
  let left: readonly Row[] = [];
  let count = 0;
  return {
    kind: "rows",
    columns,
    next: async (most) => {
      if (left.length === 0) {
        const batch = await source.next();
        if (batch === undefined) return undefined;
        left = batch;
      }
      const taken = left.length <= most ? left : left.slice(0, most);
      left = taken === left ? [] : left.slice(taken.length);
      count += taken.length;
      return taken;
    },
    finish: () => {
      source.close();
      return `SELECT ${count}`;
    },
    close: () => source.close(),
  };
}

/** EXPLAIN: the plan as lines; with ANALYZE it runs. */
async function planExplain(env: PlanEnv, query: Node, given: readonly Node[]): Promise<Plan> {
  const options = explainOptions(given);
  const work = await planWork(env, query);
  if (work === undefined) throw notSupported(`EXPLAIN of ${nameOf(kindOf(query))}`);
  const columns = [textColumn("QUERY PLAN")];
  const node: PlanNode =
    work.kind === "query"
      ? work.query.node
      : (work.change.shown ?? {
          title: work.change.title,
          details: [],
          children: work.change.children,
          open: () => {
            throw new SqlError("XX000", "a change is not a source of rows");
          },
        });
  return {
    tag: "EXPLAIN",
    parameterTypes: settledTypes(env.parameters),
    tables: env.used,
    objects: env.usedObjects,
    columns,
    start: async (run, parameters) => {
      const hasParts = work.kind === "change" && work.change.hasParts;
      const exec = execRun(env, run, parameters, hasParts);
      const nowMs = (): number => env.clock.monotonicMs();
      const watch = new PlanWatch(nowMs);
      const beganMs = nowMs();
      if (options.isAnalyze) {
        if (work.kind === "change") await work.change.run(exec, () => undefined, watch.observe);
        else await collect(await openNode(node, exec, watch.observe), exec);
      }
      const tookMs = nowMs() - beganMs;
      const lines = options.isAnalyze
        ? [
            ...planLines(node, watch, options.isTimed),
            ...(options.isTimed ? [`Execution Time: ${tookMs.toFixed(3)} ms`] : []),
          ]
        : planLines(node);
      return rowsOf(
        columns,
        lines.map((line) => [line]),
        () => "EXPLAIN",
      );
    },
  };
}

function preparing(env: PlanEnv, ports: PlannerPorts): PreparePorts {
  const { types } = env.functions;
  return {
    prepare: ports.prepare,
    typesOf: (names) =>
      names.map((name) => typeOfName(types, contentOf(name, "TypeName") ?? {}).oid),
    execute: (prepared, args) => {
      const wanted = prepared.parameterTypes;
      if (args.length !== wanted.length) {
        const message = "wrong number of parameters for prepared statement";
        const detail = `Expected ${wanted.length} parameters but got ${args.length}.`;
        throw new SqlError("42601", message, { detail });
      }
      const scope = scopeOf(env, [], "EXECUTE");
      const values = args.map((arg, i) => {
        const expr = bindExpr(scope, arg);
        const oid = wanted[i] ?? expr.oid;
        try {
          return compile(coerce(scope, expr, oid, -1, "assignment"));
        } catch (error) {
          if (!(error instanceof SqlError) || error.sqlState !== "42846") throw error;
          const from = `parameter $${i + 1} of type ${typeName(types, expr.oid)}`;
          const to = `the expected type ${typeName(types, oid)}`;
          throw new SqlError("42804", `${from} cannot be coerced to ${to}`, {
            hint: "You will need to rewrite or cast the expression.",
          });
        }
      });
      const { plan } = prepared;
      return {
        ...plan,
        parameterTypes: [],
        start: (run, parameters) => {
          const evaluation = { sql: env.contextOf(run), parameters };
          const given = values.map((value): Datum => value([], evaluation));
          return plan.start(run, given);
        },
      };
    },
  };
}
