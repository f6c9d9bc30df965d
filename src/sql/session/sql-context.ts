import type { Clock } from "../../base/clock.ts";
import { type Prng, SeededPrng } from "../../base/prng.ts";
import type { CatalogSnapshot } from "../catalog/system/snapshot.ts";
import type {
  SqlSession as SessionFacts,
  SqlAdvisoryLocks,
  SqlContext,
  SqlSequences,
  SqlViewTexts,
} from "../types/context.ts";
import { namesOf } from "./name-list.ts";
import { NO_ROLE } from "./setting-table.ts";
import type { SessionSettings } from "./settings.ts";
import { modeText, type TransactionModes } from "./transaction.ts";

export interface ContextParts {
  readonly settings: SessionSettings;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly user: string;
  readonly database: string;
  readonly pid: () => number;
  readonly transactionMicros: () => bigint;
  readonly modes: () => TransactionModes;
  readonly sequences: SqlSequences;
  readonly locks: SqlAdvisoryLocks;
  readonly sleep: (ms: number) => Promise<void>;
  readonly exportSnapshot: () => Promise<string>;
}

/** Makes what expressions are evaluated in, for one session. */
export class SqlContexts {
  readonly #parts: ContextParts;
  readonly #facts: SessionFacts;
  #seeded: SeededPrng | undefined;
  /** What the statement that is planned or run sees of the catalog; kept for one statement. */
  catalog: CatalogSnapshot | undefined;
  /** Definitions of views, where the statement asks for any. */
  views: SqlViewTexts | undefined;

  constructor(parts: ContextParts) {
    this.#parts = parts;
    const { settings, user, database } = parts;
    const current = (): string => {
      const role = settings.get("role");
      return role === NO_ROLE ? user : role;
    };
    this.#facts = {
      database,
      get user() {
        return current();
      },
      sessionUser: user,
      get backendPid() {
        return parts.pid();
      },
      get schemas() {
        return namesOf(settings.get("search_path")).map((each) =>
          each === "$user" ? current() : each,
        );
      },
      setting: (name, isMissingOk) => {
        if (isMissingOk && !isKnown(settings, name)) return null;
        return modeText(parts.modes(), name) ?? settings.get(name);
      },
      setSetting: (name, value, isLocal) => {
        settings.set(name, value, isLocal);
        return settings.get(name);
      },
    };
  }

  /** As it is when a statement begins. */
  now(): SqlContext {
    const { settings, clock, prng, transactionMicros, sequences, locks } = this.#parts;
    const { sleep, exportSnapshot } = this.#parts;
    const clockMicros = (): bigint => BigInt(clock.nowMs()) * 1_000n;
    const [style, order = "MDY"] = settings.get("DateStyle").split(", ");
    return {
      settings: {
        timeZone: settings.get("TimeZone"),
        dateOrder: order as "MDY",
        dateStyle: style as "ISO",
        intervalStyle: settings.get("IntervalStyle") as "postgres",
        byteaOutput: settings.get("bytea_output") as "hex",
        extraFloatDigits: Number(settings.get("extra_float_digits")),
      },
      session: this.#facts,
      catalog: this.catalog,
      views: this.views,
      sequences,
      locks,
      sleep,
      exportSnapshot,
      transactionMicros: transactionMicros(),
      statementMicros: clockMicros(),
      clockMicros,
      random: this.#seeded ?? prng,
      seedRandom: (seed) => {
        this.#seeded = new SeededPrng(Math.round((seed + 1) * 2 ** 40));
      },
    };
  }
}

function isKnown(settings: SessionSettings, name: string): boolean {
  try {
    return settings.isKnown(name);
  } catch {
    return false;
  }
}
