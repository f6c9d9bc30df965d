type Texts = Readonly<Record<string, string>>;

/** What an answer's body holds. */
export type Answer = Readonly<Record<string, unknown>>;

/** Sends one request of an operation and reads its answer; an error's is read too. */
export type Send = (
  operation: string,
  asked?: { readonly path?: Texts; readonly query?: Texts; readonly body?: unknown },
) => Promise<Answer>;

/**
 * Requests that all succeed, the last of them of the operation that the session is for. Its name is
 * of no other session, for whatever it makes.
 */
export type Session = (send: Send, name: string) => Promise<unknown>;

/** Where sessions act: requests at random know none of these names. */
export const CALM = {
  catalog: "calm",
  namespace: "n",
  table: "t",
  snapshot: "17",
} as const;

export const IN_CATALOG: Texts = { catalog: CALM.catalog };
export const IN_NAMESPACE: Texts = { ...IN_CATALOG, namespace: CALM.namespace };
export const TABLE: Texts = { ...IN_NAMESPACE, table: CALM.table };
export const SNAPSHOT: Texts = { ...TABLE, snapshot: CALM.snapshot };

/** A number or an id, as a request says it. */
export function told(value: unknown): string {
  return String(value);
}
