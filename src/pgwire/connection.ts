import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { FirnError } from "../base/error.ts";
import type { SignedIn } from "../service/access/session-sign-in.ts";
import type { SqlSession } from "../sql/session/session.ts";
import {
  authenticationOk,
  backendKeyData,
  bare,
  errorResponse,
  negotiateProtocolVersion,
  noticeResponse,
  parameterStatus,
  readyForQuery,
} from "./answers.ts";
import type { CancelKeys } from "./cancel-keys.ts";
import { errorFields } from "./error-fields.ts";
import { ExtendedQueries } from "./extended.ts";
import { checkFrame } from "./frame-limits.ts";
import { type Frame, FrameReader } from "./frames.ts";
import { WIRE_LIMITS } from "./limits.ts";
import { MessageReader } from "./message-reader.ts";
import { FRONTEND } from "./message-types.ts";
import { MessageWriter } from "./message-writer.ts";
import { noParameters } from "./no-parameters.ts";
import { protocolViolation } from "./protocol-violation.ts";
import { type Peer, sendStarted } from "./results.ts";
import type { SignInProtocol } from "./sign-in.ts";
import { readStartup, type Startup } from "./startup.ts";
import { ALPN, handshaken, type LoadedTls, secured, TLS_HANDSHAKE, tlsRequired } from "./tls.ts";

/** Messages that begin work of a statement. */
const STARTS: ReadonlySet<number> = new Set([FRONTEND.query, FRONTEND.parse, FRONTEND.execute]);

export type SessionStartup = Extract<Startup, { kind: "session" }>;

/** The rest of a session at another server: bytes go through. */
export interface WireTunnel {
  readonly tunnel: Duplex;
  /** What has come of it already. */
  readonly head: Buffer;
  /** Called once bytes go through. */
  readonly onRelay: () => void;
}

/** A session that another server has signed its client in for. */
export interface AdoptedSession {
  readonly signedIn: SignedIn | undefined;
  /** Rejects with what the client is told. */
  readonly opening: Promise<SqlSession>;
}

/** What a connection needs of its server. */
export interface ConnectionHost {
  readonly cancelKeys: CancelKeys;
  /**
   * Opens the session that the startup packet asks for: here, or at another server, which goes on
   * from where the client has signed in.
   *
   * @throws FirnError where user, database or a setting is refused.
   */
  openSession(
    startup: SessionStartup,
    address: string | undefined,
    signedIn: SignedIn | undefined,
  ): Promise<SqlSession | WireTunnel>;
  /** Cancels a statement of a session that is not of this server. */
  readonly cancelElsewhere?: ((pid: number, secret: number) => void) | undefined;
  /** Asks who the client is; absent where that does not matter. */
  readonly signIn?: SignInProtocol | undefined;
  /** What TLS is spoken with now; undefined where it is not. */
  tls(): LoadedTls | undefined;
  /** Refuses sessions without it. */
  readonly requiresTls: boolean;
  /** Told of errors that are the server's own fault. */
  onDefect(error: unknown): void;
}

/** One client's connection, from its first byte to its end. */
export class Connection implements Peer {
  readonly out: MessageWriter = new MessageWriter();
  #socket: Socket;
  readonly #host: ConnectionHost;
  readonly #frames = new FrameReader();
  #session: SqlSession | undefined;
  #tunnel: Duplex | undefined;
  #extended: ExtendedQueries | undefined;
  #signedIn: SignedIn | undefined;
  #pid = 0;
  /** Of the certificate that this connection was secured with. */
  #binding: Buffer | undefined;
  /** The client sends nothing more. */
  #isEnded = false;
  #isClosed = false;
  #isStopping = false;
  /** Waits for bytes. */
  #arrival: (() => void) | undefined;
  /** An error was told in the extended protocol: what comes before `Sync` is dropped. */
  #skips = false;

  constructor(socket: Socket, host: ConnectionHost) {
    this.#socket = socket;
    this.#host = host;
    socket.setNoDelay(true);
    this.#listen(socket);
  }

  #listen(socket: Socket): void {
    socket.on("data", (chunk: Buffer) => {
      if (socket !== this.#socket) return;
      this.#frames.push(chunk);
      if (this.#frames.bytes > WIRE_LIMITS.readAheadBytes && this.#arrival === undefined) {
        socket.pause();
      }
      this.#wake();
    });
    socket.on("end", () => {
      this.#isEnded = true;
      this.#wake();
    });
    socket.on("error", () => this.#onClose());
    socket.on("close", () => this.#onClose());
  }

  /** Called once the startup has ended. */
  onOpen: () => void = () => {};

  /** Serves the connection to its end. Never rejects. */
  async run(): Promise<void> {
    try {
      if (await this.#start()) await this.#serve();
    } catch (error) {
      this.#tell(error, true);
    }
    await this.#end();
  }

  /** Serves what another server has begun, to its end. Never rejects. */
  async runAdopted(head: Buffer, { signedIn, opening }: AdoptedSession): Promise<void> {
    // It may have closed before this listened.
    if (this.#socket.destroyed) this.#onClose();
    try {
      this.#frames.startTyped();
      if (head.length > 0) this.#frames.push(head);
      this.#signedIn = signedIn;
      this.#begin(await opening);
      await this.#serve();
    } catch (error) {
      this.#tell(error, true);
    }
    await this.#end();
  }

  /** The server stops: an idle client is told, one with work under way has it cancelled. */
  stop(): void {
    this.#isStopping = true;
    this.#tunnel?.destroy();
    if (this.#arrival === undefined) this.#session?.cancel("57P01");
    this.#wake();
  }

  // Peer

  get session(): SqlSession {
    return this.#session as SqlSession;
  }

  /** Whether the next message has come already, and is of this type. */
  nextIs(type: number): boolean {
    return this.#frames.nextIs(type);
  }

  /** The next message. @returns undefined where the client has gone. */
  async receive(): Promise<Frame | undefined> {
    for (;;) {
      const frame = this.#frames.next(checkFrame);
      if (frame !== undefined) return frame;
      if (!(await this.#arrives())) return undefined;
    }
  }

  /** Waits for more of the client. @returns false where nothing comes any more. */
  async #arrives(): Promise<boolean> {
    if (this.#isEnded || this.#isClosed || this.#isStopping) return false;
    await this.flush();
    const arrived = new Promise<void>((resolve) => {
      this.#arrival = resolve;
    });
    if (this.#socket.isPaused()) this.#socket.resume();
    await arrived;
    return true;
  }

  /** Sends what was written. Waits while the client takes it too slowly. */
  flush(): Promise<void> | void {
    if (this.out.bytes === 0) return;
    if (this.#isClosed) {
      this.out.take();
      return;
    }
    if (this.#socket.write(this.out.take())) return;
    return new Promise((resolve) => {
      const done = (): void => {
        this.#socket.off("drain", done).off("close", done);
        resolve();
      };
      this.#socket.once("drain", done).once("close", done);
    });
  }

  #wake(): void {
    const arrival = this.#arrival;
    this.#arrival = undefined;
    arrival?.();
  }

  #onClose(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#session?.cancel("08006");
    this.#wake();
  }

  /** @returns whether a session has begun. */
  async #start(): Promise<boolean> {
    for (let asked = 0; ; asked++) {
      const isDirect = asked === 0 && (await this.#firstByte()) === TLS_HANDSHAKE;
      if (isDirect && !(await this.#secure(true))) return false;
      const frame = await this.receive();
      if (frame === undefined) return false;
      const startup = readStartup(frame.body);
      if (startup.kind === "cancel") {
        const { pid, secret } = startup;
        if (!this.#host.cancelKeys.cancel(pid, secret)) this.#host.cancelElsewhere?.(pid, secret);
        return false;
      }
      if (startup.kind === "session") return await this.#open(startup);
      if (asked >= WIRE_LIMITS.negotiations) {
        throw protocolViolation("too many requests for encryption", true);
      }
      const isGranted = startup.by === "tls" && this.#binding === undefined && this.#hasTls();
      this.out.raw(Buffer.from(isGranted ? "S" : "N"));
      await this.flush();
      if (isGranted && !(await this.#secure(false))) return false;
    }
  }

  #hasTls(): boolean {
    return this.#host.tls() !== undefined;
  }

  /** @returns undefined where the client has gone. */
  async #firstByte(): Promise<number | undefined> {
    while (this.#frames.bytes === 0) {
      if (!(await this.#arrives())) return undefined;
    }
    return this.#frames.firstByte;
  }

  /**
   * Goes on in TLS.
   *
   * @param isDirect the handshake has begun already: what was read belongs to it.
   * @returns false where it fails.
   * @throws FirnError `PROTOCOL_VIOLATION`.
   */
  async #secure(isDirect: boolean): Promise<boolean> {
    const tls = this.#host.tls();
    const read = this.#frames.takeAll();
    if (tls === undefined) throw protocolViolation("TLS is not configured", true);
    if (!isDirect && read.length > 0) {
      // An attacker put it there: it would be taken for what the client says in TLS.
      throw protocolViolation("received unencrypted data after SSL request", true);
    }
    const plain = this.#socket;
    plain.removeAllListeners("data");
    plain.removeAllListeners("end");
    plain.pause();
    if (read.length > 0) plain.unshift(read);
    const socket = secured(plain, tls);
    this.#socket = socket;
    this.#listen(socket);
    const isOpen = await handshaken(socket);
    const isMeant = !isDirect || socket.alpnProtocol === ALPN;
    if (!isOpen || !isMeant) {
      socket.destroy();
      return false;
    }
    this.#binding = tls.binding;
    return true;
  }

  async #open(startup: SessionStartup): Promise<boolean> {
    const { out } = this;
    if (this.#host.requiresTls && this.#binding === undefined) throw tlsRequired();
    if (startup.minor > 0 || startup.unknown.length > 0) {
      negotiateProtocolVersion(out, startup.unknown);
    }
    this.#frames.startTyped();
    const address = this.#socket.remoteAddress;
    const { signIn } = this.#host;
    const peer = { out, address, binding: this.#binding, receive: () => this.receive() };
    this.#signedIn = await signIn?.identify(startup.user, peer);
    if (this.#isClosed || (signIn !== undefined && this.#signedIn === undefined)) return false;
    const opened = await this.#host.openSession(startup, address, this.#signedIn);
    if ("tunnel" in opened) {
      await this.#relay(opened);
      return false;
    }
    this.#begin(opened);
    return !this.#isClosed;
  }

  /** Hands the client on, and resolves when either side has gone. */
  async #relay({ tunnel, head, onRelay }: WireTunnel): Promise<void> {
    this.#tunnel = tunnel;
    const socket = this.#socket;
    const ended = new Promise<void>((resolve) => {
      tunnel.once("close", resolve);
      socket.once("close", resolve);
    });
    tunnel.on("error", () => tunnel.destroy());
    await this.flush();
    this.onOpen();
    if (this.#isClosed || this.#isStopping) tunnel.destroy();
    else {
      socket.removeAllListeners("data");
      socket.removeAllListeners("end");
      const early = this.#frames.takeAll();
      if (early.length > 0) tunnel.write(early);
      if (head.length > 0) socket.write(head);
      tunnel.pipe(socket);
      socket.pipe(tunnel);
      onRelay();
      await ended;
    }
    tunnel.destroy();
  }

  /** Tells the client that its session has begun. */
  #begin(session: SqlSession): void {
    const { out } = this;
    this.#session = session;
    if (this.#isClosed) return;
    session.onNotice = (notice) => noticeResponse(out, notice);
    session.settings.onReport = (name, value) => parameterStatus(out, name, value);
    this.#extended = new ExtendedQueries(this);
    authenticationOk(out);
    for (const [name, value] of session.settings.reported()) parameterStatus(out, name, value);
    const { pid, secret } = this.#host.cancelKeys.add(() => session.cancel("57014"));
    this.#pid = pid;
    session.pid = pid;
    this.onOpen();
    backendKeyData(out, pid, secret);
    readyForQuery(out, "I");
  }

  async #serve(): Promise<void> {
    for (;;) {
      const frame = await this.receive();
      if (frame === undefined || frame.type === FRONTEND.terminate) return;
      if (this.#skips && frame.type !== FRONTEND.sync) continue;
      const isSimple = frame.type === FRONTEND.query || frame.type === FRONTEND.functionCall;
      try {
        if (this.#signedIn !== undefined && STARTS.has(frame.type)) await this.#renew();
        const done = this.#handle(frame);
        if (done !== undefined) await done;
      } catch (error) {
        this.out.undo();
        const told = (await this.#session?.told(error)) ?? error;
        await this.#fail(error);
        if (this.#tell(told, false)) return;
        if (isSimple) readyForQuery(this.out, this.session.status);
        else this.#skips = true;
      }
      if (this.#isClosed) return;
    }
  }

  /** @throws FirnError SQLSTATE 28000, the last of the connection: its credential has ended. */
  async #renew(): Promise<void> {
    if ((await this.#signedIn?.renew()) === true) return;
    const message = "the key or token of this session was revoked or has expired";
    throw new FirnError("Unauthenticated", "SESSION_REVOKED", message, {
      sqlState: "28000",
      fatal: true,
    });
  }

  /** After an error: what was under way is undone. */
  async #fail(error: unknown): Promise<void> {
    try {
      await this.session.failed();
    } catch (second) {
      this.#host.onDefect(second);
    }
    if (!(error instanceof FirnError)) this.#host.onDefect(error);
  }

  #handle({ type, body }: Frame): Promise<void> | void {
    const extended = this.#extended as ExtendedQueries;
    switch (type) {
      case FRONTEND.query:
        return this.#query(body);
      case FRONTEND.parse:
        return extended.parse(body);
      case FRONTEND.bind:
        return extended.bind(body);
      case FRONTEND.describe:
        return extended.describe(body);
      case FRONTEND.execute:
        return extended.execute(body);
      case FRONTEND.close:
        return extended.close(body);
      case FRONTEND.sync:
        return this.#sync(body);
      case FRONTEND.flush:
        return this.flush();
      case FRONTEND.functionCall:
        throw new FirnError("Invalid", "NOT_SUPPORTED", "function calls are not supported", {
          sqlState: "0A000",
          hint: "Call the function with SELECT.",
        });
      // What is left of a COPY that failed here, while the client was still sending.
      case FRONTEND.copyData:
      case FRONTEND.copyDone:
      case FRONTEND.copyFail:
        return undefined;
      default:
        throw protocolViolation(`message type ${type} may not come here`, true);
    }
  }

  async #query(body: Buffer): Promise<void> {
    const reader = new MessageReader(body);
    const text = reader.text();
    reader.end();
    const { session, out } = this;
    this.#extended?.dropUnnamed();
    const statements = await session.parse(text);
    if (statements.length === 0) bare(out, 0x49);
    for (const [index, statement] of statements.entries()) {
      const isLast = index === statements.length - 1;
      const prepared = await session.prepare(statement, []);
      if (prepared.parameterTypes.length > 0) throw noParameters(prepared.parameterTypes.length);
      const started = await session.start(prepared, [], isLast);
      const sent = await sendStarted(this, started, { describes: true, formats: [] });
      if (sent === undefined) return;
    }
    await session.sync();
    readyForQuery(out, session.status);
  }

  async #sync(body: Buffer): Promise<void> {
    new MessageReader(body).end();
    this.#skips = false;
    try {
      await this.session.sync();
    } catch (error) {
      const told = (await this.#session?.told(error)) ?? error;
      await this.#fail(error);
      this.#tell(told, false);
    }
    readyForQuery(this.out, this.session.status);
  }

  /** @returns whether the connection ends with it. */
  #tell(error: unknown, isEnd: boolean): boolean {
    if (this.#isClosed) return true;
    const fields = errorFields(error);
    const isFatal = isEnd || fields.severity === "FATAL";
    this.out.undo();
    errorResponse(this.out, isFatal ? { ...fields, severity: "FATAL" } : fields);
    return isFatal;
  }

  async #end(): Promise<void> {
    if (this.#pid !== 0) this.#host.cancelKeys.delete(this.#pid);
    if (this.#isStopping && this.#session !== undefined && !this.#isClosed) {
      const message = "terminating connection because the server stops";
      errorResponse(this.out, { severity: "FATAL", sqlState: "57P01", message });
    }
    try {
      await this.#session?.close();
    } catch (error) {
      this.#host.onDefect(error);
    }
    await this.flush();
    this.#socket.end();
    // A client that never closes its end does not keep the connection.
    this.#socket.destroySoon();
  }
}
