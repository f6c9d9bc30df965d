import { bytesEqual } from "../base/bytes.ts";
import type { TableId } from "../base/ids.ts";
import { Stretches } from "../base/steps.ts";
import { rangeOfRelation } from "../keys/index.ts";
import type { Row, StateView, WriteOp } from "../lsm/index.ts";
import { ChangedKeys, type Stretch } from "./changed-keys.ts";
import {
  type IncomingMark,
  type MovingMark,
  sequenceOf,
  type TableDescriptor,
} from "./descriptor.ts";
import { decodeDescriptor } from "./descriptor-json.ts";
import { rowError } from "./errors.ts";
import { ROW_SPACE } from "./key-codec.ts";
import { tableMoving, withoutMarks } from "./moving.ts";
import type { CommentObject } from "./objects.ts";
import type { SequenceDescriptor } from "./sequence.ts";
import type { SequenceState } from "./sequence-values.ts";
import type { RowStore } from "./store.ts";
import { DescriptorCache } from "./tables.ts";
import type { RowTransaction } from "./transaction.ts";

/*
 * The move of a table to another shard. The catalog says where a table is; the shards do what makes
 * that safe, in this order:
 *
 *   1. mark   the target takes a copy of the descriptor (`incoming`), the source is told (`moving`)
 *   2. copy   rows and entries, while others write; again until little has changed
 *   3. freeze writers of the source are refused; what has changed since is copied, as the source's
 *             change feed tells it
 *   4. close  readers are refused too
 *   5. the catalog's batch says that the table is in the target: see `row-moves.ts`
 *   6. arrive the copy is the table, with its sequences and comments
 *   7. forget the source is dropped: one range
 *
 * A pass makes the target's range the same as the source's, whatever it was before. So each of the
 * steps before the fifth can be done again from the first, and each behind it from the sixth.
 */

/** Which move it is, and whose try. */
export interface TableMoveParts {
  readonly source: RowStore;
  readonly target: RowStore;
  readonly table: TableId;
  /** The ids of the shards. */
  readonly from: string;
  readonly to: string;
  readonly job: string;
  readonly attempt: string;
}

/** Of one write to the target. */
const MOST_OPS = 500;
const MOST_BYTES = 1_048_576;
/** Behind relation and space. */
const PREFIX_BYTES = 5;

/** What was written since a pass, of the relation that it was of. */
interface Since {
  readonly relation: number;
  readonly keys: ChangedKeys;
}

/** Told of rows and entries that were compared. It may throw, which ends the pass. */
export type OnCompared = (count: number) => Promise<void> | void;

/** Whether a job has nothing left to do. */
export type IsOver = (job: string) => Promise<boolean>;

export class TableMove {
  readonly #on: TableMoveParts;
  /** What is written since the last pass, which has made the copy the same. */
  #since: Since | undefined;

  constructor(parts: TableMoveParts) {
    this.#on = parts;
  }

  /**
   * How many rows and entries there are, about.
   *
   * @throws FirnError `Invalid`, codes `ROW_SHARDS_APART`, `ROW_MOVE_UNSUPPORTED` (0A000): it
   *   cannot be moved; `NotFound`, code `ROW_TABLE_NOT_FOUND`; `Conflict`, code
   *   `ROW_TABLE_MOVING`: by another job.
   */
  async check(isOver: IsOver): Promise<number> {
    const { source, target, table: id } = this.#on;
    const there = await this.#find(target);
    if (there?.moving !== undefined && (await this.#isOthers(there, isOver))) {
      throw movesAlready(there, "an earlier move of the table is not over yet: see the jobs");
    }
    return await reading(source, async (tx) => {
      const table = await tx.tables.get(id);
      await refuseUnmovable(tx, table);
      if (await this.#isOthers(table, isOver)) {
        throw movesAlready(table, "the table is being moved already: see the jobs");
      }
      const { rows } = await tx.estimate(withoutMarks(table), 0);
      return rows * (1 + table.indexes.length);
    });
  }

  /** Step 1. @throws as `check`. */
  async begin(isOver: IsOver): Promise<void> {
    const { source, target, from, to, job, attempt } = this.#on;
    await this.check(isOver);
    const stray = await this.#find(target);
    // The catalog says that it is elsewhere, so an older move or a backup has left it.
    if (stray !== undefined && stray.incoming?.job !== job) await this.#drop(target);
    const table = await this.#get(source);
    const relation = await target.newRelation();
    await target.run(async (tx) => {
      const there = await tx.tables.find(table.id);
      const incoming: IncomingMark = { from, job, attempt };
      const copy = { ...withoutMarks(table), relation: there?.relation ?? relation, incoming };
      await tx.tables.mark(copy, there);
    });
    await this.#marking({ to, job, attempt, state: "copying" }, () => true);
  }

  /**
   * Steps 2 and 3: makes the target's copy the same as the source's newest state. The first pass
   * looks at all rows, a later one at what the source's change feed tells, as far as it does.
   *
   * @returns how many rows and entries differed.
   * @throws FirnError `Unavailable`, code `ROW_TABLE_MOVING`: another try has begun.
   */
  async copy(onCompared: OnCompared = () => undefined): Promise<number> {
    const { source, target, table: id } = this.#on;
    const from = source.engine.readView();
    const into = target.engine.readView();
    try {
      await source.engine.durable();
      const relation = decoded(await from.get(new DescriptorCache().keyOf(id)))?.relation ?? 0;
      const keys = await this.#changed(from, relation);
      const next = new ChangedKeys(source.engine, stretchOf(relation), from.sequence);
      this.#follow({ relation, keys: next });
      if (keys === undefined) return await this.#copy(from, into, onCompared);
      return await this.#copyKeys(from, into, keys, onCompared);
    } catch (error) {
      // The copy is not known to be the same.
      this.#follow(undefined);
      throw error;
    } finally {
      from.close();
      into.close();
    }
  }

  /** What was written between the last pass and a state; undefined where that is not known. */
  async #changed(
    { sequence }: StateView,
    relation: number,
  ): Promise<readonly Uint8Array[] | undefined> {
    return this.#since?.relation === relation ? await this.#since.keys.until(sequence) : undefined;
  }

  #follow(since: Since | undefined): void {
    this.#since?.keys.close();
    this.#since = since;
  }

  /** Step 3. Its rows and its descriptor stay as they are from now on. @throws as `check`. */
  async freeze(): Promise<void> {
    await this.#marked("frozen", async (tx, table) => await refuseUnmovable(tx, table));
  }

  /** Step 4, behind the last pass: the target has the descriptor too. */
  async close(): Promise<void> {
    this.#follow(undefined);
    const { source, target, table: id, attempt } = this.#on;
    const table = await this.#get(source);
    if (table.moving?.state === "copying") throw tableMoving(table.name);
    await target.run(async (tx) => {
      const there = await tx.tables.get(id);
      const { incoming, relation } = there;
      if (incoming?.attempt !== attempt) throw tableMoving(table.name);
      const version = table.version + 2;
      await tx.tables.mark({ ...withoutMarks(table), version, relation, incoming }, there);
    });
    await this.#marked("closed");
  }

  /** Lets others write again, where the catalog has not moved the table. */
  async thaw(): Promise<void> {
    this.#follow(undefined);
    const { source, table: id, attempt } = this.#on;
    const table = await this.#find(source);
    const { moving } = table ?? {};
    if (moving?.attempt !== attempt || moving.state === "copying") return;
    await source.run(async (tx) => {
      const now = await tx.tables.get(id);
      if (now.moving?.attempt !== attempt) return;
      const next = { ...now.moving, state: "copying" } as const;
      await tx.tables.mark({ ...now, version: now.version + 1, moving: next }, now);
    });
  }

  /** Step 6: behind the catalog's batch. Nothing happens where it was done. */
  async arrive(): Promise<void> {
    const { source, target, table: id } = this.#on;
    const there = await this.#find(target);
    if (there?.incoming === undefined) return;
    const { sequences, comments } = await reading(source, async (tx) => ({
      sequences: await ownedBy(tx, id),
      comments: await commentsOn(tx, id),
    }));
    const states: (SequenceState & { readonly sequence: SequenceDescriptor })[] = [];
    for (const sequence of sequences) {
      states.push({ sequence, ...(await source.retireSequence(sequence)) });
    }
    await target.run(async (tx) => {
      const table = await tx.tables.get(id);
      if (table.incoming === undefined) return;
      for (const { sequence, last, isCalled } of states) {
        await tx.sequences.bring(sequence);
        target.reviveSequence(sequence.id);
        await tx.setval(sequence, last, isCalled);
      }
      for (const { kind, namespace, name, text } of comments) {
        if ((await tx.objects.byName("comment", namespace, name)) !== undefined) continue;
        await tx.objects.create({ kind, namespace, name, text });
      }
      await tx.tables.mark({ ...withoutMarks(table), version: table.version + 1 }, table);
    });
  }

  /** Step 7. Nothing happens where it was done. */
  async forget(): Promise<void> {
    await this.#drop(this.#on.source);
  }

  /** As if it had never begun. Not behind the catalog's batch. */
  async undo(): Promise<void> {
    this.#follow(undefined);
    const { source, target, table: id, job } = this.#on;
    const there = await this.#find(target);
    if (there?.incoming?.job === job) await this.#drop(target);
    const table = await this.#find(source);
    if (table?.moving?.job !== job) return;
    await source.run(async (tx) => {
      const now = await tx.tables.find(id);
      if (now?.moving?.job !== job) return;
      await tx.tables.mark({ ...withoutMarks(now), version: now.version + 1 }, now);
    });
  }

  /** The descriptors of both sides, and where they lie. @throws FirnError `ROW_TABLE_MOVING`. */
  async #sides(from: StateView, into: StateView) {
    const { table: id, attempt } = this.#on;
    const guard = new DescriptorCache().keyOf(id);
    const [table, there] = [decoded(await from.get(guard)), decoded(await into.get(guard))];
    if (table === undefined || there?.incoming?.attempt !== attempt) {
      throw tableMoving(table?.name ?? "");
    }
    return { guard, table, there };
  }

  /** Of a source whose other rows and entries the target has as they are. */
  async #copyKeys(
    from: StateView,
    into: StateView,
    keys: readonly Uint8Array[],
    onCompared: OnCompared,
  ): Promise<number> {
    const { guard, there } = await this.#sides(from, into);
    const { from: prefix } = rangeOfRelation(ROW_SPACE, there.relation);
    const writes = new CopyWrites((ops) => this.#write(guard, ops));
    for (let at = 0; at < keys.length; at += MOST_OPS) {
      const some = keys.slice(at, at + MOST_OPS);
      const values = await from.getMany(some);
      for (const [i, found] of some.entries()) {
        await writes.add(withRelation(found, prefix), values[i]);
      }
      await onCompared(at + some.length);
    }
    await writes.flush();
    await this.#settled();
    return writes.count;
  }

  /** A source that another process has taken over has shown nothing that counts. */
  async #settled(): Promise<void> {
    const { source, target } = this.#on;
    await source.engine.confirm();
    await target.engine.durable();
  }

  async #copy(from: StateView, into: StateView, onCompared: OnCompared): Promise<number> {
    const { target } = this.#on;
    const { guard, table, there } = await this.#sides(from, into);
    const theirs = new Cursor(from, table.relation);
    const ours = new Cursor(into, there.relation);
    const stretches = new Stretches(target.clock);
    const writes = new CopyWrites((ops) => this.#write(guard, ops));
    let compared = 0;
    try {
      await theirs.next();
      await ours.next();
      while (theirs.row !== undefined || ours.row !== undefined) {
        const order = compareRows(theirs.row, ours.row);
        if (order > 0) {
          const { key } = ours.row as Row;
          await writes.add(new Uint8Array(key), undefined);
        } else {
          const { key, value } = theirs.row as Row;
          if (order < 0 || !bytesEqual(value, (ours.row as Row).value)) {
            await writes.add(withRelation(key, ours.prefix), value);
          }
        }
        const read = order <= 0 ? theirs.next() : undefined;
        const known = order >= 0 ? ours.next() : undefined;
        // Both at once: a failure that nothing waits for would end the process.
        if (read !== undefined || known !== undefined) await Promise.all([read, known]);
        if (++compared % MOST_OPS === 0) {
          await onCompared(compared);
          await stretches.turn();
        }
      }
      await writes.flush();
    } finally {
      theirs.close();
      ours.close();
    }
    await this.#settled();
    await onCompared(compared);
    return writes.count;
  }

  /** What another try has begun to write is not written over. */
  async #write(guard: Uint8Array, ops: readonly WriteOp[]): Promise<void> {
    const { target, attempt, table } = this.#on;
    const tx = target.engine.transaction();
    try {
      const found = decoded(await tx.get(guard));
      if (found?.incoming?.attempt !== attempt) throw tableMoving(found?.name ?? table);
      for (const op of ops) {
        if (op.op === "put") tx.put(op.key, op.value);
        else if (op.op === "delete") tx.delete(op.key);
      }
      await tx.commit();
    } catch (error) {
      tx.rollback();
      throw error;
    }
  }

  async #marked(
    state: "frozen" | "closed",
    check: (tx: RowTransaction, table: TableDescriptor) => Promise<void> = async () => undefined,
  ): Promise<void> {
    const { to, job, attempt } = this.#on;
    const isMine = ({ moving }: TableDescriptor) => moving?.attempt === attempt;
    await this.#marking({ to, job, attempt, state }, isMine, check);
  }

  async #marking(
    moving: MovingMark,
    isMine: (table: TableDescriptor) => boolean,
    check?: (tx: RowTransaction, table: TableDescriptor) => Promise<void>,
  ): Promise<void> {
    const { source, table: id } = this.#on;
    await source.run(async (tx) => {
      const now = await tx.tables.get(id);
      if (!isMine(now)) throw tableMoving(now.name);
      await check?.(tx, now);
      await tx.tables.mark({ ...now, version: now.version + 1, moving }, now);
    });
  }

  async #isOthers({ moving }: TableDescriptor, isOver: IsOver): Promise<boolean> {
    const { job } = this.#on;
    return moving !== undefined && moving.job !== job && !(await isOver(moving.job));
  }

  async #find(store: RowStore): Promise<TableDescriptor | undefined> {
    return await reading(store, (tx) => tx.tables.find(this.#on.table));
  }

  async #get(store: RowStore): Promise<TableDescriptor> {
    return await reading(store, (tx) => tx.tables.get(this.#on.table));
  }

  async #drop(store: RowStore): Promise<void> {
    const { table: id } = this.#on;
    const sequences = await store.run(async (tx) => {
      const table = await tx.tables.find(id);
      if (table === undefined) return [];
      const owned = await ownedBy(tx, id);
      for (const comment of await commentsOn(tx, id)) tx.objects.drop(comment);
      await tx.tables.mark({ ...withoutMarks(table), version: table.version + 1 }, table);
      await tx.dropTable(id);
      return owned;
    });
    for (const sequence of sequences) store.reviveSequence(sequence.id);
  }
}

/** Writes to the copy, some at a time. */
class CopyWrites {
  /** All that were added. */
  count = 0;
  readonly #write: (ops: readonly WriteOp[]) => Promise<void>;
  #ops: WriteOp[] = [];
  #bytes = 0;

  constructor(write: (ops: readonly WriteOp[]) => Promise<void>) {
    this.#write = write;
  }

  /** @param value which is copied; undefined: the key goes. */
  async add(key: Uint8Array, value: Uint8Array | undefined): Promise<void> {
    const put = value && { op: "put" as const, key, value: new Uint8Array(value) };
    this.#ops.push(put ?? { op: "delete", key });
    this.#bytes += key.length + (value?.length ?? 0);
    this.count++;
    if (this.#ops.length >= MOST_OPS || this.#bytes >= MOST_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    const ops = this.#ops;
    this.#ops = [];
    this.#bytes = 0;
    if (ops.length > 0) await this.#write(ops);
  }
}

/** Where the rows and entries of a relation lie. */
function stretchOf(relation: number): Stretch {
  const { from, to } = rangeOfRelation(ROW_SPACE, relation);
  return { from, to: to as Uint8Array };
}

function decoded(bytes: Uint8Array | undefined): TableDescriptor | undefined {
  return bytes && decodeDescriptor(bytes);
}

async function reading<T>(store: RowStore, work: (tx: RowTransaction) => Promise<T>): Promise<T> {
  return await store.run(work, { readOnly: true, isolation: "repeatable read" });
}

/** The rows and entries of a relation, one by one. */
class Cursor {
  readonly prefix: Uint8Array;
  readonly #scan: ReturnType<StateView["scan"]>;
  #rows: readonly Row[] = [];
  #at = 0;

  constructor(view: StateView, relation: number) {
    const { from, to } = rangeOfRelation(ROW_SPACE, relation);
    this.prefix = from;
    this.#scan = view.scan({ from, ...(to !== undefined && { to }) });
  }

  get row(): Row | undefined {
    return this.#rows[this.#at];
  }

  next(): Promise<void> | undefined {
    this.#at++;
    return this.#at < this.#rows.length ? undefined : this.#refill();
  }

  async #refill(): Promise<void> {
    while (this.#at >= this.#rows.length) {
      const rows = await this.#scan.next();
      this.#rows = rows ?? [];
      this.#at = 0;
      if (rows === undefined) return;
    }
  }

  close(): void {
    this.#scan.close();
  }
}

/** By their keys within their relations; one that is absent comes last. */
function compareRows(a: Row | undefined, b: Row | undefined): number {
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return Buffer.compare(a.key.subarray(PREFIX_BYTES), b.key.subarray(PREFIX_BYTES));
}

function withRelation(key: Uint8Array, prefix: Uint8Array): Uint8Array {
  const moved = new Uint8Array(key);
  moved.set(prefix.subarray(0, PREFIX_BYTES));
  return moved;
}

async function ownedBy(tx: RowTransaction, table: TableId) {
  return (await tx.sequences.list()).filter((one) => one.ownedBy?.table === table);
}

/** Comments on a table and its parts: their names have its id. */
async function commentsOn(tx: RowTransaction, table: TableId): Promise<readonly CommentObject[]> {
  const all = await tx.objects.list();
  return all.filter(
    (one): one is CommentObject => one.kind === "comment" && one.name.split(" ")[1] === table,
  );
}

/** What joins a table to others of its shard stays there. */
async function refuseUnmovable(tx: RowTransaction, table: TableDescriptor): Promise<void> {
  if (table.partitioned !== undefined || table.partitionOf !== undefined) {
    const message = "a partitioned table and its partitions are in one shard: detach it first";
    throw rowError("Invalid", "ROW_SHARDS_APART", "0A000", message, { table: table.name });
  }
  const { id, name } = table;
  const isJoined =
    (table.referencedBy ?? []).some((one) => one.table !== id) ||
    table.constraints.some((one) => one.kind === "foreign key" && one.references.table !== id);
  if (isJoined) {
    const message = "a foreign key joins the table to another one: both lie in one shard";
    const hint = "Drop the foreign key first.";
    throw rowError("Invalid", "ROW_SHARDS_APART", "0A000", message, { table: name, hint });
  }
  for (const column of table.columns) {
    const sequence = column.dropped === true ? undefined : sequenceOf(column);
    const found = sequence && (await tx.sequences.find(sequence));
    if (found === undefined || found.ownedBy?.table === id) continue;
    const message =
      "a column takes numbers of a sequence that no column owns: both lie in one shard";
    const hint = `ALTER SEQUENCE ${found.name} OWNED BY ${name}.${column.name}`;
    throw rowError("Invalid", "ROW_SHARDS_APART", "0A000", message, { table: name, hint });
  }
  const unmovable =
    table.materialized === true
      ? "a materialized view stays in its shard: make it again in the other one"
      : table.indexes.some(({ state }) => state !== "public")
        ? "an index of the table is being built: move the table afterwards"
        : undefined;
  if (unmovable === undefined) return;
  throw rowError("Invalid", "ROW_MOVE_UNSUPPORTED", "0A000", unmovable, { table: name });
}

function movesAlready({ name }: TableDescriptor, message: string): Error {
  return rowError("Conflict", "ROW_TABLE_MOVING", "55006", message, { table: name });
}
