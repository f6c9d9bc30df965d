import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import type { BlobEntry, BlobStore } from "../../blob/port.ts";
import { isForeign, type Manifest, tablesIn } from "../format/manifest.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import { isUlid, type Ulid } from "../format/ulid.ts";
import { listAll, ManifestHistory, type Numbered } from "../manifest/history.ts";
import type { ManifestLog } from "../manifest/log.ts";
import type { TablesUnderWay } from "../manifest/tables-under-way.ts";
import type { ReadViews } from "../read/read-view.ts";
import { certainly, hasEnded, without } from "../states/checkpoints.ts";
import { letGoOfParent, type ManifestsOf } from "../states/parent.ts";
import { ValueMarks } from "./value-marks.ts";

/** What garbage collection last saw, and has deleted. */
export interface GcFigures {
  /** Bytes of files that no manifest in retention names, and that are not deleted yet. */
  readonly obsoleteBytes: number;
  /** Bytes of tables that checkpoints of any kind keep, and the newest state does not name. */
  readonly keptBytes: number;
  readonly deletedFiles: number;
  readonly deletedBytes: number;
  readonly failures: number;
}

export const NO_GC: GcFigures = {
  obsoleteBytes: 0,
  keptBytes: 0,
  deletedFiles: 0,
  deletedBytes: 0,
  failures: 0,
};

/** What a collector looks at, and what it must not touch. */
export interface CollectorTarget {
  readonly store: BlobStore;
  readonly prefix: string;
  readonly clock: Clock;
  readonly gcMinAgeMs: number;
  readonly manifests: ManifestLog;
  /** Of the shard that this one is a clone of. */
  readonly manifestsOf: ManifestsOf;
  readonly views: ReadViews;
  readonly underWay: TablesUnderWay;
}

/** What a manifest, or some of them, refer to. */
interface References {
  readonly tables: ReadonlySet<Ulid>;
  /** Those of them that refer to values apart. */
  readonly withValues: readonly SstMeta[];
  /** Whether any of them lies with another shard. */
  readonly areForeign: boolean;
}

const PAGE = 1_000;
const EXTENSION = ".sst";
const VALUES = "values/";

/**
 * Deletes what nothing refers to: tables that no manifest in retention, no view that is read and no
 * flush or compaction under way names, values apart that none of the tables that stay refers to,
 * and manifests out of retention; each only when it is old enough. A manifest is in retention while
 * it is the newest, was the newest less than the least age ago, or is a checkpoint's.
 *
 * The order is what makes it safe. Tables are listed before it is checked that this process still
 * owns the shard, so none of them is of a later owner. What is under way is noted in the turn in
 * which the newest manifest is: by the time tables are deleted it may have been published, kept as
 * a checkpoint and superseded, and no manifest that was looked at names it; what is in neither is
 * named by no later manifest of this owner. Where an older one turns out to be gone, it is checked
 * again who owns the shard. The boundary is raised before a manifest goes, and checkpoints are
 * looked at again after that: a process that makes one of an older manifest reads the boundary
 * afterwards. Manifests go before the tables that only they name, and what this process reads or
 * writes is asked for in the very turn in which tables are deleted.
 *
 * Values are listed and noted as tables are. A compaction only copies references: what its outputs
 * refer to, its inputs do, which are named before them. So the tables that are named or read once
 * the list is there refer to all values in it that any later state will.
 *
 * A clone's collector never deletes what lies with others. It lets go of the parent where nothing
 * that stays names anything of others: then no state of the shard ever will again.
 */
export class Collector {
  readonly #target: CollectorTarget;
  readonly #history: ManifestHistory;
  readonly #marks: ValueMarks;
  /** What older manifests refer to; they never change. */
  readonly #references = new Map<number, References>();
  #running: Promise<void> | undefined;
  #figures: GcFigures = NO_GC;

  constructor(target: CollectorTarget) {
    this.#target = target;
    this.#history = new ManifestHistory(target.store, target.prefix, target.clock);
    this.#marks = new ValueMarks(target.store, target.prefix);
  }

  get figures(): GcFigures {
    return this.#figures;
  }

  /**
   * Collects once; joins one that runs. Three lists, some requests for manifests, and one for each
   * thousand files that go; a read for each older manifest that is met for the first time, and for
   * each table that refers to values apart.
   *
   * @throws FirnError `Unavailable`, code `LSM_FENCED`; `Corrupt` (nothing is deleted where a
   *   manifest cannot be read); what the store throws.
   */
  collect(): Promise<void> {
    this.#running ??= this.#collect()
      .catch((error: unknown) => {
        this.#figures = { ...this.#figures, failures: this.#figures.failures + 1 };
        throw error;
      })
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  /** Resolves when none runs. */
  async settled(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  async #collect(): Promise<void> {
    const { store, prefix, manifests } = this.#target;
    const tables = await listAll(store, `${prefix}sst/`);
    const values = await listAll(store, `${prefix}${VALUES}`);
    await manifests.check(Number.POSITIVE_INFINITY);
    await this.#endCheckpoints();
    const { id: newest } = manifests.current;
    // Any of it may be published, kept and superseded before tables are deleted.
    const unpublished = this.#target.underWay.now();
    const stored = (await this.#history.list()).filter(({ id }) => id <= newest);
    // A list that lags behind: what it does not show may name anything, and be kept yet.
    if (stored.at(-1)?.id !== newest) return;
    const old = this.#outOfRetention(stored);
    const through = old.at(-1)?.id;
    let gone: ReadonlySet<Numbered> = new Set();
    if (through !== undefined) {
      assert(through < newest, "the newest manifest stays");
      if (!(await this.#history.raise(through))) return;
      await manifests.check(Number.POSITIVE_INFINITY);
      gone = new Set(this.#outOfRetention(old, stored));
    }
    const referenced = await this.#referenced(stored.filter((entry) => !gone.has(entry)));
    await this.#delete([...gone]);
    const published = tables.filter(({ path }) => !unpublished.has(this.#idOf(path) ?? ""));
    const obsoleteBytes = await this.#deleteTables(published, referenced.tables);
    this.#figures = { ...this.#figures, obsoleteBytes };
    if (!referenced.areForeign) await this.#letGoOfParent(stored);
    const named = values.filter(({ path }) => !unpublished.has(this.#valueOf(path) ?? ""));
    const left = await this.#deleteValues(named, referenced.withValues);
    this.#figures = { ...this.#figures, obsoleteBytes: obsoleteBytes + left };
    this.#noteKept(tables, values);
  }

  /** What would go with the checkpoints, at once or after the least age. */
  #noteKept(listed: readonly BlobEntry[], values: readonly BlobEntry[]): void {
    const { current } = this.#target.manifests;
    const { tables: newest, withValues } = referencesOf(current);
    const older = new Set<Ulid>();
    const [newestValues, olderValues] = [new Set<Ulid>(), new Set<Ulid>()];
    this.#marks.addTo(newestValues, withValues);
    for (const { manifestId } of current.checkpoints) {
      const { tables = [], withValues: all = [] } = this.#references.get(manifestId) ?? {};
      for (const id of tables) if (!newest.has(id)) older.add(id);
      this.#marks.addTo(olderValues, all);
    }
    const kept = listed.filter(({ path }) => older.has(this.#idOf(path) ?? ""));
    const keptValues = values.filter(({ path }) => {
      const id = this.#valueOf(path) ?? "";
      return olderValues.has(id) && !newestValues.has(id);
    });
    this.#figures = { ...this.#figures, keptBytes: sizes(kept) + sizes(keptValues) };
  }

  /**
   * A clone that stands on its own needs its parent no more. The parent first: what ends in between
   * is done again. Two requests where there is a parent, six more where it is let go of.
   */
  async #letGoOfParent(stored: readonly Numbered[]): Promise<void> {
    const { manifests, manifestsOf, views } = this.#target;
    const { id: newest, parent } = manifests.current;
    if (parent === undefined) return;
    // A list may lag behind what is there: a state that no process has looked at may name anything.
    const through = (await this.#history.boundary())?.manifestThrough ?? 0;
    const isWhole = stored.filter(({ id }) => id > through).length === newest - through;
    if (!isWhole || views.areForeign || isForeign(manifests.current)) return;
    await letGoOfParent(manifestsOf, parent);
    await certainly(
      (change) => manifests.update(change),
      (manifest) => manifest.parent && { ...manifest, parent: undefined },
    );
  }

  /** Those whose life is over: no reader counts on them any more, whatever its clock says. */
  async #endCheckpoints(): Promise<void> {
    const { manifests, clock, gcMinAgeMs } = this.#target;
    const nowMs = clock.nowMs() - gcMinAgeMs;
    await certainly(
      (change) => manifests.update(change),
      (manifest) => without(manifest, (checkpoint) => hasEnded(checkpoint, nowMs)),
    );
  }

  /** Of some manifests, those that no process needs any more. @param stored all that there are. */
  #outOfRetention(
    among: readonly Numbered[],
    stored: readonly Numbered[] = among,
  ): readonly Numbered[] {
    const { current } = this.#target.manifests;
    const kept = new Set(current.checkpoints.map(({ manifestId }) => manifestId));
    const successors = new Map(stored.map((entry, index) => [entry.id, stored[index + 1]]));
    return among.filter((entry) => {
      // It was the newest until its successor came.
      const successor = successors.get(entry.id);
      const isNeeded = successor === undefined || !this.#isOld(successor) || kept.has(entry.id);
      return !isNeeded && entry.id !== current.id && this.#isOld(entry);
    });
  }

  /** Tables that the newest manifest names, or a checkpoint's, or one of those that stay. */
  async #referenced(staying: readonly Numbered[]): Promise<References> {
    const { current } = this.#target.manifests;
    const newest = referencesOf(current);
    const referenced = new Set(newest.tables);
    const withValues = [...newest.withValues];
    let { areForeign } = newest;
    // A list may lag behind what is there.
    const ids = new Set(current.checkpoints.map(({ manifestId }) => manifestId));
    for (const { id } of staying) ids.add(id);
    for (const id of this.#references.keys()) if (!ids.has(id)) this.#references.delete(id);
    for (const id of ids) {
      if (id === current.id) continue;
      const older = this.#references.get(id) ?? (await this.#referencesOfOlder(id));
      for (const table of older.tables) referenced.add(table);
      withValues.push(...older.withValues);
      areForeign ||= older.areForeign;
    }
    return { tables: referenced, withValues, areForeign };
  }

  /** @throws FirnError `Unavailable`, code `LSM_FENCED`, where a later owner may have taken it. */
  async #referencesOfOlder(id: number): Promise<References> {
    const manifest = await this.#history.read(id);
    // Gone for us is gone for everybody: no process can reach tables through it. But who took it
    // may have restored it before, so that a newer state names its tables again.
    if (manifest === undefined) await this.#target.manifests.check(Number.POSITIVE_INFINITY);
    const nothing = { tables: new Set<Ulid>(), withValues: [], areForeign: false };
    const references = manifest === undefined ? nothing : referencesOf(manifest);
    this.#references.set(id, references);
    return references;
  }

  /** @returns bytes of those that may go and are too young, or still read. */
  async #deleteTables(
    listed: readonly BlobEntry[],
    referenced: ReadonlySet<Ulid>,
  ): Promise<number> {
    let obsoleteBytes = 0;
    const garbage: (BlobEntry & { readonly id: Ulid })[] = [];
    for (const entry of listed) {
      const id = this.#idOf(entry.path);
      if (id === undefined || referenced.has(id) || this.#target.underWay.has(id)) continue;
      if (this.#isOld(entry)) garbage.push({ ...entry, id });
      else obsoleteBytes += entry.size;
    }
    for (let at = 0; at < garbage.length; at += PAGE) {
      const { views, underWay } = this.#target;
      const read = views.tables();
      const some = garbage.slice(at, at + PAGE);
      const free = some.filter(({ id }) => !read.has(id) && !underWay.has(id));
      obsoleteBytes += sizes(some) - sizes(free);
      const current = referencesOf(this.#target.manifests.current).tables;
      const isSafe = free.every(({ id }) => !current.has(id));
      assert(isSafe, "a table of the newest state is never deleted, whatever was looked at before");
      await this.#delete(free);
    }
    return obsoleteBytes;
  }

  /** @returns as `#deleteTables`. */
  async #deleteValues(
    listed: readonly BlobEntry[],
    referring: readonly SstMeta[],
  ): Promise<number> {
    const { views, underWay } = this.#target;
    this.#marks.keepOnly([...referring, ...views.metas()]);
    if (listed.length === 0) return 0;
    await this.#marks.read([...referring, ...views.metas()]);
    const marked = new Set<Ulid>();
    const isKnown = this.#marks.addTo(marked, referring);
    assert(isKnown, "what was read of tables is known");
    let obsoleteBytes = 0;
    const garbage: (BlobEntry & { readonly id: Ulid })[] = [];
    for (const entry of listed) {
      const id = this.#valueOf(entry.path);
      if (id === undefined || marked.has(id) || underWay.has(id)) continue;
      if (this.#isOld(entry)) garbage.push({ ...entry, id });
      else obsoleteBytes += entry.size;
    }
    for (let at = 0; at < garbage.length; at += PAGE) {
      const some = garbage.slice(at, at + PAGE);
      // A table that was made meanwhile is not known: it refers to what others do, or is looked at
      // next time.
      const read = new Set<Ulid>();
      for (const meta of views.metas()) this.#marks.addTo(read, [meta]);
      const free = some.filter(({ id }) => !read.has(id) && !underWay.has(id));
      obsoleteBytes += sizes(some) - sizes(free);
      await this.#delete(free);
    }
    return obsoleteBytes;
  }

  async #delete(entries: readonly BlobEntry[]): Promise<void> {
    for (let at = 0; at < entries.length; at += PAGE) {
      const some = entries.slice(at, at + PAGE);
      await this.#target.store.deleteMany(some.map(({ path }) => path));
      const { deletedFiles, deletedBytes } = this.#figures;
      this.#figures = {
        ...this.#figures,
        deletedFiles: deletedFiles + some.length,
        deletedBytes: deletedBytes + sizes(some),
      };
    }
  }

  #isOld({ modifiedAtMs }: BlobEntry): boolean {
    const { clock, gcMinAgeMs } = this.#target;
    return gcMinAgeMs === 0 || modifiedAtMs <= clock.nowMs() - gcMinAgeMs;
  }

  /** As `#idOf`, of a value apart. */
  #valueOf(path: string): Ulid | undefined {
    const id = path.slice(`${this.#target.prefix}${VALUES}`.length);
    return isUlid(id) ? id : undefined;
  }

  /** Undefined of a file that is none of ours. */
  #idOf(path: string): Ulid | undefined {
    const name = path.slice(`${this.#target.prefix}sst/`.length);
    const id = name.slice(0, -EXTENSION.length);
    return name.endsWith(EXTENSION) && isUlid(id) ? id : undefined;
  }
}

function sizes(entries: readonly BlobEntry[]): number {
  return entries.reduce((bytes, { size }) => bytes + size, 0);
}

function referencesOf(manifest: Manifest): References {
  const all = tablesIn(manifest);
  const withValues = all.filter(({ stats, whole }) => (whole ?? stats).apart > 0);
  return { tables: new Set(all.map(({ id }) => id)), withValues, areForeign: isForeign(manifest) };
}
