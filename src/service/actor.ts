import type { AccountId } from "../base/ids.ts";
import type { Actor as Author } from "../catalog/context.ts";
import type { Rights } from "./access/rights.ts";

/** The account of every request without a credential. */
export const DEFAULT_ACCOUNT = "default";

/** Its principals manage accounts, and read no data of any. */
export const SYSTEM_ACCOUNT = "system";

/**
 * Who asks, for which account, under which id it is logged and recorded, and under which key it may
 * be asked again. The first parameter of every use case, of reads too.
 */
export interface Actor extends Author {
  /** Whose data it is about, by name. */
  readonly account: string;
  /** Its id. Absent: it is the default account. */
  readonly accountId?: AccountId | undefined;
  /** Where the request came from; undefined where no socket brought it. */
  readonly address?: string | undefined;
  /** What it may do. Absent: everything, as under `--auth none` and for the process itself. */
  readonly rights?: Rights | undefined;
  /** The API key that it signed in with, or that its token was got with. */
  readonly keyId?: string | undefined;
  /** The issuer of its token. */
  readonly issuer?: string | undefined;
}

/** The process itself: what the start and an embedding program do. */
export const OWN_ACTOR: Actor = {
  requestId: "admin",
  principal: "firn",
  account: DEFAULT_ACCOUNT,
};

/** Use cases whose caller is always the same one. */
export type ActedOn<T> = {
  readonly [K in keyof T]: T[K] extends (actor: Actor, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/** Binds the first parameter of every method. */
export function actingAs<T extends object>(actor: Actor, useCases: T): ActedOn<T> {
  const bound = methodsOf(useCases).map(
    ([name, method]) => [name, (...rest: unknown[]) => method(actor, ...rest)] as const,
  );
  return Object.fromEntries(bound) as ActedOn<T>;
}

type Method = (actor: Actor, ...rest: unknown[]) => unknown;

/** The methods of an object, or of its class, bound to it. */
export function methodsOf(object: object): (readonly [name: string, method: Method])[] {
  const prototype: object = Object.getPrototypeOf(object);
  const holder = prototype === Object.prototype ? object : prototype;
  return Object.getOwnPropertyNames(holder)
    .filter((name) => name !== "constructor")
    .map((name) => {
      const method = (object as Readonly<Record<string, Method>>)[name] as Method;
      return [name, method.bind(object)] as const;
    });
}
