import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import type { AuditPosition, AuditSource, AuditSpan, TakeLine } from "../service/audit-trail.ts";

/** Files beside the current one, the newest as `.1`. */
export const AUDIT_FILES_ROTATED = 9;

/** The name of the current file, or of the `age`-th before it. */
export function auditFile(file: string, age: number): string {
  return age === 0 ? file : `${file}.${age}`;
}

/** Read at once: what is parsed in one turn of the event loop. */
const PIECE_BYTES = 131_072;
/** Read by one call, which then says where the next one goes on. */
const CALL_BYTES = 8_388_608;
/** No entry is longer: its members are bounded, and so are their texts. */
const LINE_BYTES = 131_072;
const FIRST_BYTES = 4_096;
const NEWLINE = 10;

/** A file of the log with an entry in it. */
interface LogFile {
  readonly handle: FileHandle;
  /** A digest of its first line: it stays when a rotation renames the file. */
  readonly id: string;
  readonly bytes: number;
  /** When its first entry was recorded, and when the last one was written. */
  readonly firstMs: number;
  readonly lastMs: number;
}

/** What is left to read of a call. */
interface Budget {
  bytes: number;
}

/**
 * The audit log as its files hold it, while the writer appends and rotates. Neither a file nor a
 * long line is ever held whole.
 */
export class AuditFiles implements AuditSource {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  back(
    from: AuditPosition | undefined,
    { untilMs }: AuditSpan,
    take: TakeLine,
  ): Promise<AuditPosition | undefined> {
    return this.#within(async (files) => {
      const budget = { bytes: CALL_BYTES };
      const first = from === undefined ? 0 : files.findIndex(({ id }) => id === from.file);
      if (first < 0) return undefined;
      for (const [i, file] of files.entries()) {
        if (i < first || file.firstMs > untilMs) continue;
        const end = i === first && from !== undefined ? Math.min(from.at, file.bytes) : file.bytes;
        const stopped = await backWithin(file, end, budget, take);
        if (stopped === "over") return undefined;
        if (stopped !== undefined) return { file: file.id, at: stopped };
      }
      return undefined;
    });
  }

  forth(
    from: AuditPosition | undefined,
    { sinceMs }: AuditSpan,
    take: TakeLine,
  ): Promise<{ readonly next: AuditPosition; readonly more: boolean }> {
    return this.#within(async (newestFirst) => {
      const files = newestFirst.toReversed();
      const budget = { bytes: CALL_BYTES };
      // What is gone was the oldest: it goes on with what is left.
      const first = Math.max(
        0,
        files.findIndex(({ id }) => id === from?.file),
      );
      let next = from ?? { file: "", at: 0 };
      for (const [i, file] of files.entries()) {
        if (i < first || (file.lastMs < sinceMs && i < files.length - 1)) continue;
        const at = file.id === from?.file ? Math.min(from.at, file.bytes) : 0;
        const stopped = await forthWithin(file, at, budget, take);
        next = { file: file.id, at: stopped.at };
        if (stopped.why === "over") return { next, more: false };
        if (stopped.why === "full") return { next, more: true };
      }
      return { next, more: false };
    });
  }

  end(): Promise<AuditPosition> {
    return this.#within(async ([newest]) => {
      if (newest === undefined) return { file: "", at: 0 };
      const from = Math.max(0, newest.bytes - LINE_BYTES);
      const tail = await readAt(newest.handle, from, newest.bytes - from);
      return { file: newest.id, at: from + tail.lastIndexOf(NEWLINE) + 1 };
    });
  }

  /**
   * Runs a reader over the files, newest first. They are opened in that order: a rotation renames
   * the oldest one first, so that one may be met twice, and none is missed.
   */
  async #within<T>(read: (files: readonly LogFile[]) => Promise<T>): Promise<T> {
    const handles: FileHandle[] = [];
    try {
      const files: LogFile[] = [];
      const seen = new Set<string>();
      for (let age = 0; age <= AUDIT_FILES_ROTATED; age++) {
        const handle = await open(auditFile(this.#file, age), "r").catch(unlessAbsent);
        if (handle === undefined) continue;
        handles.push(handle);
        const file = await logFileOf(handle);
        if (file === undefined || seen.has(file.id)) continue;
        seen.add(file.id);
        files.push(file);
      }
      return await read(files);
    } finally {
      await Promise.all(handles.map((handle) => handle.close()));
    }
  }
}

async function logFileOf(handle: FileHandle): Promise<LogFile | undefined> {
  const { size: bytes, mtimeMs: lastMs } = await handle.stat();
  for (const length of [FIRST_BYTES, LINE_BYTES]) {
    const head = await readAt(handle, 0, Math.min(length, bytes));
    const end = head.indexOf(NEWLINE);
    if (end < 0) continue;
    const line = head.subarray(0, end);
    const id = createHash("sha256").update(line).digest("base64url").slice(0, 22);
    return { handle, id, bytes, firstMs: timeOf(line.toString("utf8")), lastMs };
  }
  return undefined;
}

/** When a line was recorded; one that cannot be read might have been at any time. */
function timeOf(line: string): number {
  const time = /^\{"time":"([^"]+)"/.exec(line)?.[1];
  const atMs = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isFinite(atMs) ? atMs : Number.NEGATIVE_INFINITY;
}

/** @returns where it stopped before the file's begin, or that the reader wants no more. */
async function backWithin(
  { handle }: LogFile,
  from: number,
  budget: Budget,
  take: TakeLine,
): Promise<number | "over" | undefined> {
  let tail: Buffer = Buffer.alloc(0);
  for (let end = from; end > 0; ) {
    if (budget.bytes <= 0) return end + tail.length;
    const start = Math.max(0, end - PIECE_BYTES);
    const piece = await readAt(handle, start, end - start);
    budget.bytes -= end - start;
    const buffer = Buffer.concat([piece, tail]);
    // The file may end in a line that is being written, or that never was written whole.
    let stop = buffer.lastIndexOf(NEWLINE) + 1;
    while (stop > 0) {
      const begin = stop < 2 ? 0 : buffer.lastIndexOf(NEWLINE, stop - 2) + 1;
      if (begin === 0 && start > 0) break;
      const said = take(buffer.toString("utf8", begin, stop - 1));
      if (said === "over") return "over";
      stop = begin;
      if (said === "full") return start + stop;
    }
    tail = stop > LINE_BYTES ? Buffer.alloc(0) : buffer.subarray(0, stop);
    end = start;
  }
  return undefined;
}

async function forthWithin(
  { handle, bytes }: LogFile,
  from: number,
  budget: Budget,
  take: TakeLine,
): Promise<{ readonly at: number; readonly why: "end" | "full" | "over" }> {
  let tail: Buffer = Buffer.alloc(0);
  // Of a line that is too long to be an entry.
  let isWithinLine = false;
  let at = from;
  while (at < bytes) {
    if (budget.bytes <= 0) return { at: at - tail.length, why: "full" };
    const length = Math.min(PIECE_BYTES, bytes - at);
    const piece = await readAt(handle, at, length);
    if (piece.length === 0) break;
    budget.bytes -= piece.length;
    const buffer = Buffer.concat([tail, piece]);
    const base = at - tail.length;
    let begin = 0;
    for (let end = buffer.indexOf(NEWLINE); end >= 0; end = buffer.indexOf(NEWLINE, begin)) {
      const said = isWithinLine ? "more" : take(buffer.toString("utf8", begin, end));
      isWithinLine = false;
      if (said === "over") return { at: base + begin, why: "over" };
      begin = end + 1;
      if (said === "full") return { at: base + begin, why: "full" };
    }
    tail = buffer.subarray(begin);
    at += piece.length;
    if (tail.length > LINE_BYTES) {
      tail = Buffer.alloc(0);
      isWithinLine = true;
    }
  }
  return { at: at - tail.length, why: "end" };
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}
