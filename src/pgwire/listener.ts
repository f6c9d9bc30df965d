import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { Counts, type Metrics, readWhenPrinted } from "../base/metrics.ts";
import type { Prng } from "../base/prng.ts";
import { errorResponse } from "./answers.ts";
import { CancelKeys } from "./cancel-keys.ts";
import { type AdoptedSession, Connection, type ConnectionHost } from "./connection.ts";
import { assertWireLimits, WIRE_LIMITS } from "./limits.ts";
import { MessageWriter } from "./message-writer.ts";
import { type SessionUsers, SignInProtocol } from "./sign-in.ts";
import type { LoadedTls } from "./tls.ts";

export interface WireOptions
  extends Pick<ConnectionHost, "openSession" | "cancelElsewhere" | "onDefect"> {
  /** Who may open sessions; absent: everybody, under any name. */
  readonly signIn?: SessionUsers | undefined;
  /** What TLS is spoken with now; absent: connections are not encrypted. */
  readonly tls?: (() => LoadedTls | undefined) | undefined;
  /** Refuses sessions without TLS. */
  readonly requiresTls?: boolean | undefined;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly metrics: Metrics;
  readonly maxConnections?: number;
}

/** Listens for PostgreSQL clients. */
export class WireListener {
  readonly #options: WireOptions;
  readonly #maxConnections: number;
  readonly #host: ConnectionHost;
  readonly #connections = new Set<Connection>();
  readonly #servers: Server[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #refused: Counts;
  #isStopping = false;

  constructor(options: WireOptions) {
    assertWireLimits();
    this.#options = options;
    this.#maxConnections = options.maxConnections ?? WIRE_LIMITS.connections;
    const { openSession, onDefect, prng, signIn, tls = () => undefined } = options;
    const { requiresTls = false, cancelElsewhere } = options;
    const protocol = signIn && new SignInProtocol(signIn, prng);
    const cancelKeys = new CancelKeys(prng);
    const sessions = { openSession, cancelElsewhere, cancelKeys, onDefect };
    this.#host = { ...sessions, signIn: protocol, tls, requiresTls };
    this.#refused = new Counts(options.metrics, {
      name: "firn_pgwire_connections_refused_total",
      help: "PostgreSQL connections refused because there were too many",
      labels: [],
    });
    const open = { name: "firn_pgwire_connections", help: "Open PostgreSQL connections" };
    readWhenPrinted(options.metrics, "gauge", open, () => [[this.#connections.size]]);
  }

  /**
   * Listens on the addresses of a host.
   *
   * @param port 0 takes a free one.
   * @returns the port.
   * @throws FirnError `Unavailable`, code `LISTEN_FAILED`.
   */
  async listen(host: string, port: number): Promise<number> {
    const addresses = host.toLowerCase() === "localhost" ? ["127.0.0.1", "::1"] : [host];
    let taken: number | undefined;
    for (const address of addresses) {
      const server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
      try {
        taken = await bound(server, address, taken ?? port);
        this.#servers.push(server);
      } catch (error) {
        if (taken !== undefined && isAbsent(error)) continue;
        await this.stop();
        const reason = (error as NodeJS.ErrnoException).code ?? "unknown";
        const message =
          "cannot listen for PostgreSQL clients: choose another --pg-port, or switch it off " +
          "with --pg-port off";
        throw new FirnError("Unavailable", "LISTEN_FAILED", message, { host, port, reason }, error);
      }
    }
    return taken ?? port;
  }

  /** Accepts no more, ends every connection. Idempotent. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const server of this.#servers.splice(0)) server.close();
    for (const connection of this.#connections) connection.stop();
    await Promise.all(this.#running);
  }

  #accept(socket: Socket): void {
    if (!this.hasRoom) {
      this.#refused.add(1);
      const out = new MessageWriter();
      const message = "sorry, too many clients already";
      errorResponse(out, { severity: "FATAL", sqlState: "53300", message });
      socket.on("error", () => undefined);
      socket.end(out.take(), () => socket.destroy());
      return;
    }
    const connection = new Connection(socket, this.#host);
    const running = this.#keep(connection, connection.run());
    void this.#endUnopened(connection, socket, running);
  }

  /** Cancels a statement of a session here. @returns whether there is such a session. */
  cancel(pid: number, secret: number): boolean {
    return this.#host.cancelKeys.cancel(pid, secret);
  }

  /** Whether it takes another connection. */
  get hasRoom(): boolean {
    return !this.#isStopping && this.#connections.size < this.#maxConnections;
  }

  /** Serves a session whose client another server has signed in: bytes of it come by `socket`. */
  adopt(socket: Socket, head: Buffer, session: AdoptedSession): void {
    const connection = new Connection(socket, this.#host);
    void this.#keep(connection, connection.runAdopted(head, session));
    if (this.#isStopping) connection.stop();
  }

  #keep(connection: Connection, run: Promise<void>): Promise<void> {
    this.#connections.add(connection);
    const running = run.finally(() => {
      this.#connections.delete(connection);
      this.#running.delete(running);
    });
    this.#running.add(running);
    return running;
  }

  /** A client that does not end its startup in time goes. */
  async #endUnopened(
    connection: Connection,
    socket: Socket,
    running: Promise<void>,
  ): Promise<void> {
    const over = new AbortController();
    void running.then(() => over.abort());
    socket.once("close", () => over.abort());
    connection.onOpen = () => over.abort();
    await this.#options.clock.sleep(WIRE_LIMITS.startupMs, over.signal);
    if (!over.signal.aborted) socket.destroy();
  }
}

const ABSENT: ReadonlySet<string> = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

function isAbsent(error: unknown): boolean {
  return ABSENT.has((error as NodeJS.ErrnoException).code ?? "");
}

function bound(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
