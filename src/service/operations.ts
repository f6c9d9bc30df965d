import { assert } from "../base/assert.ts";
import { type Actor, methodsOf } from "./actor.ts";
import type {
  IcebergService,
  NamespaceOperations,
  ReportOperations,
  TableOperations,
  ViewOperations,
} from "./requests.ts";

export interface IcebergParts {
  readonly namespaces: NamespaceOperations;
  readonly tables: TableOperations;
  readonly views: ViewOperations;
  readonly reports: ReportOperations;
}

/**
 * The operations of all parts as one object. Every one of them is called through it, and refuses an
 * actor of another account than the one that the parts work on.
 */
export function icebergOperations(account: string, parts: IcebergParts): IcebergService {
  const operations = Object.values(parts).flatMap(methodsOf);
  const guarded = operations.map(([name, method]) => {
    const operation = (actor: Actor, ...rest: unknown[]): unknown => {
      assert(actor.account === account, "a request is of the account that serves it");
      return method(actor, ...rest);
    };
    return [name, operation] as const;
  });
  return Object.fromEntries(guarded) as unknown as IcebergService;
}
