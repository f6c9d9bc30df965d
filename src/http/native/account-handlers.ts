import type { AccountOperations } from "../../api/account-operations.ts";
import type { Handlers } from "./call.ts";
import { accountOf } from "./names.ts";
import { renderAccount, renderSummary } from "./render.ts";

export const ACCOUNT_HANDLERS: Handlers<keyof AccountOperations> = {
  listAccounts: async ({ actor, service, query }) => {
    const page = await service.accounts.list(actor, query);
    return { ...page, items: page.items.map((item) => renderSummary(item)) };
  },
  createAccount: async ({ actor, service, body }) =>
    renderAccount(await service.accounts.create(actor, body)),
  getAccount: async ({ actor, service, params }) =>
    renderAccount(await service.accounts.get(actor, accountOf(params))),
  updateAccount: async ({ actor, service, params, body, ifMatch }) =>
    renderAccount(await service.accounts.update(actor, accountOf(params), { ...body, ifMatch })),
};
