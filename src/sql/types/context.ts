import type { Prng } from "../../base/prng.ts";
import type { SequenceDescriptor, ViewObject } from "../../rows/index.ts";
import type { CatalogSnapshot } from "../catalog/system/snapshot.ts";

/** The session's settings that conversions and functions depend on. */
export interface SqlSettings {
  /** An IANA name or a fixed offset such as `+02`. */
  readonly timeZone: string;
  /** Order of the fields in ambiguous dates: MDY unless the session says otherwise. */
  readonly dateOrder: "MDY" | "DMY" | "YMD";
  /** ISO unless the session says otherwise. */
  readonly dateStyle?: "ISO" | "SQL" | "Postgres" | "German";
  /** `postgres` unless the session says otherwise. */
  readonly intervalStyle?: "postgres" | "postgres_verbose" | "sql_standard" | "iso_8601";
  readonly byteaOutput: "hex" | "escape";
  /** 1 or more prints floats with as many digits as their value needs. */
  readonly extraFloatDigits: number;
}

/** What functions such as `current_user` and `set_config` ask the session. */
export interface SqlSession {
  readonly database: string;
  readonly user: string;
  readonly sessionUser: string;
  readonly backendPid: number;
  /** Schemas of `search_path` that exist, in order. */
  readonly schemas: readonly string[];
  /** @throws SqlError 42704 where there is no such setting and `isMissingOk` is false. */
  setting(name: string, isMissingOk: boolean): string | null;
  setSetting(name: string, value: string, isLocal: boolean): string;
}

/** Sequences of a session. */
export interface SqlSequences {
  /** @throws FirnError 2200H. */
  next(sequence: SequenceDescriptor): Promise<bigint>;
  /** @throws FirnError 22003. */
  set(sequence: SequenceDescriptor, value: bigint, isCalled: boolean): Promise<bigint>;
  state(
    sequence: SequenceDescriptor,
  ): Promise<{ readonly last: bigint; readonly isCalled: boolean }>;
  /** What the session was given last by one of them. @throws SqlError 55000. */
  current(sequence: SequenceDescriptor): bigint;
  /** By any of them. @throws SqlError 55000. */
  latest(): bigint;
}

/** Advisory locks of a session. Keys of one text are one lock. */
export interface SqlAdvisoryLocks {
  /** Waits for it. `isOfSession`: it outlives the transaction. @throws SqlError 40P01, 53200. */
  acquire(key: string, mode: "exclusive" | "shared", isOfSession: boolean): Promise<void>;
  /** @returns whether it was free. @throws SqlError 53200. */
  tryAcquire(key: string, mode: "exclusive" | "shared", isOfSession: boolean): boolean;
  /** Lets go of one of the session once. @returns whether it was held. */
  release(key: string, mode: "exclusive" | "shared"): boolean;
  /** Lets go of all of the session. */
  releaseAll(): void;
}

/** How the definition of a view is printed. */
export interface ViewStyle {
  /** Without the parentheses that change nothing. */
  readonly isPretty: boolean;
  /** Lists go on in the next line behind so many characters. */
  readonly wrap: number;
}

/** Definitions of views in PostgreSQL's form. */
export interface SqlViewTexts {
  /** Undefined where the view's query cannot be bound now, or not be printed. */
  text(view: ViewObject, style: ViewStyle, context: SqlContext): string | undefined;
}

/** What evaluation depends on beyond its arguments. */
export interface SqlContext {
  readonly settings: SqlSettings;
  readonly session: SqlSession;
  /** What the catalog holds, where the statement asks for any of it. */
  readonly catalog?: CatalogSnapshot | undefined;
  readonly sequences?: SqlSequences | undefined;
  /** Where the statement asks for definitions of views. */
  readonly views?: SqlViewTexts | undefined;
  readonly locks?: SqlAdvisoryLocks | undefined;
  /** Waits, unless the statement ends. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
  /** The identifier of what the transaction reads, for others to read too. */
  readonly exportSnapshot?: (() => Promise<string>) | undefined;
  /** Microseconds since 1970: `now()` and `statement_timestamp()`. */
  readonly transactionMicros: bigint;
  readonly statementMicros: bigint;
  /** `clock_timestamp()`. */
  clockMicros(): bigint;
  readonly random: Prng;
  seedRandom(seed: number): void;
}
