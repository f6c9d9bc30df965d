import type {
  ExportedState,
  RowIsolation,
  RowSavepoint,
  RowTransaction,
} from "../../rows/index.ts";
import type { CatalogChanges } from "../catalog/catalog-changes.ts";
import type { RoleChanges } from "../catalog/role-changes.ts";
import { SqlError } from "../error.ts";
import type { Cursors } from "./cursors.ts";
import type { ExportedSnapshots } from "./exported-snapshots.ts";
import type { SessionLocks } from "./session-locks.ts";
import type { SessionSettings } from "./settings.ts";

/** READ UNCOMMITTED is told as it was asked for, and reads as READ COMMITTED does. */
export type Isolation = RowIsolation | "read uncommitted";

/** How a transaction begins. */
export interface TransactionModes {
  readonly isolation: Isolation;
  readonly readOnly: boolean;
  /** It has no effect: no transaction here waits for a safe snapshot. */
  readonly deferrable: boolean;
  /** `AS OF SYSTEM TIME`, ms: it reads the state of then, and takes no writes. */
  readonly atMs?: number | undefined;
  /** It reads what another transaction does, and takes no writes. */
  readonly state?: ExportedState | undefined;
}

/** A mode as SHOW tells it; undefined for a parameter that is none. */
export function modeText(modes: TransactionModes, name: string): string | undefined {
  switch (name.toLowerCase()) {
    case "transaction_isolation":
      return modes.isolation;
    case "transaction_read_only":
      return modes.readOnly ? "on" : "off";
    case "transaction_deferrable":
      return modes.deferrable ? "on" : "off";
    default:
      return undefined;
  }
}

/** The work of one transaction in the rows. */
export interface RowWork {
  readOnly: boolean;
  /** @throws FirnError 23503. */
  endStatement(): Promise<void>;
  /** A commit follows: ON COMMIT of temporary tables. @throws FirnError. */
  endTemporary(): Promise<void>;
  savepoint(): RowSavepoint;
  rollbackTo(mark: RowSavepoint): Promise<void> | void;
  release(mark: RowSavepoint): void;
  commit(): Promise<unknown>;
  rollback(): Promise<void> | void;
}

interface Savepoint {
  readonly name: string;
  /** Absent until a row is touched. */
  mark: RowSavepoint | undefined;
  readonly names: number;
  readonly roles: number;
  readonly cursors: number;
  readonly locks: number;
  readonly restoreSettings: () => void;
  readonly readOnly: boolean;
}

/** `none`; of statements that no BEGIN holds together; of a BEGIN; of one that has failed. */
type Block = "none" | "implicit" | "explicit" | "failed";

export interface TransactionParts {
  readonly settings: SessionSettings;
  /** Begins the work in the rows, when a statement first needs it. */
  readonly open: (modes: TransactionModes) => Promise<RowWork>;
  /** What it changes in the names of the catalog. */
  readonly names: CatalogChanges;
  /** What it changes of roles and grants. */
  readonly roles: RoleChanges;
  readonly cursors: Cursors;
  readonly locks: SessionLocks;
  readonly snapshots: ExportedSnapshots;
  /** The rows that its snapshots are of. */
  readonly space: string;
  readonly nowMicros: () => bigint;
}

function readsAlready(): SqlError {
  const message = "AS OF SYSTEM TIME must be set before any query of the transaction";
  const hint = "Begin a transaction with it: BEGIN AS OF SYSTEM TIME ….";
  return new SqlError("25001", message, { hint });
}

/** Where a session stands between BEGIN and COMMIT. */
export class Transaction {
  readonly #parts: TransactionParts;
  #block: Block = "none";
  #modes: TransactionModes | undefined;
  #rows: RowWork | undefined;
  #opening: Promise<RowWork> | undefined;
  #savepoints: Savepoint[] = [];
  /** Identifiers of its snapshots. */
  #exported: string[] = [];
  #number = 0;
  #startedMicros = 0n;
  /** Statements that were started in it. */
  statements = 0;

  constructor(parts: TransactionParts) {
    this.#parts = parts;
  }

  get status(): "I" | "T" | "E" {
    if (this.#block === "explicit") return "T";
    return this.#block === "failed" ? "E" : "I";
  }

  /** Counts transactions of the session: portals belong to one of them. */
  get number(): number {
    return this.#number;
  }

  get isExplicit(): boolean {
    return this.#block === "explicit" || this.#block === "failed";
  }

  get hasBegun(): boolean {
    return this.#block !== "none";
  }

  get hasFailed(): boolean {
    return this.#block === "failed";
  }

  /** What `now()` tells: the same for the whole transaction. */
  get startedMicros(): bigint {
    return this.#startedMicros;
  }

  /** What it changes in the names of the catalog. */
  get names(): CatalogChanges {
    return this.#parts.names;
  }

  /** What it changes of roles and grants. */
  get roles(): RoleChanges {
    return this.#parts.roles;
  }

  get modes(): TransactionModes {
    return this.#modes ?? this.#defaultModes();
  }

  /** Begins one for a statement that stands alone, where none is open. */
  beginImplicit(): void {
    if (this.#block === "none") this.#begin("implicit");
  }

  /**
   * Begins for a statement that stands alone with a time of the past, or without one: reads of
   * another state that came before it, in the same message of the client, end with it.
   *
   * @throws SqlError 25001: what came before it belongs to its transaction; 0A000: the transaction
   *   reads another state.
   */
  async beginImplicitAt(atMs: number | undefined): Promise<void> {
    this.beginImplicit();
    if (this.modes.atMs === atMs) return;
    const isPast = this.#block === "implicit" && this.modes.atMs !== undefined;
    const isUnused = this.#block === "implicit" && this.statements === 0;
    if (isPast || isUnused) {
      // What was only planned may be planned again. Cursors keep what they have yet to give.
      await this.#parts.cursors.settle(new AbortController().signal);
      const rows = this.#rows;
      this.#rows = undefined;
      this.#modes = undefined;
      await rows?.commit();
    }
    if (atMs === undefined) return;
    if (this.isExplicit) {
      const hint = "Begin the transaction with it: BEGIN AS OF SYSTEM TIME ….";
      const message = "AS OF SYSTEM TIME of a statement must be that of its transaction";
      throw new SqlError("0A000", message, { hint });
    }
    this.setModes({ atMs, readOnly: true });
  }

  /** @returns whether one was open already, which is worth a warning. */
  begin(modes: Partial<TransactionModes>): boolean {
    if (this.#block === "explicit") return true;
    if (this.#block === "none") this.#begin("explicit");
    // Statements before BEGIN in one text belong to it, as in PostgreSQL.
    this.#block = "explicit";
    if (this.#rows === undefined) this.#modes = { ...this.modes, ...modes };
    else if (modes.atMs !== undefined) throw readsAlready();
    return false;
  }

  /** @throws SqlError 25001 after the first statement that touched rows, or a savepoint. */
  setModes(modes: Partial<TransactionModes>): void {
    const now = this.modes;
    const next = { ...now, ...modes };
    const wrong = (message: string): SqlError => new SqlError("25001", message);
    const isBelow = this.#savepoints.length > 0;
    if (next.isolation !== now.isolation) {
      const what = "SET TRANSACTION ISOLATION LEVEL must";
      if (this.#rows !== undefined) throw wrong(`${what} be called before any query`);
      if (isBelow) throw wrong(`${what} not be called in a subtransaction`);
    }
    if (next.atMs !== now.atMs) {
      if (this.#rows !== undefined) throw readsAlready();
      if (isBelow) throw wrong("AS OF SYSTEM TIME must not be set in a subtransaction");
    }
    if (next.state !== undefined && !next.readOnly) {
      throw wrong("a transaction that has imported a snapshot is read-only");
    }
    if (next.atMs !== undefined && !next.readOnly) {
      throw wrong("a transaction AS OF SYSTEM TIME is read-only");
    }
    if (now.readOnly && !next.readOnly) {
      const mode = "transaction read-write mode";
      if (this.#savepoints.at(-1)?.readOnly === true) {
        throw wrong(`cannot set ${mode} inside a read-only transaction`);
      }
      if (this.#rows !== undefined) throw wrong(`${mode} must be set before any query`);
    }
    if (modes.deferrable !== undefined) {
      const what = "SET TRANSACTION [NOT] DEFERRABLE";
      if (isBelow) throw wrong(`${what} cannot be called within a subtransaction`);
      if (this.#rows !== undefined) throw wrong(`${what} must be called before any query`);
    }
    this.#setModes(next);
  }

  /** `pg_export_snapshot()`. @throws SqlError 25001 below a savepoint; FirnError 0A000. */
  async exportSnapshot(pid: number): Promise<string> {
    if (this.#savepoints.length > 0) {
      throw new SqlError("25001", "cannot export a snapshot from a subtransaction");
    }
    const state = ((await this.rows()) as RowTransaction).exportState();
    const { space, snapshots } = this.#parts;
    const id = snapshots.add({ space, state, modes: this.modes }, pid);
    this.#exported.push(id);
    return id;
  }

  /** SET TRANSACTION SNAPSHOT. @throws SqlError 25001, 22023, 0A000. */
  importSnapshot(id: string): void {
    if (this.#rows !== undefined || this.#savepoints.length > 0) {
      throw new SqlError("25001", "SET TRANSACTION SNAPSHOT must be called before any query");
    }
    const { space, snapshots } = this.#parts;
    this.#setModes({ ...this.modes, state: snapshots.find(id, space, this.modes) });
  }

  #endExports(): void {
    for (const id of this.#exported.splice(0)) this.#parts.snapshots.remove(id);
  }

  #setModes(modes: TransactionModes): void {
    this.#modes = modes;
    if (this.#rows !== undefined) this.#rows.readOnly = modes.readOnly;
  }

  /** A savepoint that ends takes with it what READ ONLY was set below it. */
  #restoreReadOnly({ readOnly }: Savepoint): void {
    if (this.modes.readOnly !== readOnly) this.#setModes({ ...this.modes, readOnly });
  }

  /**
   * Makes what stands alone serializable, where it has not begun: a change of a table that reads
   * its rows lets none escape.
   */
  strengthen(): void {
    if (this.#block === "implicit" && this.#rows === undefined) {
      this.#modes = { ...this.modes, isolation: "serializable" };
    }
  }

  /** The work in the rows, begun with the first statement that needs it. */
  async rows(): Promise<RowWork> {
    if (this.#rows !== undefined) return this.#rows;
    this.#opening ??= this.#parts.open(this.modes);
    const opening = this.#opening;
    try {
      this.#rows = await opening;
    } finally {
      this.#opening = undefined;
    }
    // What goes back to before the first row keeps the snapshot, and counts what was read.
    for (const savepoint of this.#savepoints) savepoint.mark ??= this.#rows.savepoint();
    return this.#rows;
  }

  /** A statement is done: foreign keys that are not deferred must hold. @throws FirnError 23503. */
  async endStatement(): Promise<void> {
    if (this.#block !== "failed") await this.#rows?.endStatement();
  }

  /** @returns whether it was committed: one that failed is rolled back. */
  async commit(): Promise<boolean> {
    if (this.#block === "failed") {
      await this.rollback();
      return false;
    }
    try {
      await this.#parts.cursors.hold();
      await this.#rows?.endTemporary();
    } catch (error) {
      await this.rollback();
      throw error;
    }
    const rows = this.#rows;
    this.#rows = undefined;
    const roleChanges = this.roles.settled();
    try {
      const commit = async (): Promise<unknown> => await rows?.commit();
      await this.names.commit(rows as RowTransaction | undefined, commit);
    } catch (error) {
      this.#ended(false);
      await rows?.rollback();
      throw error;
    }
    this.#ended(true);
    await this.roles.make(roleChanges, rows === undefined);
    return true;
  }

  async rollback(): Promise<void> {
    const rows = this.#rows;
    this.#rows = undefined;
    this.#ended(false);
    await rows?.rollback();
  }

  /** A statement failed: what stands alone is undone; a block waits for ROLLBACK. */
  async fail(): Promise<void> {
    if (this.#block === "implicit") await this.rollback();
    else if (this.#block === "explicit") {
      this.#block = "failed";
      // Without a savepoint nothing of it can come back.
      if (this.#savepoints.length === 0) {
        const rows = this.#rows;
        this.#rows = undefined;
        this.#endExports();
        this.#parts.locks.releaseFrom(0);
        await rows?.rollback();
      }
    }
  }

  savepoint(name: string): void {
    const mark = this.#rows?.savepoint();
    const restoreSettings = this.#parts.settings.mark();
    this.#savepoints.push({
      name,
      mark,
      names: this.names.mark,
      roles: this.roles.mark,
      cursors: this.#parts.cursors.mark,
      locks: this.#parts.locks.mark,
      restoreSettings,
      readOnly: this.modes.readOnly,
    });
  }

  /** @throws SqlError 3B001. */
  release(name: string): void {
    const at = this.#find(name);
    const savepoint = this.#savepoints[at] as Savepoint;
    const { mark } = savepoint;
    this.#savepoints.length = at;
    this.#restoreReadOnly(savepoint);
    if (mark !== undefined) this.#rows?.release(mark);
  }

  /** @throws SqlError 3B001. */
  async rollbackTo(name: string): Promise<void> {
    const at = this.#find(name);
    const savepoint = this.#savepoints[at] as Savepoint;
    this.#savepoints.length = at + 1;
    savepoint.restoreSettings();
    this.names.rollbackTo(savepoint.names);
    this.roles.rollbackTo(savepoint.roles);
    this.#parts.cursors.rollbackTo(savepoint.cursors);
    this.#parts.locks.releaseFrom(savepoint.locks);
    if (savepoint.mark !== undefined) await this.#rows?.rollbackTo(savepoint.mark);
    this.#restoreReadOnly(savepoint);
    this.#block = "explicit";
  }

  #find(name: string): number {
    const at = this.#savepoints.findLastIndex((savepoint) => savepoint.name === name);
    if (at < 0) throw new SqlError("3B001", `savepoint "${name}" does not exist`);
    return at;
  }

  #begin(block: Block): void {
    this.#block = block;
    this.#number++;
    this.statements = 0;
    this.#modes = undefined;
    this.#startedMicros = this.#parts.nowMicros();
    this.#parts.settings.begin();
  }

  #ended(isCommitted: boolean): void {
    if (this.#block === "none") return;
    this.#block = "none";
    this.#number++;
    this.#savepoints = [];
    this.#modes = undefined;
    this.#endExports();
    this.names.forget();
    this.roles.forget();
    this.#parts.settings.end(isCommitted);
    this.#parts.cursors.ended(isCommitted);
    this.#parts.locks.releaseFrom(0);
  }

  #defaultModes(): TransactionModes {
    const { settings } = this.#parts;
    const level = settings.get("default_transaction_isolation");
    return {
      isolation: level as Isolation,
      readOnly: settings.get("default_transaction_read_only") === "on",
      deferrable: settings.get("default_transaction_deferrable") === "on",
    };
  }
}
