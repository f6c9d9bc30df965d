import type { AccountOperations } from "../../api/account-operations.ts";
import { renderKey } from "./access-handlers.ts";
import type { Handlers } from "./call.ts";
import { accountOf } from "./names.ts";
import { renderAccount, renderJob, renderSummary } from "./render.ts";

export const ACCOUNT_HANDLERS: Handlers<keyof AccountOperations> = {
  listAccounts: async ({ actor, service, query }) => {
    const page = await service.accounts.list(actor, query);
    return { ...page, items: page.items.map((item) => renderSummary(item)) };
  },
  createAccount: async ({ actor, service, body }) =>
    renderAccount(await service.accounts.create(actor, body)),
  getAccount: async ({ actor, service, params }) =>
    renderAccount(await service.accounts.get(actor, accountOf(params))),
  createAccountAdmin: async ({ actor, service, params, body }) => {
    const place = accountOf(params);
    const { text, key } = await service.accounts.createAdmin(actor, place, body.principal);
    return { ...renderKey(key), key: text };
  },
  updateAccount: async ({ actor, service, params, body, ifMatch }) =>
    renderAccount(await service.accounts.update(actor, accountOf(params), { ...body, ifMatch })),
  dropAccount: async ({ actor, service, params, query, ifMatch }) => {
    const place = accountOf(params);
    if (query.recursive === true) {
      return renderJob(await service.accounts.dropAll(actor, place, { ifMatch }));
    }
    await service.accounts.drop(actor, place, { ifMatch });
    return undefined;
  },
};
