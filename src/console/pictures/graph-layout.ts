/** One snapshot in a branch graph: its lane, and the lines that pass or leave it. */
export interface GraphRow<T> {
  readonly item: T;
  readonly lane: number;
  /** Lanes of lines that pass by, from above to below. */
  readonly through: readonly number[];
  /** Lanes that end here: the newer snapshots that grew out of this one. */
  readonly joins: readonly number[];
  /** A line comes from above, in the same lane. */
  readonly comes: boolean;
  /** A line goes on below, towards the parent. */
  readonly goesOn: boolean;
}

/** What a graph needs to know of its items. */
export interface GraphItem {
  readonly snapshotId: string;
  readonly parentSnapshotId?: string;
}

/**
 * Lays a history out as `git log --graph` does: each lane waits for the parent of what it showed
 * last.
 *
 * @param items newest first: a child before its parent.
 */
export function graphRows<T extends GraphItem>(items: readonly T[]): readonly GraphRow<T>[] {
  const shown = new Set(items.map(({ snapshotId }) => snapshotId));
  const lanes: (string | undefined)[] = [];
  return items.map((item) => {
    const waiting = lanes.flatMap((id, lane) => (id === item.snapshotId ? [lane] : []));
    const [lane = freeLane(lanes), ...joins] = waiting;
    for (const ended of joins) lanes[ended] = undefined;
    const through = lanes.flatMap((id, at) => (id === undefined || at === lane ? [] : [at]));
    const parent = item.parentSnapshotId;
    const goesOn = parent !== undefined && shown.has(parent);
    lanes[lane] = goesOn ? parent : undefined;
    return { item, lane, through, joins, comes: waiting.length > 0, goesOn };
  });
}

function freeLane(lanes: readonly (string | undefined)[]): number {
  const free = lanes.indexOf(undefined);
  return free < 0 ? lanes.length : free;
}
