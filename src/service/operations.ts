import { assert } from "../base/assert.ts";
import { type Actor, methodsOf } from "./actor.ts";
import type {
  IcebergService,
  NamespaceOperations,
  ReportOperations,
  TableOperations,
  ViewOperations,
} from "./requests.ts";

/** What every call of a use case passes first. */
export interface CallGuard {
  /** The account that the use cases serve. */
  readonly account: string;
  /** Told of each call. */
  readonly onCall: () => void;
}

/** The public methods of some use cases. */
export type UseCases<T> = { readonly [K in keyof T]: T[K] };

/** Use cases that refuse an actor of another account. */
export function guardedBy<T extends object>(
  { account, onCall }: CallGuard,
  useCases: T,
): UseCases<T> {
  const guarded = methodsOf(useCases).map(([name, method]) => {
    const call = (actor: Actor, ...rest: unknown[]): unknown => {
      assert(actor.account === account, "a request is of the account that serves it");
      onCall();
      return method(actor, ...rest);
    };
    return [name, call] as const;
  });
  return Object.fromEntries(guarded) as unknown as UseCases<T>;
}

export interface IcebergParts {
  readonly namespaces: NamespaceOperations;
  readonly tables: TableOperations;
  readonly views: ViewOperations;
  readonly reports: ReportOperations;
}

/** The operations of all parts as one object. */
export function icebergOperations(
  guard: CallGuard,
  { namespaces, tables, views, reports }: IcebergParts,
): IcebergService {
  return {
    ...guardedBy(guard, namespaces),
    ...guardedBy(guard, tables),
    ...guardedBy(guard, views),
    ...guardedBy(guard, reports),
  };
}
