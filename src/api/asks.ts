/** Types of one operation: segments of its path, parameters, body, answer. */
export interface Asks<Path extends string, Query, Body, Answer> {
  readonly path: Readonly<Record<Path, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly answer: Answer;
}

export interface PageQuery {
  readonly pageSize?: number;
  readonly pageToken?: string;
}

/** A resource as it was at a time or a version; as it is now without. */
export interface AtQuery {
  readonly at?: string;
}

export interface DiffQuery {
  readonly from: string;
  readonly to?: string;
}
