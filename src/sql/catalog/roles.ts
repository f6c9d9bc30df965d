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

/** Principals and roles, as SQL needs them. `service/` implements it. */
export interface SqlRoles {
  /** Those that the session may know: all where it may manage them, else its own. */
  list(): Promise<readonly ListedRole[]>;
  /** Names of tables and views of a schema that the session may know. */
  tablesIn(path: readonly string[]): Promise<readonly string[]>;
  /** @throws SqlError 42501, 42710, 42602. */
  create(name: string, role: { readonly canLogin: boolean }): Promise<void>;
  /** @throws SqlError 42501, 42704, 2BP01: the last administrator stays. */
  drop(name: string): Promise<void>;
  /** @throws SqlError 42501, 42704, 0A000. */
  allowLogin(name: string, isAllowed: boolean): Promise<void>;
  /** @throws SqlError 42501, 42704, 0A000: a role is not a member of a role. */
  addMember(role: string, member: string): Promise<void>;
  removeMember(role: string, member: string): Promise<void>;
  /** @throws SqlError 42501, 42704, 42P01, 3F000. */
  grant(grant: RoleGrant): Promise<void>;
  revoke(grant: RoleGrant): Promise<void>;
  /**
   * The session goes on with the rights of another role; with its own rights for none. Called
   * before each statement while a role is set.
   *
   * @throws SqlError 42501, 22023: no such role.
   */
  assume(name: string | undefined): Promise<void>;
}
