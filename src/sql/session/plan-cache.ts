import type { Clock } from "../../base/clock.ts";
import { LruMap } from "../../base/lru.ts";
import type { TableDescriptor } from "../../rows/index.ts";
import type { Statement } from "../parse/statement.ts";
import type { Plan } from "../plan/plan.ts";
import type { SqlContext } from "../types/context.ts";
import type { SessionSettings } from "./settings.ts";

/** Of the texts of statements whose plans are kept: a plan takes many times its text. */
const KEPT_CHARS = 65_536;
/** A plan is chosen by how many rows its tables have, which is not looked at again before this. */
const KEPT_MS = 1_000;

/** Others depend on more than tables, or are rarely sent twice. */
const KINDS: ReadonlySet<string> = new Set([
  "SelectStmt",
  "InsertStmt",
  "UpdateStmt",
  "DeleteStmt",
]);

/** A name of a statement, and the table that it means. */
interface TableName {
  readonly schema: string | undefined;
  readonly name: string;
  readonly table: TableDescriptor;
}

/** Whether a table is as it was. One made in the place of another may have its id and version. */
export function isSameTable(now: TableDescriptor, before: TableDescriptor): boolean {
  const isSame = now.version === before.version && now.relation === before.relation;
  return isSame && now.id === before.id;
}

/** Whether a name means the same table, as it was. */
export type IsSameTable = (name: TableName) => Promise<boolean>;

/** What the cache needs of its session. */
interface Session {
  readonly settings: SessionSettings;
  readonly clock: Clock;
}

interface KeptPlan {
  readonly statement: Statement;
  readonly plan: Plan;
  readonly given: readonly number[];
  readonly settings: number;
  readonly plannedMs: number;
  readonly names: readonly TableName[];
}

/** What one planning has relied on. */
export class PlanBasis {
  readonly names: TableName[] = [];
  #isKnown = true;

  /** It relied on nothing but tables and settings. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  table(schema: string | undefined, name: string, table: TableDescriptor): void {
    this.names.push({ schema, name, table });
  }

  /** It relied on something that is not looked at again: the plan is good for once. */
  other(): void {
    this.#isKnown = false;
  }

  /** A context that tells when more than settings is asked of it, such as what `now` means. */
  watched(context: SqlContext): SqlContext {
    const { settings, session } = context;
    const asked = (): SqlContext => {
      this.other();
      return context;
    };
    return {
      settings,
      session,
      get catalog() {
        return asked().catalog;
      },
      get sequences() {
        return asked().sequences;
      },
      get transactionMicros() {
        return asked().transactionMicros;
      },
      get statementMicros() {
        return asked().statementMicros;
      },
      clockMicros: () => asked().clockMicros(),
      get random() {
        return asked().random;
      },
      seedRandom: (seed) => asked().seedRandom(seed),
    };
  }
}

/**
 * Plans of statements that a session has sent twice, as clients do that prepare none by name.
 * Each use looks up the names again, in the transaction that will run the plan: DDL, renames and
 * other tables of a name are seen. Whatever is checked when a plan starts is checked each time.
 */
export class PlanCache {
  readonly #session: Session;
  /** By the parser's trees, which are the same for the same text. */
  readonly #kept: LruMap<Statement, KeptPlan> = new LruMap(
    KEPT_CHARS,
    ({ statement }) => statement.source.text.length + 64,
  );
  /** Planned once: most texts with their values in them never come again. */
  readonly #seen = new WeakSet<Statement>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Undefined where the statement is to be planned. */
  async find(
    statement: Statement,
    given: readonly number[],
    isSame: IsSameTable,
  ): Promise<Plan | undefined> {
    const kept = this.#kept.get(statement);
    if (kept === undefined) return undefined;
    const { settings, clock } = this.#session;
    const isStale =
      kept.settings !== settings.version || clock.monotonicMs() - kept.plannedMs > KEPT_MS;
    const isOther =
      kept.given.length !== given.length || kept.given.some((oid, i) => oid !== given[i]);
    if (isStale || isOther) return undefined;
    for (const name of kept.names) if (!(await isSame(name))) return undefined;
    return kept.plan;
  }

  keep(statement: Statement, given: readonly number[], plan: Plan, basis: PlanBasis): void {
    // A query that makes a table (INTO) says nothing of what it reads.
    if (plan.onlyReads === undefined || !KINDS.has(statement.kind) || !basis.isKnown) return;
    if (!this.#seen.has(statement)) {
      this.#seen.add(statement);
      return;
    }
    const { settings, clock } = this.#session;
    this.#kept.set(statement, {
      statement,
      plan,
      given,
      settings: settings.version,
      plannedMs: clock.monotonicMs(),
      names: basis.names,
    });
  }
}
