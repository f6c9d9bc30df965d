import { FirnError } from "../../base/error.ts";
import type { AccountId } from "../../base/ids.ts";
import type { Principal } from "../../catalog/model.ts";
import type { JudgeAll } from "../../catalog/principals.ts";
import { EVERYONE } from "./names.ts";
import { bitOf } from "./rights.ts";

/**
 * Refuses a change that leaves an account without an administrator, the principal that
 * lets others in.
 */
export function adminStays(account: AccountId, name: string): JudgeAll {
  return (before, after) => {
    if (hasAdmin(account, after) || !hasAdmin(account, before)) return;
    const message = "this is the last administrator: make another one first";
    throw new FirnError("Conflict", "LAST_ADMIN", message, { principal: name });
  };
}

function hasAdmin(account: AccountId, all: readonly Principal[]): boolean {
  const isAdmin = ({ grants }: Principal): boolean =>
    grants.some(
      ({ objectId, privileges }) => objectId === account && (privileges & bitOf("admin")) !== 0,
    );
  const roles = all.filter((each) => each.kind === "ROLE" && isAdmin(each));
  const ids = new Set(roles.map(({ id }) => id));
  const isEveryone = roles.some((each) => each.name === EVERYONE);
  return all.some(
    (each) =>
      each.kind !== "ROLE" &&
      !each.suspended &&
      (isEveryone || isAdmin(each) || each.roles.some((role) => ids.has(role))),
  );
}
