import type { ImportOperations } from "../../api/import-operations.ts";
import type { Handlers } from "./call.ts";
import { connectorOf } from "./names.ts";
import { renderJob } from "./render.ts";

export const IMPORT_HANDLERS: Handlers<keyof ImportOperations> = {
  importTables: ({ actor, service, params, query, body }) => {
    const { into, namespaces, credentials, replace = false, preview = false } = body;
    const request = { ...query, into, namespaces, credentials, replace, dryRun: preview };
    return service.imports.run(actor, connectorOf(params), request);
  },
  beginImport: async ({ actor, service, params, body }) => {
    const { into, replace = false } = body;
    const job = await service.imports.begin(actor, connectorOf(params), { into, replace });
    return renderJob(await service.jobs.begun(actor, job));
  },
  checkConnector: ({ actor, service, params, body }) =>
    service.imports.check(actor, connectorOf(params), body.credentials),
};
