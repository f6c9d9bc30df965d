import { FirnError, invalid } from "../../base/error.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { Principal } from "../../catalog/model.ts";
import type { Actor } from "../actor.ts";
import { mintKey } from "./api-keys.ts";
import { adminOf } from "./first-principal.ts";
import { checkLocalName } from "./names.ts";

/** The key of an administrator that was reset. Its text is shown once. */
export interface NewAdminKey {
  readonly principal: string;
  readonly id: string;
  readonly key: string;
  /** Ids of the keys that it had, and that ended with this. */
  readonly ended: readonly string[];
}

/**
 * Gives a principal everything in the account and a new key, whatever it was before: absent,
 * suspended, or without a key that anyone has. Its other keys end, as one of them may be in the
 * wrong hands. In one batch.
 *
 * @param keepsKeys whether its other keys go on.
 * @throws FirnError `NAME_INVALID`; `Invalid` `PRINCIPAL_KEYLESS`: a role, or a user of an issuer.
 */
export async function resetAdmin(
  { principals, context }: AccountCatalog,
  actor: Actor,
  name: string,
  { keepsKeys }: { readonly keepsKeys: boolean },
): Promise<NewAdminKey> {
  checkLocalName(name);
  const terms = {
    description: "made by firn access reset-admin",
    createdAtMs: context.clock.nowMs(),
    expiresAtMs: 0,
  };
  const { key, text } = await mintKey(context.prng, terms);
  const admin = adminOf(context.account);
  if ((await principals.find(name)) === undefined) {
    const blank = { description: "Administrator", properties: {}, roles: [] };
    try {
      const made = { ...blank, name, kind: "LOCAL", keys: [key], grants: [admin] } as const;
      await principals.create(actor, made);
      return { principal: name, id: key.id, key: text, ended: [] };
    } catch (error) {
      // Another operator made it a moment ago.
      const isThere = error instanceof FirnError && error.code === "PRINCIPAL_ALREADY_EXISTS";
      if (!isThere) throw error;
    }
  }
  let ended: readonly string[] = [];
  const change = ({ entity }: { readonly entity: Principal }): Principal => {
    if (entity.kind !== "LOCAL") {
      const message = "only principals that were created here have keys: name another one";
      throw invalid("PRINCIPAL_KEYLESS", message, { name, kind: entity.kind });
    }
    ended = keepsKeys ? [] : entity.keys.map(({ id }) => id);
    const keys = keepsKeys ? [...entity.keys, key] : [key];
    const others = entity.grants.filter(({ objectId }) => objectId !== admin.objectId);
    return { ...entity, suspended: false, keys, grants: [...others, admin] };
  };
  await principals.revise(actor, "reset-admin", name, change);
  return { principal: name, id: key.id, key: text, ended };
}
