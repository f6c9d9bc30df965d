import type { Privilege } from "../../api/privileges.ts";
import type { Clock } from "../../base/clock.ts";
import {
  type AskedName,
  judgedBy,
  type NameAccess,
  type ObjectPath,
  unjudged,
} from "../../catalog/name-access.ts";
import { ALL_HELD, type Held } from "../../sql/catalog/held.ts";
import { type Need, RequestAccess } from "../access/request-access.ts";
import { type AccessPath, bitsOf, privilegesIn, type Rights } from "../access/rights.ts";
import type { Actor } from "../actor.ts";

/** Ids that were proven so long ago are looked up again: what they mean may have moved. */
const PROVEN_MS = 1_000;

/** What was found, with what may be done with it. */
export interface HeldBy<T> {
  readonly value: T;
  readonly held: Held;
}

/**
 * What one SQL session may know and do. Every look at the catalog is judged as one request is; what
 * it proves is kept as a path of ids, on which privileges are judged whenever they are asked for:
 * by the rights that the session has then, without a request.
 */
export class SessionAccess {
  readonly #actor: Actor;
  readonly #clock: Clock;
  #narrowed: Rights | undefined;

  constructor(actor: Actor, clock: Clock) {
    this.#actor = actor;
    this.#clock = clock;
  }

  /** What the session may do now; undefined: everything. */
  get rights(): Rights | undefined {
    return this.#narrowed ?? this.#actor.rights;
  }

  /** What it may do where no other role was set. */
  get ownRights(): Rights | undefined {
    return this.#actor.rights;
  }

  /** Who makes and changes things in this session, with the rights of now. */
  get actor(): Actor {
    return { ...this.#actor, rights: this.rights };
  }

  /** Goes on with other rights than the session's own, until it is told otherwise. */
  narrow(rights: Rights | undefined): void {
    this.#narrowed = rights;
  }

  /** Runs a look at the catalog that finds only what may be known. */
  async judged<T>(work: () => Promise<T>, needs: readonly Need[] = []): Promise<T> {
    const { rights } = this;
    if (rights === undefined) return await unjudged(work);
    return await judgedBy(new RequestAccess(rights, needs), work);
  }

  /** As `judged`, for one name: with what may be done with it. */
  async found<T>(work: () => Promise<T>): Promise<HeldBy<T>> {
    const { rights } = this;
    if (rights === undefined) return { value: await unjudged(work), held: ALL_HELD };
    const look = new Look(rights);
    const value = await judgedBy(look, work);
    return { value, held: this.on(look.name, look.path) };
  }

  /** What may be done with an object whose ids are known, on the account for no path. */
  on(name: string, path: ObjectPath): Held {
    const provenMs = this.#clock.monotonicMs();
    const bits = (): number | undefined => {
      const { rights } = this;
      return rights?.on([{ id: rights.account }, ...path]);
    };
    const isFresh = (): boolean =>
      this.rights === undefined || this.#clock.monotonicMs() - provenMs < PROVEN_MS;
    return {
      name,
      path,
      missing: (needs: readonly Privilege[]) => {
        const { rights } = this;
        return rights === undefined ? [] : missingOf(rights, path, needs);
      },
      get isAny() {
        return bits() !== 0;
      },
      get isFresh() {
        return isFresh();
      },
    };
  }
}

/** Those of some privileges that are not held on an object: its name may be known from below. */
export function missingOf(
  rights: Rights,
  path: AccessPath,
  needs: readonly Privilege[],
): readonly Privilege[] {
  const whole = [{ id: rights.account }, ...path];
  const missing = privilegesIn(bitsOf(needs) & ~rights.on(whole));
  return missing.includes("see") && rights.sees(whole)
    ? missing.filter((each) => each !== "see")
    : missing;
}

/** Keeps the ids of the last name that was proven. */
class Look extends RequestAccess implements NameAccess {
  name = "";
  path: ObjectPath = [];

  constructor(rights: Rights) {
    super(rights, []);
  }

  override proven(name: AskedName, path: ObjectPath): void {
    super.proven(name, path);
    const { catalog, path: levels = [], relation } = name;
    this.name = [catalog, ...levels, ...(relation === undefined ? [] : [relation.name])].join(".");
    this.path = path;
  }
}
