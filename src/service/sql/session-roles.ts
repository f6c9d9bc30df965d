import type { Privilege } from "../../api/privileges.ts";
import { FirnError } from "../../base/error.ts";
import type { PrincipalId } from "../../base/ids.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { Principal } from "../../catalog/model.ts";
import type { Held } from "../../sql/catalog/held.ts";
import type { JudgedChange, ListedRole, SqlRoles } from "../../sql/catalog/roles.ts";
import { hashedOid } from "../../sql/catalog/system/object-oids.ts";
import { OWNER_OID } from "../../sql/catalog/system/snapshot.ts";
import { SqlError } from "../../sql/error.ts";
import { AccountAccess } from "../access/account-access.ts";
import { EVERYONE } from "../access/names.ts";
import { type AccessPath, privilegesIn, Rights } from "../access/rights.ts";
import { judgeChange, makeChange, type RoleAdmin } from "./role-changes.ts";
import { missingOf, type SessionAccess } from "./session-access.ts";

const PAGE = 500;

export interface RoleParts {
  readonly catalog: AccountCatalog;
  readonly access: SessionAccess;
  /** The database: a catalog's name. */
  readonly database: string;
  readonly principals: RoleAdmin;
}

/** Principals and roles of an account, for one session. Who manages them is judged as elsewhere. */
export function sessionRoles(parts: RoleParts): SqlRoles {
  const { access, principals, catalog, database } = parts;
  const asking = () => access.actor;
  const changing = () => ({ actor: asking(), principals, database });
  const known = new AccountAccess(
    catalog.context.account,
    catalog.principals,
    catalog.context.clock,
    // Read anew before each statement: a membership that was revoked gives nothing any more.
    0,
  );
  return {
    list: () => listed(parts),
    tablesIn: (path) => access.judged(() => namesIn(catalog, { catalog: database, path })),
    judge: (change, kindOf) => told(change, () => judgeChange(changing(), change, kindOf)),
    make: (change) => told(change, () => makeChange(changing(), change)),
    assume: async (name) => {
      if (name === undefined || name === asking().principal) access.narrow(undefined);
      else access.narrow(await assumed(known, access, name));
    },
  };
}

/** The rights of another role. @throws SqlError 42501, 22023. */
async function assumed(known: AccountAccess, access: SessionAccess, name: string): Promise<Rights> {
  const { principalId } = access.actor;
  const own = access.ownRights;
  const isAny = own === undefined || own.holds("admin", []);
  const role = await known.principalByName(name);
  const held = principalId === undefined ? [] : await known.rolesHeldBy({ principalId });
  if (role !== undefined && (isAny || held.includes(role.id))) {
    if (role.kind === "ROLE") return await known.rightsOfRoles([role.id], undefined);
    return await known.rightsOf(role.id);
  }
  // Whether there is such a role is not for everybody to know.
  if (role === undefined && isAny) {
    throw new SqlError("22023", `role "${name}" does not exist`);
  }
  throw new SqlError("42501", `permission denied to set role "${name}"`);
}

/** Errors of use cases as SQL tells them. */
async function told(change: JudgedChange, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof FirnError) || error instanceof SqlError) throw error;
    const role = "role" in change ? change.role : change.name;
    throw new SqlError(...asSql(error, role), {}, error);
  }
}

function asSql(error: FirnError, role: string): [sqlState: string, message: string] {
  if (error.kind === "Forbidden") return ["42501", `permission denied: ${error.message}`];
  switch (error.code) {
    case "PRINCIPAL_NOT_FOUND":
      return ["42704", `role "${role}" does not exist`];
    case "PRINCIPAL_ALREADY_EXISTS":
      return ["42710", `role "${role}" already exists`];
    case "TABLE_NOT_FOUND":
    case "VIEW_NOT_FOUND":
      return ["42P01", error.message];
    case "NAMESPACE_NOT_FOUND":
    case "CATALOG_NOT_FOUND":
      return ["3F000", error.message];
    case "NAME_INVALID":
      return ["42602", error.message];
    case "ROLE_NESTED":
      return ["0A000", error.message];
    case "LAST_ADMIN":
      return ["2BP01", error.message];
    default:
      throw error;
  }
}

async function namesIn(
  catalog: AccountCatalog,
  ref: { readonly catalog: string; readonly path: readonly string[] },
): Promise<readonly string[]> {
  const pages = await Promise.all([catalog.tables.page(ref, {}), catalog.views.page(ref, {})]);
  return pages.flatMap(({ items }) => items.map(({ summary }) => summary.name));
}

async function listed({ catalog, access }: RoleParts): Promise<readonly ListedRole[]> {
  const { actor, ownRights } = access;
  const isAll = ownRights === undefined || ownRights.holds("admin", []);
  const found = isAll ? await everyPrincipal(catalog) : await knownTo(catalog, actor.principalId);
  const byId = new Map(found.map((each) => [each.id, each]));
  const everyone = found.find(({ name }) => name === EVERYONE);
  const roles = found.map((each) => {
    const memberships = each.roles.flatMap((id) => byId.get(id)?.grants ?? []);
    const grants = [...each.grants, ...memberships, ...(everyone?.grants ?? [])];
    const rights = new Rights({ account: catalog.context.account, principalId: each.id, grants });
    return roleOf(each, rights, each.id === actor.principalId);
  });
  const isListed = roles.some(({ oid }) => oid === OWNER_OID);
  return isListed ? roles : [...roles, unlisted(actor.principal, isAll)];
}

async function everyPrincipal({ principals }: AccountCatalog): Promise<readonly Principal[]> {
  const found: Principal[] = [];
  let after: string | undefined;
  do {
    const page = await principals.page({ limit: PAGE, ...(after !== undefined && { after }) });
    const stored = await Promise.all(
      page.items.map(({ summary }) => principals.byId(summary.entityId as PrincipalId)),
    );
    found.push(...stored.flatMap((each) => each?.entity ?? []));
    after = page.next;
  } while (after !== undefined);
  return found;
}

/** A principal, its roles, and the role of everybody. */
async function knownTo(
  { principals }: AccountCatalog,
  id: PrincipalId | undefined,
): Promise<readonly Principal[]> {
  const own = id === undefined ? undefined : (await principals.byId(id))?.entity;
  const roles = await Promise.all((own?.roles ?? []).map((role) => principals.byId(role)));
  const everyone = await principals.find(EVERYONE);
  return [own, ...roles.map((role) => role?.entity), everyone?.entity].filter(
    (each) => each !== undefined,
  );
}

function roleOf(principal: Principal, rights: Rights, isOwn: boolean): ListedRole {
  const { id, name, kind, roles, description, suspended, grants } = principal;
  const direct = new Rights({ account: rights.account, principalId: undefined, grants });
  return {
    id,
    name,
    oid: isOwn ? OWNER_OID : hashedOid("role", id),
    isSuper: rights.holds("admin", []),
    canLogin: kind !== "ROLE" && !suspended,
    isPublic: name === EVERYONE,
    memberOf: roles,
    description,
    missing: (on, needs) => missingOf(rights, pathOf(on), needs),
    granted: (on) => {
      const bits = direct.on([
        { id: direct.account },
        ...pathOf(on).map(({ id: one }) => ({ id: one })),
      ]);
      return privilegesIn(bits);
    },
  };
}

function pathOf({ path = [] }: Held): AccessPath {
  return path as AccessPath;
}

/** Who signs in without being stored: under `--auth none`, and a user of an issuer. */
function unlisted(name: string, isSuper: boolean): ListedRole {
  return {
    id: "",
    name,
    oid: OWNER_OID,
    isSuper,
    canLogin: true,
    isPublic: false,
    memberOf: [],
    description: "",
    missing: (on: Held, needs: readonly Privilege[]) => on.missing(needs),
    granted: () => [],
  };
}
