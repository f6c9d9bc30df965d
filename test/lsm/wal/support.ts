import { utf8 } from "../../../src/base/bytes.ts";
import type { Wal, WalBatch, WalGroup, WalMark, WalStore } from "../../../src/lsm/wal/port.ts";

export const START: WalMark = { file: 0, sequence: 0 };

/** A log that was opened, and what it replayed. */
export interface Opened {
  readonly wal: Wal;
  readonly groups: readonly WalGroup[];
}

export async function openWal(
  store: WalStore,
  epoch: number,
  from: WalMark = START,
): Promise<Opened> {
  const groups: WalGroup[] = [];
  const onGroup = (group: WalGroup) => void groups.push(kept(group));
  const wal = await store.open({ epoch, from, onGroup });
  return { wal, groups };
}

/** What is handed on is gone when the next comes. */
function kept({ epoch, batches }: WalGroup): WalGroup {
  return {
    epoch,
    batches: batches.map((one) => ({ ...one, payload: Uint8Array.from(one.payload) })),
  };
}

/** A batch of one sequence. */
export function batch(firstSequence: number, text: string | Uint8Array, count = 1): WalBatch {
  return { firstSequence, count, payload: typeof text === "string" ? utf8(text) : text };
}

/** Texts of the batches, a list for each group. */
export function textsOf(groups: readonly WalGroup[]): readonly (readonly string[])[] {
  return groups.map(({ batches }) =>
    batches.map(({ payload }) => Buffer.from(payload).toString("utf8")),
  );
}

/**
 * Appends a group for each text, all under way at once. How many of them were acknowledged, which
 * are the first ones, and what became of the next.
 */
export async function appendAtOnce(
  wal: Wal,
  texts: readonly string[],
): Promise<{ readonly acknowledged: number; readonly error: unknown }> {
  const first = wal.stats().lastSequence + 1;
  const appends = texts.map((text, i) => wal.append([batch(first + i, text)]));
  const settled = await Promise.allSettled(appends);
  const failed = settled.findIndex(({ status }) => status === "rejected");
  const acknowledged = failed < 0 ? settled.length : failed;
  if (settled.slice(acknowledged).some(({ status }) => status === "fulfilled")) {
    throw new Error("a group is acknowledged behind one that is not");
  }
  const [next] = settled.slice(acknowledged);
  return { acknowledged, error: next?.status === "rejected" ? next.reason : undefined };
}

/** Appends groups of texts, each batch with the next sequence. */
export async function appendTexts(
  wal: Wal,
  ...groups: readonly (readonly string[])[]
): Promise<void> {
  for (const texts of groups) {
    const first = wal.stats().lastSequence + 1;
    await wal.append(texts.map((text, index) => batch(first + index, text)));
  }
}
