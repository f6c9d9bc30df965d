import type { Dropped, Job } from "../api/resources.ts";
import { FirnError } from "../base/error.ts";
import type { FirnClient } from "../client/client.ts";
import type { Housekeeping, PageAsked } from "../http/admin/housekeeping.ts";
import { type DroppedInfo, type DroppedPage, findDropped } from "../service/dropped-admin.ts";
import type { JobInfo, JobsPage } from "../service/jobs-admin.ts";

/** What `firn dropped`, `undrop` and `jobs` ask of a server whose native API is all they reach. */
export class UrlHousekeeping implements Housekeeping {
  readonly #client: FirnClient;

  constructor(client: FirnClient) {
    this.#client = client;
  }

  async dropped({ after }: PageAsked): Promise<DroppedPage> {
    const { items, nextPageToken } = await this.#client.call("listDropped", {
      query: { ...(after !== undefined && { pageToken: after }) },
    });
    const shown = items.map(droppedOf);
    return nextPageToken === undefined ? { items: shown } : { items: shown, next: nextPageToken };
  }

  async undrop(target: string, name: string | undefined): Promise<DroppedInfo> {
    const id = await findDropped(target, (after) => this.dropped({ ...(after && { after }) }));
    const body = name === undefined ? {} : { name };
    return droppedOf(await this.#client.call("undrop", { path: { id }, body }));
  }

  async jobs({ after }: PageAsked): Promise<JobsPage> {
    const { items, nextPageToken } = await this.#client.call("listJobs", {
      query: { ...(after !== undefined && { pageToken: after }) },
    });
    const shown = items.map(jobOf);
    return nextPageToken === undefined ? { items: shown } : { items: shown, next: nextPageToken };
  }

  async job(id: string): Promise<JobInfo> {
    return jobOf(await this.#client.call("getJob", { path: { job: id } }));
  }

  async retryJob(id: string): Promise<JobInfo> {
    return jobOf(await this.#client.call("retryJob", { path: { job: id }, body: {} }));
  }

  async cancelJob(id: string): Promise<JobInfo> {
    return jobOf(await this.#client.call("cancelJob", { path: { job: id }, body: {} }));
  }

  backup(): Promise<never> {
    return operatorsAlone();
  }

  restore(): Promise<never> {
    return operatorsAlone();
  }
}

async function operatorsAlone(): Promise<never> {
  const message = "only an operator may do this: name the server with --server and --dir";
  throw new FirnError("Forbidden", "OPERATOR_ONLY", message);
}

function droppedOf({ id, type, name, catalog, namespace, ...dropped }: Dropped): DroppedInfo {
  const { purgeAfter, purgeRequested } = dropped;
  return {
    id,
    type,
    name,
    catalog,
    namespace,
    purgeAfterMs: Date.parse(purgeAfter),
    purgeRequested,
  };
}

function jobOf({ target, due, nextTry, ended, ...job }: Job): JobInfo {
  return {
    ...(job as Omit<JobInfo, "subjectType">),
    subjectType: target.type as JobInfo["subjectType"],
    subjectId: target.id,
    dueMs: Date.parse(due),
    nextTryMs: Date.parse(nextTry),
    ...(ended !== undefined && { endedMs: Date.parse(ended) }),
  };
}
