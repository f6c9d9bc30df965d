import { assert } from "../base/assert.ts";
import { FirnError } from "../base/error.ts";
import type { StoreObservers } from "../base/store-observers.ts";
import { judgedBy, judgedWholeBy } from "../catalog/name-access.ts";
import { type Need, type NeededPlace, RequestAccess } from "./access/request-access.ts";
import type { Rights } from "./access/rights.ts";
import { ruleOf } from "./access/rules.ts";
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
  /** Told of each call. It wakes what waits, and begins nothing in the context of a request. */
  readonly onCall: () => void;
  /** Looks for what a request names, by its names alone. @throws FirnError `NotFound`. */
  readonly look: (place: NeededPlace) => Promise<void>;
  /** Who makes spans of them. */
  readonly observers?: StoreObservers;
}

/** The public methods of some use cases. */
export type UseCases<T> = { readonly [K in keyof T]: T[K] };

/**
 * Use cases that refuse an actor of another account, and one without the privileges that they need.
 *
 * @throws FirnError `ASSERTION_FAILED`: one of them does not say what it needs.
 */
export function guardedBy<T extends object>(
  { account, onCall, look, observers }: CallGuard,
  useCases: T,
): UseCases<T> {
  const holder = useCases.constructor.name;
  const guarded = methodsOf(useCases).map(([name, method]) => {
    const span = `${holder}.${name}`;
    const rule = ruleOf(holder, name);
    const call = (actor: Actor, ...rest: unknown[]): unknown => {
      assert(actor.account === account, "a request is of the account that serves it");
      onCall();
      const { rights } = actor;
      const run = () => method(actor, ...rest);
      const work =
        rights === undefined ? run : () => judged(rights, actor, rule(...rest), look, run);
      return observers === undefined ? work() : observers.around("catalog", span, work);
    };
    return [name, call] as const;
  });
  return Object.fromEntries(guarded) as unknown as UseCases<T>;
}

/** Runs a use case whose every name is judged as it becomes an id. */
function judged(
  rights: Rights,
  { idempotency }: Actor,
  needs: readonly Need[],
  look: CallGuard["look"],
  run: () => unknown,
): Promise<unknown> {
  let access: RequestAccess;
  try {
    access = new RequestAccess(rights, needs);
  } catch (refusal) {
    return Promise.reject(refusal);
  }
  // Most requests are plain reads, whose steps all add up.
  const isPlain = idempotency === undefined && access.optional.length === 0;
  return isPlain ? judgedWholeBy(access, run) : judgedWithLooks(access, idempotency, look, run);
}

async function judgedWithLooks(
  access: RequestAccess,
  idempotency: Actor["idempotency"],
  look: CallGuard["look"],
  run: () => unknown,
): Promise<unknown> {
  return judgedBy(access, async () => {
    await lookAt(access.optional, look);
    const answer = await run();
    // What an earlier request of the key came to is answered without a look at any name.
    if (idempotency?.replayed === true) await lookAt(access.open, look);
    else access.assertJudged();
    return answer;
  });
}

/** Judges what may be gone, or never was there. */
async function lookAt(needs: readonly Need[], look: CallGuard["look"]): Promise<void> {
  for (const { on } of needs) {
    if (typeof on === "string") continue;
    try {
      await look(on);
    } catch (error) {
      if (!(error instanceof FirnError) || error.kind !== "NotFound") throw error;
    }
  }
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
