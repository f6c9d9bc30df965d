import type { Privilege } from "../../api/privileges.ts";
import { assert } from "../../base/assert.ts";
import { FirnError } from "../../base/error.ts";
import type { AskedName, NameAccess, ObjectFilter, ObjectPath } from "../../catalog/name-access.ts";
import { dotted } from "../../catalog/names.ts";
import { PRIVILEGE_MISSING } from "../../catalog/receipts.ts";
import type { Actor } from "../actor.ts";
import { bitOf, privilegesIn, type Rights } from "./rights.ts";

/** In place of a name: the entity of this id. */
type Named = { readonly name: string } | { readonly id: string };

/** What a request names. */
export interface NeededPlace {
  readonly catalog: Named;
  readonly namespace?: { readonly path: readonly string[] } | { readonly id: string };
  readonly relation?: Named;
}

/** What an operation needs of what it names. */
export interface Need {
  /** All of them, as bits. */
  readonly privileges: number;
  /**
   * `account`; `any`: each thing that the operation looks at; `relation`: each table or view that
   * it finds, whatever the request names; else what the request names.
   */
  readonly on: "account" | "any" | "relation" | NeededPlace;
  /** Judged where it is there: an overwrite of what may be absent. */
  readonly optional?: true;
}

/** Whether a request spelled a name so, which is in its normal form. */
function isSpelled(spelling: string, name: string | undefined): boolean {
  // Most are spelled as they are kept.
  return spelling === name || spelling.normalize("NFC") === name;
}

function isNamed(named: Named, name: string, id: string | undefined): boolean {
  return "id" in named ? named.id.toLowerCase() === id : isSpelled(named.name, name);
}

function isPath(asked: NeededPlace["namespace"], path: readonly string[], id?: string): boolean {
  if (asked === undefined) return path.length === 0;
  if ("id" in asked) return asked.id.toLowerCase() === id;
  const { path: wanted } = asked;
  return wanted.length === path.length && wanted.every((level, i) => isSpelled(level, path[i]));
}

/** Whether a proven name is what a request named. */
function isAt(place: NeededPlace, name: AskedName, path: ObjectPath): boolean {
  const { catalog, path: levels = [], relation } = name;
  if ((place.relation === undefined) !== (relation === undefined)) return false;
  const last = path.at(-1)?.id;
  const inner = relation === undefined ? path : path.slice(0, -1);
  if (!isNamed(place.catalog, catalog, path[0]?.id)) return false;
  if (!isPath(place.namespace, levels, inner.at(-1)?.id)) return false;
  if (place.relation === undefined || relation === undefined) return true;
  return isNamed(place.relation, relation.name, last);
}

function concerns(
  on: "any" | "relation" | NeededPlace,
  name: AskedName,
  path: ObjectPath,
): boolean {
  if (on === "any") return true;
  return on === "relation" ? name.relation !== undefined : isAt(on, name, path);
}

function shown({ catalog, path = [], relation }: AskedName): string {
  return dotted([catalog, ...path, ...(relation === undefined ? [] : [relation.name])]);
}

/** The actor knows of the thing, and may not do this to it. */
export function forbidden(missing: number, on: string): FirnError {
  const privilege = privilegesIn(missing).join(", ");
  const message = `the privilege ${privilege} on ${on} is missing: ask its owner to grant it`;
  return new FirnError("Forbidden", PRIVILEGE_MISSING, message, { privilege, on });
}

/** For what no use case answers. @throws FirnError `PRIVILEGE_MISSING`. */
export function assertOnAccount({ rights }: Actor, privilege: Privilege): void {
  if (rights !== undefined) new RequestAccess(rights, [needOnAccount(privilege)]).assertJudged();
}

function needOnAccount(privilege: Privilege): Need {
  return { on: "account", privileges: bitOf(privilege) };
}

const NO_NEEDS: readonly Need[] = [];

/** Judges one request: what it may know by name, and whether it may do what it asks for. */
export class RequestAccess implements NameAccess {
  readonly #rights: Rights;
  readonly #needs: readonly Need[];
  /** For each of them whether it was judged. */
  readonly #judged: boolean[];
  /** Mostly one: a list that grows has room for many. */
  #proven: (readonly [AskedName, ObjectPath])[] | undefined;

  /** @throws FirnError `PRIVILEGE_MISSING`: what it needs on the account. */
  constructor(rights: Rights, needs: readonly Need[]) {
    this.#rights = rights;
    this.#needs = needs;
    this.#judged = needs.map((need) => {
      if (need.on === "account") this.#judge(need, [], undefined);
      return need.on === "account";
    });
  }

  /** What may be absent, and what has not been judged though it has to be. */
  get optional(): readonly Need[] {
    const isAny = this.#needs.some(({ optional }) => optional === true);
    return isAny ? this.#needs.filter(({ optional }) => optional === true) : NO_NEEDS;
  }

  get open(): readonly Need[] {
    return this.#needs.filter((need, i) => need.optional !== true && this.#judged[i] !== true);
  }

  sees(path: ObjectPath): boolean {
    return this.#rights.seesBelow(path);
  }

  seesEach(path: ObjectPath): boolean {
    return this.#rights.seesEach(path);
  }

  seesIn(path: ObjectPath): ObjectFilter | undefined {
    const rights = this.#rights;
    if (rights.on(path) !== 0) return undefined;
    return { holder: rights, sees: (object) => rights.seesAlone(object) };
  }

  holds({ catalog, path = [], relation }: AskedName, privilege: Privilege): boolean {
    const place: NeededPlace = {
      catalog: { name: catalog },
      ...(path.length > 0 && { namespace: { path } }),
      ...(relation !== undefined && { relation: { name: relation.name } }),
    };
    const isHeld = ([name, at]: readonly [AskedName, ObjectPath]): boolean =>
      isAt(place, name, at) && this.#rights.holds(privilege, at);
    return this.#proven?.some(isHeld) === true;
  }

  proven(name: AskedName, path: ObjectPath): void {
    if (this.#proven === undefined) this.#proven = [[name, path]];
    else this.#proven.push([name, path]);
    this.#needs.forEach((need, i) => {
      if (need.on === "account" || !concerns(need.on, name, path)) return;
      this.#judge(need, path, name);
      this.#judged[i] = true;
    });
  }

  assertJudged(): void {
    const isOpen = this.#judged.some((was, i) => !was && this.#needs[i]?.optional !== true);
    assert(!isOpen, "what a request changes was judged before it is written");
  }

  /** @throws FirnError `PRIVILEGE_MISSING`: of the account, where no name is given. */
  #judge(need: Need, path: ObjectPath, name: AskedName | undefined): void {
    const missing = need.privileges & ~this.#rights.on(path);
    if (missing !== 0) throw forbidden(missing, name === undefined ? "the account" : shown(name));
  }
}
