import { invalid } from "../base/error.ts";
import type { SqlSession } from "../sql/session/session.ts";
import type { Column, CopyIn, CopyOut, Row, Rows, Started } from "../sql/session/started.ts";
import { bare, commandComplete, copyResponse, type Format, rowDescription } from "./answers.ts";
import type { Frame } from "./frames.ts";
import { WIRE_LIMITS } from "./limits.ts";
import { MessageReader } from "./message-reader.ts";
import { BACKEND, FRONTEND } from "./message-types.ts";
import type { MessageWriter } from "./message-writer.ts";
import { protocolViolation } from "./protocol-violation.ts";

/** The client, as what answers it sees it. */
export interface Peer {
  readonly out: MessageWriter;
  readonly session: SqlSession;
  nextIs(type: number): boolean;
  receive(): Promise<Frame | undefined>;
  flush(): Promise<void> | void;
}

/** How rows are sent. */
interface Sending {
  /** Whether the columns are told first. */
  readonly describes: boolean;
  /** None: text; one: of all columns; else one each. */
  readonly formats: readonly Format[];
  /** Rows to send before the portal is suspended; absent: all. */
  readonly most?: number;
}

/** The format of each column. */
export function formatOf(formats: readonly Format[]): (column: number) => Format {
  if (formats.length <= 1) {
    const all = formats[0] ?? 0;
    return () => all;
  }
  return (column) => formats[column] ?? 0;
}

/**
 * Sends what a statement gives, to its end or until the portal is suspended.
 *
 * @returns whether it ended; undefined where the client has gone.
 */
export async function sendStarted(
  peer: Peer,
  started: Started,
  sending: Sending,
): Promise<boolean | undefined> {
  if (started.kind === "copyIn") return await copyIn(peer, started);
  if (started.kind === "copyOut") return await copyOut(peer, started);
  if (started.kind === "rows") {
    if (sending.describes) {
      rowDescription(peer.out, started.columns, formatOf(sending.formats));
    }
    const isEnd = await sendRows(peer, started, sending);
    if (!isEnd) {
      bare(peer.out, BACKEND.portalSuspended);
      return false;
    }
  }
  commandComplete(peer.out, await started.finish());
  return true;
}

/** @returns whether the rows ended. */
export async function sendRows(peer: Peer, rows: Rows, sending: Sending): Promise<boolean> {
  const { out, session } = peer;
  const send = rowSender(out, rows.columns, sending.formats, session);
  let left = sending.most ?? Number.POSITIVE_INFINITY;
  while (left > 0) {
    const next = rows.next(left);
    const batch = next instanceof Promise ? await next : next;
    if (batch === undefined) return true;
    for (const row of batch) {
      send(row);
      if (out.bytes > WIRE_LIMITS.writeBehindBytes) {
        const flushed = peer.flush();
        if (flushed !== undefined) await flushed;
      }
    }
    left -= batch.length;
  }
  return false;
}

type RowSender = (row: Row) => void;

/** Writes rows as messages. */
function rowSender(
  out: MessageWriter,
  columns: readonly Column[],
  formats: readonly Format[],
  session: SqlSession,
): RowSender {
  const format = formatOf(formats);
  const fields = columns.map((column, index) => session.fieldWriter(column, format(index) === 1));
  return (row) => {
    out.begin(BACKEND.dataRow).int16(fields.length);
    for (let i = 0; i < fields.length; i++) {
      const value = row[i] ?? null;
      if (value === null) {
        out.int32(-1);
        continue;
      }
      const written = (fields[i] as (typeof fields)[number])(value);
      if (typeof written === "string") out.sizedText(written);
      else out.sizedBytes(written);
    }
    out.end();
  };
}

async function copyOut(peer: Peer, copy: CopyOut): Promise<boolean> {
  const { out } = peer;
  copyResponse(out, BACKEND.copyOutResponse, copy.isBinary ? 1 : 0, copy.columns);
  for (;;) {
    const chunks = await copy.next();
    if (chunks === undefined) break;
    for (const chunk of chunks) {
      out.begin(BACKEND.copyData).raw(chunk).end();
      if (out.bytes > WIRE_LIMITS.writeBehindBytes) await peer.flush();
    }
  }
  bare(out, BACKEND.copyDone);
  commandComplete(out, await copy.finish());
  return true;
}

/** Takes data until the client says that it ends. A client that goes away undoes it all. */
async function copyIn(peer: Peer, copy: CopyIn): Promise<boolean | undefined> {
  const { out } = peer;
  copyResponse(out, BACKEND.copyInResponse, copy.isBinary ? 1 : 0, copy.columns);
  try {
    for (;;) {
      const frame = await peer.receive();
      if (frame === undefined) return undefined;
      switch (frame.type) {
        case FRONTEND.copyData:
          await copy.receive(frame.body);
          break;
        case FRONTEND.copyDone:
          commandComplete(out, await copy.finish());
          return true;
        case FRONTEND.copyFail:
          throw copyFailed(new MessageReader(frame.body).text());
        case FRONTEND.flush:
        case FRONTEND.sync:
          break;
        default: {
          const message = `unexpected message type ${frame.type} during COPY from stdin`;
          throw protocolViolation(message, true);
        }
      }
    }
  } finally {
    await copy.close();
  }
}

function copyFailed(reason: string): Error {
  return invalid("COPY_FAILED", `COPY from stdin failed: ${reason}`, { sqlState: "57014" });
}
