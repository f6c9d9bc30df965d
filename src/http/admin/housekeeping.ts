import type { FastifyInstance } from "fastify";
import { type FirnError, invalid } from "../../base/error.ts";
import type { BesideReport, BesideRequest } from "../../service/backup/beside.ts";
import type { BackupRequest } from "../../service/backup/store.ts";
import type { BackupReport } from "../../service/backup/take.ts";
import type { DroppedInfo, DroppedPage } from "../../service/dropped-admin.ts";
import type { JobInfo, JobsPage } from "../../service/jobs-admin.ts";
import { fieldsOf } from "./requests.ts";

/** The page of a list that is asked for; the first one without `after`. */
export interface PageAsked {
  readonly after?: string;
}

/** What an operator asks of a catalog, in its own process or over HTTP. */
export interface Housekeeping {
  dropped(page: PageAsked): Promise<DroppedPage>;
  /** @param target an id, or a name as `DroppedAdmin.find` takes it. */
  undrop(target: string, name: string | undefined): Promise<DroppedInfo>;
  jobs(page: PageAsked): Promise<JobsPage>;
  job(id: string): Promise<JobInfo>;
  retryJob(id: string): Promise<JobInfo>;
  cancelJob(id: string): Promise<JobInfo>;
  /** Takes as long as the backup. */
  backup(request: BackupRequest): Promise<BackupReport>;
  /** Makes a catalog of a backup again, under another name. Takes as long as that. */
  restore(request: BesideRequest): Promise<BesideReport>;
}

const ADMIN = "/admin/v1";

/** The routes of a catalog. `firn dropped`, `firn undrop` and `firn jobs` are their client. */
export function addHousekeepingRoutes(app: FastifyInstance, catalog: Housekeeping): void {
  app.get(`${ADMIN}/dropped`, async ({ query }) => catalog.dropped(pageOf(query)));
  app.post(`${ADMIN}/undrop`, async ({ body }) => {
    const { target, name } = fieldsOf(body);
    if (typeof target !== "string" || !(name === undefined || typeof name === "string")) {
      throw badRequest("invalid body: `target` must be a name or an id, `name` a text");
    }
    return catalog.undrop(target, name);
  });
  app.get(`${ADMIN}/jobs`, async ({ query }) => catalog.jobs(pageOf(query)));
  app.get(`${ADMIN}/jobs/:id`, async ({ params }) => catalog.job(idOf(params)));
  app.post(`${ADMIN}/jobs/:id/retry`, async (request, reply) => {
    fieldsOf(request.body);
    reply.code(202);
    return catalog.retryJob(idOf(request.params));
  });
  app.post(`${ADMIN}/jobs/:id/cancel`, async (request, reply) => {
    fieldsOf(request.body);
    reply.code(202);
    return catalog.cancelJob(idOf(request.params));
  });
  app.post(`${ADMIN}/backups`, async ({ body }, reply) => {
    const request = backupOf(fieldsOf(body));
    reply.code(201);
    return catalog.backup(request);
  });
  app.post(`${ADMIN}/restores`, async ({ body }, reply) => {
    const request = restoreOf(fieldsOf(body));
    reply.code(201);
    return catalog.restore(request);
  });
}

const isText = (value: unknown): value is string => typeof value === "string";
const mayBeText = (value: unknown): boolean => value === undefined || isText(value);

function backupOf(fields: Readonly<Record<string, unknown>>): BackupRequest {
  const { uri, account, catalog } = fields;
  if (!isText(uri) || ![account, catalog].every(mayBeText)) {
    throw badRequest("invalid body: `uri`, `account` and `catalog` must be texts");
  }
  return { uri, account, catalog } as BackupRequest;
}

function restoreOf(fields: Readonly<Record<string, unknown>>): BesideRequest {
  const { uri, account, catalog, as, id, location, atMs } = fields;
  const isGiven = isText(uri) && isText(catalog) && isText(as);
  const mayBe = [account, id, location].every(mayBeText);
  if (!isGiven || !mayBe || !(atMs === undefined || Number.isSafeInteger(atMs))) {
    const texts = "`uri`, `account`, `catalog`, `as`, `id` and `location` must be texts";
    throw badRequest(`invalid body: ${texts}, \`atMs\` a whole number`);
  }
  return { uri, account, catalog, as, id, location, atMs } as BesideRequest;
}

function pageOf(query: unknown): PageAsked {
  const { after } = query as Readonly<Record<string, unknown>>;
  if (after === undefined) return {};
  if (typeof after !== "string") throw badRequest("invalid query: give `after` once");
  return { after };
}

function idOf(params: unknown): string {
  return (params as Readonly<Record<string, string>>)["id"] ?? "";
}

function badRequest(message: string): FirnError {
  return invalid("ADMIN_REQUEST_INVALID", message);
}
