import { type FileHandle, open, rename } from "node:fs/promises";
import type { Logger } from "pino";
import type { AuditDecision } from "../api/audit-operations.ts";
import type { Clock } from "../base/clock.ts";
import { invalid } from "../base/error.ts";
import { Counts, type Metrics } from "../base/metrics.ts";
import { PRIVATE_FILE } from "../blob/directories.ts";
import { AUDIT_FILES_ROTATED, auditFile } from "../runtime/audit-files.ts";
import { flagOf } from "../runtime/setting-names.ts";
import type { Settings } from "../runtime/settings.ts";
import { type Actor, DEFAULT_ACCOUNT } from "../service/actor.ts";

/** Lines that wait for the disk: what comes while it stands still is counted, not kept. */
const WAITING_BYTES = 8_388_608;
/** Written at once: small beside the least size of a file. */
const PIECE_BYTES = 262_144;
/** Of one text of an entry: names and paths of clients are as long as clients like. */
const TEXT_CHARS = 1_024;
const API_KEY = /(firn_[a-z0-9]{1,64}_)[A-Za-z0-9_-]+/g;
const JWT = /eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g;
const MEBIBYTE = 1_048_576;

export type Decision = AuditDecision;

/** What is recorded of one request or session. Nothing of a body, a header or a statement. */
export interface AuditEntry {
  readonly requestId?: string | undefined;
  readonly account?: string | undefined;
  /** Of an account other than the default one: another account may have had its name. */
  readonly accountId?: string | undefined;
  readonly principal?: string | undefined;
  /** Of the API key, also of one that was refused. */
  readonly keyId?: string | undefined;
  readonly issuer?: string | undefined;
  readonly address?: string | undefined;
  readonly operation: string;
  /** The names in its path. */
  readonly object?: object | undefined;
  /** Of credentials for files. */
  readonly mode?: "read" | "write" | undefined;
  /** Signatures for requests that read, and for those that write. */
  readonly reads?: number | undefined;
  readonly writes?: number | undefined;
  readonly decision: Decision;
  /** Of HTTP. */
  readonly status?: number | undefined;
  /** Of the error. */
  readonly code?: string | undefined;
}

export interface AuditParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/**
 * Lines of JSON in a file that only its user may read. Recording never waits: lines are written
 * behind the requests, and those that the disk does not take in time are counted and left out.
 */
export class AuditLog {
  readonly #file: string;
  readonly #limitBytes: number;
  readonly #parts: AuditParts;
  readonly #written: Counts;
  readonly #dropped: Counts;
  #handle: FileHandle | undefined;
  /** Of the current file. */
  #bytes: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  /** Left out since the last line that was written. */
  #missing = 0;
  #writing: Promise<void> | undefined;
  #isFailing = false;

  private constructor(file: string, limitBytes: number, handle: FileHandle, parts: AuditParts) {
    this.#file = file;
    this.#limitBytes = limitBytes;
    this.#handle = handle;
    this.#bytes = 0;
    this.#parts = parts;
    this.#written = new Counts(parts.metrics, {
      name: "firn_audit_entries_total",
      help: "Entries written to the audit log",
      labels: [],
    });
    this.#dropped = new Counts(parts.metrics, {
      name: "firn_audit_entries_dropped_total",
      help: "Entries left out of the audit log because the disk did not take them",
      labels: [],
    });
  }

  /**
   * @returns undefined where the settings name no file.
   * @throws FirnError `Invalid` `AUDIT_LOG_INVALID`: the file cannot be written.
   */
  static async open(
    { auditLog, auditLogMib }: Pick<Settings, "auditLog" | "auditLogMib">,
    parts: AuditParts,
  ): Promise<AuditLog | undefined> {
    if (auditLog === undefined) return undefined;
    try {
      const handle = await open(auditLog, "a", PRIVATE_FILE);
      const opened = new AuditLog(auditLog, auditLogMib * MEBIBYTE, handle, parts);
      opened.#bytes = (await handle.stat()).size;
      return opened;
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? "unknown";
      const message = `the file of ${flagOf("auditLog")} cannot be written: ${reason}`;
      throw invalid("AUDIT_LOG_INVALID", message, { file: auditLog });
    }
  }

  /** Never throws, never waits. */
  record(entry: AuditEntry): void {
    const time = new Date(this.#parts.clock.nowMs()).toISOString();
    const line = `${JSON.stringify({ time, ...entry }, cleaned)}\n`;
    if (this.#waitingBytes + line.length > WAITING_BYTES) {
      this.#leaveOut(1);
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Writes what waits. Nothing is recorded after it. */
  async close(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #write(): Promise<void> {
    // What comes in this turn of the event loop goes with one call.
    await undefined;
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      for (let from = 0; from < lines.length; ) {
        const piece = pieceOf(lines, from);
        from += piece.length;
        try {
          await this.#append(piece);
        } catch (error) {
          this.#leaveOut(piece.length);
          this.#warn(error);
        }
        this.#waitingBytes -= lengthOf(piece);
      }
    }
  }

  async #append(lines: readonly string[]): Promise<void> {
    const missing = this.#missing;
    const time = new Date(this.#parts.clock.nowMs()).toISOString();
    const gap = missing === 0 ? "" : `${JSON.stringify({ time, missing })}\n`;
    const bytes = Buffer.from(gap + lines.join(""));
    if (this.#bytes > 0 && this.#bytes + bytes.length > this.#limitBytes) await this.#rotate();
    this.#handle ??= await open(this.#file, "a", PRIVATE_FILE);
    await this.#handle.appendFile(bytes);
    this.#bytes += bytes.length;
    this.#missing -= missing;
    this.#written.add(lines.length);
    this.#isFailing = false;
  }

  async #rotate(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
    for (let i = AUDIT_FILES_ROTATED - 1; i >= 0; i--) {
      const [from, to] = [auditFile(this.#file, i), auditFile(this.#file, i + 1)];
      await rename(from, to).catch(unlessAbsent);
    }
    this.#bytes = 0;
  }

  #leaveOut(entries: number): void {
    this.#missing += entries;
    this.#dropped.add(entries);
  }

  #warn(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    const facts = { file: this.#file, reason };
    this.#parts.log.error(facts, "the audit log cannot be written: entries are left out");
  }
}

/** One line at least. */
function pieceOf(lines: readonly string[], from: number): readonly string[] {
  let [end, bytes] = [from, 0];
  do bytes += lines[end++]?.length ?? 0;
  while (end < lines.length && bytes + (lines[end]?.length ?? 0) <= PIECE_BYTES);
  return lines.slice(from, end);
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

function unlessAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

/** Bounded, and without credentials that a client put where a name belongs. */
function cleaned(_key: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  const text = value.replace(API_KEY, "$1…").replace(JWT, "…");
  return text.length > TEXT_CHARS ? `${text.slice(0, TEXT_CHARS)}…` : text;
}

/** The account of who asks, as entries have it. */
export function accountOf(
  who: Pick<Actor, "account" | "accountId"> | undefined,
): Pick<AuditEntry, "account" | "accountId"> {
  const { account, accountId } = who ?? {};
  return account === DEFAULT_ACCOUNT ? { account } : { account, accountId };
}
