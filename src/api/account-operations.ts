import { NEW_KEY, type NewApiKey } from "./access-operations.ts";
import type { Asks, DropQuery, PageQuery } from "./asks.ts";
import type { ApiOperation } from "./operation.ts";
import {
  ACCOUNT,
  type Account,
  JOB,
  type Job,
  type Page,
  type Properties,
  SUMMARY,
  type Summary,
} from "./resources.ts";
import {
  DESCRIPTION,
  FLAG,
  NAME,
  object,
  PAGE,
  PROPERTIES,
  PROPERTIES_PATCH,
  pageOf,
  patchOf,
  RECURSIVE,
} from "./schema.ts";
import type { PropertiesPatch } from "./updates.ts";

export interface CreateAccount {
  readonly name: string;
  readonly description?: string;
  readonly tags?: Properties;
}

export interface UpdateAccount {
  readonly suspended?: boolean;
  readonly description?: string;
  readonly protected?: boolean;
  readonly tags?: PropertiesPatch;
}

export interface CreateAccountAdmin {
  readonly principal: string;
}

export interface AccountOperations {
  listAccounts: Asks<never, PageQuery, undefined, Page<Summary>>;
  createAccount: Asks<never, object, CreateAccount, Account>;
  getAccount: Asks<"account", object, undefined, Account>;
  updateAccount: Asks<"account", object, UpdateAccount, Account>;
  dropAccount: Asks<"account", DropQuery, undefined, Job | undefined>;
  createAccountAdmin: Asks<"account", object, CreateAccountAdmin, NewApiKey>;
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
    summary: "Describe, tag, protect, suspend or resume an account",
    needs: ["admin"],
    body: patchOf({
      description: DESCRIPTION,
      protected: FLAG,
      suspended: FLAG,
      tags: PROPERTIES_PATCH,
    }),
    status: 200,
    answer: ACCOUNT,
    conditional: "write",
    once: true,
  },
  dropAccount: {
    method: "DELETE",
    template: ONE,
    tag,
    summary: "Drop an account without catalogs, or one with all that is in it",
    needs: ["admin"],
    query: RECURSIVE,
    status: 204,
    job: JOB,
    conditional: "write",
    once: true,
  },
  createAccountAdmin: {
    method: "POST",
    template: `${ONE}/admins`,
    tag,
    summary: "Make an administrator of an account, with a new API key, which is shown once",
    needs: ["admin"],
    body: object({ principal: NAME }),
    status: 201,
    answer: NEW_KEY,
  },
};
