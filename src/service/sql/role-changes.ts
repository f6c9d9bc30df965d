import { FirnError } from "../../base/error.ts";
import { principalNotFound } from "../../catalog/errors.ts";
import type { JudgedChange, RoleChange, RoleGrant, RoleKind } from "../../sql/catalog/roles.ts";
import { SqlError } from "../../sql/error.ts";
import { checkLocalName, EXTERNAL_NAME } from "../access/names.ts";
import type { GivenGrant, PrincipalAdmin } from "../access/principal-admin.ts";
import { assertOnAccount } from "../access/request-access.ts";
import type { Actor } from "../actor.ts";

/** The use cases that statements about roles and grants come to. */
export type RoleAdmin = Pick<
  PrincipalAdmin,
  | "create"
  | "delete"
  | "get"
  | "update"
  | "addMember"
  | "removeMember"
  | "grant"
  | "revoke"
  | "judgeGrant"
>;

interface ChangeParts {
  readonly actor: Actor;
  readonly principals: RoleAdmin;
  /** A catalog's name. */
  readonly database: string;
}

function givenOf(database: string, { role, on, privileges }: RoleGrant): GivenGrant {
  const { path, name } = on;
  return {
    principal: role,
    privileges,
    place: {
      catalog: { name: database },
      ...(path.length > 0 && { namespace: { path } }),
      ...(name !== undefined && { relation: { name } }),
    },
  };
}

/** As `SqlRoles.judge`: nothing is written. @throws FirnError, SqlError. */
export async function judgeChange(
  { actor, principals, database }: ChangeParts,
  change: JudgedChange,
  kindOf: (name: string) => RoleKind | undefined,
): Promise<void> {
  const kindNow = async (name: string): Promise<RoleKind> => {
    const known = kindOf(name);
    if (known === "none") throw principalNotFound(name);
    if (known !== undefined) return known;
    const { principal } = await principals.get(actor, name);
    return principal.kind === "ROLE" ? "role" : "user";
  };
  if (change.kind !== "grant" && change.kind !== "revoke") assertOnAccount(actor, "admin");
  switch (change.kind) {
    case "create": {
      const { name, canLogin } = change;
      // A role that an issuer's claim names has a colon.
      if (canLogin || !name.includes(":")) checkLocalName(name);
      if (kindOf(name) !== "none" && (await isThere(() => kindNow(name)))) throw taken(name);
      return;
    }
    case "drop":
      await kindNow(change.name);
      return;
    case "allow login":
      if ((await kindNow(change.name)) === "role") throw roleSignsIn();
      return;
    case "add member":
    case "remove member": {
      const { kind, role, member } = change;
      if ((await kindNow(role)) !== "role") throw principalNotFound(role);
      // A user of an issuer may be named before the first sign-in.
      if (EXTERNAL_NAME.test(member)) return;
      const isRole = (await kindNow(member)) === "role";
      if (isRole && kind === "add member") throw new SqlError("0A000", "a role has no roles");
      return;
    }
    case "grant":
    case "revoke": {
      const { on, role, privileges } = change;
      const known = kindOf(role);
      if (known === "none") throw principalNotFound(role);
      await principals.judgeGrant(actor, {
        ...(known === undefined && { principal: role }),
        place: on && givenOf(database, { role, on, privileges }).place,
        privileges,
      });
    }
  }
}

async function isThere(look: () => Promise<unknown>): Promise<boolean> {
  try {
    await look();
    return true;
  } catch (error) {
    if (error instanceof FirnError && error.code === "PRINCIPAL_NOT_FOUND") return false;
    throw error;
  }
}

function taken(name: string): SqlError {
  return new SqlError("42710", `role "${name}" already exists`);
}

function roleSignsIn(): SqlError {
  return new SqlError("0A000", "a role does not sign in", {
    hint: "Make a principal with CREATE USER, and make it a member of the role with GRANT.",
  });
}

/** As `SqlRoles.make`. @throws FirnError. */
export async function makeChange(
  { actor, principals, database }: ChangeParts,
  change: RoleChange,
): Promise<void> {
  switch (change.kind) {
    case "create": {
      const { name, canLogin } = change;
      await principals.create(actor, canLogin ? "LOCAL" : "ROLE", { name });
      return;
    }
    case "drop":
      return await principals.delete(actor, change.name);
    case "allow login":
      await principals.update(actor, change.name, { suspended: !change.isAllowed });
      return;
    case "add member":
      await principals.addMember(actor, change.role, change.member);
      return;
    case "remove member":
      return await principals.removeMember(actor, change.role, change.member);
    case "grant":
      await principals.grant(actor, givenOf(database, change));
      return;
    case "revoke":
      await principals.revoke(actor, givenOf(database, change));
  }
}
