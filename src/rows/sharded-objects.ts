import type { AnyId, TableId } from "../base/ids.ts";
import type { TableDescriptor } from "./descriptor.ts";
import type { NewObject, SqlObject } from "./objects.ts";
import type { RowTransaction } from "./row-transaction.ts";
import type { SequenceDescriptor } from "./sequence.ts";
import type { RowTransaction as ShardTransaction } from "./transaction.ts";

/** What the objects of several shards are asked through. */
export interface ShardedHost {
  readonly home: ShardTransaction;
  /** The transaction on the shard of a table or sequence. */
  readonly at: (id: AnyId) => Promise<ShardTransaction>;
  readonly all: () => Promise<readonly ShardTransaction[]>;
  /** As `at`, for a write; the home for undefined. */
  readonly writing: (id: AnyId | undefined) => Promise<ShardTransaction>;
  /** The same at once, for what this transaction has met. */
  readonly dropping: (id: AnyId | undefined) => ShardTransaction;
  readonly met: (id: AnyId, tx: ShardTransaction) => void;
  /** @throws FirnError `ROW_SHARDS_APART`: they lie in two shards. */
  readonly assertTogether: (id: AnyId, other: AnyId) => Promise<void>;
}

export function shardedTables(host: ShardedHost): RowTransaction["tables"] {
  const { home, at, all, met } = host;
  /** Tables of all shards: of one that moves or has moved, that whose rows count. */
  const counted = async (
    ask: (tx: ShardTransaction) => Promise<readonly TableDescriptor[]>,
  ): Promise<readonly TableDescriptor[]> => {
    const shards = await all();
    const lists = await Promise.all(shards.map(ask));
    const found = new Map<TableId, TableDescriptor>();
    for (const [i, tables] of lists.entries()) {
      for (const table of tables) {
        // It is there twice, until its old place forgets it.
        const isOld = found.has(table.id) && table.moving?.state === "closed";
        if (isOld || table.incoming !== undefined) continue;
        found.set(table.id, table);
        met(table.id, shards[i] as ShardTransaction);
      }
    }
    return [...found.values()];
  };
  /** In the past it may have lain in another shard. */
  const find = async (id: TableId): Promise<TableDescriptor | undefined> => {
    if (!home.isOfPast) return await (await at(id)).tables.find(id);
    const [table] = await counted(async (tx) => {
      const one = await tx.tables.find(id);
      return one === undefined ? [] : [one];
    });
    return table;
  };
  return {
    find,
    get: async (id) => (home.isOfPast && (await find(id))) || (await (await at(id)).tables.get(id)),
    called: (namespace, name) => counted((tx) => tx.tables.called(namespace, name)),
    list: () => counted((tx) => tx.tables.list()),
    listTemporary: () => home.tables.listTemporary(),
    temporary: (namespace, name) => home.tables.temporary(namespace, name),
  };
}

/** The first thing that is found, of the home before others; which shard has it is known then. */
function firstOf<T extends { readonly id: AnyId }>(
  { home, all, met }: ShardedHost,
  isHere: (tx: ShardTransaction, found: T) => Promise<boolean> = async () => true,
) {
  return async (ask: (tx: ShardTransaction) => Promise<T | undefined>): Promise<T | undefined> => {
    const look = async (tx: ShardTransaction): Promise<T | undefined> => {
      const found = await ask(tx);
      return found !== undefined && (await isHere(tx, found)) ? found : undefined;
    };
    const own = await look(home);
    if (own !== undefined) {
      met(own.id, home);
      return own;
    }
    for (const tx of await all()) {
      const found = tx === home ? undefined : await look(tx);
      if (found === undefined) continue;
      met(found.id, tx);
      return found;
    }
    return undefined;
  };
}

/** Of a table that moves, a sequence is in both shards for a while. */
async function isSequenceHere(
  tx: ShardTransaction,
  { ownedBy }: SequenceDescriptor,
): Promise<boolean> {
  if (ownedBy === undefined) return true;
  const table = await tx.tables.find(ownedBy.table);
  return table?.incoming === undefined && table?.moving?.state !== "closed";
}

export function shardedSequences(host: ShardedHost): RowTransaction["sequences"] {
  const { home, all, writing, met } = host;
  const first = firstOf<SequenceDescriptor>(host, isSequenceHere);
  const find = (id: AnyId) => first((tx) => tx.sequences.find(id));
  return {
    find,
    get: async (id) => (await find(id)) ?? (await home.sequences.get(id)),
    byName: (namespace, name) => first((tx) => tx.sequences.byName(namespace, name)),
    list: async () => {
      const found: SequenceDescriptor[] = [];
      for (const tx of await all()) {
        for (const sequence of await tx.sequences.list()) {
          if (!(await isSequenceHere(tx, sequence))) continue;
          met(sequence.id, tx);
          found.push(sequence);
        }
      }
      return found;
    },
    create: async (spec) => {
      const made = await (await writing(spec.ownedBy?.table)).sequences.create(spec);
      if (spec.ownedBy !== undefined) met(made.id, await host.at(spec.ownedBy.table));
      return made;
    },
    alter: async (id, change) => {
      await find(id);
      if (change.ownedBy != null) await host.assertTogether(id, change.ownedBy.table);
      return await (await writing(id)).sequences.alter(id, change);
    },
    drop: (sequence) => host.dropping(sequence.id).sequences.drop(sequence),
    forget: () => home.sequences.forget(),
  };
}

/**
 * What an object lies with: a comment with that which it is about, whose id its name has; a
 * materialized view with its rows.
 */
function besideOf(object: NewObject): AnyId | undefined {
  if (object.kind === "comment") return aboutOf(object.name);
  return object.kind === "view" ? object.materialized?.table : undefined;
}

function aboutOf(comment: string): AnyId | undefined {
  return comment.split(" ")[1] as AnyId | undefined;
}

export function shardedObjects(host: ShardedHost): RowTransaction["objects"] {
  const { home, at, all, writing, met } = host;
  const first = firstOf<SqlObject>(host);
  return {
    newNumber: (namespace) => home.objects.newNumber(namespace),
    find: (id) => first(({ objects }) => objects.find(id)),
    byName: async (of, namespace, name) => {
      const about = of === "comment" ? aboutOf(name) : undefined;
      if (about === undefined) return await first((tx) => tx.objects.byName(of, namespace, name));
      return await (await at(about)).objects.byName(of, namespace, name);
    },
    list: async () => {
      const found: SqlObject[] = [];
      const comments = new Set<string>();
      for (const tx of await all()) {
        for (const object of await tx.objects.list()) {
          // Of a table that has moved, its old place has them too for a while.
          if (object.kind === "comment" && comments.has(object.name)) continue;
          if (object.kind === "comment") comments.add(object.name);
          met(object.id, tx);
          found.push(object);
        }
      }
      return found;
    },
    create: async (spec) => {
      const beside = besideOf(spec);
      const made = await (await writing(beside)).objects.create(spec);
      met(made.id, beside === undefined ? home : await at(beside));
      return made;
    },
    replace: async (before, next) => await (await writing(before.id)).objects.replace(before, next),
    drop: (object) => host.dropping(object.id).objects.drop(object),
  };
}
