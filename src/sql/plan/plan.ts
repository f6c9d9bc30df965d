import type { Clock } from "../../base/clock.ts";
import type { AnyId } from "../../base/ids.ts";
import type { Datum } from "../../rows/index.ts";
import type { Statement } from "../parse/statement.ts";
import type { Cursors } from "../session/cursors.ts";
import type { SessionSequences } from "../session/sequences.ts";
import type { SessionLocks } from "../session/session-locks.ts";
import type { SessionSettings } from "../session/settings.ts";
import type { Column, Started } from "../session/started.ts";
import type { Transaction } from "../session/transaction.ts";
import type { TableUse } from "./table-use.ts";

/** Something to tell the client that is not an error. */
export interface SessionNotice {
  readonly severity: "NOTICE" | "WARNING" | "INFO";
  readonly sqlState: string;
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
}

/** What a statement sees of its session while it runs. */
export interface RunContext {
  readonly settings: SessionSettings;
  readonly transaction: Transaction;
  readonly prepared: Map<string, Prepared | undefined>;
  readonly sequences: SessionSequences;
  readonly cursors: Cursors;
  readonly locks: SessionLocks;
  readonly clock: Clock;
  readonly user: string;
  /** Who has signed in, whichever role is set. */
  readonly sessionUser: string;
  readonly database: string;
  readonly pid: number;
  /** Its text has other statements too: these are one transaction. */
  readonly isOfMany: boolean;
  /** `AS OF SYSTEM TIME` of a statement that begins or sets a transaction, ms. */
  readonly atMs: number | undefined;
  /** Ends the statement: by a cancel, its timeout, or the end of the connection. */
  readonly signal: AbortSignal;
  notice(notice: SessionNotice): void;
}

/** A statement that can be run, any number of times. Immutable. */
export interface Plan {
  /** What `CommandComplete` begins with. */
  readonly tag: string;
  /** OIDs. */
  readonly parameterTypes: readonly number[];
  /** Absent where it gives no rows. */
  readonly columns?: readonly Column[] | undefined;
  /** It ends a transaction, so that a failed one takes it too. */
  readonly endsTransaction?: boolean;
  /** It begins, ends or marks transactions by itself: nothing is made last for it. */
  readonly isControl?: boolean;
  /** It reads or closes a cursor: others leave none half read. */
  readonly isOfCursor?: boolean;
  /** What a read-only transaction is told that it cannot execute. */
  readonly writes?: string;
  /** It changes no rows. */
  readonly onlyReads?: boolean;
  /** Its work is done when it has started: the server does it again where a conflict undid it. */
  readonly isRetried?: boolean;
  /** Tables that it was made by: where one has changed, it is made again. */
  readonly tables?: readonly Pick<TableUse, "descriptor" | "held" | "needs">[];
  /** Types and views that it was made by, as with tables. */
  readonly objects?: readonly { readonly id: AnyId; readonly version: number }[];
  readonly start: (run: RunContext, parameters: readonly Datum[]) => Started | Promise<Started>;
}

/** A plan of what is done at once and gives no rows. A text that `run` gives is the tag. */
export function commandPlan(
  tag: string,
  run: (context: RunContext) => unknown,
  more: Pick<Plan, "endsTransaction" | "isControl" | "isRetried" | "isOfCursor"> = {},
): Plan {
  return {
    tag,
    parameterTypes: [],
    ...more,
    start: async (context) => {
      const told = await run(context);
      return { kind: "done", finish: () => (typeof told === "string" ? told : tag) };
    },
  };
}

/** A statement with its plan. */
export interface Prepared extends Pick<Plan, "tag" | "parameterTypes" | "columns"> {
  readonly statement: Statement;
  readonly plan: Plan;
  /** The types that the client gave for parameters, 0 for none: it is planned again by them. */
  readonly givenTypes: readonly number[];
  /** Made by `PREPARE`, not by the protocol. */
  readonly isSql: boolean;
  readonly preparedMicros: bigint;
  /** The schema of temporary tables when it was planned, which came first on the search path. */
  readonly temporary: string | undefined;
}
