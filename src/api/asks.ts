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

/** A list of what is there, or of what was dropped there and can be brought back. */
export interface ListQuery extends PageQuery {
  readonly state?: "ACTIVE" | "DROPPED";
}

/** A resource as it was at a time or a version; as it is now without. */
export interface AtQuery {
  readonly at?: string;
}

export interface DiffQuery {
  readonly from: string;
  readonly to?: string;
}

/** A drop of what may hold other things. */
export interface DropQuery {
  readonly recursive?: boolean;
}
