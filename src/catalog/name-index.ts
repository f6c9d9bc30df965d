import { assert } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import { splitKey } from "../base/key-text.ts";
import { LIMITS } from "../base/limits.ts";
import { LruMap } from "../base/lru.ts";
import { Pauses } from "../base/pauses.ts";
import type { Batch, CommitOutcome, Live, PointerOp, PointerStore } from "../pointer/port.ts";
import { summaryOfItem } from "./entities.ts";
import { leafText } from "./keys.ts";
import { listPage } from "./pages.ts";

/** A name of a listed directory. */
export interface IndexedName {
  readonly leaf: string;
  readonly name: string;
  /** In lower case: the same text where it is that already. */
  readonly lower: string;
  /** Of the catalog or namespace that has the name; tables and views are not asked for theirs. */
  readonly id: string;
  /** Of a namespace, once its reader has put them together. */
  below?: NamesBelow;
}

/** Keys around a namespace. */
export interface NamesBelow {
  /** Its canonical pointer. */
  readonly key: string;
  /** Directories of its tables and of its views. */
  readonly relations: readonly string[];
  /** The directory of the namespaces below it. */
  readonly children: string;
}

/** What became of a leaf: undefined where it is gone. */
type Changes = Map<string, IndexedName | undefined>;

/** A directory whose names are kept, with the changes that are not among them yet. */
interface Kept {
  names: readonly IndexedName[];
  readonly changes: Changes;
}

/** A directory that is being read, and what was committed in it meanwhile. */
interface Filling {
  readonly changes: Changes;
  isLost: boolean;
}

/** Batches under way on one key. */
interface UnderWay {
  batches: number;
  /** Several were at once: which was the last one is not known by their answers. */
  isShared: boolean;
}

/** Some 600,000 names. */
const KEPT_BYTES = 134_217_728;
const NAME_BYTES = 160;
const DIRECTORY_BYTES = 200;
const PAGES_A_TURN = 8;
/** More of them than this are not kept for a reader that may never come. */
const MAX_CHANGES = 10_000;
/** After a batch of unknown outcome nothing is kept until it can no longer land. */
const DOUBT_MS = LIMITS.attemptMs + LIMITS.signatureLifeMs + LIMITS.clockSkewMs;

const OF_RELATIONS = /\/(?:tables|views)\/by-name$/;
/** Families whose directories list names. */
const OF_NAMES = /\/by-(?:name|path)\//;

/**
 * Names of directories in memory, for who looks through all of them. It is correct only where every
 * write of the store passes through `pointers`: the store has one writer, this process.
 *
 * A directory is read when it is first asked for, and then follows the batches that were committed:
 * once a commit is answered, its names are found. A batch whose place in the order is not known,
 * since another one on the same key was under way with it, makes its directory be read anew.
 */
export class NameIndex {
  /** What everything of this process writes through. */
  readonly pointers: PointerStore;
  readonly #inner: PointerStore;
  readonly #clock: Clock;
  readonly #kept: LruMap<string, Kept>;
  readonly #filling = new Map<string, Set<Filling>>();
  readonly #underWay = new Map<string, UnderWay>();
  #doubtUntilMs = Number.NEGATIVE_INFINITY;

  constructor(inner: PointerStore, clock: Clock, keptBytes: number = KEPT_BYTES) {
    this.#inner = inner;
    this.#clock = clock;
    this.#kept = new LruMap(keptBytes, ({ names }) => DIRECTORY_BYTES + names.length * NAME_BYTES);
    this.pointers = {
      get: (key) => inner.get(key),
      getMany: (keys) => inner.getMany(keys),
      list: (directory, options) => inner.list(directory, options),
      sweep: (prefix, options) => inner.sweep(prefix, options),
      forget: (key, version) => inner.forget(key, version),
      commit: (batch) => this.#commit(batch),
    };
  }

  /** Directories that are kept. */
  get size(): number {
    return this.#kept.size;
  }

  /** The names of a directory in byte order: at once where they are kept. */
  names(directory: string): readonly IndexedName[] | Promise<readonly IndexedName[]> {
    return this.kept(directory) ?? this.#fill(directory);
  }

  /** The names of a directory that is kept. */
  kept(directory: string): readonly IndexedName[] | undefined {
    const kept = this.#kept.get(directory);
    if (kept === undefined) return undefined;
    if (kept.changes.size > 0) {
      kept.names = merged(kept.names, kept.changes);
      kept.changes.clear();
      this.#kept.set(directory, kept);
    }
    return kept.names;
  }

  async #fill(directory: string): Promise<readonly IndexedName[]> {
    const filling: Filling = { changes: new Map(), isLost: false };
    const others = this.#filling.get(directory) ?? new Set();
    this.#filling.set(directory, others.add(filling));
    try {
      const names = merged(await this.#list(directory), filling.changes);
      const isKnown = !filling.isLost && this.#clock.monotonicMs() >= this.#doubtUntilMs;
      if (isKnown) this.#kept.set(directory, { names, changes: new Map() });
      return names;
    } finally {
      others.delete(filling);
      if (others.size === 0) this.#filling.delete(directory);
    }
  }

  async #list(directory: string): Promise<readonly IndexedName[]> {
    const names: IndexedName[] = [];
    const pauses = new Pauses(this.#clock, PAGES_A_TURN);
    for (let after: string | undefined; ; ) {
      const page = await listPage(this.#inner, directory, { limit: LIMITS.pageSize, after });
      for (const item of page.items) names.push(nameOf(item));
      if (page.next === undefined) return names;
      after = page.next;
      const pause = pauses.step();
      if (pause !== undefined) await pause;
    }
  }

  async #commit(batch: Batch): Promise<CommitOutcome> {
    const ops = batch.ops.filter(({ op, key }) => isChange(op) && OF_NAMES.test(key));
    if (ops.length === 0) return this.#inner.commit(batch);
    for (const { key } of ops) this.#begin(key);
    let outcome: CommitOutcome | undefined;
    try {
      outcome = await this.#inner.commit(batch);
      return outcome;
    } finally {
      // What throws has changed nothing.
      for (const op of ops) this.#settle(op, outcome?.outcome);
    }
  }

  #begin(key: string): void {
    const underWay = this.#underWay.get(key) ?? { batches: 0, isShared: false };
    this.#underWay.set(key, underWay);
    if (++underWay.batches > 1) underWay.isShared = true;
  }

  #settle(op: PointerOp, outcome: CommitOutcome["outcome"] | undefined): void {
    const underWay = this.#underWay.get(op.key);
    assert(underWay !== undefined, "a batch that ends has begun");
    if (--underWay.batches === 0) this.#underWay.delete(op.key);
    const { directory, leaf } = splitKey(op.key);
    if (outcome === "unknown") this.#doubt();
    else if (underWay.isShared) this.#lose(directory);
    else if (outcome === "committed") this.#change(directory, leaf, op);
  }

  #change(directory: string, leaf: string, op: PointerOp): void {
    const kept = this.#kept.get(directory);
    const filling = this.#filling.get(directory);
    if (kept === undefined && filling === undefined) return;
    const name = op.op === "put" ? nameOf(op) : undefined;
    for (const { changes } of filling ?? []) changes.set(leaf, name);
    kept?.changes.set(leaf, name);
    if (kept !== undefined && kept.changes.size > MAX_CHANGES) this.#kept.delete(directory);
  }

  #lose(directory: string): void {
    this.#kept.delete(directory);
    for (const filling of this.#filling.get(directory) ?? []) filling.isLost = true;
  }

  #doubt(): void {
    this.#doubtUntilMs = this.#clock.monotonicMs() + DOUBT_MS;
    for (const directory of [...this.#kept.keys()]) this.#kept.delete(directory);
  }
}

function isChange(op: PointerOp["op"]): boolean {
  return op === "put" || op === "delete";
}

function nameOf(item: Pick<Live, "key" | "summary">): IndexedName {
  const { directory, leaf } = splitKey(item.key);
  const text = leafText(item.key);
  // A summary costs a decoding each, and there may be 100,000 tables.
  const isPlain = text !== undefined && OF_RELATIONS.test(directory);
  const { name, entityId: id } = isPlain
    ? { name: text, entityId: "" }
    : summaryOfItem(item as Live);
  const same = name === leaf ? leaf : name;
  const lower = same.toLowerCase();
  return { leaf, name: same, lower: lower === same ? same : lower, id };
}

/** Names with changes, in the order of their leaves, which are ASCII. */
function merged(names: readonly IndexedName[], changes: Changes): readonly IndexedName[] {
  if (changes.size === 0) return names;
  const more = [...changes.values()].filter((name) => name !== undefined);
  more.sort((a, b) => (a.leaf < b.leaf ? -1 : 1));
  const all: IndexedName[] = [];
  let at = 0;
  for (const name of names) {
    for (let next = more[at]; next !== undefined && next.leaf < name.leaf; next = more[at]) {
      all.push(next);
      at++;
    }
    if (!changes.has(name.leaf)) all.push(name);
  }
  for (; at < more.length; at++) all.push(more[at] as IndexedName);
  return all;
}
