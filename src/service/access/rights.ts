import { PRIVILEGES, type Privilege } from "../../api/privileges.ts";
import { assert } from "../../base/assert.ts";
import type { AccountId, PrincipalId } from "../../base/ids.ts";
import type { Grant } from "../../catalog/model.ts";

/** An object that privileges are held on, with who owns it. */
export interface AccessObject {
  readonly id: string;
  readonly owner?: PrincipalId | undefined;
}

/** From the account to the object that is meant, outermost first. */
export type AccessPath = readonly AccessObject[];

const BITS: ReadonlyMap<Privilege, number> = new Map(
  PRIVILEGES.map((privilege, i) => [privilege, 1 << i] as const),
);
const ALL = (1 << PRIVILEGES.length) - 1;
const SEE = bitOf("see");
const ADMIN = bitOf("admin");
/** Whose object it is holds all but `admin`. */
const OWN = ALL & ~ADMIN;

export function bitOf(privilege: Privilege): number {
  const bit = BITS.get(privilege);
  assert(bit !== undefined, "a privilege has a bit");
  return bit;
}

export function bitsOf(privileges: Iterable<Privilege>): number {
  let bits = 0;
  for (const privilege of privileges) bits |= bitOf(privilege);
  return bits;
}

export function privilegesIn(bits: number): readonly Privilege[] {
  return PRIVILEGES.filter((privilege) => (bits & bitOf(privilege)) !== 0);
}

/** What bits mean: `admin` is all of them, and any brings `see`. */
function meant(bits: number): number {
  if ((bits & ADMIN) !== 0) return ALL;
  return bits === 0 ? 0 : bits | SEE;
}

/** Whose rights they are. */
export interface RightsHolder {
  readonly account: AccountId;
  /** Undefined: owns nothing, as under a token that names a role. */
  readonly principalId: PrincipalId | undefined;
  /** Its own, and those of its roles and of `everyone`. */
  readonly grants: Iterable<Grant>;
}

/** What one identity may do: an object's privileges hold for all below it. */
export class Rights {
  readonly account: AccountId;
  readonly #principalId: PrincipalId | undefined;
  readonly #granted: Map<string, number> = new Map();
  /** What lies above something granted: its name may be known. */
  readonly #above: Set<string> = new Set();

  constructor({ account, principalId, grants }: RightsHolder) {
    this.account = account;
    this.#principalId = principalId;
    for (const { objectId, privileges, path } of grants) {
      if (privileges === 0) continue;
      this.#granted.set(objectId, (this.#granted.get(objectId) ?? 0) | privileges);
      for (const id of path) this.#above.add(id);
    }
  }

  /** The privileges held on the last object of a path, with or without the account, as bits. */
  on(path: AccessPath): number {
    let bits = this.#granted.get(this.account) ?? 0;
    for (const { id, owner } of path) {
      bits |= this.#granted.get(id) ?? 0;
      if (owner !== undefined && owner === this.#principalId) bits |= OWN;
    }
    return meant(bits);
  }

  /** Whether it owns what it makes. */
  get owns(): boolean {
    return this.#principalId !== undefined;
  }

  holds(privilege: Privilege, path: AccessPath): boolean {
    return (this.on(path) & bitOf(privilege)) !== 0;
  }

  /** Whether an object may be known by name whose parents give no privilege: `on` is 0 of them. */
  seesAlone({ id, owner }: AccessObject): boolean {
    if ((this.#granted.get(id) ?? 0) !== 0 || this.#above.has(id)) return true;
    return owner !== undefined && owner === this.#principalId;
  }

  /** Whether the last object of a path, which begins at the account, may be known by name. */
  sees(path: AccessPath): boolean {
    return path.length === 1 || this.#reaches(path);
  }

  /** As `sees`, of a path that begins below the account. */
  seesBelow(path: AccessPath): boolean {
    return path.length === 0 || this.#reaches(path);
  }

  /** Whether each object of a path below the account may be known by name, as by `seesBelow`. */
  seesEach(path: AccessPath): boolean {
    let bits = this.#granted.get(this.account) ?? 0;
    for (const { id, owner } of path) {
      bits |= this.#granted.get(id) ?? 0;
      if (owner !== undefined && owner === this.#principalId) bits |= OWN;
      if (bits === 0 && !this.#above.has(id)) return false;
    }
    return true;
  }

  #reaches(path: AccessPath): boolean {
    if (this.on(path) !== 0) return true;
    const last = path.at(-1);
    return last !== undefined && this.#above.has(last.id);
  }
}
