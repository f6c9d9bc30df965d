import type { AuditOperations } from "../../api/audit-operations.ts";
import type { Handlers } from "./call.ts";
import { parseTime } from "./times.ts";

export const AUDIT_HANDLERS: Handlers<keyof AuditOperations> = {
  listAudit: ({ actor, service, query }) => {
    const { since, until, ...rest } = query;
    return service.audit.list(actor, {
      ...rest,
      ...(since !== undefined && { sinceMs: parseTime(since, "since") }),
      ...(until !== undefined && { untilMs: parseTime(until, "until") }),
    });
  },
};
