import type { Node } from "libpg-query";
import { type ColumnDescriptor, visibleColumns } from "../../rows/index.ts";
import { textsOf } from "../bind/names.ts";
import { notSupported, SqlError } from "../error.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { columnNamed } from "../plan/assign.ts";
import type { PlanEnv } from "../plan/env.ts";
import { execRun } from "../plan/exec-parts.ts";
import { tableWriter } from "../plan/partitions/table-writer.ts";
import type { Plan } from "../plan/plan.ts";
import type { CopyOut, Row, Rows } from "../session/started.ts";
import { BINARY_END, BINARY_HEAD } from "./binary-rows.ts";
import { copyIn } from "./copy-in.ts";
import { copyOptions } from "./options.ts";
import { headerLine, rowLine } from "./row-lines.ts";

/** Rows that are written before the event loop gets its turn. */
const ROWS = 200;

/** COPY. @param planQuery plans what is copied out. */
export async function planCopy(
  env: PlanEnv,
  copy: NodeOf<"CopyStmt">,
  planQuery: (query: Node) => Promise<Plan>,
): Promise<Plan> {
  if (copy.filename !== undefined || copy.is_program === true) {
    throw notSupported(
      "COPY with a file or program of the server",
      "Use STDIN or STDOUT, as \\copy does.",
    );
  }
  return copy.is_from === true ? await planFrom(env, copy) : await planTo(env, copy, planQuery);
}

async function planFrom(env: PlanEnv, copy: NodeOf<"CopyStmt">): Promise<Plan> {
  const options = copyOptions(copy.options ?? [], true);
  if (copy.whereClause !== undefined) throw notSupported("WHERE of COPY FROM");
  const { relation } = copy;
  const use = await env.table(relation ?? {}, ["write-data"]);
  const isFrozen = (copy.options ?? []).some((each) => isFreeze(contentOf(each, "DefElem") ?? {}));
  if (isFrozen && use.partitions !== undefined) {
    throw new SqlError("0A000", "cannot perform COPY FREEZE on a partitioned table");
  }
  const columns = columnsOf(env, use.descriptor, copy.attlist);
  const { types } = env.functions;
  const write = tableWriter(env, use);
  return {
    tag: "COPY",
    parameterTypes: [],
    start: async (context) => {
      const run = execRun(env, context, []);
      const rows = await run.transaction();
      // Checks that waited for the end would keep something of each row in memory.
      await rows.endStatement();
      return copyIn({ table: use.descriptor, write, columns, rows, run, types }, options);
    },
  };
}

function isFreeze({ defname, arg }: NodeOf<"DefElem">): boolean {
  if (defname !== "freeze") return false;
  const word = contentOf(arg, "String")?.sval ?? contentOf(arg, "Boolean")?.boolval ?? true;
  return word !== "false" && word !== "off" && word !== false;
}

function columnsOf(
  env: PlanEnv,
  table: Parameters<typeof columnNamed>[0],
  names: readonly Node[] | undefined,
): readonly ColumnDescriptor[] {
  if (names === undefined) {
    return visibleColumns(table).filter(({ generated }) => generated === undefined);
  }
  const seen = new Set<string>();
  return textsOf(names).map((name) => {
    if (seen.has(name)) throw new SqlError("42701", `column "${name}" specified more than once`);
    seen.add(name);
    const column = columnNamed(table, name, env, undefined);
    if (column.generated === undefined) return column;
    throw new SqlError("42P10", `column "${name}" is a generated column`, {
      detail: "Generated columns cannot be used in COPY.",
    });
  });
}

async function planTo(
  env: PlanEnv,
  copy: NodeOf<"CopyStmt">,
  planQuery: (query: Node) => Promise<Plan>,
): Promise<Plan> {
  const options = copyOptions(copy.options ?? [], false);
  const inner = await planQuery(copy.query ?? (await tableQuery(env, copy)));
  const { columns } = inner;
  if (columns === undefined) {
    throw new SqlError("0A000", "COPY query must have a RETURNING clause");
  }
  const isBinary = options.format === "binary";
  return {
    tag: "COPY",
    parameterTypes: [],
    start: async (run, parameters): Promise<CopyOut> => {
      const rows = (await inner.start(run, parameters)) as Rows;
      const line = rowLine(env.functions.types, columns, options, env.contextOf(run));
      let count = 0;
      let isBegun = false;
      let isOver = false;
      const written = (batch: readonly Row[] | undefined): readonly Uint8Array[] | undefined => {
        if (batch === undefined) {
          if (isOver || !isBinary) return undefined;
          isOver = true;
          return isBegun ? [BINARY_END] : [Buffer.concat([BINARY_HEAD, BINARY_END])];
        }
        count += batch.length;
        const lines = batch.map(line);
        const [first, ...others] = lines;
        if (isBegun || first === undefined) return lines;
        isBegun = true;
        // Drivers read the head and the first row from one message, as PostgreSQL sends them.
        return isBinary ? [Buffer.concat([BINARY_HEAD, first]), ...others] : lines;
      };
      let hasHeader = options.header !== false;
      return {
        kind: "copyOut",
        isBinary,
        columns: columns.length,
        next: async () => {
          if (hasHeader) {
            hasHeader = false;
            return [headerLine(columns, options)];
          }
          if (isOver) return undefined;
          return written(await rows.next(ROWS));
        },
        finish: async () => {
          await rows.finish();
          return `COPY ${count}`;
        },
        close: () => rows.close(),
      };
    },
  };
}

/** The columns of a table as a query. */
async function tableQuery(env: PlanEnv, copy: NodeOf<"CopyStmt">): Promise<Node> {
  const { relation = {}, attlist } = copy;
  const use = await env.table(relation, ["read-data"]);
  const targetList = columnsOf(env, use.descriptor, attlist).map(({ name }): Node => {
    const fields: Node[] = [{ String: { sval: name } }];
    return { ResTarget: { val: { ColumnRef: { fields } } } };
  });
  return {
    SelectStmt: {
      targetList,
      fromClause: [{ RangeVar: relation }],
      limitOption: "LIMIT_OPTION_DEFAULT",
      op: "SETOP_NONE",
    },
  };
}
