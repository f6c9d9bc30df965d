import type { Datum } from "../../rows/index.ts";
import { notSupported, SqlError } from "../error.ts";
import type { NodeOf } from "../parse/statement.ts";
import { commandPlan, type Plan, type RunContext } from "../plan/plan.ts";
import { Cursor, type CursorOptions, type Cursors } from "./cursors.ts";
import { rowsOf } from "./rows-of.ts";
import type { Column, Row, Started } from "./started.ts";

const BINARY = 0x01;
const SCROLL = 0x02;
const NO_SCROLL = 0x04;
const HOLD = 0x20;

/** FETCH ALL, as the grammar writes it. */
const ALL = 2_147_483_647;

/** DECLARE … CURSOR, of a query's plan. @throws SqlError 0A000, 42P11. */
export function planDeclare(
  { portalname: name = "", options = 0 }: NodeOf<"DeclareCursorStmt">,
  query: Plan,
  isLocking: boolean,
): Plan {
  const has = (flag: number): boolean => (options & flag) !== 0;
  if (has(SCROLL) && has(NO_SCROLL)) {
    throw new SqlError("42P11", "cannot specify both SCROLL and NO SCROLL");
  }
  if (has(BINARY)) {
    throw notSupported("a BINARY cursor", "Ask for binary results by the protocol.");
  }
  const word = has(HOLD) ? "CURSOR WITH HOLD" : "SCROLL CURSOR";
  if (isLocking && (has(HOLD) || has(SCROLL))) {
    throw new SqlError("0A000", `DECLARE ${word} ... FOR UPDATE is not supported`, {
      detail: `${has(HOLD) ? "Holdable" : "Scrollable"} cursors must be READ ONLY.`,
    });
  }
  const isScroll = has(SCROLL) ? true : has(NO_SCROLL) ? false : undefined;
  const given: CursorOptions = { isScroll, isHold: has(HOLD) };
  return {
    ...query,
    tag: "DECLARE CURSOR",
    columns: undefined,
    start: async (run, parameters) => {
      if (!given.isHold && !run.transaction.isExplicit) {
        throw new SqlError("25P01", "DECLARE CURSOR can only be used in transaction blocks");
      }
      return await opened(name, query, given, run, parameters);
    },
  };
}

async function opened(
  name: string,
  query: Plan,
  options: CursorOptions,
  run: RunContext,
  parameters: readonly Datum[],
): Promise<Started> {
  if (run.cursors.has(name)) throw new SqlError("42P03", `cursor "${name}" already exists`);
  // Its query outlives this statement.
  const end = new AbortController();
  const started = await query.start({ ...run, signal: end.signal }, parameters);
  if (started.kind !== "rows") throw new SqlError("42P11", "a cursor needs a query");
  run.cursors.add(new Cursor(name, started, options, end));
  return { kind: "done", finish: () => "DECLARE CURSOR" };
}

/** A query that a client names when it binds it: FETCH, MOVE and CLOSE know it by that name. */
export function planPortal(name: string, query: Plan): Plan {
  const options: CursorOptions = { isScroll: false, isHold: false };
  return {
    ...query,
    start: (run, parameters) => opened(name, query, options, run, parameters),
  };
}

/** The next rows of a cursor, at most so many, as the protocol asks for them. */
export function planPortalRows(name: string, most: number, cursors: Cursors): Plan {
  return {
    tag: "SELECT",
    parameterTypes: [],
    columns: cursors.get(name).columns,
    isOfCursor: true,
    start: (run) => fetched(run.cursors.get(name), most, run, "SELECT"),
  };
}

type Fetch = NodeOf<"FetchStmt">;

/** FETCH and MOVE. @throws SqlError 34000. */
export function planFetch(fetch: Fetch, cursors: Cursors): Plan {
  const { portalname: name = "", ismove: isMove = false } = fetch;
  const { columns } = cursors.get(name);
  const tag = isMove ? "MOVE" : "FETCH";
  return {
    tag,
    parameterTypes: [],
    ...(!isMove && { columns }),
    isOfCursor: true,
    start: async (run) => {
      const cursor = run.cursors.get(name);
      if (!isMove && !isSame(cursor.columns, columns)) {
        throw new SqlError("0A000", "cached plan must not change result type");
      }
      return await startFetch(cursor, fetch, run, tag);
    },
  };
}

function isSame(a: readonly Column[], b: readonly Column[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ name, type }, i) => name === b[i]?.name && type.oid === b[i]?.type.oid)
  );
}

async function startFetch(
  cursor: Cursor,
  { direction, howMany, ismove: isMove = false }: Fetch,
  run: RunContext,
  tag: string,
): Promise<Started> {
  const count = Number(howMany ?? 0);
  if (direction === "FETCH_FORWARD" && count > 0) {
    const most = count === ALL ? Number.POSITIVE_INFINITY : count;
    return isMove ? await moved(cursor, most, run) : fetched(cursor, most, run, tag);
  }
  const rows = await cursor.during(run.signal, () => rowsAt(cursor, direction, count));
  if (isMove) return { kind: "done", finish: () => `${tag} ${rows.length}` };
  return rowsOf(cursor.columns, rows, () => `${tag} ${rows.length}`);
}

async function rowsAt(
  cursor: Cursor,
  direction: Fetch["direction"],
  count: number,
): Promise<readonly Row[]> {
  if (direction === "FETCH_ABSOLUTE") return await cursor.absolute(count);
  if (count === 0) return cursor.current();
  if (direction === "FETCH_RELATIVE") {
    const to = cursor.position + count;
    return await cursor.absolute(Math.max(0, to));
  }
  // FORWARD of less than nothing is BACKWARD, and the other way round.
  const back = direction === "FETCH_BACKWARD" ? count : -count;
  if (back < 0) return await cursor.forward(-back);
  return cursor.backward(back === ALL ? Number.MAX_SAFE_INTEGER : back);
}

/** Rows at once where a cursor goes on by many. */
const BATCH = 500;

async function moved(cursor: Cursor, most: number, run: RunContext): Promise<Started> {
  let count = 0;
  while (count < most) {
    const wanted = Math.min(BATCH, most - count);
    const rows = await cursor.during(run.signal, () => cursor.forward(wanted));
    count += rows.length;
    if (rows.length < wanted) break;
  }
  return { kind: "done", finish: () => `MOVE ${count}` };
}

/** Rows as the client takes them. */
function fetched(cursor: Cursor, most: number, run: RunContext, tag: string): Started {
  let count = 0;
  let isOver = false;
  return {
    kind: "rows",
    columns: cursor.columns,
    next: async (wanted) => {
      const asked = Math.min(wanted, BATCH, most - count);
      if (isOver || asked <= 0) return undefined;
      const rows = await cursor.during(run.signal, () => cursor.forward(asked));
      count += rows.length;
      isOver = rows.length < asked;
      return rows.length === 0 ? undefined : rows;
    },
    finish: () => `${tag} ${count}`,
    close: () => undefined,
  };
}

/** CLOSE. */
export function planClose({ portalname: name }: NodeOf<"ClosePortalStmt">): Plan {
  const more = { isOfCursor: true };
  if (name === undefined) {
    return commandPlan("CLOSE CURSOR ALL", ({ cursors }) => cursors.closeAll(), more);
  }
  return commandPlan("CLOSE CURSOR", ({ cursors }) => cursors.close(name), more);
}
