import type {
  AccessOperations,
  ApiKeyInfo,
  GrantInfo,
  GrantObject,
  PrincipalInfo,
} from "../../api/access-operations.ts";
import { invalid } from "../../base/error.ts";
import type { ApiKey, Grant } from "../../catalog/model.ts";
import type { GrantPlace, ShownPrincipal } from "../../service/access/principal-admin.ts";
import { privilegesIn } from "../../service/access/rights.ts";
import type { Handlers } from "./call.ts";
import { decodePart } from "./query.ts";
import { parseTime, timeText } from "./times.ts";

export const ACCESS_HANDLERS: Handlers<keyof AccessOperations> = {
  listPrincipals: async ({ actor, service, query }) => {
    const page = await service.principals.list(actor, query);
    return { ...page, items: page.items.map(renderPrincipal) };
  },
  createPrincipal: async ({ actor, service, body }) =>
    renderPrincipal(await service.principals.create(actor, "LOCAL", body)),
  getPrincipal: async ({ actor, service, params }) =>
    renderPrincipal(await service.principals.get(actor, nameIn(params["principal"]))),
  updatePrincipal: async ({ actor, service, params, body }) =>
    renderPrincipal(await service.principals.update(actor, nameIn(params["principal"]), body)),
  deletePrincipal: ({ actor, service, params }) =>
    service.principals.delete(actor, nameIn(params["principal"])) as Promise<undefined>,
  createKey: async ({ actor, service, params, body }) => {
    const { expiresAt, ...rest } = body;
    const expiresAtMs = expiresAt === undefined ? 0 : parseTime(expiresAt, "expiresAt");
    const asked = { ...rest, expiresAtMs };
    const name = nameIn(params["principal"]);
    const { text, key } = await service.principals.createKey(actor, name, asked);
    return { ...renderKey(key), key: text };
  },
  rotateKey: async ({ actor, service, params, body }) => {
    const { expiresAt, oldExpiresAt, ...rest } = body;
    const [name, id] = [nameIn(params["principal"]), nameIn(params["key"])];
    const asked = {
      ...rest,
      expiresAtMs: expiresAt === undefined ? 0 : parseTime(expiresAt, "expiresAt"),
      oldExpiresAtMs:
        oldExpiresAt === undefined ? undefined : parseTime(oldExpiresAt, "oldExpiresAt"),
    };
    const { text, key } = await service.principals.rotateKey(actor, name, id, asked);
    return { ...renderKey(key), key: text };
  },
  deleteKey: ({ actor, service, params }) =>
    service.principals.deleteKey(
      actor,
      nameIn(params["principal"]),
      nameIn(params["key"]),
    ) as Promise<undefined>,
  createRole: async ({ actor, service, body }) =>
    renderPrincipal(await service.principals.create(actor, "ROLE", body)),
  addMember: async ({ actor, service, params, body }) => {
    const role = nameIn(params["role"]);
    return renderPrincipal(await service.principals.addMember(actor, role, body.principal));
  },
  removeMember: ({ actor, service, params }) =>
    service.principals.removeMember(
      actor,
      nameIn(params["role"]),
      nameIn(params["member"]),
    ) as Promise<undefined>,
  listGrants: async ({ actor, service, query }) => {
    const grants = await service.principals.grants(actor, query.principal);
    return { items: grants.map((each) => renderGrant(query.principal, each)) };
  },
  grant: async ({ actor, service, body }) => {
    const { principal, privileges } = body;
    const given = { principal, privileges, place: placeOf(body) };
    return renderGrant(principal, await service.principals.grant(actor, given));
  },
  revoke: async ({ actor, service, body }) => {
    const { principal, privileges } = body;
    const given = { principal, privileges, place: placeOf(body) };
    return renderGrant(principal, await service.principals.revoke(actor, given));
  },
  explainAccess: async ({ actor, service, body }) => {
    const { principal, privilege } = body;
    const place = placeOf(body);
    const found = await service.principals.explain(actor, principal, privilege, place);
    return { principal, privilege, ...found };
  },
};

function nameIn(raw = ""): string {
  return decodePart(raw);
}

/** @throws FirnError `Invalid` `GRANT_OBJECT_INVALID`: a part without what it lies in. */
function placeOf({ catalog, namespace, name }: GrantObject): GrantPlace {
  const isTorn = (catalog === undefined && namespace !== undefined) || (name && !namespace);
  if (isTorn) {
    const message = "name a catalog with a namespace, and a namespace with a table or view";
    throw invalid("GRANT_OBJECT_INVALID", message);
  }
  if (catalog === undefined) return undefined;
  return {
    catalog: { name: catalog },
    ...(namespace !== undefined && { namespace: { path: namespace } }),
    ...(name !== undefined && { relation: { name } }),
  };
}

export function renderKey({ id, description, createdAtMs, expiresAtMs }: ApiKey): ApiKeyInfo {
  return {
    id,
    description,
    createdAt: timeText(createdAtMs),
    ...(expiresAtMs !== 0 && { expiresAt: timeText(expiresAtMs) }),
  };
}

/** Nothing of a key's hash or verifier leaves the server. */
function renderPrincipal({ principal, roles }: ShownPrincipal): PrincipalInfo {
  const { id, name, kind, description, suspended, keys } = principal;
  return { id, name, kind, description, suspended, roles, keys: keys.map(renderKey) };
}

function renderGrant(
  principal: string,
  { objectType: type, objectId: id, privileges }: Grant,
): GrantInfo {
  return { principal, type, id, privileges: privilegesIn(privileges) };
}
