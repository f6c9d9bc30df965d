import type { RowStore } from "./store.ts";
import type { RowTransaction } from "./transaction.ts";

/**
 * Lets nothing be made in a shard any more, if it is empty.
 *
 * @returns what it holds: then nothing was done.
 */
export async function closeShard(store: RowStore, job: string): Promise<readonly string[]> {
  return await store.run(async (tx) => {
    const held = await heldBy(tx);
    if (held.length === 0) tx.tables.closing.close(job);
    return held;
  });
}

/** Takes back what `closeShard` did for a job. */
export async function openShard(store: RowStore, job: string): Promise<void> {
  await store.run(async (tx) => {
    if ((await tx.tables.closing.job()) === job) tx.tables.closing.open();
  });
}

/** The job that deletes a shard. */
export async function closedBy(store: RowStore): Promise<string | undefined> {
  return await store.run((tx) => tx.tables.closing.job(), { readOnly: true });
}

/** Tables, those that were dropped and are kept or that move too, and what else lies in a shard. */
export async function heldIn(store: RowStore): Promise<readonly string[]> {
  return await store.run(heldBy, { readOnly: true });
}

async function heldBy(tx: RowTransaction): Promise<readonly string[]> {
  const named = (kind: string, { namespace, name }: Named): string =>
    `${kind} ${[...namespace, name].join(".")}`;
  const tables = (await tx.tables.list()).map((one) => named("table", one));
  const sequences = (await tx.sequences.list()).map((one) => named("sequence", one));
  const objects = (await tx.objects.list()).map((one) => named(one.kind, one));
  return [...tables, ...sequences, ...objects];
}

interface Named {
  readonly namespace: readonly string[];
  readonly name: string;
}
