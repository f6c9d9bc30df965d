import type { OperationName, Operations } from "../../api/operations.ts";
import type { Actor } from "../../service/actor.ts";
import type { ModelService } from "../../service/resources/service.ts";
import type { NodeStatus } from "./node-status.ts";
import type { RawParams } from "./router.ts";

/** One request whose query and body were checked against the table. */
export interface Call<Name extends OperationName> {
  readonly actor: Actor;
  readonly service: ModelService;
  /** Segments of the path, still percent-encoded. */
  readonly params: RawParams;
  readonly query: Operations[Name]["query"];
  readonly body: Operations[Name]["body"];
  /** The entity tags of `If-Match`. */
  readonly ifMatch: readonly string[] | undefined;
  readonly node: NodeStatus;
}

export type Handler<Name extends OperationName> = (
  call: Call<Name>,
) => Promise<Operations[Name]["answer"]>;

/** A request for a stream of events, checked as any other. */
export interface StreamCall<Name extends OperationName> extends Call<Name> {
  /** Of the event that the client has seen last. */
  readonly lastEventId: string | undefined;
  readonly ended: AbortSignal;
}

/** Makes the text of a stream, whose first read has been done. */
export type StreamHandler<Name extends OperationName> = (
  call: StreamCall<Name>,
) => Promise<AsyncIterable<string>>;

export type Handlers<Names extends OperationName = OperationName> = {
  readonly [Name in Names]: Handler<Name>;
};
