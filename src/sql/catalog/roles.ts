import type { Privilege } from "../../api/privileges.ts";
import type { Held } from "./held.ts";

/** A principal or role that the session may know. */
export interface ListedRole {
  readonly id: string;
  readonly name: string;
  /** In `pg_roles`: the session's own principal has that of the first role. */
  readonly oid: number;
  /** Whether it may do everything. */
  readonly isSuper: boolean;
  readonly canLogin: boolean;
  /** Every principal is a member of it: PostgreSQL's PUBLIC. */
  readonly isPublic: boolean;
  /** Ids of the roles that it is a member of. */
  readonly memberOf: readonly string[];
  readonly description: string;
  /** Those of some privileges that it does not hold on an object, its roles included. */
  missing(on: Held, needs: readonly Privilege[]): readonly Privilege[];
  /** What was granted to it, without its roles, on an object or on what the object lies in. */
  granted(on: Held): readonly Privilege[];
}

/** What a grant is on: the database where it has no path, a schema where it has no name. */
export interface GrantPlace {
  readonly path: readonly string[];
  readonly name?: string | undefined;
}

/** A grant of privileges, as GRANT and REVOKE say it. */
export interface RoleGrant {
  readonly role: string;
  readonly on: GrantPlace;
  readonly privileges: readonly Privilege[];
}

/** A change of roles, members or grants. */
export type RoleChange =
  | { readonly kind: "create"; readonly name: string; readonly canLogin: boolean }
  | { readonly kind: "drop"; readonly name: string }
  | { readonly kind: "allow login"; readonly name: string; readonly isAllowed: boolean }
  | {
      readonly kind: "add member" | "remove member";
      readonly role: string;
      readonly member: string;
    }
  | ({ readonly kind: "grant" | "revoke" } & RoleGrant);

/** A change to be judged: a grant on what the transaction makes itself has no place yet. */
export type JudgedChange =
  | Exclude<RoleChange, RoleGrant>
  | (Omit<RoleGrant, "on"> & {
      readonly kind: "grant" | "revoke";
      readonly on: GrantPlace | undefined;
    });

/** What a name is: one that signs in, one that does not, or nothing. */
export type RoleKind = "user" | "role" | "none";

/** Principals and roles, as SQL needs them. `service/` implements it. */
export interface SqlRoles {
  /** Those that the session may know: all where it may manage them, else its own. */
  list(): Promise<readonly ListedRole[]>;
  /** Names of tables and views of a schema that the session may know. */
  tablesIn(path: readonly string[]): Promise<readonly string[]>;
  /**
   * Whether a change may be made, and can be.
   *
   * @param kindOf what the transaction has made of a name; undefined: nothing.
   * @throws SqlError 42501, 42704, 42710, 42602, 42P01, 3F000, 0A000: a role has no roles.
   */
  judge(change: JudgedChange, kindOf: (name: string) => RoleKind | undefined): Promise<void>;
  /** @throws SqlError as `judge`; 2BP01: the last administrator stays. */
  make(change: RoleChange): Promise<void>;
  /**
   * The session goes on with the rights of another role; with its own rights for none. Called
   * before each statement while a role is set.
   *
   * @throws SqlError 42501, 22023: no such role.
   */
  assume(name: string | undefined): Promise<void>;
}
