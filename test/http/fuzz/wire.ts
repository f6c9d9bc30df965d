import { connect } from "node:net";

/** All that came back on one connection, and how it ended. */
export interface Exchange {
  readonly received: Buffer;
  /** `open`: the limit passed, and the server had not ended it. */
  readonly end: "closed" | "reset" | "open";
  readonly elapsedMs: number;
}

/** What the server may take for a whole request, and what a busy machine may add to it. */
export const OPEN_LIMIT_MS = 35_000;

/**
 * Sends bytes as they are on a connection of their own and collects everything until the peer ends
 * it. `ends`: our side is closed behind them, as by a client that goes away in good order.
 */
export function exchange(port: number, bytes: Buffer, ends: boolean): Promise<Exchange> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const startedMs = performance.now();
    const socket = connect(port, "127.0.0.1", () => {
      if (ends) socket.end(bytes);
      else socket.write(bytes);
    });
    const settle = (end: Exchange["end"]): void => {
      clearTimeout(timer);
      socket.destroy();
      const elapsedMs = performance.now() - startedMs;
      resolve({ received: Buffer.concat(chunks), end, elapsedMs });
    };
    const timer = setTimeout(() => settle("open"), OPEN_LIMIT_MS);
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", () => settle("reset"));
    socket.on("close", () => settle("closed"));
  });
}

/** One answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** What came behind it. */
  readonly rest: string;
}

/** The first answer in collected bytes that is not an interim one. */
export function parseAnswer(received: Buffer): WireAnswer | undefined {
  // Byte for character, so that lengths are what the header says.
  const text = received.toString("latin1");
  const start = text.startsWith("HTTP/1.1 100 ") ? text.indexOf("\r\n\r\n") + 4 : 0;
  const end = text.indexOf("\r\n\r\n", start);
  const [statusLine = "", ...lines] = text.slice(start, end < 0 ? start : end).split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1];
  if (status === undefined) return undefined;
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const named = new Map(headers);
  const length = named.get("content-length");
  const until = length === undefined ? text.length : end + 4 + Number(length);
  const body = Buffer.from(text.slice(end + 4, until), "latin1").toString("utf8");
  return { status: Number(status), headers: named, body, rest: text.slice(until) };
}
