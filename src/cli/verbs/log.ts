import { EXIT } from "../exit-codes.ts";
import { agoText, bytesText, countText, padEnd, paint, plain, type Screen } from "../screen.ts";
import { showList } from "../show.ts";
import type { VerbCall } from "./call.ts";
import { loadTable, type TableSnapshot, type TableState } from "./iceberg-table.ts";
import { graphOf } from "./snapshot-graph.ts";
import { snapshotAt, summaryNumber, tableOf } from "./snapshots.ts";
import { nameIn, targetOf } from "./target.ts";

/** A snapshot as `firn log` shows it. */
interface Entry {
  readonly snapshotId: string;
  readonly parentSnapshotId?: string;
  readonly timestamp: string;
  readonly operation: string;
  readonly refs: readonly string[];
  readonly summary: Readonly<Record<string, string>>;
}

/** `firn log TABLE[@at]`: its snapshots, newest first, with branches and tags. */
export async function log({ words, values, format, screen, place }: VerbCall): Promise<number> {
  const { name, at } = targetOf(nameIn(words));
  const state = await loadTable(place, await tableOf(place, name), "all");
  const newest = [...state.snapshots].reverse();
  const shown = at === undefined ? newest : ancestorsOf(state, snapshotAt(state, at));
  const limit = (values["limit"] as number | undefined) ?? shown.length;
  const listed = shown.slice(0, limit);
  if (format.form === "text" && screen.isTerminal) {
    printGraph(listed, state, screen);
    return EXIT.ok;
  }
  await showList<Entry>(
    {
      columns: [
        { header: "SNAPSHOT", value: ({ snapshotId }) => snapshotId },
        { header: "PARENT", value: ({ parentSnapshotId = "" }) => parentSnapshotId },
        { header: "TIME", value: ({ timestamp }) => timestamp },
        { header: "OPERATION", value: ({ operation }) => operation },
        { header: "REFS", value: ({ refs }) => refs.join(",") },
      ],
      pages: (async function* () {
        yield listed.map((snapshot) => entryOf(snapshot, state));
      })(),
      id: ({ snapshotId }) => snapshotId,
      members: ["snapshotId", "parentSnapshotId", "timestamp", "operation", "refs", "summary"],
      empty: "the table has no snapshot",
    },
    format,
    screen,
  );
  return EXIT.ok;
}

function ancestorsOf(state: TableState, from: TableSnapshot): readonly TableSnapshot[] {
  const byId = new Map(state.snapshots.map((snapshot) => [snapshot.id, snapshot]));
  const found: TableSnapshot[] = [];
  // Damaged metadata may hold a loop: it ends here.
  for (let next: TableSnapshot | undefined = from; next !== undefined; ) {
    found.push(next);
    if (found.length > state.snapshots.length) break;
    next = next.parent === undefined ? undefined : byId.get(next.parent);
  }
  return found;
}

function refsOf({ id }: TableSnapshot, { refs }: TableState): readonly string[] {
  const here = refs.filter(({ snapshotId }) => snapshotId === id);
  return here.map(({ name, type }) => (type === "tag" ? `tag ${name}` : name));
}

function entryOf(snapshot: TableSnapshot, state: TableState): Entry {
  const { id, parent, timeMs, operation, summary } = snapshot;
  return {
    snapshotId: String(id),
    ...(parent !== undefined && { parentSnapshotId: String(parent) }),
    timestamp: new Date(timeMs).toISOString(),
    operation,
    refs: refsOf(snapshot, state),
    summary,
  };
}

function printGraph(listed: readonly TableSnapshot[], state: TableState, screen: Screen): void {
  if (listed.length === 0) screen.printError("the table has no snapshot\n");
  const graph = graphOf(listed);
  const refs = listed.map((snapshot) => refsOf(snapshot, state).join(", "));
  const ago = listed.map(({ timeMs }) => agoText(timeMs, screen.nowMs()));
  const columns = [
    Math.max(0, ...graph.map(({ lanes }) => lanes.length)),
    19,
    Math.max(0, ...refs.map((text) => text.length)),
    Math.max(0, ...ago.map((text) => text.length)),
    Math.max(0, ...listed.map(({ operation }) => operation.length)),
  ];
  let row = 0;
  for (const { lanes, snapshot } of graph) {
    if (snapshot === undefined) {
      screen.print(`${paint(screen, "dim", lanes)}\n`);
      continue;
    }
    const cells = [
      lanes,
      paint(screen, "yellow", String(snapshot.id)),
      paint(screen, "green", plain(refs[row] ?? "")),
      ago[row] ?? "",
      plain(snapshot.operation),
    ];
    const text = cells.map((cell, i) => padEnd(cell, columns[i] ?? 0)).join("  ");
    screen.print(`${`${text}  ${changesText(snapshot)}`.trimEnd()}\n`);
    row++;
  }
}

/** `+1 row  +1 file`, as far as the writer of the snapshot told. */
function changesText(snapshot: TableSnapshot): string {
  const count = (name: string, sign: string, one: string): readonly string[] => {
    const value = summaryNumber(snapshot, name) ?? 0;
    if (value === 0) return [];
    return [`${sign}${countText(value)} ${value === 1 ? one : `${one}s`}`];
  };
  const added = summaryNumber(snapshot, "added-files-size") ?? 0;
  return [
    ...count("added-records", "+", "row"),
    ...count("deleted-records", "-", "row"),
    ...count("added-data-files", "+", "file"),
    ...count("deleted-data-files", "-", "file"),
    ...(added > 0 ? [`+${bytesText(added)}`] : []),
  ].join("  ");
}
