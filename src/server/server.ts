import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { type Response as Injected, type InjectOptions, inject } from "light-my-request";
import type { Logger } from "pino";
import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import { isLoopbackHost } from "../base/loopback.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Prng } from "../base/prng.ts";
import type { Tracing } from "../base/tracing.ts";
import type { Answer } from "../http/answer.ts";
import { Compressor } from "../http/compress.ts";
import { assertOwnPage, cookie, SESSION_COOKIE } from "../http/cookies.ts";
import { asFirnError, routeNotFound } from "../http/failure.ts";
import type { Accepted, Protocol } from "../http/protocol.ts";
import { httpStatus } from "../http/status.ts";
import { idleTimer, settlesWithin, threadCpuMs } from "../runtime/clock.ts";
import type { Settings } from "../runtime/settings.ts";
import { actorOf } from "../service/access/access.ts";
import type { Authenticator } from "../service/access/authenticator.ts";
import { type Actor, DEFAULT_ACCOUNT } from "../service/actor.ts";
import { shardClosing } from "../service/shards/shard-elsewhere.ts";
import type { TableName, UsageMeter, UsageSubject } from "../service/usage.ts";
import { Admission } from "./admission.ts";
import type { AuditLog } from "./audit-log.ts";
import { expectsBody, type IdleWatch, readBody } from "./body.ts";
import { answerClientError, refuseExpectations, refuseTunnels } from "./client-error.ts";
import { type ConnectionLimits, Connections } from "./connections.ts";
import type { Exchange } from "./exchange.ts";
import { Exchanges } from "./exchanges.ts";
import { HostGuard } from "./guard.ts";
import { createHttpServer } from "./http-server.ts";
import { SERVER_LIMITS } from "./limits.ts";
import { listenOn } from "./listen.ts";
import { LoopDelays } from "./loop-delays.ts";
import { OPERATOR, type OperatorAccess } from "./operator-access.ts";
import type { Forwarded } from "./peers/forwarder.ts";
import { assertBody, passedOn } from "./peers/peer-mac.ts";
import type { Peers } from "./peers/peers.ts";
import { holderOf, PrincipalRates } from "./principal-rates.ts";
import { type StreamLimits, Streams } from "./streams.ts";
import { TimeSlices } from "./time-slices.ts";
import type { ServerTls } from "./tls.ts";

/** How long a stop waits for requests that are under way. */
const DRAIN_MS = 10_000;
const DEFAULT_CATALOG = "default";
/** Who asks while there is no authentication. */
const ANONYMOUS = "anonymous";

/** What of the settings bounds who is let in. */
export type Edge = ConnectionLimits &
  Pick<Settings, "allowHost"> &
  Partial<Pick<Settings, "principalRate" | "oidcOrigin">>;

export interface ServerOptions {
  /** What is served: the first one that owns a path; the last one owns every path. */
  readonly protocols: readonly Protocol[];
  /** Who else than clients of the network may ask, and where. */
  readonly operators: OperatorAccess;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly log: Logger;
  /** Who is let in from the network. */
  readonly edge: Edge;
  /** Requests under way at once, reads and writes apart; more are answered 429. */
  readonly maxInFlight: number;
  /** Tells who asks; absent: every request is anonymous. */
  readonly signIn?: SignIn | undefined;
  /** Makes spans of requests; absent: none. */
  readonly tracing?: Tracing | undefined;
  /** Counts what requests ask of the stores. */
  readonly usage: UsageMeter;
  /** Where denials and changes are recorded; absent: nowhere. */
  readonly audit?: AuditLog | undefined;
  /** What TLS is spoken with; absent: plain HTTP. */
  readonly tls?: ServerTls | undefined;
  /** The other nodes of a deployment that shares its row shards; absent: there are none. */
  readonly peers?: Peers | undefined;
  /** Test only: shorter times than production's. */
  readonly requestMs?: number;
  readonly bodyIdleMs?: number;
  readonly drainMs?: number;
  readonly streams?: Partial<StreamLimits>;
  /** Test only: which addresses are this machine's, where there is but one machine. */
  readonly isLoopback?: (address: string) => boolean;
}

/** From an `Authorization` header to who asks. */
export type SignIn = Pick<Authenticator, "known" | "identify" | "knownSession" | "identifySession">;

/** The parts of a `Response`. */
export interface InjectedAnswer {
  readonly status: number;
  readonly headers: [string, string][];
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** An answer whose body is read while it is made. */
export interface InjectedStream extends Omit<InjectedAnswer, "body"> {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

/**
 * The HTTP server: limits, guards, logs and figures around the protocols, of which it knows only
 * the port (`http/protocol.ts`).
 */
export class FirnServer {
  readonly #options: ServerOptions;
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #exchanges: Exchanges;
  readonly #admission: Admission;
  readonly #timeSlices: TimeSlices;
  readonly #guard: HostGuard;
  readonly #rates: PrincipalRates;
  readonly #operators: OperatorAccess;
  readonly #loop: LoopDelays;
  readonly #compressor: Compressor = new Compressor();
  readonly #streams: Streams;
  #unwatchLoop: () => void = () => {};
  #unwatchTls: () => void = () => {};
  /** The loopback address that asked last: to judge its text costs more than to compare it. */
  #near: string | undefined;
  #closeOthers: () => void = () => {};
  #opening: Promise<unknown> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    const limits = { inFlight: options.maxInFlight, bodyBytes: SERVER_LIMITS.bodyBytesInFlight };
    this.#admission = new Admission(limits, options.metrics);
    this.#timeSlices = new TimeSlices(options.clock);
    const monotonicMs = () => options.clock.monotonicMs();
    this.#loop = new LoopDelays({ monotonicMs, threadCpuMs }, options.metrics);
    this.#rates = new PrincipalRates(options.clock, options.edge.principalRate ?? 0);
    this.#guard = new HostGuard(options.edge.allowHost);
    this.#exchanges = new Exchanges(options);
    this.#streams = new Streams(options.metrics, options.streams);
    this.#operators = options.operators;
    this.#server = createHttpServer(options.requestMs, options.tls);
    this.#connections = new Connections(this.#server, options.edge, options.metrics);
    this.#server.on("request", (request, response) => this.#receive(request, response, false));
    this.#server.on("checkContinue", (request, response) => this.#receive(request, response, true));
    this.#server.on("clientError", (error, socket) =>
      answerClientError(error, socket as Socket, this.#connections),
    );
    refuseExpectations(this.#server);
    refuseTunnels(this.#server);
    this.#operators.server.on("request", (request, response) => {
      this.#operators.trust(request);
      this.#receive(request, response, false);
    });
    if (options.peers !== undefined) {
      options.peers.onRequest = (request, response) => this.#receive(request, response, false);
    }
  }

  /**
   * Starts to listen.
   *
   * @returns the URL, with the port that was taken.
   * @throws FirnError as `listenOn`.
   */
  async listen(host: string, port: number): Promise<string> {
    await this.#open();
    const { url, closeOthers } = await listenOn(this.#server, host, port);
    this.#closeOthers = closeOthers;
    this.#unwatchLoop = this.#loop.watch();
    if (this.#options.tls !== undefined) this.#unwatchTls = this.#options.tls.watch();
    await this.#operators.open();
    return url;
  }

  #open(): Promise<unknown> {
    this.#opening ??= Promise.all(this.#options.protocols.map((protocol) => protocol.open?.()));
    return this.#opening;
  }

  /**
   * Answers one request without a socket.
   *
   * @throws FirnError `Unavailable`, code `SERVER_STOPPED`: not after a stop.
   */
  async inject(
    method: string,
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array | undefined,
  ): Promise<InjectedAnswer> {
    const response = await this.#inject({
      method: method as "GET",
      url,
      headers,
      ...(body === undefined ? {} : { payload: Buffer.from(body) }),
    });
    const hasBody = !isBodyless(response.statusCode) && method !== "HEAD";
    return { ...headOf(response), body: hasBody ? new Uint8Array(response.rawPayload) : null };
  }

  /** As `inject`, of a GET that may be answered with a stream: it resolves when that begins. */
  async injectStream(
    url: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<InjectedStream> {
    const response = await this.#inject({ method: "GET", url, headers, payloadAsStream: true });
    const stream = response.stream();
    // Who reads no further has gone, as if a connection had closed.
    stream.once("close", () => response.raw.res.destroy());
    const body = Readable.toWeb(stream) as ReadableStream<Uint8Array<ArrayBuffer>>;
    return { ...headOf(response), body: isBodyless(response.statusCode) ? null : body };
  }

  async #inject(options: InjectOptions): Promise<Injected> {
    if (this.#stopping !== undefined) {
      throw new FirnError("Unavailable", "SERVER_STOPPED", "server is stopped");
    }
    await this.#open();
    const receive = (request: unknown, response: unknown) =>
      this.#receive(request as IncomingMessage, response as ServerResponse, false);
    return inject(receive, options);
  }

  /** Stops to accept, lets what is under way finish, for at most 10 s, then closes. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#drain();
    return this.#stopping;
  }

  async #drain(): Promise<void> {
    this.#closeOthers();
    this.#unwatchLoop();
    this.#unwatchTls();
    this.#streams.drain();
    for (const protocol of this.#options.protocols) protocol.drain?.();
    const closing = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const closed = Promise.all([closing, this.#operators.close()]);
    this.#connections.windDown();
    if (!(await settlesWithin(closed, this.#options.drainMs ?? DRAIN_MS))) {
      this.#options.log.warn("requests were still under way at the end of the drain");
      this.#server.closeAllConnections();
      this.#operators.server.closeAllConnections();
    }
    await closed;
    await Promise.all(this.#options.protocols.map((protocol) => protocol.close?.()));
  }

  /**
   * Every request comes in here. Before anything else is done for it, its place is taken or
   * refused; what a protocol exempts always has one.
   */
  #receive(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const exchange = this.#exchanges.begin(request, response, awaitsContinue);
    const { protocol, target } = exchange;
    const claims = this.#options.peers?.claimsOf(request);
    exchange.address = claims === undefined ? this.#connections.clientOf(request) : claims.address;
    // The node that sent it here records how it ended.
    exchange.isAudited = claims !== undefined;
    this.#connections.answering(request.socket, response);
    if (claims !== undefined && this.#stopping !== undefined) {
      // Told in no log: the node that sent it asks again until another one has the rows.
      this.#exchanges.send(exchange, protocol.refuse(shardClosing(""), "POST", false));
      return;
    }
    if (this.#stopping !== undefined) response.setHeader("Connection", "close");
    try {
      if (!protocol.unlimited.test(target.path)) {
        exchange.ticket = this.#admission.enter(request);
        if (exchange.ticket === undefined) {
          this.#exchanges.send(exchange, protocol.overloaded(request.method ?? ""));
          return;
        }
      }
      // No web page reaches the socket of operators, and nothing but them is served there.
      if (this.#isOperator(request)) {
        if (!protocol.forOperators) throw routeNotFound(target.path);
      } else if (claims === undefined) this.#guard.check(request);
      if (this.#isSignedIn(exchange)) this.#accept(exchange);
      else void this.#signIn(exchange);
    } catch (thrown) {
      this.#exchanges.fail(exchange, thrown);
    }
  }

  /** Whether the operators' socket brought a request: here, or at the node that sent it here. */
  #isOperator(request: IncomingMessage): boolean {
    if (this.#operators.isTrusted(request)) return true;
    return this.#options.peers?.claimsOf(request)?.isOperator === true;
  }

  /** Whether a request may be judged now: it needs no credential, or its own was known. */
  #isSignedIn(exchange: Exchange): boolean {
    const { signIn } = this.#options;
    const { request, protocol, target } = exchange;
    if (signIn === undefined || this.#isOperator(request)) return true;
    if (protocol.publicPaths?.test(target.path) === true) return true;
    const session = this.#sessionOf(exchange);
    exchange.identity =
      session === undefined
        ? signIn.known(request.headers.authorization)
        : signIn.knownSession(session);
    return exchange.identity !== undefined;
  }

  /**
   * The session of a browser that a request rests on. A node that was sent it relies on the one
   * that sent it: it has judged where it came from.
   *
   * @throws FirnError as `assertOwnPage`.
   */
  #sessionOf({ request, response, protocol }: Exchange): string | undefined {
    const { headers, method = "" } = request;
    if (protocol.takesSessions !== true || headers.authorization !== undefined) return undefined;
    const session = cookie(headers, SESSION_COOKIE);
    if (session === undefined) return undefined;
    if (this.#options.peers?.claimsOf(request) === undefined) assertOwnPage(method, headers);
    // The page cannot see the cookie, and asks then whose it is.
    response.setHeader("Firn-Session", "browser");
    return session;
  }

  /** Before anything of the request is looked at: who may not ask learns nothing of routes. */
  async #signIn(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    const { authorization } = request.headers;
    try {
      const { signIn } = this.#options;
      const session = this.#sessionOf(exchange);
      exchange.identity = await (session === undefined
        ? signIn?.identify(authorization, exchange.address)
        : signIn?.identifySession(session));
      this.#accept(exchange);
    } catch (thrown) {
      this.#exchanges.fail(exchange, thrown);
    }
  }

  /** The head is judged before the body is read. */
  #accept(exchange: Exchange): void {
    const { protocol, request, target } = exchange;
    const { method = "", headers } = request;
    const head = protocol.accept({ method, target, headers });
    if ("status" in head) this.#exchanges.send(exchange, head);
    else if ("handOver" in head) {
      goOn(exchange);
      this.#exchanges.handOver(exchange, head);
    } else {
      exchange.route = head.route;
      exchange.accepted = head;
      void this.#serve(exchange, head);
    }
  }

  /** What was begun keeps its place to its end. */
  async #serve(exchange: Exchange, accepted: Accepted): Promise<void> {
    const { ticket, request, identity } = exchange;
    const actor = this.#actorOf(exchange);
    exchange.actor = actor;
    ticket?.hold();
    let began = false;
    try {
      if (identity !== undefined && ticket !== undefined) this.#rates.count(identity);
      // Most requests have no body, and wait for nothing here.
      const comes = expectsBody(request, accepted);
      const body = comes ? await this.#readBody(exchange, accepted) : undefined;
      ticket?.begin(identity && holderOf(identity));
      const turn = this.#timeSlices.enter();
      if (turn !== undefined) await turn;
      began = true;
      this.#loop.begin(accepted.operation);
      const claims = this.#options.peers?.claimsOf(request);
      if (claims !== undefined) assertBody(claims, body);
      if (accepted.stream !== undefined) {
        await this.#stream(exchange, accepted.stream, actor, body);
        return;
      }
      const answer = await this.#traced(exchange, accepted, () => {
        const subject = { account: actor.account, ...subjectOf(accepted) };
        const run = () => accepted.run(actor, body);
        const forwarded = this.#forwarded(exchange, accepted, body);
        return this.#options.usage.run(subject, () =>
          forwarded === undefined ? run() : forwarded.by.answer(forwarded.request, run),
        );
      });
      this.#exchanges.send(
        exchange,
        this.#isFar(request) ? await this.#fit(request, answer) : answer,
      );
    } catch (thrown) {
      this.#exchanges.fail(exchange, thrown);
    } finally {
      if (began) this.#loop.end(accepted.operation);
      ticket?.release();
    }
  }

  #actorOf({ identity, request, requestId, address }: Exchange): Actor {
    if (identity !== undefined) return actorOf(identity, { requestId, address });
    const isOperator = this.#options.signIn !== undefined && this.#isOperator(request);
    const principal = isOperator ? OPERATOR : ANONYMOUS;
    return { requestId, principal, account: DEFAULT_ACCOUNT, address };
  }

  #traced(
    { request, requestId }: Exchange,
    { route, operation, writes }: Accepted,
    work: () => Promise<Answer>,
  ): Promise<Answer> {
    const { tracing } = this.#options;
    if (tracing === undefined) return work();
    const { method = "" } = request;
    const [traceparent, tracestate] = [
      request.headers["traceparent"],
      request.headers["tracestate"],
    ];
    const traced = {
      method,
      route,
      operation,
      requestId,
      traceparent: traceparent?.toString(),
      tracestate: tracestate?.toString(),
    };
    return tracing.request(traced, work, (answer, thrown) => {
      if (answer !== undefined) return { status: answer.status };
      const error = asFirnError(thrown);
      return { status: httpStatus(error, writes), code: error.code };
    });
  }

  /** Begins a stream, which goes on by itself: it keeps no place among what is under way. */
  async #stream(
    exchange: Exchange,
    stream: NonNullable<Accepted["stream"]>,
    actor: Actor,
    body: Uint8Array | undefined,
  ): Promise<void> {
    const { response, ticket } = exchange;
    const ended = this.#streams.open(response);
    const begin = () => stream(actor, ended, body);
    const forwarded = this.#forwarded(exchange, exchange.accepted, body);
    const answer = await (forwarded === undefined
      ? begin()
      : forwarded.by.stream(forwarded.request, begin, ended));
    exchange.isStream = true;
    this.#exchanges.audit(exchange, answer.status);
    exchange.ticket = undefined;
    ticket?.release();
    const headers = this.#exchanges.headersOf(exchange);
    const sent = this.#streams.send(response, answer, ended, headers);
    sent.catch((thrown: unknown) => this.#exchanges.breakOff(exchange, thrown));
  }

  /** A request as another node is sent it; undefined of one that stays here. */
  #forwarded(
    { request, requestId, address }: Exchange,
    accepted: Accepted | undefined,
    body: Uint8Array | undefined,
  ): { readonly by: Peers["forwarder"]; readonly request: Forwarded } | undefined {
    const { peers } = this.#options;
    // One that was sent here already is sent no further.
    if (peers === undefined || peers.claimsOf(request) !== undefined) return undefined;
    const { method = "", url: target = "", headers } = request;
    const isOperator = this.#operators.isTrusted(request) ? { isOperator: true as const } : {};
    return {
      by: peers.forwarder,
      request: {
        method,
        target,
        headers: { ...passedOn(headers), "x-request-id": requestId },
        body,
        address,
        writes: accepted?.writes ?? true,
        ...isOperator,
      },
    };
  }

  #readBody(exchange: Exchange, { bodyBytes: maxBytes }: Accepted): Promise<Uint8Array> {
    goOn(exchange);
    return readBody(exchange.request, {
      maxBytes,
      counts: (bytes) => exchange.ticket?.count(bytes),
      watch: (onIdle) => this.#watchBody(exchange, onIdle),
    });
  }

  /** Whether bytes on the way to the client cost more than the time to compress them. */
  #isFar({ socket }: IncomingMessage): boolean {
    const { isLoopback = isLoopbackHost } = this.#options;
    const address = socket.remoteAddress;
    if (address === undefined || address === this.#near) return false;
    if (!isLoopback(address)) return true;
    this.#near = address;
    return false;
  }

  #fit({ headers }: IncomingMessage, answer: Answer): Answer | Promise<Answer> {
    return this.#compressor.fit(answer, headers["accept-encoding"]?.toString());
  }

  /** A connection whose body stands still ends with the answer that says so. */
  #watchBody({ response }: Exchange, onIdle: () => void): IdleWatch {
    return idleTimer(this.#options.bodyIdleMs ?? LIMITS.bodyIdleMs, () => {
      response.setHeader("Connection", "close");
      onIdle();
    });
  }
}

/** What a request is counted for. Its catalog is the default one where its path names none. */
function subjectOf(accepted: Accepted): Pick<UsageSubject, "operation" | "table"> {
  const { operation } = accepted;
  const { catalog, namespace, table } = accepted.named as Partial<TableName>;
  if (table === undefined || namespace === undefined) return { operation };
  return { operation, table: { catalog: catalog ?? DEFAULT_CATALOG, namespace, table } };
}

function isBodyless(status: number): boolean {
  return status === 204 || status === 304;
}

function headOf({ statusCode: status, headers }: Injected): Omit<InjectedAnswer, "body"> {
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    [value ?? []].flat().map((each) => [name, String(each)]),
  );
  return { status, headers: pairs };
}

/** Asks for the body of a client that waits to be asked. */
function goOn(exchange: Exchange): void {
  if (!exchange.awaitsContinue) return;
  exchange.awaitsContinue = false;
  exchange.response.writeContinue();
}
