import type { Node } from "libpg-query";
import type { RoleChanges } from "../../catalog/role-changes.ts";
import { SqlError } from "../../error.ts";
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

/** A plan that changes principals, roles or grants: at the commit of its transaction. */
export function rolePlan(
  tag: string,
  work: (run: RunContext, roles: RoleChanges) => Promise<unknown>,
): Plan {
  return commandPlan(tag, async (run) => {
    const { roles, modes } = run.transaction;
    roles.assertKnown(tag);
    if (modes.readOnly) {
      throw new SqlError("25006", `cannot execute ${tag} in a read-only transaction`);
    }
    await work(run, roles);
    return undefined;
  });
}
