import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { FirnError } from "../base/error.ts";

import type { Actor } from "../service/actor.ts";
import type { Answer, StreamedAnswer } from "./answer.ts";

/** A request target (RFC 9112, 3.2) in its parts, still percent-encoded. */
export interface Target {
  readonly path: string;
  /** What follows the first `?`, without it. */
  readonly query: string;
}

/** What a protocol decides by, before a body is read. */
export interface Head {
  readonly method: string;
  readonly target: Target;
  readonly headers: IncomingHttpHeaders;
}

/** A request whose head was accepted, so that its body is worth reading. */
export interface Accepted {
  /** The template that serves it, never a path: the label of metrics and log lines. */
  readonly route: string;
  /** Its name where the route alone is not enough: one of few. */
  readonly operation: string;
  /** Whether it can change anything, which decides how failures are answered. */
  readonly writes: boolean;
  /** It takes credentials: its refusals are failed sign-ins. */
  readonly signsIn?: true | undefined;
  /** The largest body that it takes. */
  readonly bodyBytes: number;
  /** A media type that its body may have, beside `application/json`. */
  readonly bodyType?: string | undefined;
  /** The names in its path, for usage and the log. */
  readonly named: object;
  /** @throws FirnError, for `refuse`. */
  run(actor: Actor, body: Uint8Array | undefined): Promise<Answer>;
  /**
   * In place of `run` where it is there: the request asks for a stream, until `ended`.
   *
   * @throws FirnError, for `refuse`: what is wrong before the stream begins.
   */
  readonly stream?:
    | ((actor: Actor, ended: AbortSignal, body: Uint8Array | undefined) => Promise<StreamedAnswer>)
    | undefined;
}

/** A request that a framework reads and answers by itself. */
export interface HandedOver {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Target;
  /** As in `Accepted`, once it is known. */
  route: string | undefined;
}

/** Serves requests by itself. `fail` answers an error as the protocol words it. */
export interface HandOver {
  readonly handOver: (request: HandedOver, fail: (thrown: unknown) => void) => void;
}

/** One protocol over HTTP: everything that the server knows of it. */
export interface Protocol {
  /** Paths that it owns. The first protocol of a server that owns a path serves it. */
  readonly owns: RegExp;
  /** Paths that overload protection leaves alone: cheap ones, asked for when a server is busy. */
  readonly unlimited: RegExp;
  /** Paths that need no credential where others do: they hold nothing of any account. */
  readonly publicPaths?: RegExp;
  /** Whether a session of a browser, in a cookie, is a credential here. */
  readonly takesSessions?: true;
  /** Whether the operators' socket serves it too. */
  readonly forOperators: boolean;
  /** The log level of a request that did not fail. */
  readonly logLevel: "info" | "debug";
  /** @throws FirnError, for `refuse`. */
  accept(head: Head): Accepted | Answer | HandOver;
  /** The answer to any error. `writes`: as in `Accepted`. */
  refuse(error: FirnError, method: string, writes: boolean): Answer;
  /** The answer to a request that came while too much was under way. Costs next to nothing. */
  overloaded(method: string): Answer;
  /** Before the first request. Idempotent. */
  open?(): Promise<void>;
  /** The server stops: what would never end by itself ends now. */
  drain?(): void;
  /** After the last answer. Idempotent. */
  close?(): Promise<void>;
}

/** Which protocol a path belongs to, and how that words errors. */
export type ErrorForm = Pick<Protocol, "owns" | "refuse">;
