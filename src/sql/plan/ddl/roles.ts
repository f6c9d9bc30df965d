import type { Node } from "libpg-query";
import type { RoleChanges } from "../../catalog/role-changes.ts";
import type { SqlRoles } from "../../catalog/roles.ts";
import { notSupported, SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import { commandPlan, type Plan } from "../plan.ts";
import { roleNamed, rolePlan, rolesIn } from "./role-names.ts";

/** What CREATE ROLE and ALTER ROLE say. */
interface RoleOptions {
  readonly canLogin: boolean | undefined;
  /** Roles that it is made a member of, and members that it is given. */
  readonly within: readonly Node[];
  readonly members: readonly Node[];
}

/** Attributes that only say what holds anyhow. */
const NOTHING_ELSE: Readonly<Record<string, string>> = {
  superuser: "Grant the privilege admin on the account: POST /api/v1/grants.",
  createrole: "Grant the privilege admin on the account: POST /api/v1/grants.",
  createdb: "Grant the privilege create on the account: POST /api/v1/grants.",
  isreplication: "There is no replication protocol.",
  bypassrls: "There is no row-level security.",
};

/** @throws SqlError 0A000 for what does not fit principals and roles. */
function optionsOf(nodes: readonly Node[], name: string): RoleOptions {
  let options: RoleOptions = { canLogin: undefined, within: [], members: [] };
  for (const node of nodes) {
    const { defname = "", arg } = contentOf(node, "DefElem") ?? {};
    const isSet = contentOf(arg, "Boolean")?.boolval === true;
    const list = contentOf(arg, "List")?.items ?? [];
    if (defname === "canlogin") options = { ...options, canLogin: isSet };
    else if (defname === "addroleto") options = { ...options, within: list };
    else if (defname === "rolemembers") options = { ...options, members: list };
    else if (defname === "inherit" && isSet) continue;
    else if (Object.hasOwn(NOTHING_ELSE, defname) && !isSet) continue;
    else if (defname === "password") {
      throw notSupported(
        "a password of one's choice",
        `Make an API key, which is the password: POST /api/v1/principals/${name}/keys.`,
      );
    } else if (defname === "inherit") {
      throw notSupported("NOINHERIT", "Members of a role have its privileges at once.");
    } else throw notSupported(`the role attribute ${defname}`, NOTHING_ELSE[defname]);
  }
  return options;
}

async function join(on: RoleChanges, role: string, member: string): Promise<void> {
  await on.add({ kind: "add member", role, member });
}

/** CREATE ROLE, CREATE USER, CREATE GROUP. One that signs in is a principal. */
export function planCreateRole(create: NodeOf<"CreateRoleStmt">): Plan {
  const { role: name = "", options = [], stmt_type } = create;
  const { canLogin = stmt_type === "ROLESTMT_USER", within, members } = optionsOf(options, name);
  if (!canLogin && within.length > 0) {
    throw notSupported("a role that is a member of a role", "Make its members members of both.");
  }
  return rolePlan("CREATE ROLE", async (run, on) => {
    if (/^pg_|^public$|^none$/.test(name)) {
      throw new SqlError("42939", `role name "${name}" is reserved`);
    }
    await on.add({ kind: "create", name, canLogin });
    for (const role of rolesIn(within, run)) await join(on, role, name);
    for (const member of rolesIn(members, run)) await join(on, name, member);
    if (!canLogin) return;
    run.notice({
      severity: "NOTICE",
      sqlState: "00000",
      message: `role "${name}" has no key to sign in with`,
      hint: `Make one: POST /api/v1/principals/${name}/keys.`,
    });
  });
}

/** ALTER ROLE: LOGIN and NOLOGIN, and ALTER GROUP. */
export function planAlterRole(alter: NodeOf<"AlterRoleStmt">): Plan {
  const { role = {}, options = [], action = 1 } = alter;
  const { canLogin, members } = optionsOf(options, role.rolename ?? "");
  return rolePlan("ALTER ROLE", async (run, on) => {
    const name = roleNamed(role, run);
    if (canLogin !== undefined) {
      await on.add({ kind: "allow login", name, isAllowed: canLogin });
    }
    for (const member of rolesIn(members, run)) {
      if (action < 0) await on.add({ kind: "remove member", role: name, member });
      else await join(on, name, member);
    }
  });
}

/** DROP ROLE. What it was granted goes with it. */
export function planDropRole(drop: NodeOf<"DropRoleStmt">): Plan {
  const { roles: named = [], missing_ok: isOptional = false } = drop;
  return rolePlan("DROP ROLE", async (run, on) => {
    for (const name of rolesIn(named, run)) {
      try {
        await on.add({ kind: "drop", name });
      } catch (error) {
        const isMissing = error instanceof SqlError && error.sqlState === "42704";
        if (!isMissing || !isOptional) throw error;
        const message = `role "${name}" does not exist, skipping`;
        run.notice({ severity: "NOTICE", sqlState: "00000", message });
      }
    }
  });
}

/** GRANT and REVOKE of roles. */
export function planGrantRole(grant: NodeOf<"GrantRoleStmt">): Plan {
  const { granted_roles: granted = [], grantee_roles: grantees, is_grant: isGrant } = grant;
  if ((grant.opt ?? []).length > 0) {
    throw notSupported("ADMIN OPTION", "Who may do everything on the account manages roles.");
  }
  const names = granted.map((node) => contentOf(node, "AccessPriv")?.priv_name ?? "");
  return rolePlan(isGrant === true ? "GRANT ROLE" : "REVOKE ROLE", async (run, on) => {
    for (const role of names) {
      for (const member of rolesIn(grantees, run)) {
        if (isGrant === true) await join(on, role, member);
        else await on.add({ kind: "remove member", role, member });
      }
    }
  });
}

/** SET ROLE: judged at once, and again before each statement that follows. */
export function planSetRole(
  { args = [], is_local: isLocal = false, kind }: NodeOf<"VariableSetStmt">,
  roles?: SqlRoles,
): Plan {
  const value = kind === "VAR_RESET" ? undefined : contentOf(args[0], "A_Const")?.sval?.sval;
  const tag = kind === "VAR_RESET" ? "RESET" : "SET";
  return commandPlan(tag, async (run) => {
    if (isLocal && !run.transaction.isExplicit) {
      const message = "SET LOCAL can only be used in transaction blocks";
      run.notice({ severity: "WARNING", sqlState: "25P01", message });
    }
    if (value !== undefined && value !== "none") {
      if (roles === undefined) throw notSupported("SET ROLE");
      await roles.assume(value);
      // The next statement takes it up, where it has not been rolled back by then.
      await roles.assume(undefined);
    }
    run.settings.set("role", value, isLocal);
    return undefined;
  });
}
