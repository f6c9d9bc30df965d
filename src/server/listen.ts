import type { Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { Server as TlsServer } from "node:tls";
import { FirnError } from "../base/error.ts";

/** Where a server listens. */
export interface Listening {
  /** With the name that was asked for and the port that was taken. */
  readonly url: string;
  readonly port: number;
  /** Takes no further connections where `server` itself does not listen. */
  readonly closeOthers: () => void;
}

/** Not every machine has every family of addresses. */
const NO_SUCH_ADDRESS: ReadonlySet<string> = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

/**
 * Listens on every address that a host name means: clients choose among those of `localhost` as
 * they like, 127.0.0.1 or ::1. `server` itself takes the first one; connections to the others are
 * handed to it.
 *
 * @param port 0 takes any free one, the same for all addresses.
 * @throws FirnError `Unavailable`, code `LISTEN_FAILED`: port in use, no such host or address.
 */
export async function listenOn(server: HttpServer, host: string, port: number): Promise<Listening> {
  const others: Server[] = [];
  const closeOthers = (): void => {
    for (const other of others.splice(0)) other.close();
  };
  const accept = (): Server => createServer((socket) => server.emit("connection", socket));
  try {
    const [first = host, ...more] = addressesOf(host);
    let taken = await bind(server, first, port);
    for (const address of more) {
      const other = taken === undefined ? server : accept();
      const bound = await bind(other, address, taken ?? port);
      if (bound !== undefined && other !== server) others.push(other as Server);
      taken ??= bound;
    }
    if (taken === undefined) throw new Error("no address of the host can be listened on");
    const name = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
    const scheme = server instanceof TlsServer ? "https" : "http";
    return { url: `${scheme}://${name}:${taken}`, port: taken, closeOthers };
  } catch (error) {
    closeOthers();
    server.close();
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    const message = `cannot listen: ${adviceOn(reason)}`;
    throw new FirnError("Unavailable", "LISTEN_FAILED", message, { host, port, reason }, error);
  }
}

/** What is wrong, and what to do. */
function adviceOn(reason: string): string {
  switch (reason) {
    case "EADDRINUSE":
      return "the port is in use: stop the process that listens there, or choose another --port";
    case "EACCES":
      return "this user may not take the port: choose a --port from 1024 on";
    default:
      return "the host is not an address of this machine: choose another --host";
  }
}

/**
 * Both loopbacks are `localhost` (RFC 6761, 6.3), whatever the table of hosts says: browsers
 * do not ask it. Any other name is the system's to resolve.
 */
function addressesOf(host: string): readonly string[] {
  return host.toLowerCase() === "localhost" ? ["127.0.0.1", "::1"] : [host];
}

/** @returns the port; undefined where this machine has no such address. */
function bind(
  server: HttpServer | Server,
  host: string,
  port: number,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      if (NO_SUCH_ADDRESS.has(error.code ?? "")) resolve(undefined);
      else reject(error);
    };
    server.once("error", failed);
    server.listen({ host, port }, () => {
      server.off("error", failed);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
