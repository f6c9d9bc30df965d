import type { StorageOperations } from "../../api/storage-operations.ts";
import type { StoreReport } from "../../service/stores/store-report.ts";
import type { Handlers } from "./call.ts";
import { maskOf } from "./mask.ts";
import { storageProfileOf } from "./names.ts";
import { renderStorageProfile, renderSummary } from "./render.ts";

export const STORAGE_HANDLERS: Handlers<keyof StorageOperations> = {
  listStorageProfiles: async ({ actor, service, query }) => {
    const page = await service.storageProfiles.list(actor, query);
    return { ...page, items: page.items.map((item) => renderSummary(item)) };
  },
  createStorageProfile: async ({ actor, service, body, query: { skipCheck } }) =>
    renderStorageProfile(await service.storageProfiles.create(actor, body, { skipCheck })),
  getStorageProfile: async ({ actor, service, params }) =>
    renderStorageProfile(await service.storageProfiles.get(actor, storageProfileOf(params))),
  updateStorageProfile: async ({ actor, service, params, body, query, ifMatch }) => {
    const { skipCheck } = query;
    const request = { patch: body, mask: maskOf(query), ifMatch, skipCheck };
    const place = storageProfileOf(params);
    return renderStorageProfile(await service.storageProfiles.update(actor, place, request));
  },
  deleteStorageProfile: ({ actor, service, params, ifMatch }) =>
    service.storageProfiles.delete(actor, storageProfileOf(params), {
      ifMatch,
    }) as Promise<undefined>,
  checkStorageProfile: async ({ actor, service, params }) => {
    const reports = await service.storageProfiles.check(actor, storageProfileOf(params));
    return { reports: reports.map(shown) };
  },
};

function shown({ findings, ...report }: StoreReport) {
  return {
    ...report,
    findings: findings.map(({ asked, holds, detail }) => ({
      asked,
      detail,
      ...(holds !== undefined && { holds }),
    })),
  };
}
