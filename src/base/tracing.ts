/** What a span is about: a use case of the catalog, or a request to one of its stores. */
export type SpanOf = "catalog" | "blob" | "pointer";

/** A request as a span tells it. */
export interface TracedRequest {
  readonly method: string;
  /** A template, never a path. */
  readonly route: string;
  readonly operation: string;
  readonly requestId: string;
  /** W3C Trace Context, as the client sent it. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

/** What a span tells of how a request ended. */
export interface TracedEnd {
  readonly status: number;
  /** The code of an error. */
  readonly code?: string;
}

/** Makes spans. Work of one request is within its span, wherever it waits. */
export interface Tracing {
  /** Runs a request; `endOf` says how it ended by what was answered or thrown. */
  request<T>(
    request: TracedRequest,
    work: () => Promise<T>,
    endOf: (answer: T | undefined, thrown: unknown) => TracedEnd,
  ): Promise<T>;
  /** Runs one step of it: to the end of the promise, where it answers one. */
  around<T>(of: SpanOf, name: string, work: () => T): T;
}
