import { AsyncLocalStorage } from "node:async_hooks";
import type { PrincipalId } from "../base/ids.ts";
import type { Summary } from "./model.ts";
import type { ListFilter } from "./shown-pages.ts";

/*
 * Names are told only to those who may know them, and every operation acts on ids that its actor
 * was allowed to act on. Both are judged where names become ids, in the resolver: a check before it
 * could be of another entity than the one that is then changed, since names move.
 *
 * The judge of a request comes with its asynchronous context. Work that goes on behind an answer,
 * and work for all requests alike, runs outside of it.
 */

/** An entity as far as access needs it. */
export interface NamedObject {
  readonly type: Summary["entityType"];
  readonly id: string;
  readonly owner?: PrincipalId | undefined;
}

/** From a catalog to what is meant, outermost first. */
export type ObjectPath = readonly NamedObject[];

/** A name that was asked for. */
export interface AskedName {
  readonly catalog: string;
  readonly path?: readonly string[];
  readonly relation?: { readonly type: string; readonly name: string };
}

/** Which objects a request may know: what a `holder` holds never changes. */
export interface ObjectFilter {
  readonly holder: object;
  readonly sees: (object: NamedObject) => boolean;
}

/** What one request may know and do. */
export interface NameAccess {
  /** Whether the last object of a path may be known. */
  sees(path: ObjectPath): boolean;
  /** Whether each object of a path may be known. */
  seesEach(path: ObjectPath): boolean;
  /** Which objects right below a path may be known; undefined: all, so that none is judged. */
  seesIn(path: ObjectPath): ObjectFilter | undefined;
  /** Told of each name with the ids that were proven. @throws FirnError `Forbidden`. */
  proven(name: AskedName, path: ObjectPath): void;
  /** Whether the caller holds a privilege on what was proven under a name. */
  holds(name: AskedName, privilege: string): boolean;
  /** Before each write. @throws FirnError where something was not judged that has to be. */
  assertJudged(): void;
}

const scope = new AsyncLocalStorage<{ access: NameAccess | undefined }>();

/** The judge of the request under way; undefined for work that may know and do everything. */
export function nameAccess(): NameAccess | undefined {
  return scope.getStore()?.access;
}

/** Runs the work of a request under its judge, which ends with it. */
export async function judgedBy<T>(access: NameAccess, work: () => Promise<T>): Promise<T> {
  const place: { access: NameAccess | undefined } = { access };
  try {
    return await scope.run(place, work);
  } finally {
    place.access = undefined;
  }
}

/** As `judgedBy`, of work that is done only once all was judged that it needs. */
export async function judgedWholeBy(access: NameAccess, work: () => unknown): Promise<unknown> {
  const place: { access: NameAccess | undefined } = { access };
  try {
    const answer = await scope.run(place, work);
    access.assertJudged();
    return answer;
  } finally {
    place.access = undefined;
  }
}

/** Runs work that is not for the request under way alone: it may know everything. */
export function unjudged<T>(work: () => T): T {
  return scope.run({ access: undefined }, work);
}

export function objectOf({ entityType: type, entityId: id, owner }: Summary): NamedObject {
  return { type, id, owner };
}

/** Which entries of a list may be known; undefined: all. */
export function visibleIn(above: ObjectPath): ListFilter | undefined {
  const filter = nameAccess()?.seesIn(above);
  if (filter === undefined) return undefined;
  const { holder, sees } = filter;
  return { holder, shows: (summary) => sees(objectOf(summary)) };
}
