import { assert } from "../base/assert.ts";
import { FirnError } from "../base/error.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { Container } from "../catalog/delete-marks.ts";
import type { Child } from "../catalog/deletes.ts";
import { entityProtected } from "../catalog/errors.ts";
import { endJob, type JobFailure } from "../catalog/job-ends.ts";
import type { JobLease } from "../catalog/jobs.ts";
import type { Catalog, Namespace, Relation } from "../catalog/model.ts";
import { dotted } from "../catalog/names.ts";
import type { Page, PageRequest } from "../catalog/pages.ts";

/*
 * Deletes an account, catalog or namespace with all that is in it. The steps, as the job
 * names them:
 *
 * - `""`: counts what lies below, and looks for what is protected, before anything is dropped;
 * - `drop`: drops from the bottom up;
 * - `undo NAME`: takes the marks back, because NAME is protected. What was dropped until then stays
 *   dropped, and can be brought back by itself. A job that was cancelled does the same.
 *
 * Each step begins at the top again wherever it was killed: what is done is found done.
 */

const DROP = "drop";
/** Before the name of what is protected. */
const UNDO = "undo ";
/** Of that name: a step is kept in a summary. */
const NAME_CHARS = 100;
/** Times that something is emptied again before the job is given back for a while. */
const MAX_ROUNDS = 100;
/** Children that are read at once. */
const PAGE = 100;

/** Every child of a kind that a list has at one go through it. */
type ListChildren = (request: PageRequest) => Promise<Page<Child>>;

export class RecursiveDelete {
  readonly #catalog: AccountCatalog;

  constructor(catalog: AccountCatalog) {
    this.#catalog = catalog;
  }

  /** Carries a job on from where it stands, and answers whether it is over. See `JobWork`. */
  async run(lease: JobLease, ended: AbortSignal): Promise<boolean> {
    const { deletes } = this.#catalog;
    const { type, id } = lease.job.subject;
    const stored = await deletes.find(type as Container["type"], id);
    const root = stored?.entity;
    // Dropped by a job above it, or put back as it was before.
    if (root?.state !== "DELETING") return this.#end(lease);
    if (root.deletingJob !== lease.job.id) return this.#end(lease);
    if (lease.job.cancelled === true) return this.#undo(lease, root, ended);
    if (lease.job.step.startsWith(UNDO)) return this.#undo(lease, root, ended);
    try {
      if (lease.job.step === "") {
        const total = await this.#count(lease, root, ended);
        if (ended.aborted) return false;
        await lease.renew({ step: DROP, total: total + 1 });
      }
      return await this.#empty(lease, root, true, ended);
    } catch (error) {
      if (!(error instanceof FirnError) || error.code !== "PROTECTED") throw error;
      const name = String(error.context["name"] ?? "").slice(0, NAME_CHARS);
      await lease.renew({ step: `${UNDO}${name}` });
      return this.#undo(lease, root, ended);
    }
  }

  async #end(lease: JobLease): Promise<boolean> {
    await endJob(this.#catalog.context, lease);
    return true;
  }

  /** How much lies below. @throws FirnError `PROTECTED`: some of it is. */
  async #count(lease: JobLease, parent: Container, ended: AbortSignal): Promise<number> {
    const below = this.#below(parent);
    const { deletes } = below.#catalog;
    let count = 0;
    for (const list of this.#listsOf(parent)) {
      for (let after: string | undefined; !ended.aborted; ) {
        const { items, next } = await list({ after, limit: PAGE });
        const kept = await deletes.protectedOf(items);
        if (kept !== undefined) throw entityProtected(nameBelow(parent, kept.name));
        count += items.length;
        for (const { type, id } of items) {
          if (type !== "namespace" && type !== "catalog") continue;
          const found = await deletes.find(type, id);
          if (found !== undefined) count += await below.#count(lease, found.entity, ended);
        }
        await this.#pause(lease);
        if (next === undefined) break;
        after = next;
      }
    }
    return count;
  }

  /** Drops all that lies below, and then itself; answers whether it came to the end. */
  async #empty(
    lease: JobLease,
    parent: Container,
    isRoot: boolean,
    ended: AbortSignal,
  ): Promise<boolean> {
    const { deletes } = this.#catalog;
    // A creator that had found it before it was marked may be still on its way.
    for (let round = 0; round < MAX_ROUNDS; round++) {
      for (const list of this.#listsOf(parent)) {
        // What stays in the list has moved away meanwhile, or is on its way out of it.
        for (let after: string | undefined; ; ) {
          const { items, next } = await list({ after, limit: PAGE });
          for (const child of items) {
            if (ended.aborted) return false;
            await this.#drop(lease, parent, child, ended);
            await this.#pause(lease);
          }
          if (ended.aborted) return false;
          if (next === undefined) break;
          after = next;
        }
      }
      const outcome = await deletes.drop(lease, parent, isRoot);
      if (outcome === "full") continue;
      return outcome === "dropped" || !isRoot || this.#end(lease);
    }
    throw new FirnError("Conflict", "CONTENDED", "things keep appearing in what is being deleted");
  }

  async #drop(
    lease: JobLease,
    parent: Container,
    { type, id }: Child,
    ended: AbortSignal,
  ): Promise<void> {
    if (type === "namespace" || type === "catalog") {
      const below = this.#below(parent);
      const child = { type, id } as Pick<Catalog | Namespace, "type" | "id">;
      const marked = await below.#catalog.deletes.mark(lease, child, parent.id);
      if (marked !== undefined) await below.#empty(lease, marked, false, ended);
      return;
    }
    if (parent.type !== "namespace") return;
    const actor = { requestId: `job-${lease.job.id}`, principal: "firn" };
    const fence = lease.fence({ done: (lease.job.done ?? 0) + 1 });
    await this.#relations(type as Relation["type"]).dropIn(actor, parent, id, fence);
  }

  /** What works on the children of a parent: those of another account lie in that account. */
  #below(parent: Container): RecursiveDelete {
    return parent.type === "account" ? new RecursiveDelete(this.#catalog.within(parent.id)) : this;
  }

  #relations(type: Relation["type"]) {
    const { tables, views } = this.#catalog;
    return type === "table" ? tables : views;
  }

  /** Takes the marks back from below, and then from the thing itself, which ends the job. */
  async #undo(lease: JobLease, root: Container, ended: AbortSignal): Promise<boolean> {
    if (!(await this.#unmarkBelow(lease, root, ended))) return false;
    await this.#catalog.deletes.unmark(lease, root, failureOf(lease));
    return true;
  }

  async #unmarkBelow(lease: JobLease, parent: Container, ended: AbortSignal): Promise<boolean> {
    const below = this.#below(parent);
    const { deletes } = below.#catalog;
    const [containers] = this.#listsOf(parent);
    assert(containers !== undefined, "what is emptied has a list of what lies below");
    for (let after: string | undefined; ; ) {
      const { items, next } = await containers({ after, limit: PAGE });
      for (const { type, id } of items) {
        if (ended.aborted) return false;
        const child = (await deletes.find(type as Container["type"], id))?.entity;
        const isMarked = child?.state === "DELETING" && child.deletingJob === lease.job.id;
        if (child === undefined || !isMarked) continue;
        if (!(await below.#unmarkBelow(lease, child, ended))) return false;
        await deletes.unmark(lease, child);
        await this.#pause(lease);
      }
      if (next === undefined) return true;
      after = next;
    }
  }

  #listsOf(parent: Container): readonly ListChildren[] {
    const { deletes } = this.#below(parent).#catalog;
    if (parent.type === "account") return [(request) => deletes.catalogs(request)];
    const namespaces: ListChildren = (request) => deletes.namespacesIn(parent, request);
    if (parent.type === "catalog") return [namespaces];
    const relations = (["table", "view"] as const).map(
      (type): ListChildren =>
        (request) =>
          deletes.relationsIn(parent, type, request),
    );
    return [namespaces, ...relations];
  }

  /** Where the store is memory nothing waits for anything. */
  async #pause(lease: JobLease): Promise<void> {
    await lease.keep();
    await this.#catalog.context.clock.sleep(0);
  }
}

function nameBelow(parent: Container, name: string): string {
  return parent.type === "namespace" ? dotted([...parent.path, name]) : `${parent.name}.${name}`;
}

function failureOf({ job }: JobLease): JobFailure {
  if (job.step.startsWith(UNDO)) {
    const name = job.step.slice(UNDO.length);
    return { code: "PROTECTED", message: `protected: ${name}: clear its protection first` };
  }
  return { code: "JOB_CANCELLED", message: "cancelled: what was dropped before can be undropped" };
}
