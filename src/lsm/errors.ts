import { type ErrorContext, FirnError } from "../base/error.ts";

/** Another writer took the shard over. Nothing of the call that throws this has happened. */
export function fenced(epoch: number, found: number): FirnError {
  const facts = { epoch, found };
  return new FirnError(
    "Unavailable",
    "LSM_FENCED",
    "fenced: another process took the shard over",
    facts,
  );
}

/** The engine was closed, by its own process. */
export function closed(): FirnError {
  return new FirnError("Unavailable", "LSM_CLOSED", "the engine is closed");
}

/** Nothing was written: writes arrive faster than they reach the store. */
export function overloaded(retryAfterMs: number, facts: ErrorContext): FirnError {
  const context = { ...facts, retryAfterMs: Math.ceil(retryAfterMs) };
  return new FirnError(
    "Overloaded",
    "LSM_OVERLOADED",
    "writes exceed what flushes and compaction can absorb: try again later",
    context,
  );
}

/** What a transaction read or wrote was written by another after it began. `key`: hexadecimal. */
export function conflict(sequence: number, snapshot: number, key: string): FirnError {
  const facts = { sequence, snapshot, key };
  return new FirnError(
    "Conflict",
    "LSM_CONFLICT",
    "another transaction wrote first: read again and retry",
    facts,
  );
}

/** It has been open for longer than a transaction may be: its snapshot is no longer kept. */
export function tooOld(snapshot: number, maxAgeMs: number): FirnError {
  const facts = { snapshot, maxAgeMs };
  return new FirnError(
    "Conflict",
    "LSM_TRANSACTION_TOO_OLD",
    "the transaction is too old: start a new one",
    facts,
  );
}

/** Another compactor of the shard took over. The output of this one is not published. */
export function compactorFenced(epoch: number, found: number): FirnError {
  const facts = { epoch, found };
  const message = "fenced: another compactor took over";
  return new FirnError("Unavailable", "LSM_COMPACTOR_FENCED", message, facts);
}

/** What was compacted is no longer there to be replaced. */
export function compactionAbandoned(): FirnError {
  const message = "compaction abandoned: another one replaced its inputs";
  return new FirnError("Unavailable", "LSM_COMPACTION_ABANDONED", message);
}

/** Open transactions of all shards hold as much as they may together. */
export function transactionsFull(bytes: number): FirnError {
  return new FirnError(
    "Overloaded",
    "LSM_TRANSACTIONS_FULL",
    "open transactions hold too much memory: end some of them, then try again",
    { bytes, retryAfterMs: 1_000 },
  );
}

/** A table refers to an object that is not there: another process deleted it, or it was lost. */
export function valueGone(path: string, table?: string): FirnError {
  const message = "a value that a table refers to is missing";
  const facts = { path, ...(table !== undefined && { table }) };
  return new FirnError("Corrupt", "LSM_VALUE_MISSING", message, facts);
}

/** Whether an error tells of a file that was there when the state that names it was read. */
export function isFileGone(error: unknown): error is FirnError {
  if (!(error instanceof FirnError)) return false;
  return error.code === "LSM_TABLE_MISSING" || error.code === "LSM_VALUE_MISSING";
}
