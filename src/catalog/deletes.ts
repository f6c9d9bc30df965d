import { assert } from "../base/assert.ts";
import type { AccountId, CatalogId, JobId, NamespaceId } from "../base/ids.ts";
import type { Item, Live } from "../pointer/port.ts";
import { accountById, putAccount } from "./account-payloads.ts";
import { BatchBuilder, never } from "./batch.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { type Container, deleteJob } from "./delete-marks.ts";
import { afterDropKeys, purgeAfterMsOf, putAfterDrop } from "./drops.ts";
import { readEntity, type Stored, summaryOfItem } from "./entities.ts";
import { entityProtected, notEmpty } from "./errors.ts";
import { deleteGuards, guardKeys } from "./guards.ts";
import { endedJob, endKeys, type JobFailure, putEnded } from "./job-ends.ts";
import { type JobLease, jobKeys, jobNotFound, jobOf, putJob } from "./jobs.ts";
import { accessKey, childDirectory, directoryOf, FAMILIES, keyOf } from "./keys.ts";
import type { Account, EntityType, Job, Namespace, Receipt, Relation } from "./model.ts";
import { dotted } from "./names.ts";
import { listPage, type Page, type PageRequest } from "./pages.ts";
import { byIdKey } from "./paths.ts";
import { assertMayUpdate } from "./payloads.ts";
import { bumpAccess } from "./principals.ts";
import { type Attempt, type Planned, REPLAN, refuse, write } from "./repository.ts";
import type { Expect } from "./revise.ts";
import { summaryOf } from "./summaries.ts";

/*
 * The batches of a job that deletes an account, catalog or namespace with all that is in it.
 *
 * First it is DELETING: one compare-and-set of its by-id pointer, however busy it is, and from then
 * on its name answers `NotFound`. Its guards stay until it is dropped, so a creator that resolved
 * it before is either seen by the job, or refused. What lies below goes from the bottom up, each by
 * an ordinary drop that can be undone; the last one is that of the thing itself, which ends the
 * job. Every batch of the job writes the job's own pointer at the version that its holder knows.
 *
 * What is DELETING has all that it has when it is ACTIVE: names, guards, children. So calling a job
 * off is one more compare-and-set.
 */

/** Children of a kind are named by their summaries alone. */
export interface Child {
  readonly type: EntityType;
  readonly id: string;
  readonly name: string;
}

/** `full`: something appeared there since it was emptied. `gone`: it is no longer this job's. */
export type DropOutcome = "dropped" | "full" | "gone";

function actorOf({ id }: Job): Actor {
  return { requestId: `job-${id}`, principal: "firn" };
}

function nameOf(entity: Container): string {
  return entity.type === "namespace" ? dotted(entity.path) : entity.name;
}

/** An account has one guard, since few things appear right in it; it comes back as it was. */
function guardKeysOf(account: AccountId, entity: Container): readonly string[] {
  if (entity.type === "account") return [keyOf(FAMILIES.accountGuard, entity.id)];
  return guardKeys(account, entity.type, entity.id, entity.guardGeneration);
}

/** What has catalogs or namespaces right below it. */
type Parent = Exclude<Container, { type: "account" }>;

/** Items in the groups that their keys came in. */
type Groups<G extends readonly (readonly string[])[]> = {
  readonly [I in keyof G]: readonly Item[];
};

/** What deletes catalogs and namespaces of one account, or other accounts, with all in them. */
export class Deletes {
  readonly #context: CatalogContext;

  constructor(context: CatalogContext) {
    this.#context = context;
  }

  /**
   * Begins to delete what `find` finds: marks it, and makes the job. One batch of 3 operations.
   *
   * @throws FirnError what `find` and `expect` throw; `PROTECTED`.
   */
  async begin<E extends Container>(
    actor: Actor,
    type: E["type"],
    find: () => Promise<Stored<E>>,
    expect: Expect<E>,
  ): Promise<Job> {
    const { account } = this.#context;
    const plan = async ({ authorship }: Attempt): Promise<Planned<Job>> => {
      const stored = await find();
      expect(stored);
      assertMayUpdate(stored.envelope);
      const { entity } = stored;
      if (entity.protected) throw entityProtected(nameOf(entity));
      assert(entity.state === "ACTIVE", "what is found by its name is not being deleted yet");
      const id = authorship.revision as string as JobId;
      const job = deleteJob(entity, id, authorship.updatedAtMs);
      const [state, due] = jobKeys(account, id, job.dueMs);
      const marked: Container = { ...entity, state: "DELETING", deletingJob: id };
      const batch = this.#put(stored, marked, authorship);
      // Nodes that know its principals look again, and find no account.
      if (entity.type === "account") await this.#endSessions(batch, entity.id);
      putJob(batch, [never(state), never(due)], job);
      return { batch, primary: stored.item.key, detail: id, result: () => job };
    };
    const replay = async ({ detail = "" }: Pick<Receipt, "detail">): Promise<Job> => {
      const item = await this.#context.pointers.get(keyOf(FAMILIES.jobById, account, detail));
      if (item.state === "absent") throw jobNotFound(detail as JobId);
      return jobOf(item);
    };
    return write(this.#context, actor, `begin-delete-${type}`, plan, replay);
  }

  /** The catalog or namespace under an id, in whatever state. One read, one payload. */
  async find(type: Container["type"], id: string): Promise<Stored<Container> | undefined> {
    if (type === "account") return accountById(this.#context, id as AccountId);
    const { account, pointers } = this.#context;
    const item = await pointers.get(byIdKey(type, account, id));
    return item.state === "live" ? readEntity<Parent>(this.#context, type, item) : undefined;
  }

  /** The catalogs of the account. */
  async catalogs(request: PageRequest): Promise<Page<Child>> {
    const { account, pointers } = this.#context;
    const directory = directoryOf(FAMILIES.catalogByName, account);
    return childrenOf(await listPage(pointers, directory, request));
  }

  /** The namespaces right below a catalog or namespace. */
  async namespacesIn(parent: Parent, request: PageRequest): Promise<Page<Child>> {
    const { account, pointers } = this.#context;
    const [catalog, path] =
      parent.type === "catalog" ? [parent.id, []] : [parent.catalogId, parent.path];
    return childrenOf(await listPage(pointers, childDirectory(account, catalog, path), request));
  }

  /** The tables, or the views, of a namespace. */
  async relationsIn(
    { catalogId, id }: Pick<Namespace, "catalogId" | "id">,
    type: Relation["type"],
    request: PageRequest,
  ): Promise<Page<Child>> {
    const { account, pointers } = this.#context;
    const listing = type === "table" ? FAMILIES.tableByName : FAMILIES.viewByName;
    const directory = directoryOf(listing, account, catalogId, id);
    return childrenOf(await listPage(pointers, directory, request));
  }

  /** Which of these are protected. One batch read. */
  async protectedOf(children: readonly Child[]): Promise<Child | undefined> {
    if (children.length === 0) return undefined;
    const { account, pointers } = this.#context;
    const items = await pointers.getMany(
      children.map(({ type, id }) => byIdKey(type, account, id)),
    );
    const found = items.findIndex((item) => item.state === "live" && summaryOfItem(item).protected);
    return children[found];
  }

  /**
   * Marks a namespace or catalog below what a job deletes, and answers it; undefined where it has
   * moved away or was dropped. One that another such job has marked is left as it is.
   *
   * @throws FirnError `PROTECTED`; `Conflict` `JOB_LEASE_LOST`.
   */
  async mark(
    lease: JobLease,
    { type, id }: Pick<Parent, "type" | "id">,
    parentId: AccountId | CatalogId | NamespaceId,
  ): Promise<Parent | undefined> {
    const plan = async ({ authorship }: Attempt): Promise<Planned<Parent | undefined>> => {
      const stored = (await this.find(type, id)) as Stored<Parent> | undefined;
      const entity = stored?.entity;
      if (stored === undefined || entity === undefined) return { unchanged: undefined };
      if (entity.type === "namespace" && entity.parentId !== parentId) {
        return { unchanged: undefined };
      }
      if (entity.state === "DELETING") return { unchanged: entity };
      if (entity.state !== "ACTIVE") return { unchanged: undefined };
      if (entity.protected) throw entityProtected(nameOf(entity));
      assertMayUpdate(stored.envelope);
      const job = await this.#context.pointers.get(lease.key);
      const marked: Parent = { ...entity, state: "DELETING", deletingJob: lease.job.id };
      const batch = this.#put(stored, marked, authorship);
      const next = lease.join(batch, job, {});
      const result = () => {
        lease.moved(next);
        return marked;
      };
      return { batch, primary: stored.item.key, result };
    };
    return write(this.#context, actorOf(lease.job), `begin-delete-${type}`, plan);
  }

  /**
   * Drops an account, catalog or namespace that is DELETING and empty. `ends`: it is what the job
   * is about, whose end goes into the same batch.
   *
   * @throws FirnError `Conflict` `JOB_LEASE_LOST`.
   */
  async drop(lease: JobLease, { type, id }: Container, ends: boolean): Promise<DropOutcome> {
    const plan = async ({ authorship }: Attempt): Promise<Planned<DropOutcome>> => {
      const { account, clock } = this.#context;
      const stored = await this.find(type, id);
      if (stored?.entity.state !== "DELETING") return { unchanged: "gone" };
      assertMayUpdate(stored.envelope);
      const purgeAfterMs = purgeAfterMsOf(this.#context, authorship);
      const { entity: was } = stored;
      const done = (lease.job.done ?? 0) + 1;
      const ended = endedJob({ ...lease.job, done }, clock.nowMs());
      const keys = [
        [this.#nameKey(was), lease.key],
        guardKeysOf(account, was),
        afterDropKeys(account, was.id, purgeAfterMs),
        endKeys(account, lease.job, ended),
      ] as const;
      // Guards are read before the children are listed: see `guards.ts`.
      const [[name, job], guards, left, end] = await this.#readAll(keys);
      if (name?.state !== "live" || job === undefined) return REPLAN;
      if (guards.some(({ state }) => state !== "live")) return REPLAN;
      lease.assertSame(job);
      if (!(await this.#isEmpty(was))) return { unchanged: "full" };
      assert(was.deletingJob !== undefined, "what is DELETING names the job that deletes it");
      const { deletingJob: _job, ...kept } = was;
      const entity = { ...kept, state: "DROPPED", purgeAfterMs } as Container;
      const batch = this.#put(stored, entity, authorship).delete(name);
      putAfterDrop(batch, entity, left);
      if (was.type !== "account") deleteGuards(batch, guards);
      else for (const guard of guards) batch.deriveDelete(guard);
      const next = ends ? undefined : lease.join(batch, job, { done });
      if (ends) putEnded(batch, end, ended);
      const result = (): DropOutcome => {
        if (next !== undefined) lease.moved(next);
        return "dropped";
      };
      return { batch, primary: stored.item.key, result };
    };
    return write(this.#context, actorOf(lease.job), `drop-${type}`, plan);
  }

  /**
   * Drops an account without catalogs. What else lies in it comes back with it.
   *
   * @throws FirnError what `find` and `expect` throw; `PROTECTED`, `ACCOUNT_NOT_EMPTY`.
   */
  async dropAccount(
    actor: Actor,
    find: () => Promise<Stored<Account>>,
    expect: Expect<Account>,
  ): Promise<void> {
    const plan = async ({ authorship }: Attempt): Promise<Planned<void>> => {
      const { account } = this.#context;
      const stored = await find();
      expect(stored);
      assertMayUpdate(stored.envelope);
      const { entity: was } = stored;
      if (was.protected) throw entityProtected(was.name);
      const purgeAfterMs = purgeAfterMsOf(this.#context, authorship);
      const keys = [
        [this.#nameKey(was)],
        guardKeysOf(account, was),
        afterDropKeys(account, was.id, purgeAfterMs),
      ] as const;
      const [[name], guards, left] = await this.#readAll(keys);
      if (name?.state !== "live") return REPLAN;
      if (guards.some(({ state }) => state !== "live")) return REPLAN;
      if (!(await this.#isEmpty(was))) {
        return refuse(notEmpty("ACCOUNT_NOT_EMPTY", { account: was.name }), stored.item);
      }
      const entity: Account = { ...was, state: "DROPPED", purgeAfterMs, operator: account };
      const batch = this.#put(stored, entity, authorship).delete(name);
      putAfterDrop(batch, entity, left);
      for (const guard of guards) batch.deriveDelete(guard);
      await this.#endSessions(batch, was.id);
      return { batch, primary: stored.item.key, result: () => undefined };
    };
    await write(this.#context, actor, "drop-account", plan, async () => undefined);
  }

  /**
   * Takes back the mark that a job has put. `failure`: why, where it is what the job is about,
   * which ends in the same batch.
   *
   * @throws FirnError `Conflict` `JOB_LEASE_LOST`.
   */
  async unmark(lease: JobLease, { type, id }: Container, failure?: JobFailure): Promise<void> {
    const plan = async ({ authorship }: Attempt): Promise<Planned<void>> => {
      const { account, clock } = this.#context;
      const stored = await this.find(type, id);
      const was = stored?.entity;
      const isOwn = was?.state === "DELETING" && was.deletingJob === lease.job.id;
      if (stored === undefined || was === undefined || !isOwn) return { unchanged: undefined };
      assertMayUpdate(stored.envelope);
      const ended = endedJob(lease.job, clock.nowMs(), failure);
      const [end] = await this.#readAll([endKeys(account, lease.job, ended)]);
      const [job] = end;
      if (job === undefined) return REPLAN;
      lease.assertSame(job);
      const { deletingJob: _job, ...kept } = was;
      const batch = this.#put(stored, { ...kept, state: "ACTIVE" } as Container, authorship);
      const next = failure === undefined ? lease.join(batch, job, {}) : undefined;
      if (failure !== undefined) putEnded(batch, end, ended);
      const result = () => {
        if (next !== undefined) lease.moved(next);
      };
      return { batch, primary: stored.item.key, result };
    };
    await write(this.#context, actorOf(lease.job), `cancel-delete-${type}`, plan);
  }

  #put(
    { item }: { readonly item: Live },
    entity: Container,
    authorship: Attempt["authorship"],
  ): BatchBuilder {
    const { account, payloads } = this.#context;
    const batch = new BatchBuilder(account);
    if (entity.type === "account") {
      assert(entity.id !== account, "an account that works is not its own to delete");
      const { operator: _operator, ...own } = entity;
      const kept = entity.state === "ACTIVE" ? own : { ...own, operator: account };
      putAccount(this.#context, batch, item, kept, authorship);
      return batch;
    }
    const payload = payloads.encode(entity, authorship);
    return batch.put(item, { payload, summary: summaryOf(entity, payload) });
  }

  async #endSessions(batch: BatchBuilder, account: AccountId): Promise<void> {
    bumpAccess(batch, await this.#context.pointers.get(accessKey(account)));
  }

  #nameKey(entity: Container): string {
    const { account } = this.#context;
    switch (entity.type) {
      case "account":
        return keyOf(FAMILIES.accountByName, entity.name);
      case "catalog":
        return keyOf(FAMILIES.catalogByName, account, entity.name);
      case "namespace":
        return keyOf(FAMILIES.namespaceByPath, account, entity.catalogId, entity.path);
    }
  }

  /** What stands under groups of keys, read at once, in the same groups. */
  async #readAll<const G extends readonly (readonly string[])[]>(groups: G): Promise<Groups<G>> {
    const keys = [...new Set(groups.flat())];
    const items = await this.#context.pointers.getMany(keys);
    const found = new Map(items.map((item) => [item.key, item]));
    const itemsOf = (group: readonly string[]) =>
      group.flatMap((key) => {
        const item = found.get(key);
        return item === undefined ? [] : [item];
      });
    return groups.map(itemsOf) as unknown as Groups<G>;
  }

  async #isEmpty(container: Container): Promise<boolean> {
    const { pointers } = this.#context;
    const first = { limit: 1 };
    if (container.type === "account") {
      const catalogs = directoryOf(FAMILIES.catalogByName, container.id);
      return (await pointers.list(catalogs, first)).length === 0;
    }
    const pages = [this.namespacesIn(container, first)];
    if (container.type === "namespace") {
      pages.push(this.relationsIn(container, "table", first));
      pages.push(this.relationsIn(container, "view", first));
    }
    return (await Promise.all(pages)).every(({ items }) => items.length === 0);
  }
}

function childrenOf({ items, ...page }: Page<Live>): Page<Child> {
  const children = items.map((item) => {
    const { entityType: type, entityId: id, name } = summaryOfItem(item);
    return { type, id, name };
  });
  return { ...page, items: children };
}
