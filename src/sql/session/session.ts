import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { Prng } from "../../base/prng.ts";
import {
  type Datum,
  isTemporaryId,
  type RowTransaction,
  RowViolation,
  type TemporaryShard,
} from "../../rows/index.ts";
import { assertHeld } from "../catalog/held.ts";
import { SqlError } from "../error.ts";
import type { AsOfClause } from "../parse/as-of.ts";
import { tooDeep } from "../parse/parse-text.ts";
import type { Parser } from "../parse/parser.ts";
import type { Statement } from "../parse/statement.ts";
import type { Plan, Prepared, RunContext, SessionNotice } from "../plan/plan.ts";
import type { TypeRegistry } from "../types/registry.ts";
import type { AdvisoryLocks } from "./advisory-locks.ts";
import { asOfClauses, isOfTransaction } from "./as-of.ts";
import { planPortal, planPortalRows } from "./cursor-statements.ts";
import { Cursors } from "./cursors.ts";
import type { ExportedSnapshots } from "./exported-snapshots.ts";
import { type FieldWriter, fieldWriter, readBinary, readText } from "./field-codec.ts";
import { isSameTable } from "./plan-cache.ts";
import { SessionSequences } from "./sequences.ts";
import { SessionLocks } from "./session-locks.ts";
import { NO_ROLE, spanMs } from "./setting-table.ts";
import { SessionSettings } from "./settings.ts";
import { hiddenError, shownOf } from "./shown-errors.ts";
import { SqlContexts } from "./sql-context.ts";
import type { Column, Started } from "./started.ts";
import { Transaction, type TransactionParts } from "./transaction.ts";

export interface SessionParts extends Pick<TransactionParts, "open" | "names" | "roles"> {
  readonly parser: Parser;
  readonly temporary: TemporaryShard;
  /** It has ended: nothing of it is open any more. */
  readonly onClosed: () => void;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly types: TypeRegistry;
  readonly user: string;
  readonly database: string;
  /** What the server and the client set at the start. */
  readonly settings: ReadonlyMap<string, string>;
  /** Advisory locks of all sessions, and what keeps the catalog's apart from others. */
  readonly advisory: { readonly locks: AdvisoryLocks; readonly space: string };
  readonly snapshots: ExportedSnapshots;
  /** As `SqlRoles.assume`. */
  readonly assume?: ((name: string | undefined) => Promise<void>) | undefined;
  /** As `timeOf` of `as-of.ts`. */
  readonly timeOf: (statement: Statement, clauses: readonly AsOfClause[]) => Promise<number>;
  /** Plans a statement for this session. */
  readonly plan: (
    session: SqlSession,
    statement: Statement,
    parameterTypes: readonly number[],
  ) => Plan | Promise<Plan>;
}

/** Statements that need no rights. */
const ROLE_FREE: ReadonlySet<string> = new Set([
  "VariableSetStmt",
  "VariableShowStmt",
  "TransactionStmt",
  "DiscardStmt",
]);

const OF_CURSOR: ReadonlySet<string> = new Set(["FetchStmt", "ClosePortalStmt"]);

/** Why a statement is ended from outside: 57014 by its client, 57P01 and 08006 by the end. */
type CancelState = "57014" | "57P01" | "08006";

/** One client's session: settings, transaction, prepared statements. One statement at a time. */
export class SqlSession {
  readonly settings: SessionSettings;
  readonly transactionState: Transaction;
  readonly contexts: SqlContexts;
  readonly sequences: SessionSequences;
  readonly cursors: Cursors = new Cursors();
  readonly locks: SessionLocks;
  readonly prepared: Map<string, Prepared | undefined> = new Map();
  readonly #parts: SessionParts;
  onNotice: (notice: SessionNotice) => void = () => {};
  /** The number that the client cancels by. */
  pid = 0;
  /** Another role was set when the last statement was looked at. */
  #hasRole = false;
  #running: AbortController | undefined;
  #cancelled: SqlError | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.settings = new SessionSettings(parts.settings);
    const nowMicros = () => BigInt(parts.clock.nowMs()) * 1_000n;
    const signal = (): AbortSignal | undefined => this.#running?.signal;
    const warn = (message: string): void =>
      this.onNotice({ severity: "WARNING", sqlState: "01000", message });
    this.locks = new SessionLocks({ ...parts.advisory, signal, warn });
    this.transactionState = new Transaction({
      settings: this.settings,
      open: parts.open,
      names: parts.names,
      roles: parts.roles,
      cursors: this.cursors,
      locks: this.locks,
      snapshots: parts.snapshots,
      space: parts.advisory.space,
      nowMicros,
    });
    this.sequences = new SessionSequences(
      async () => (await this.transactionState.rows()) as RowTransaction,
    );
    const { clock, prng, user, database } = parts;
    this.contexts = new SqlContexts({
      settings: this.settings,
      clock,
      prng,
      user,
      database,
      pid: () => this.pid,
      sequences: this.sequences,
      locks: this.locks,
      sleep: (ms) => this.#sleep(ms),
      exportSnapshot: () => this.transactionState.exportSnapshot(this.pid),
      modes: () => this.transactionState.modes,
      // A statement that stands alone is planned before its transaction begins.
      transactionMicros: () =>
        this.transactionState.hasBegun ? this.transactionState.startedMicros : nowMicros(),
    });
  }

  get types(): TypeRegistry {
    return this.#parts.types;
  }

  get clock(): Clock {
    return this.#parts.clock;
  }

  /** The role that is set; else who has signed in. */
  get user(): string {
    const role = this.settings.get("role");
    return role === NO_ROLE ? this.#parts.user : role;
  }

  /** Who has signed in. */
  get sessionUser(): string {
    return this.#parts.user;
  }

  get database(): string {
    return this.#parts.database;
  }

  get status(): "I" | "T" | "E" {
    return this.transactionState.status;
  }

  /** The transaction that is open, by number. */
  get transaction(): number {
    return this.transactionState.number;
  }

  /** @throws SqlError 42601 and others for what is not SQL. */
  parse(text: string): readonly Statement[] | Promise<readonly Statement[]> {
    return this.#parts.parser.parse(text);
  }

  /** Binds and plans a statement. @throws SqlError. */
  async prepare(
    statement: Statement,
    givenTypes: readonly number[],
    isSql = false,
  ): Promise<Prepared> {
    if (this.transactionState.hasFailed && statement.kind !== "TransactionStmt") throw aborted();
    await this.#assumeRole(statement);
    await this.#beginAt(statement);
    const plan = await this.#planned(statement, givenTypes);
    const { tag, parameterTypes, columns } = plan;
    const preparedMicros = BigInt(this.clock.nowMs()) * 1_000n;
    const made = { statement, plan, givenTypes, tag, parameterTypes, columns, isSql };
    return { ...made, preparedMicros, temporary: this.#parts.temporary.schema };
  }

  /** A prepared statement, planned again where its tables have changed. */
  async current(name: string): Promise<Prepared | undefined> {
    const prepared = this.prepared.get(name);
    if (prepared === undefined || (await this.#isCurrent(prepared))) return prepared;
    const again = await this.#planAgain(prepared);
    this.prepared.set(name, { ...again, preparedMicros: prepared.preparedMicros });
    return again;
  }

  /** @throws SqlError 25P02 where the transaction takes nothing but its end. */
  checkBind(prepared: Prepared | undefined): void {
    if (this.transactionState.hasFailed && prepared?.plan.endsTransaction !== true) throw aborted();
  }

  /** The transaction that a portal of a statement belongs to. */
  transactionFor(prepared: Prepared | undefined): number {
    if (prepared !== undefined) this.transactionState.beginImplicit();
    return this.transaction;
  }

  /**
   * Starts a statement.
   *
   * @param isLast nothing follows it in its implicit transaction: its `finish` commits that.
   */
  async start(prepared: Prepared, parameters: readonly Datum[], isLast: boolean): Promise<Started> {
    const { transactionState: transaction } = this;
    if (transaction.hasFailed && prepared.plan.endsTransaction !== true) throw aborted();
    const atMs = await this.#beginAt(prepared.statement);
    transaction.beginImplicit();
    const isFirst = transaction.statements === 0;
    transaction.statements++;
    const running = new AbortController();
    const context = this.#begin(running, prepared.statement.isOfMany === true, atMs);
    try {
      await this.#assumeRole(prepared.statement);
      const isFresh = await this.#isCurrent(prepared);
      const { plan } = isFresh ? prepared : await this.#planAgain(prepared);
      assertMayRun(plan);
      assertMayWrite(plan, transaction);
      if (this.#disturbsCursors(plan)) await this.cursors.settle(context.signal);
      const commits = isLast && plan.isControl !== true;
      if (isFirst && commits && plan.isRetried === true && !transaction.isExplicit) {
        const done = await this.#untilDone({ ...prepared, plan }, context, parameters);
        // It is committed: a cancel comes too late, and must not say that nothing happened.
        this.#running = undefined;
        this.#cancelled = undefined;
        const told = new AbortController();
        told.signal.addEventListener("abort", () => running.abort(OVER));
        return this.#guarded(done, told, false);
      }
      const started = await plan.start(context, parameters);
      return this.#guarded(started, running, commits);
    } catch (error) {
      this.#over(running);
      throw this.#why(error);
    }
  }

  /** Whether cursors that are half read could see what a statement changes, or its snapshot. */
  #disturbsCursors({ isOfCursor, endsTransaction, onlyReads }: Plan): boolean {
    if (isOfCursor === true || endsTransaction === true) return false;
    return onlyReads !== true || this.transactionState.modes.isolation.startsWith("read ");
  }

  /** Opens a portal with a name over a query: a cursor, until its transaction ends. */
  async openPortal(name: string, prepared: Prepared, parameters: readonly Datum[]): Promise<void> {
    const isFresh = await this.#isCurrent(prepared);
    const fresh = isFresh ? prepared : await this.#planAgain(prepared);
    const opening = { ...fresh, plan: planPortal(name, fresh.plan) };
    const started = await this.start(opening, parameters, false);
    if (started.kind === "done") await started.finish();
  }

  /** The next rows of a portal or cursor, at most so many. @throws SqlError 34000. */
  async portalRows(name: string, most: number, isLast: boolean): Promise<Started> {
    const plan = planPortalRows(name, most, this.cursors);
    const { tag, parameterTypes, columns } = plan;
    const statement = { kind: "FetchStmt" } as Statement;
    const fetching = {
      statement,
      plan,
      givenTypes: [],
      tag,
      parameterTypes,
      columns,
      isSql: false,
      preparedMicros: 0n,
      temporary: undefined,
    };
    return await this.start(fetching, [], isLast);
  }

  /**
   * Runs a statement and commits it; again where others were in its way, with a new plan where they
   * changed its tables.
   */
  async #untilDone(
    prepared: Prepared,
    context: RunContext,
    parameters: readonly Datum[],
  ): Promise<Started> {
    let { plan } = prepared;
    let { modes } = this.transactionState;
    for (let tries = 1; ; tries++) {
      try {
        this.transactionState.beginImplicit();
        if (tries > 1) {
          // A change of a table has made it serializable, which it is again.
          this.transactionState.setModes(modes);
          await this.#takeTurn(plan);
          if (!(await this.#isFresh(plan))) ({ plan } = await this.#planAgain(prepared));
        }
        const started = await plan.start(context, parameters);
        ({ modes } = this.transactionState);
        await this.transactionState.commit();
        return started;
      } catch (error) {
        if (this.transactionState.hasBegun) ({ modes } = this.transactionState);
        if (!isConflict(error) || tries === MOST_TRIES || context.signal.aborted) throw error;
        await this.transactionState.fail();
      }
    }
  }

  /** Waits for the others whose statements on the same tables were in each other's way. */
  async #takeTurn({ tables = [] }: Plan): Promise<void> {
    const rows = (await this.transactionState.rows()) as RowTransaction;
    await rows.takeTurn(tables.map(({ descriptor }) => descriptor.id).join(" "));
  }

  /** Ends the implicit transaction. */
  async sync(): Promise<void> {
    if (this.transactionState.hasBegun && !this.transactionState.isExplicit) {
      await this.transactionState.commit();
    }
  }

  /** A statement failed, or what came of the client was not understood. */
  async failed(): Promise<void> {
    this.#running = undefined;
    await this.transactionState.fail();
  }

  /**
   * An error as the client is told it: one of a row that was refused shows its values to who may
   * read them. It is asked before the transaction ends, whose tables it may name.
   */
  async told(error: unknown): Promise<unknown> {
    if (error instanceof FirnError && error.code === "LSM_TRANSACTION_TOO_LARGE") {
      const hint = "Write it in several transactions.";
      return new SqlError("54000", error.message, { hint }, error);
    }
    if (!(error instanceof FirnError)) return error;
    const shown = await shownOf(this.transactionState.names, error);
    if (shown !== "whole" || !(error instanceof RowViolation)) {
      return shown === "hidden" ? hiddenError(error) : error;
    }
    const { types } = this.#parts;
    const context = this.contexts.now();
    const detail = error.detail((type, value) => {
      const { codec } = types.get(types.fromColumnType(type).oid);
      return codec.output(value, context);
    });
    return new FirnError(error.kind, error.code, error.message, { ...error.context, detail });
  }

  /** An error without its values; of a table that may not be known it tells nothing. */
  async concealed(error: unknown): Promise<unknown> {
    if (!(error instanceof FirnError)) return error;
    const shown = await shownOf(this.transactionState.names, error);
    return shown === "hidden" ? hiddenError(error) : error;
  }

  /** Ends the statement that is running, if any. */
  cancel(sqlState: CancelState): void {
    this.#cancel(new SqlError(sqlState, CANCELLED[sqlState]));
  }

  async close(): Promise<void> {
    this.cursors.closeAll();
    try {
      if (this.transactionState.hasBegun) await this.transactionState.rollback();
    } finally {
      this.locks.releaseAll();
      this.#parts.onClosed();
    }
  }

  /** How values of a column are sent. */
  fieldWriter(column: Column, isBinary: boolean): FieldWriter {
    return fieldWriter(this.#parts.types, column.type.oid, isBinary, this.contexts.now());
  }

  /** @throws SqlError 22P02 and others. */
  readText(oid: number, text: string): Datum {
    return readText(this.#parts.types, oid, text, this.contexts.now());
  }

  /** @throws SqlError 22P03 and others. */
  readBinary(oid: number, bytes: Uint8Array, parameter: number): Datum {
    return readBinary(this.#parts.types, oid, bytes, parameter, this.contexts.now());
  }

  /** Goes on with the rights of the role that is set, as they stand now. @throws SqlError 42501. */
  async #assumeRole({ kind }: Statement): Promise<void> {
    const role = this.settings.get("role");
    const isOwn = role === NO_ROLE;
    // A role that may not be set any more can still be reset.
    if ((isOwn && !this.#hasRole) || ROLE_FREE.has(kind)) return;
    this.#hasRole = !isOwn;
    await this.#parts.assume?.(isOwn ? undefined : role);
  }

  /**
   * The time that a statement sets for its transaction; where it has one for itself, the
   * transaction of the statement begins with it.
   */
  async #beginAt(statement: Statement): Promise<number | undefined> {
    const { transactionState: transaction } = this;
    // A cursor reads on in the transaction that it was opened in.
    if (OF_CURSOR.has(statement.kind)) return undefined;
    const clauses = asOfClauses(statement, this.prepared);
    if (clauses.length === 0 && (transaction.isExplicit || transaction.modes.atMs === undefined)) {
      return undefined;
    }
    const atMs = clauses.length === 0 ? undefined : await this.#parts.timeOf(statement, clauses);
    if (atMs !== undefined && isOfTransaction(statement)) return atMs;
    await transaction.beginImplicitAt(atMs);
    return undefined;
  }

  async #planned(statement: Statement, givenTypes: readonly number[]): Promise<Plan> {
    try {
      return await this.#parts.plan(this, statement, givenTypes);
    } catch (error) {
      // What nests deepest is bounded by what the platform has left of its stack.
      if (error instanceof RangeError && /call stack/.test(error.message)) throw tooDeep();
      throw error;
    }
  }

  /** As `#isFresh`; names mean what they meant before the session had temporary tables. */
  async #isCurrent({ plan, temporary }: Prepared): Promise<boolean> {
    const isAlone = plan.tables === undefined || plan.tables.length === 0;
    if (!isAlone && temporary !== this.#parts.temporary.schema) return false;
    return await this.#isFresh(plan);
  }

  /** Whether the tables of a plan are as they were when it was made, and where they were. */
  async #isFresh({ tables = [], objects = [] }: Plan): Promise<boolean> {
    if (tables.length === 0 && objects.length === 0) return true;
    if (tables.some(({ held }) => held?.isFresh === false)) return false;
    this.transactionState.beginImplicit();
    const rows = (await this.transactionState.rows()) as RowTransaction;
    for (const { descriptor } of tables) {
      const now = await rows.tables.find(descriptor.id);
      if (now === undefined || !isSameTable(now, descriptor)) return false;
    }
    for (const { id, version } of objects) {
      if ((await rows.objects.find(id))?.version !== version) return false;
    }
    return true;
  }

  /** @throws SqlError 0A000 where its result would be another one. */
  async #planAgain({ statement, givenTypes, columns, isSql }: Prepared): Promise<Prepared> {
    const again = await this.prepare(statement, givenTypes, isSql);
    const shape = (of: Prepared["columns"]): string =>
      (of ?? []).map(({ name, type }) => `${name} ${type.oid}`).join(", ");
    if (shape(again.columns) === shape(columns)) return again;
    throw new SqlError("0A000", "cached plan must not change result type");
  }

  #cancel(why: SqlError): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#cancelled = why;
    running.abort(why);
  }

  #begin(running: AbortController, isOfMany: boolean, atMs: number | undefined): RunContext {
    this.#running = running;
    this.#cancelled = undefined;
    const timeoutMs = spanMs(this.settings.get("statement_timeout"));
    if (timeoutMs > 0) void this.#timeOut(running, timeoutMs);
    const { settings, transactionState, prepared, sequences, cursors, database, pid } = this;
    const { user, sessionUser } = this;
    const { clock } = this.#parts;
    const transaction = transactionState;
    const notice = (each: SessionNotice): void => this.onNotice(each);
    const { signal } = running;
    const names = { user, sessionUser, database, pid, isOfMany, locks: this.locks };
    const parts = { settings, transaction, prepared, sequences, cursors, clock };
    return { ...parts, ...names, atMs, signal, notice };
  }

  /** @throws why the statement was ended meanwhile. */
  async #sleep(ms: number): Promise<void> {
    const signal = this.#running?.signal;
    const endMs = this.clock.monotonicMs() + ms;
    for (let left = ms; left > 0; left = endMs - this.clock.monotonicMs()) {
      await this.clock.sleep(Math.min(left, LONGEST_SLEEP_MS), signal);
      signal?.throwIfAborted();
    }
  }

  async #timeOut(running: AbortController, ms: number): Promise<void> {
    await this.#parts.clock.sleep(ms, running.signal);
    if (this.#running !== running || running.signal.aborted) return;
    this.#cancel(new SqlError("57014", "canceling statement due to statement timeout"));
  }

  #over(running: AbortController): void {
    if (this.#running === running) this.#running = undefined;
    // Ends the wait for its timeout. A reason that is given costs no error with its stack.
    running.abort(OVER);
  }

  /**
   * A statement that was ended from outside failed for that reason, whatever it met first. But one
   * whose commit may have happened is not said to have failed.
   */
  #why(error: unknown): unknown {
    const why = this.#cancelled;
    this.#cancelled = undefined;
    if (error instanceof FirnError && error.kind === "Unknown") return error;
    return why ?? error;
  }

  /** Ends what was begun for a statement when it ends, and commits where it stands alone. */
  #guarded(started: Started, running: AbortController, commits: boolean): Started {
    const { signal } = running;
    const finish = async (): Promise<string> => {
      try {
        const tag = await started.finish();
        await this.transactionState.endStatement();
        if (commits) await this.sync();
        return tag;
      } catch (error) {
        throw this.#why(error);
      } finally {
        this.#over(running);
      }
    };
    if (started.kind === "done") return { kind: "done", finish };
    const close = async (): Promise<void> => {
      this.#over(running);
      await started.close();
    };
    if (started.kind === "copyIn") {
      if (commits && !this.transactionState.isExplicit) started.standsAlone();
      const receive = (chunk: Buffer) => {
        signal.throwIfAborted();
        return started.receive(chunk);
      };
      return { ...started, finish, close, receive };
    }
    if (started.kind === "copyOut") {
      return {
        ...started,
        finish,
        close,
        next: () => this.#watched(running, () => started.next()),
      };
    }
    const next = (most: number) => this.#watched(running, () => started.next(most));
    return { ...started, finish, close, next };
  }

  /**
   * Goes on with a statement, unless it was ended: then nothing of it may be begun, since no caller
   * would wait for it. @throws SqlError why the statement was ended.
   */
  #watched<T>(running: AbortController, work: () => Promise<T> | T): Promise<T> | T {
    const { signal } = running;
    if (signal.aborted) throw this.#why(signal.reason);
    const value = work();
    if (!(value instanceof Promise)) return value;
    return value.catch((error: unknown) => {
      // What it holds goes at once: a client need not close what has failed.
      this.#over(running);
      throw this.#why(error);
    });
  }
}

/** What a plan reads and changes is judged each time it runs. @throws SqlError 42501. */
function assertMayRun({ tables = [] }: Plan): void {
  for (const { held, needs, descriptor } of tables) {
    assertHeld(held, [...(needs ?? [])], "table", descriptor.name);
  }
}

/** @throws SqlError 25006, whether or not there are rows to change that are not temporary. */
function assertMayWrite({ writes, tables = [] }: Plan, { modes }: Transaction): void {
  if (writes === undefined || !modes.readOnly) return;
  const written = tables.filter(({ needs }) => needs?.has("write-data") === true);
  if (written.length > 0 && written.every(({ descriptor: { id } }) => isTemporaryId(id))) return;
  throw new SqlError("25006", `cannot execute ${writes} in a read-only transaction`);
}

/** Of one timer: longer ones are made of several. */
const LONGEST_SLEEP_MS = 3_600_000;

const OVER: Error = new Error("the statement has ended");

/** How often a statement is run again, where it and others were in each other's way. */
const MOST_TRIES = 100;

function isConflict(error: unknown): boolean {
  if (!(error instanceof FirnError)) return false;
  const { sqlState } = error.context;
  return sqlState === "40001" || sqlState === "40P01";
}

const CANCELLED: Readonly<Record<CancelState, string>> = {
  "57014": "canceling statement due to user request",
  "57P01": "terminating connection because the server stops",
  "08006": "the client has gone",
};

function aborted(): SqlError {
  const message = "current transaction is aborted, commands ignored until end of transaction block";
  return new SqlError("25P02", message);
}
