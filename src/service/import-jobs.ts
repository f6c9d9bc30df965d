import { sha256Hex } from "../base/hash.ts";
import type { CatalogId, ConnectorId, JobId } from "../base/ids.ts";
import { entityById } from "../catalog/by-id.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import { endJob, type JobFailure } from "../catalog/job-ends.ts";
import type { JobLease, JobProgress } from "../catalog/jobs.ts";
import type { Catalog, Connector, Job } from "../catalog/model.ts";
import { importScope, tablesIn } from "./import-walk.ts";
import { SERVICE_LIMITS } from "./limits.ts";
import { keyOf, type RemotePlace, type TableImport } from "./table-import.ts";

/*
 * Imports that go on without the one who asked. A job keeps no secret, so it asks catalogs that
 * want none; those that do are imported page by page, by the client that has the credentials.
 *
 * The step of a job is what it was asked for and the digest of the last table that it has looked
 * at: `CATALOG replace|keep DIGEST|-`. A node that takes it up skips what comes before. Where that
 * table has gone meanwhile it begins again: what is here already is found unchanged.
 */

/** What a job was asked for. */
export interface ImportAsked {
  readonly into: CatalogId;
  readonly replace: boolean;
}

const NONE = "-";
/** As much of a table's digest as tells it from the others of its catalog. */
const DIGEST_CHARS = 32;

function stepOf({ into, replace }: ImportAsked, last: string): string {
  return `${into} ${replace ? "replace" : "keep"} ${last}`;
}

function digestOf({ namespace, name }: RemotePlace): string {
  return sha256Hex(keyOf([...namespace, name])).slice(0, DIGEST_CHARS);
}

/** An import that no node has taken up yet. */
export function importJob(
  id: JobId,
  connector: ConnectorId,
  asked: ImportAsked,
  dueMs: number,
): Job {
  return {
    id,
    kind: "import",
    subject: { type: "connector", id: connector },
    step: stepOf(asked, NONE),
    dueMs,
    heldUntilMs: 0,
    tries: 0,
    failures: 0,
  };
}

export class ImportJobs {
  readonly #catalog: AccountCatalog;
  readonly #tables: Pick<TableImport, "open" | "one">;

  constructor(catalog: AccountCatalog, tables: Pick<TableImport, "open" | "one">) {
    this.#catalog = catalog;
    this.#tables = tables;
  }

  /** Carries a job on from where it stands, and answers whether it is over. See `JobWork`. */
  async run(lease: JobLease, ended: AbortSignal): Promise<boolean> {
    const { context } = this.#catalog;
    const { subject, step, cancelled } = lease.job;
    if (cancelled === true) {
      return this.#end(lease, { code: "JOB_CANCELLED", message: "cancelled: what came stays" });
    }
    const [into = "", how = "", last = NONE] = step.split(" ");
    const asked: ImportAsked = { into: into as CatalogId, replace: how === "replace" };
    const connector = await entityById<Connector>(context, "connector", subject.id as ConnectorId);
    if (connector === undefined) {
      return this.#end(lease, { code: "CONNECTOR_NOT_FOUND", message: "connector not found" });
    }
    const catalog = await entityById<Catalog>(context, "catalog", asked.into);
    if (catalog === undefined) {
      return this.#end(lease, { code: "CATALOG_NOT_FOUND", message: "catalog not found" });
    }
    const remote = await this.#tables.open(connector.entity);
    const run = {
      remote,
      into: catalog.entity.name,
      replace: asked.replace,
      dryRun: false,
      made: new Set<string>(),
    };
    const actor = { requestId: `job-${lease.job.id}`, principal: "firn", account: context.account };
    const places = tablesIn(remote, { scope: importScope(connector.entity) });
    let isBehind = last === NONE;
    let progress: JobProgress = {};
    let notedMs = context.clock.monotonicMs();
    for (;;) {
      // A list of many pages, each of which may take its time.
      const { value: place, done } = await lease.during(places.next());
      if (done === true || place === undefined) break;
      if (!isBehind) {
        isBehind = digestOf(place) === last;
        continue;
      }
      if (ended.aborted) {
        await lease.renew(progress);
        return false;
      }
      lease.assertHeld();
      const { outcome, code, message } = await this.#tables.one(actor, run, place);
      const isLeft = outcome === "failed" || outcome === "exists";
      const { done: count = 0, failures } = { ...lease.job, ...progress };
      progress = {
        ...progress,
        step: stepOf(asked, digestOf(place)),
        done: count + 1,
        failures: failures + (isLeft ? 1 : 0),
        ...(isLeft && { lastFailure: code ?? "TABLE_ALREADY_EXISTS", lastMessage: message ?? "" }),
      };
      if (context.clock.monotonicMs() - notedMs < SERVICE_LIMITS.importNoteMs) continue;
      await lease.renew(progress);
      notedMs = context.clock.monotonicMs();
    }
    if (!isBehind) {
      // The table that it stood at has gone.
      await lease.renew({ step: stepOf(asked, NONE), done: 0, failures: 0 });
      return false;
    }
    await lease.renew({ ...progress, total: progress.done ?? lease.job.done ?? 0 });
    return this.#end(lease);
  }

  async #end(lease: JobLease, failure?: JobFailure): Promise<boolean> {
    await endJob(this.#catalog.context, lease, failure);
    return true;
  }
}
