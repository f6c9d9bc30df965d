import type { Node } from "libpg-query";
import type { SqlRoles } from "../../catalog/roles.ts";
import { notSupported, SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import { commandPlan, type Plan, type RunContext } from "../plan.ts";

/** The role that every principal is a member of. */
export const EVERYONE = "everyone";

/** A role as a statement names it. @throws SqlError 0A000. */
export function roleNamed(
  { roletype, rolename = "" }: NodeOf<"RoleSpec">,
  { user, sessionUser }: Pick<RunContext, "user" | "sessionUser">,
): string {
  switch (roletype) {
    case "ROLESPEC_PUBLIC":
      return EVERYONE;
    case "ROLESPEC_SESSION_USER":
      return sessionUser;
    case "ROLESPEC_CURRENT_USER":
    case "ROLESPEC_CURRENT_ROLE":
      return user;
    default:
      return rolename;
  }
}

export function rolesIn(
  nodes: readonly Node[] | undefined,
  run: Pick<RunContext, "user" | "sessionUser">,
): readonly string[] {
  return (nodes ?? []).map((node) => roleNamed(contentOf(node, "RoleSpec") ?? {}, run));
}

/**
 * A plan that changes principals, roles or grants. It takes effect at once, and no rollback takes
 * it back, so it stands alone.
 */
export function rolePlan(
  tag: string,
  roles: SqlRoles | undefined,
  work: (run: RunContext, roles: SqlRoles) => Promise<unknown>,
): Plan {
  return commandPlan(tag, async (run) => {
    if (roles === undefined) throw notSupported(tag);
    const { transaction } = run;
    if (transaction.isExplicit || transaction.statements > 1) {
      throw new SqlError("25001", `${tag} cannot run inside a transaction block`, {
        hint: "It takes effect at once: run it before BEGIN, or behind COMMIT.",
      });
    }
    await work(run, roles);
    return undefined;
  });
}
