import type { TableSnapshot } from "./iceberg-table.ts";

/** A line of a graph; without a snapshot it only joins lanes. */
export interface GraphLine {
  readonly lanes: string;
  readonly snapshot?: TableSnapshot;
}

/**
 * Draws the history of snapshots as `git log --graph` does: each lane waits for the parent of what
 * it showed last.
 *
 * @param snapshots newest first: a child before its parent.
 */
export function graphOf(snapshots: readonly TableSnapshot[]): readonly GraphLine[] {
  const shown = new Set(snapshots.map(({ id }) => id));
  const lines: GraphLine[] = [];
  /** The snapshot that each lane waits for; undefined: a lane that has ended. */
  let lanes: (bigint | undefined)[] = [];
  for (const snapshot of snapshots) {
    const waiting = lanes.flatMap((id, lane) => (id === snapshot.id ? [lane] : []));
    const [own = freeLane(lanes), ...joining] = waiting;
    for (const lane of joining.reverse()) {
      lines.push({ lanes: drawn(lanes, (i) => (i === lane ? "/" : undefined), true) });
      lanes[lane] = undefined;
    }
    lanes[own] = snapshot.id;
    lines.push({ lanes: drawn(lanes, (i) => (i === own ? "*" : undefined)), snapshot });
    const { parent } = snapshot;
    lanes[own] = parent !== undefined && shown.has(parent) ? parent : undefined;
    lanes = trimmed(lanes);
  }
  return lines;
}

function freeLane(lanes: readonly (bigint | undefined)[]): number {
  const free = lanes.indexOf(undefined);
  return free < 0 ? lanes.length : free;
}

/** @param isJoin a mark stands between its lane and the one before. */
function drawn(
  lanes: readonly (bigint | undefined)[],
  mark: (lane: number) => string | undefined,
  isJoin = false,
): string {
  let text = "";
  for (let i = 0; i < lanes.length; i++) {
    const own = mark(i);
    if (isJoin && own !== undefined) text = `${text.slice(0, -1)}${own} `;
    else text += `${own ?? (lanes[i] === undefined ? " " : "|")} `;
  }
  return text.trimEnd();
}

function trimmed(lanes: readonly (bigint | undefined)[]): (bigint | undefined)[] {
  const last = lanes.findLastIndex((id) => id !== undefined);
  return lanes.slice(0, last + 1);
}
