import type { BlobStore } from "../blob/port.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import { JOB_DONE, type JobLease } from "../catalog/jobs.ts";
import { FAMILIES, keyOf } from "../catalog/keys.ts";
import type { Account, Principal } from "../catalog/model.ts";
import { parseBlobPath } from "../catalog/owners.ts";
import { pinnedSince } from "../catalog/pins.ts";
import { beginAccountPurge, deleteItem, endPurge } from "../catalog/purging.ts";
import { walkPayloads } from "../catalog/walk.ts";
import type { JobWaits } from "./job-runner.ts";
import { SERVICE_LIMITS } from "./limits.ts";
import type { Purge } from "./purge.ts";

/*
 * The end of an account whose retention is over. The order is what makes it safe to be killed
 * anywhere: what was dropped in it goes first, each by the purge of its kind; then API keys,
 * which lie outside the account; then every pointer of the account; then payloads, to which nothing
 * leads any more; and the tombstones once they are past their life. The account's own pointer goes
 * last, with the job. Each step begins again at the top: what is done is found done.
 *
 * Nothing can appear in the account meanwhile: its guard went with the drop, and no credential of
 * it has been valid since.
 */

/** Pointers or payloads that are deleted between two signs of life. */
const AT_ONCE = 100;

/** Purges what is left of another account, by jobs of that account. */
export type PurgeWithin = (catalog: AccountCatalog) => Pick<Purge, "run">;

export class AccountPurge {
  readonly #catalog: AccountCatalog;
  readonly #blobs: BlobStore;
  readonly #purgeWithin: PurgeWithin;

  constructor(catalog: AccountCatalog, blobs: BlobStore, purgeWithin: PurgeWithin) {
    this.#catalog = catalog;
    this.#blobs = blobs;
    this.#purgeWithin = purgeWithin;
  }

  /** Carries the purge on from where it stands. See `JobWork`. */
  async run(lease: JobLease, ended: AbortSignal): Promise<boolean | JobWaits> {
    const account = await beginAccountPurge(this.#catalog.context, lease);
    if (account !== undefined) {
      const within = this.#catalog.within(account.id);
      const undue = await this.#purgeDropped(within, lease, ended);
      if (undue !== undefined) return undue;
      await this.#deleteKeys(within, lease);
      const buried = ended.aborted || (await this.#deletePointers(account, lease, ended));
      const read = ended.aborted || (await this.#deletePayloads(account, lease, ended));
      if (ended.aborted) return false;
      for (const waits of [buried, read]) if (typeof waits === "object") return waits;
    }
    await endPurge(this.#catalog.context, lease);
    return true;
  }

  /**
   * Runs the purges of the account, which no node looks for. Waits for one that is not due yet. One
   * that outlasts the lease of this job has its own: the node that takes this one up waits for it.
   */
  async #purgeDropped(
    within: AccountCatalog,
    lease: JobLease,
    ended: AbortSignal,
  ): Promise<JobWaits | undefined> {
    const purge = this.#purgeWithin(within);
    for (let after: string | undefined; ; ) {
      const { items, next } = await within.jobs.list({ after, limit: AT_ONCE });
      for (const job of items) {
        if (ended.aborted) return undefined;
        if (job.kind !== "purge" || job.step === JOB_DONE) continue;
        const taken = await within.jobs.take(job.id);
        if (taken === undefined) continue;
        if ("freeMs" in taken) return { untilMs: taken.freeMs };
        if (!(await purge.run(taken, ended))) await taken.release(0);
        await lease.keep();
      }
      await lease.keep();
      if (next === undefined) return undefined;
      after = next;
    }
  }

  /** API keys name the account, and lie beside all accounts. */
  async #deleteKeys({ principals, context }: AccountCatalog, lease: JobLease): Promise<undefined> {
    for (let after: string | undefined; ; ) {
      const { items, next } = await principals.page({ after, limit: AT_ONCE });
      for (const { summary } of items) {
        const stored = await principals.byId(summary.entityId as Principal["id"]);
        const keys = (stored?.entity.keys ?? []).map(({ id }) => keyOf(FAMILIES.apiKey, id));
        const found = keys.length === 0 ? [] : await context.pointers.getMany(keys);
        for (const item of found) if (item.state === "live") await deleteItem(context, item);
        await lease.keep();
      }
      if (next === undefined) return undefined;
      after = next;
    }
  }

  /** Deletes every pointer below the account, and forgets tombstones: until nothing is left. */
  async #deletePointers(
    { id }: Account,
    lease: JobLease,
    ended: AbortSignal,
  ): Promise<JobWaits | undefined> {
    const { context } = this.#catalog;
    const { clock, pointers } = context;
    let untilMs = 0;
    let passed = 0;
    for await (const item of pointers.sweep(`/accounts/${id}/`)) {
      if (item.state === "live") {
        await deleteItem(context, item);
        untilMs = Math.max(untilMs, clock.nowMs() + SERVICE_LIMITS.jobRetryMs);
      } else if ((item.deadUntilMs ?? 0) > clock.nowMs()) {
        untilMs = Math.max(untilMs, item.deadUntilMs ?? 0);
      } else await pointers.forget(item.key, item.version);
      if (++passed % AT_ONCE !== 0) continue;
      await lease.keep();
      await clock.sleep(0);
      if (ended.aborted) return undefined;
    }
    return untilMs === 0 ? undefined : { untilMs };
  }

  /**
   * Deletes the payloads of the account but its own, which change records of its operators name.
   * Waits for who reads its history.
   */
  async #deletePayloads(
    { id }: Account,
    lease: JobLease,
    ended: AbortSignal,
  ): Promise<JobWaits | undefined> {
    const { clock } = this.#catalog.context;
    const pinnedMs = await pinnedSince(this.#blobs, clock, id);
    if (pinnedMs !== Number.POSITIVE_INFINITY) {
      return { untilMs: clock.nowMs() + SERVICE_LIMITS.jobRetryCapMs };
    }
    let doomed: string[] = [];
    const flush = async () => {
      await this.#blobs.deleteMany(doomed);
      doomed = [];
      await lease.keep();
    };
    for await (const { path } of walkPayloads({ blobs: this.#blobs, clock }, { account: id })) {
      if (parseBlobPath(path)?.kind === "account") continue;
      doomed.push(path);
      if (doomed.length >= AT_ONCE) await flush();
      if (ended.aborted) return undefined;
    }
    await flush();
    return undefined;
  }
}
