import type { Asks, PageQuery } from "./asks.ts";
import type { ApiOperation } from "./operation.ts";
import {
  ACCOUNT,
  type Account,
  type Page,
  type Properties,
  SUMMARY,
  type Summary,
} from "./resources.ts";
import {
  DESCRIPTION,
  NAME,
  object,
  PAGE,
  PROPERTIES,
  PROPERTIES_PATCH,
  pageOf,
  patchOf,
} from "./schema.ts";
import type { PropertiesPatch } from "./updates.ts";

export interface CreateAccount {
  readonly name: string;
  readonly description?: string;
  readonly tags?: Properties;
}

export interface UpdateAccount {
  readonly description?: string;
  readonly tags?: PropertiesPatch;
}

export interface AccountOperations {
  listAccounts: Asks<never, PageQuery, undefined, Page<Summary>>;
  createAccount: Asks<never, object, CreateAccount, Account>;
  getAccount: Asks<"account", object, undefined, Account>;
  updateAccount: Asks<"account", object, UpdateAccount, Account>;
}

const ACCOUNTS = "/accounts";
const ONE = `${ACCOUNTS}/{account}`;
const tag = "accounts";

export const ACCOUNT_OPERATIONS: Readonly<Record<keyof AccountOperations, ApiOperation>> = {
  listAccounts: {
    method: "GET",
    template: ACCOUNTS,
    tag,
    summary: "List the accounts of the deployment",
    needs: ["admin"],
    query: PAGE,
    status: 200,
    answer: pageOf(SUMMARY),
  },
  createAccount: {
    method: "POST",
    template: ACCOUNTS,
    tag,
    summary: "Create an account",
    needs: ["admin"],
    body: object({ name: NAME }, { description: DESCRIPTION, tags: PROPERTIES }),
    status: 201,
    answer: ACCOUNT,
    once: true,
  },
  getAccount: {
    method: "GET",
    template: ONE,
    tag,
    summary: "Get an account",
    needs: ["admin"],
    status: 200,
    answer: ACCOUNT,
    conditional: "read",
  },
  updateAccount: {
    method: "PATCH",
    template: ONE,
    tag,
    summary: "Describe or tag an account",
    needs: ["admin"],
    body: patchOf({ description: DESCRIPTION, tags: PROPERTIES_PATCH }),
    status: 200,
    answer: ACCOUNT,
    conditional: "write",
    once: true,
  },
};
