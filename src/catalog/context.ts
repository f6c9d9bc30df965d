import type { Background } from "../base/background.ts";
import type { Clock } from "../base/clock.ts";
import type { AccountId, IdSource, PrincipalId } from "../base/ids.ts";
import type { Prng } from "../base/prng.ts";
import type { PointerStore } from "../pointer/port.ts";
import { JobNews } from "./job-news.ts";
import type { Payloads } from "./payloads.ts";

/** What every part of the catalog of one account works with. */
export interface CatalogContext {
  readonly account: AccountId;
  readonly pointers: PointerStore;
  readonly payloads: Payloads;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly ids: IdSource;
  /** What follows a change once it is answered. */
  readonly background: Background;
  readonly jobNews: JobNews;
  /** How long what is dropped can be brought back; absent: `CATALOG_LIMITS.dropRetentionMs`. */
  readonly dropRetentionMs?: number;
}

/** The same stores and ports, for what lies in another account. */
export function contextWithin(context: CatalogContext, account: AccountId): CatalogContext {
  if (account === context.account) return context;
  const payloads = context.payloads.of(account);
  return { ...context, account, payloads, jobNews: new JobNews() };
}

/** Who writes, recorded with the change. */
export interface Actor {
  readonly requestId: string;
  readonly principal: string;
  /** Owns what it creates; absent without sign-in. */
  readonly principalId?: PrincipalId | undefined;
  /** The client's promise that all requests under one key are one. */
  readonly idempotency?: Idempotency;
  /** Asks what would be written: everything is read and judged, nothing is put or recorded. */
  readonly dryRun?: true;
}

/** One request under a client's key, and what became of it. */
export interface Idempotency {
  /** Belongs to one request of the account, whatever that is about. */
  readonly key: string;
  /** SHA-256 of everything that makes two requests the same. */
  readonly requestHash: Uint8Array;
  /** Set where the answer is that of an earlier request. */
  replayed: boolean;
}
