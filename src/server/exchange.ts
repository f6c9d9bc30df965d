import type { IncomingMessage, ServerResponse } from "node:http";
import type { Accepted, Protocol, Target } from "../http/protocol.ts";
import type { Identity } from "../service/access/identity.ts";
import type { Actor } from "../service/actor.ts";
import type { Ticket } from "./admission.ts";

/** One request and its answer, on their way through the server. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** As it was sent; `request.url` is a framework's to rewrite. */
  readonly target: Target;
  /** Whose request it is, and in whose form it is answered. */
  readonly protocol: Protocol;
  readonly requestId: string;
  readonly startedMs: number;
  /** Of its client, behind a trusted proxy too. */
  address: string | undefined;
  /** Who asks, where that was asked for. */
  identity: Identity | undefined;
  /** As use cases take it, once the head was accepted. */
  actor: Actor | undefined;
  /** Its place among what is under way, where it needs one. */
  ticket: Ticket | undefined;
  /** The template that serves it, never a path: the label of figures and log lines. */
  route: string | undefined;
  /** As the protocol understood its head, once it has. */
  accepted: Accepted | undefined;
  /** Its outcome has been told to the audit log, where it concerns that. */
  isAudited: boolean;
  /** Its answer is a stream: its duration does not count as time to answer. */
  isStream: boolean;
  /** The client sends no body before it has been told to go on. */
  awaitsContinue: boolean;
}
