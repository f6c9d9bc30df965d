import type { AuditDecision, AuditFilter, AuditRecord } from "../api/audit-operations.ts";
import { FirnError } from "../base/error.ts";
import { type Actor, DEFAULT_ACCOUNT } from "./actor.ts";
import type { PageTokens } from "./page-token.ts";
import { type PageAsked, type TokenPage, tokenPage } from "./resources/pages.ts";

/** Where a reader of the log stands: before a byte of a file, which has its name for life. */
export interface AuditPosition {
  readonly file: string;
  readonly at: number;
}

/** Told each line; says whether the reader goes on, ends behind it, or ends for good. */
export type TakeLine = (line: string) => "more" | "full" | "over";

export interface AuditSpan {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** The lines of the log, a bounded part of them a call. */
export interface AuditSource {
  /** Newest first. @returns where to go on; undefined: nothing is left. */
  back(
    from: AuditPosition | undefined,
    span: AuditSpan,
    take: TakeLine,
  ): Promise<AuditPosition | undefined>;
  /** Oldest first. `more`: it did not reach the end of the log. */
  forth(
    from: AuditPosition | undefined,
    span: AuditSpan,
    take: TakeLine,
  ): Promise<{ readonly next: AuditPosition; readonly more: boolean }>;
  end(): Promise<AuditPosition>;
}

export interface AuditAsked extends AuditFilter, PageAsked {
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly follow?: boolean | undefined;
}

export interface AuditRecords extends TokenPage<AuditRecord> {
  readonly hasMore: boolean;
}

/** Entries are in the order of the clock, but where it was set back by less than this. */
const DISORDER_MS = 60_000;
/** Of the lines of one page. */
const PAGE_CHARS = 4_194_304;

/** The audit log of this node, for administrators of an account and for operators. */
export class AuditTrail {
  readonly #tokens: PageTokens;
  readonly #source: AuditSource | undefined;

  constructor(tokens: PageTokens, source: AuditSource | undefined) {
    this.#tokens = tokens;
    this.#source = source;
  }

  /**
   * Entries of the actor's account; for operators, who are not judged, all of them.
   *
   * @throws FirnError `NotFound` `AUDIT_LOG_OFF`; `Invalid` `PAGE_TOKEN_INVALID`.
   */
  async list(actor: Actor, asked: AuditAsked): Promise<AuditRecords> {
    const { principal, operation, decision, object, sinceMs, untilMs, follow = false } = asked;
    const filter = JSON.stringify([principal, operation, decision, object, sinceMs, untilMs]);
    let hasMore = false;
    // An account of an earlier time may have had its name, and its principals' names.
    const list = ["audit", `${follow}`, actor.accountId ?? "", filter];
    const page = await tokenPage<AuditRecord>(this.#tokens, actor, list, asked, async (turn) => {
      const source = this.#source;
      if (source === undefined) throw off();
      const from = turn.after === undefined ? undefined : (JSON.parse(turn.after) as AuditPosition);
      const found = new Found(actor, asked, turn.limit ?? 1);
      if (follow) {
        const isNow = from === undefined && sinceMs === undefined;
        const start = isNow ? await source.end() : from;
        const { next, more } = await source.forth(start, found.span, found.take);
        hasMore = more;
        return { items: found.items, next: JSON.stringify(next) };
      }
      const next = await source.back(from, found.span, found.take);
      hasMore = next !== undefined;
      return { items: found.items, ...(next && { next: JSON.stringify(next) }) };
    });
    return { ...page, hasMore };
  }
}

function off(): FirnError {
  const message = "this node writes no audit log: start it with --audit-log";
  return new FirnError("NotFound", "AUDIT_LOG_OFF", message);
}

/** The entries of one page. */
class Found {
  readonly items: AuditRecord[] = [];
  readonly span: AuditSpan;
  readonly #actor: Actor;
  readonly #asked: AuditAsked;
  readonly #limit: number;
  #chars = 0;

  constructor(actor: Actor, asked: AuditAsked, limit: number) {
    const { sinceMs = Number.NEGATIVE_INFINITY, untilMs = Number.POSITIVE_INFINITY } = asked;
    this.span = { sinceMs, untilMs };
    this.#actor = actor;
    this.#asked = asked;
    this.#limit = limit;
  }

  readonly take: TakeLine = (line) => {
    const record = recordOf(line);
    if (record === undefined) return "more";
    const atMs = Date.parse(record.time);
    const { sinceMs, untilMs } = this.span;
    if (this.#asked.follow === true ? atMs > untilMs + DISORDER_MS : atMs < sinceMs - DISORDER_MS) {
      return "over";
    }
    const isWanted = atMs >= sinceMs && atMs <= untilMs && matches(record, this.#asked);
    if (!isWanted || !mayRead(this.#actor, record)) return "more";
    this.items.push(record);
    this.#chars += line.length;
    return this.items.length >= this.#limit || this.#chars >= PAGE_CHARS ? "full" : "more";
  };
}

/** Whether an entry is of the account of who asks. Operators, who are not judged, read all. */
function mayRead({ rights, account, accountId }: Actor, record: AuditRecord): boolean {
  if (rights === undefined) return true;
  if (record.account !== account) return false;
  if (account !== DEFAULT_ACCOUNT) return record.accountId === accountId;
  // What operators do to other accounts is recorded under this one, and names them.
  return record.object?.["account"] === undefined || record.decision === "denied";
}

function matches(record: AuditRecord, asked: AuditFilter): boolean {
  const { principal, operation, decision, object } = asked;
  const isOther =
    (principal !== undefined && record.principal !== principal) ||
    (operation !== undefined && record.operation !== operation) ||
    (decision !== undefined && record.decision !== decision);
  if (isOther) return false;
  if (object === undefined) return true;
  const names = Object.values(record.object ?? {}).join(".");
  return names === object || names.startsWith(`${object}.`);
}

const TEXTS = [
  "requestId",
  "account",
  "accountId",
  "principal",
  "keyId",
  "issuer",
  "address",
  "operation",
  "mode",
  "code",
] as const;
const NUMBERS = ["reads", "writes", "status", "missing"] as const;
const DECISION: ReadonlySet<unknown> = new Set<AuditDecision>([
  "allowed",
  "denied",
  "failed",
  "unauthenticated",
]);

/** A line as an entry; undefined where it is none, as after a crash in the middle of a line. */
function recordOf(line: string): AuditRecord | undefined {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof read !== "object" || read === null) return undefined;
  const { time, object, decision, ...rest } = read as Readonly<Record<string, unknown>>;
  if (typeof time !== "string" || !Number.isFinite(Date.parse(time))) return undefined;
  const record: Record<string, unknown> = { time };
  for (const name of TEXTS) if (typeof rest[name] === "string") record[name] = rest[name];
  for (const name of NUMBERS) if (isCount(rest[name])) record[name] = rest[name];
  if (DECISION.has(decision)) record["decision"] = decision;
  if (typeof object === "object" && object !== null) {
    const names = Object.entries(object).filter(([, name]) => typeof name === "string");
    record["object"] = Object.fromEntries(names);
  }
  return record as unknown as AuditRecord;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
