import type { Privilege } from "../../api/privileges.ts";
import { assert } from "../../base/assert.ts";
import { FirnError } from "../../base/error.ts";
import type { AskedName, NameAccess, NamedObject, ObjectPath } from "../../catalog/name-access.ts";
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

function isNamed(named: Named, name: string, id: string | undefined): boolean {
  return "id" in named ? named.id.toLowerCase() === id : named.name.normalize("NFC") === name;
}

function isPath(asked: NeededPlace["namespace"], path: readonly string[], id?: string): boolean {
  if (asked === undefined) return path.length === 0;
  if ("id" in asked) return asked.id.toLowerCase() === id;
  const { path: wanted } = asked;
  return (
    wanted.length === path.length && wanted.every((level, i) => level.normalize("NFC") === path[i])
  );
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

/** Judges one request: what it may know by name, and whether it may do what it asks for. */
export class RequestAccess implements NameAccess {
  readonly #rights: Rights;
  readonly #account: ObjectPath;
  readonly #needs: readonly Need[];
  readonly #judged: Set<Need> = new Set();
  readonly #proven: (readonly [AskedName, ObjectPath])[] = [];

  /** @throws FirnError `PRIVILEGE_MISSING`: what it needs on the account. */
  constructor(rights: Rights, needs: readonly Need[]) {
    this.#rights = rights;
    this.#account = [{ type: "account", id: rights.account }];
    this.#needs = needs;
    for (const need of needs) if (need.on === "account") this.#judge(need, [], "the account");
  }

  /** What may be absent, and what has not been judged though it has to be. */
  get optional(): readonly Need[] {
    return this.#needs.filter((need) => need.optional === true);
  }

  get open(): readonly Need[] {
    return this.#needs.filter((need) => need.optional !== true && !this.#judged.has(need));
  }

  sees(path: ObjectPath): boolean {
    return this.#rights.sees([...this.#account, ...path]);
  }

  seesIn(path: ObjectPath): ((object: NamedObject) => boolean) | undefined {
    const rights = this.#rights;
    if (rights.on([...this.#account, ...path]) !== 0) return undefined;
    return (object) => rights.seesAlone(object);
  }

  holds({ catalog, path = [], relation }: AskedName, privilege: Privilege): boolean {
    const place: NeededPlace = {
      catalog: { name: catalog },
      ...(path.length > 0 && { namespace: { path } }),
      ...(relation !== undefined && { relation: { name: relation.name } }),
    };
    return this.#proven.some(
      ([name, at]) =>
        isAt(place, name, at) && this.#rights.holds(privilege, [...this.#account, ...at]),
    );
  }

  proven(name: AskedName, path: ObjectPath): void {
    this.#proven.push([name, path]);
    for (const need of this.#needs) {
      if (need.on !== "account" && concerns(need.on, name, path)) {
        this.#judge(need, path, shown(name));
      }
    }
  }

  assertJudged(): void {
    assert(this.open.length === 0, "what a request changes was judged before it is written");
  }

  #judge(need: Need, path: ObjectPath, on: string): void {
    const held = this.#rights.on([...this.#account, ...path]);
    const missing = need.privileges & ~held;
    if (missing !== 0) throw forbidden(missing, on);
    this.#judged.add(need);
  }
}
