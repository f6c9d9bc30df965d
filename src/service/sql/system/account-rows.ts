import type { AccountCatalog } from "../../../catalog/catalog.ts";
import { changeDirectories } from "../../../catalog/changes.ts";
import type { StoredChange } from "../../../catalog/history.ts";
import { micros, type Named, type SystemScan } from "./scan.ts";

const PAGE = 200;
const MINUTE_MS = 60_000;
/** The clocks of others may be ahead. */
const AHEAD_MINUTES = 1;

export async function* jobRows(catalog: AccountCatalog): AsyncGenerator<readonly Named[]> {
  let after: string | undefined;
  do {
    const page = await catalog.jobs.list({ limit: PAGE, ...(after !== undefined && { after }) });
    yield page.items.map((job) => ({
      id: job.id,
      kind: job.kind,
      subject_kind: job.subject.type,
      subject_id: job.subject.id,
      step: job.step,
      due_at: micros(job.dueMs),
      held_until: job.holder === undefined ? null : micros(job.heldUntilMs),
      tries: job.tries,
      failures: job.failures,
      last_error: job.lastMessage ?? job.lastFailure ?? null,
      done: job.done === undefined ? null : BigInt(job.done),
      total: job.total === undefined ? null : BigInt(job.total),
      ended_at: micros(job.endedMs),
    }));
    after = page.next;
  } while (after !== undefined);
}

/**
 * Changes by minute, the newest minute first: one list for each of its shards. A scan that ends
 * early, or says how old they may be, reads no further.
 */
export async function* changeRows(
  scan: SystemScan,
  catalog: AccountCatalog,
  retentionMs: number,
): AsyncGenerator<readonly Named[]> {
  const { context, history, accounts } = catalog;
  const { account, clock } = context;
  const nowMs = clock.nowMs();
  const { entity } = await accounts.byId(account);
  const oldestMs = Math.max(nowMs - retentionMs, entity.createdAtMs, scan.leastMs("time") ?? 0);
  const first = Math.floor(oldestMs / MINUTE_MS) - AHEAD_MINUTES;
  for (let at = Math.floor(nowMs / MINUTE_MS) + AHEAD_MINUTES; at >= first; at--) {
    const shards = changeDirectories(account, at * MINUTE_MS);
    const found = await Promise.all(shards.map((directory) => history.changesIn(directory)));
    yield found
      .flat()
      .sort((a, b) => b.timeMs - a.timeMs)
      .flatMap(changedRows);
  }
}

function changedRows(change: StoredChange): readonly Named[] {
  const { id, timeMs, principal, requestId, operation, keys } = change;
  const base = { id, time: micros(timeMs), principal, request_id: requestId, operation };
  return keys.map(({ key, versionFrom, versionTo, deleted }) => ({
    ...base,
    key,
    version_from: versionFrom,
    version_to: versionTo,
    deleted,
  }));
}
