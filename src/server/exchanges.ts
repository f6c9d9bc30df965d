import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Clock } from "../base/clock.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Prng } from "../base/prng.ts";
import type { Answer } from "../http/answer.ts";
import { asFirnError } from "../http/failure.ts";
import type { HandOver, Protocol } from "../http/protocol.ts";
import type { AuditLog } from "./audit-log.ts";
import { auditRequest } from "./audit-requests.ts";
import type { Exchange } from "./exchange.ts";
import { errorFields } from "./log.ts";
import { createHttpMetrics, type Observation } from "./observe.ts";
import { sendAnswer } from "./send.ts";
import { ownerOf, parseTarget } from "./target.ts";

/** Random bytes that tell one start of a node from all others, in the id of each request. */
const MARK_BYTES = 12;

export interface ExchangesOptions {
  /** The last one owns every path that the others do not. */
  readonly protocols: readonly Protocol[];
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly log: Logger;
  /** Absent: nothing is recorded. */
  readonly audit?: AuditLog | undefined;
}

/**
 * What requests of all protocols have in common: an id, an answer in the form of the request's
 * protocol, a line in the log and a place in the metrics.
 */
export class Exchanges {
  readonly #protocols: readonly Protocol[];
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #audit: AuditLog | undefined;
  /** What all ids minted here begin with: no other start of any node has it. */
  readonly #mark: string;
  #minted = 0;
  readonly #observe: (observation: Observation) => void;

  constructor({ protocols, metrics, clock, prng, log, audit }: ExchangesOptions) {
    this.#protocols = protocols;
    this.#clock = clock;
    this.#log = log;
    this.#audit = audit;
    this.#mark = Buffer.from(prng.bytes(MARK_BYTES)).toString("hex");
    this.#observe = createHttpMetrics(metrics);
  }

  /** Begins one. It ends, and is logged and counted, when its answer is out. */
  begin(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): Exchange {
    const target = parseTarget(request.url ?? "/");
    const exchange: Exchange = {
      request,
      response,
      target,
      protocol: ownerOf(this.#protocols, target),
      requestId: this.#requestId(request),
      startedMs: this.#clock.monotonicMs(),
      address: request.socket.remoteAddress,
      identity: undefined,
      actor: undefined,
      ticket: undefined,
      route: undefined,
      accepted: undefined,
      isStream: false,
      isAudited: false,
      awaitsContinue,
    };
    response.on("close", () => this.#end(exchange));
    // Only the connection can break now, which any caller that listens to it is told of.
    response.on("error", ignore);
    return exchange;
  }

  /** Headers of every answer, names and values by turns. */
  headersOf({ requestId, awaitsContinue }: Exchange): readonly string[] {
    // It is impossible to tell whether a body that was not asked for will come after all.
    return awaitsContinue
      ? ["X-Request-Id", requestId, "Connection", "close"]
      : ["X-Request-Id", requestId];
  }

  send(exchange: Exchange, answer: Answer): void {
    this.audit(exchange, answer.status, answer.headers["X-Firn-Error"]);
    sendAnswer(exchange.response, answer, this.headersOf(exchange));
  }

  /** Records how a request ended, once: also one whose client has gone meanwhile. */
  audit(exchange: Exchange, status: number, code?: string): void {
    if (this.#audit === undefined || exchange.isAudited) return;
    exchange.isAudited = true;
    auditRequest(this.#audit, exchange, status, code);
  }

  /** Leaves one to a framework, with the headers of every answer set. */
  handOver(exchange: Exchange, { handOver }: HandOver): void {
    const { response } = exchange;
    const headers = this.headersOf(exchange);
    for (let i = 0; i + 1 < headers.length; i += 2) {
      response.setHeader(headers[i] ?? "", headers[i + 1] ?? "");
    }
    handOver(exchange, (thrown) => this.fail(exchange, thrown));
  }

  /** Answers what was thrown. */
  fail(exchange: Exchange, thrown: unknown): void {
    const error = asFirnError(thrown);
    const { request, protocol, accepted, requestId } = exchange;
    const answer = protocol.refuse(error, request.method ?? "", accepted?.writes ?? false);
    // The answer does not say which file, or why it failed.
    if (answer.status === 429 && error.kind === "Unavailable") {
      this.#log.warn({ requestId, ...errorFields(error) }, "request refused");
    }
    // A 501 is the client's fault, and clients must not fill this log.
    // One that another node owns is that node's to serve: it was sent here on old knowledge.
    if (answer.status >= 500 && error.kind !== "Invalid" && error.code !== "SHARD_ELSEWHERE") {
      this.#log.error({ requestId, ...errorFields(error) }, "request failed");
    }
    this.send(exchange, answer);
  }

  /** Ends an answer that has begun and cannot go on: its client sees the connection break. */
  breakOff({ response, requestId }: Exchange, thrown: unknown): void {
    const error = asFirnError(thrown);
    this.#log.warn({ requestId, ...errorFields(error) }, "stream broken off");
    response.destroy();
  }

  /** The caller's own id where it is fit for a log line, else a new one. */
  #requestId({ headers }: IncomingMessage): string {
    const sent = headers["x-request-id"];
    return typeof sent === "string" && /^[A-Za-z0-9._:-]{1,128}$/.test(sent)
      ? sent
      : `${this.#mark}-${(++this.#minted).toString(36)}`;
  }

  #end(exchange: Exchange): void {
    exchange.ticket?.release();
    const { request, response, requestId } = exchange;
    if (response.writableEnded) this.audit(exchange, response.statusCode);
    if (!response.writableEnded && !exchange.isStream) return;
    const { method = "" } = request;
    const { statusCode: status } = response;
    const route = exchange.route ?? "unmatched";
    const durationMs = this.#clock.monotonicMs() - exchange.startedMs;
    this.#observe({ route, method, status, ...(!exchange.isStream && { durationMs }) });
    // What is shed is counted: a line each would cost more than the refusal.
    const level = status === 429 ? "debug" : status >= 400 ? "info" : exchange.protocol.logLevel;
    if (!this.#log.isLevelEnabled(level)) return;
    const ms = Math.round(durationMs * 100) / 100;
    const names = exchange.accepted?.named;
    this.#log[level]({ requestId, method, route, ...names, status, ms }, "request");
  }
}

function ignore(): void {}
