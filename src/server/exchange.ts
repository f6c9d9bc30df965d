import type { IncomingMessage, ServerResponse } from "node:http";
import type { Accepted } from "../http/iceberg/adapter.ts";
import type { Target } from "../http/target.ts";
import type { Ticket } from "./admission.ts";

/** One request and its answer, on their way through the server. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** As it was sent; `request.url` is the framework's to rewrite. */
  readonly target: Target;
  /** Whether it asks for something of the Iceberg protocol, in whose form it is answered. */
  readonly iceberg: boolean;
  readonly requestId: string;
  readonly startedMs: number;
  /** Its place among what is under way, where it needs one. */
  ticket: Ticket | undefined;
  /** The template that serves it, never a path: the label of figures and log lines. */
  route: string | undefined;
  /** What it asks for, once that is begun: a name of few. */
  operation: string | undefined;
  /** As the protocol understood its head, once it has. */
  accepted: Pick<Accepted, "named"> | undefined;
  /** Whether what it asks for could change something. */
  writes: boolean;
  /** The client sends no body before it has been told to go on. */
  awaitsContinue: boolean;
}
