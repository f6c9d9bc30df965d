import { assert } from "../base/assert.ts";
import type { StoreObservers } from "../base/store-observers.ts";
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
  /** Who makes spans of them. */
  readonly observers?: StoreObservers;
}

/** The public methods of some use cases. */
export type UseCases<T> = { readonly [K in keyof T]: T[K] };

/** Use cases that refuse an actor of another account. */
export function guardedBy<T extends object>(
  { account, onCall, observers }: CallGuard,
  useCases: T,
): UseCases<T> {
  const holder = useCases.constructor.name;
  const guarded = methodsOf(useCases).map(([name, method]) => {
    const span = `${holder}.${name}`;
    const call = (actor: Actor, ...rest: unknown[]): unknown => {
      assert(actor.account === account, "a request is of the account that serves it");
      onCall();
      const work = () => method(actor, ...rest);
      return observers === undefined ? work() : observers.around("catalog", span, work);
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
