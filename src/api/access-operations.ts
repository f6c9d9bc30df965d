import type { Asks, PageQuery } from "./asks.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import { PRIVILEGES, type Privilege } from "./privileges.ts";
import type { Page } from "./resources.ts";
import {
  DESCRIPTION,
  FLAG,
  listOf,
  NAME,
  object,
  oneOf,
  PAGE,
  PATH,
  pageOf,
  patchOf,
  TEXT,
  TIME,
  UUID,
} from "./schema.ts";

export type PrincipalKind = "LOCAL" | "EXTERNAL" | "ROLE";

export interface ApiKeyInfo {
  readonly id: string;
  readonly description: string;
  readonly createdAt: string;
  /** Absent: never. */
  readonly expiresAt?: string;
}

/** A key with its text, which is shown this once. */
export interface NewApiKey extends ApiKeyInfo {
  readonly key: string;
}

export interface PrincipalInfo {
  readonly id: string;
  readonly name: string;
  readonly kind: PrincipalKind;
  readonly description: string;
  readonly suspended: boolean;
  /** Names of the roles that it is a member of. */
  readonly roles: readonly string[];
  readonly keys: readonly ApiKeyInfo[];
}

/** What a grant is on: without a catalog the account. */
export interface GrantObject {
  readonly catalog?: string;
  readonly namespace?: readonly string[];
  /** Of a table or view. */
  readonly name?: string;
}

export interface GrantRequest extends GrantObject {
  /** A principal or a role. */
  readonly principal: string;
  readonly privileges: readonly Privilege[];
}

export interface GrantInfo {
  readonly principal: string;
  readonly type: string;
  readonly id: string;
  readonly privileges: readonly Privilege[];
}

export interface Explained {
  readonly principal: string;
  readonly privilege: Privilege;
  readonly allowed: boolean;
  readonly held: readonly Privilege[];
  /** Where each of them comes from. */
  readonly because: readonly string[];
}

export interface AccessOperations {
  listPrincipals: Asks<never, PageQuery, undefined, Page<PrincipalInfo>>;
  createPrincipal: Asks<never, object, { name: string; description?: string }, PrincipalInfo>;
  getPrincipal: Asks<"principal", object, undefined, PrincipalInfo>;
  updatePrincipal: Asks<
    "principal",
    object,
    { readonly description?: string; readonly suspended?: boolean },
    PrincipalInfo
  >;
  deletePrincipal: Asks<"principal", object, undefined, undefined>;
  createKey: Asks<
    "principal",
    object,
    { readonly description?: string; readonly expiresAt?: string },
    NewApiKey
  >;
  rotateKey: Asks<"principal" | "key", object, RotateKey, NewApiKey>;
  deleteKey: Asks<"principal" | "key", object, undefined, undefined>;
  createRole: Asks<never, object, { name: string; description?: string }, PrincipalInfo>;
  addMember: Asks<"role", object, { readonly principal: string }, PrincipalInfo>;
  removeMember: Asks<"role" | "member", object, undefined, undefined>;
  listGrants: Asks<never, { readonly principal: string }, undefined, Page<GrantInfo>>;
  grant: Asks<never, object, GrantRequest, GrantInfo>;
  revoke: Asks<never, object, GrantRequest, GrantInfo>;
  explainAccess: Asks<never, object, GrantObject & ExplainBody, Explained>;
}

export interface RotateKey {
  /** Of the new key; absent: the old one's. */
  readonly description?: string;
  readonly expiresAt?: string;
  /** Absent: in a day. */
  readonly oldExpiresAt?: string;
}

export interface ExplainBody {
  readonly principal: string;
  readonly privilege: Privilege;
}

const tag = "access";
const PRIVILEGE: Schema = oneOf(...PRIVILEGES);
const KEY = object({ id: TEXT, description: TEXT, createdAt: TIME }, { expiresAt: TIME });
export const NEW_KEY: Schema = object(
  { id: TEXT, key: TEXT, description: TEXT, createdAt: TIME },
  { expiresAt: TIME },
);
const PRINCIPAL = object({
  id: UUID,
  name: TEXT,
  kind: oneOf("LOCAL", "EXTERNAL", "ROLE"),
  description: TEXT,
  suspended: FLAG,
  roles: listOf(TEXT),
  keys: listOf(KEY),
});
const GRANT = object({
  principal: TEXT,
  type: TEXT,
  id: UUID,
  privileges: listOf(PRIVILEGE),
});
const OBJECT = { catalog: NAME, namespace: PATH, name: NAME };
const GIVEN = object(
  { principal: NAME, privileges: { ...listOf(PRIVILEGE), minItems: 1, maxItems: 9 } },
  OBJECT,
);
const EXPLAINED = object({
  principal: TEXT,
  privilege: PRIVILEGE,
  allowed: FLAG,
  held: listOf(PRIVILEGE),
  because: listOf(TEXT),
});

const PRINCIPALS = "/principals";
const ONE = `${PRINCIPALS}/{principal}`;

export const ACCESS_OPERATIONS: Readonly<Record<keyof AccessOperations, ApiOperation>> = {
  listPrincipals: {
    method: "GET",
    template: PRINCIPALS,
    tag,
    summary: "List principals and roles",
    needs: ["admin"],
    query: PAGE,
    status: 200,
    answer: pageOf(PRINCIPAL),
  },
  createPrincipal: {
    method: "POST",
    template: PRINCIPALS,
    tag,
    summary: "Create a principal",
    needs: ["admin"],
    body: object({ name: NAME }, { description: DESCRIPTION }),
    status: 201,
    answer: PRINCIPAL,
  },
  getPrincipal: {
    method: "GET",
    template: ONE,
    tag,
    summary: "Get a principal or role",
    needs: ["admin"],
    status: 200,
    answer: PRINCIPAL,
  },
  updatePrincipal: {
    method: "PATCH",
    template: ONE,
    tag,
    summary: "Describe or suspend a principal",
    needs: ["admin"],
    body: patchOf({ description: DESCRIPTION, suspended: FLAG }),
    status: 200,
    answer: PRINCIPAL,
  },
  deletePrincipal: {
    method: "DELETE",
    template: ONE,
    tag,
    summary: "Delete a principal or role for good, with its keys and grants",
    needs: ["admin"],
    status: 204,
  },
  createKey: {
    method: "POST",
    template: `${ONE}/keys`,
    tag,
    summary: "Create an API key; its text is shown once",
    needs: ["admin"],
    body: object({}, { description: DESCRIPTION, expiresAt: TIME }),
    status: 201,
    answer: NEW_KEY,
  },
  rotateKey: {
    method: "POST",
    template: `${ONE}/keys/{key}:rotate`,
    tag,
    summary: "Replace an API key with a new one, shown once; the old one goes on for a day",
    needs: ["admin"],
    body: object({}, { description: DESCRIPTION, expiresAt: TIME, oldExpiresAt: TIME }),
    status: 201,
    answer: NEW_KEY,
  },
  deleteKey: {
    method: "DELETE",
    template: `${ONE}/keys/{key}`,
    tag,
    summary: "Revoke an API key, and every token got with it",
    needs: ["admin"],
    status: 204,
  },
  createRole: {
    method: "POST",
    template: "/roles",
    tag,
    summary: "Create a role",
    needs: ["admin"],
    body: object({ name: NAME }, { description: DESCRIPTION }),
    status: 201,
    answer: PRINCIPAL,
  },
  addMember: {
    method: "POST",
    template: "/roles/{role}/members",
    tag,
    summary: "Make a principal a member of a role",
    needs: ["admin"],
    body: object({ principal: NAME }),
    status: 200,
    answer: PRINCIPAL,
  },
  removeMember: {
    method: "DELETE",
    template: "/roles/{role}/members/{member}",
    tag,
    summary: "End a principal's membership in a role",
    needs: ["admin"],
    status: 204,
  },
  listGrants: {
    method: "GET",
    template: "/grants",
    tag,
    summary: "List the grants of a principal or role",
    needs: ["admin"],
    query: { principal: NAME },
    required: ["principal"],
    status: 200,
    answer: pageOf(GRANT),
  },
  grant: {
    method: "POST",
    template: "/grants",
    tag,
    summary: "Grant privileges on the account, a catalog, a namespace, a table or a view",
    needs: ["manage-grants"],
    body: GIVEN,
    status: 200,
    answer: GRANT,
  },
  revoke: {
    method: "POST",
    template: "/grants:revoke",
    tag,
    summary: "Revoke privileges",
    needs: ["manage-grants"],
    body: GIVEN,
    status: 200,
    answer: GRANT,
  },
  explainAccess: {
    method: "POST",
    template: "/access:explain",
    tag,
    summary: "Explain whether a principal holds a privilege, and where it comes from",
    needs: ["admin"],
    body: object({ principal: NAME, privilege: PRIVILEGE }, OBJECT),
    status: 200,
    answer: EXPLAINED,
  },
};
