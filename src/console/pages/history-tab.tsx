import { useMemo } from "preact/hooks";
import type { IcebergPage, PageRef } from "../../api/page-operations.ts";
import type { Snapshot, Table } from "../../api/resources.ts";
import { namespaceName } from "../../client/client.ts";
import { client } from "../data.ts";
import { bytesText, countText, deltaText, shortId } from "../format.ts";
import { useLook } from "../navigation.ts";
import { Ago } from "../parts/ago.tsx";
import { Copy } from "../parts/copy.tsx";
import { Grid } from "../parts/grid.tsx";
import { Empty } from "../parts/states.tsx";
import { usePages } from "../parts/use-pages.ts";
import { GraphCell } from "../pictures/graph.tsx";
import { graphRows } from "../pictures/graph-layout.ts";
import { STRINGS } from "../strings.ts";
import { Compared } from "./compared.tsx";
import { Refs, SnapshotActions } from "./ref-actions.tsx";

interface HistoryProps {
  readonly table: Table;
  readonly iceberg: IcebergPage;
  readonly onDone: () => void;
}

/** The branch graph: one chosen snapshot is named or gone back to, two are compared. */
export function History({ table, iceberg, onDone }: HistoryProps) {
  const { snapshotCount, refs } = iceberg;
  const { catalog, namespace, name } = table;
  const path = { catalog, namespace: namespaceName(namespace), table: name };
  const more = usePages(iceberg.nextPageToken, (pageToken) =>
    client.call("listSnapshots", { path, query: { pageToken, pageSize: 1_000 } }),
  );
  const snapshots = useMemo(
    () => [...iceberg.snapshots, ...more.items],
    [iceberg.snapshots, more.items],
  );
  const [at, setAt] = useLook("at");
  const chosen = at.split(",");
  const rows = useMemo(() => graphRows(snapshots), [snapshots]);
  const lanes = Math.max(1, ...rows.map(({ lane, through }) => 1 + Math.max(lane, ...through)));
  const refsOf = useMemo(() => Map.groupBy(refs, ({ snapshotId }) => snapshotId), [refs]);
  if (snapshots.length === 0) return <Empty text={STRINGS.noSnapshots} />;
  const toggle = (id: string) => {
    const others = chosen.filter((one) => one !== id && one !== "");
    setAt(chosen.includes(id) ? others.join(",") : [...others.slice(-1), id].join(","));
  };
  const pair = snapshots.filter(({ snapshotId }) => chosen.includes(snapshotId));
  const [newer, older] = pair;
  const done = () => {
    setAt("");
    onDone();
  };
  return (
    <section>
      <Refs table={table} iceberg={iceberg} onDone={done} />
      {newer === undefined && <p class="dim">{STRINGS.chooseTwo}</p>}
      {newer !== undefined && older === undefined && (
        <SnapshotActions
          key={newer.snapshotId}
          table={table}
          iceberg={iceberg}
          snapshot={newer}
          onDone={done}
        />
      )}
      {newer !== undefined && older !== undefined && (
        <Compared iceberg={iceberg} from={older} to={newer} />
      )}
      {snapshotCount > snapshots.length && (
        <p class="dim" role="status">
          {countText(snapshots.length)} of {countText(snapshotCount)} snapshots are loaded so far.
        </p>
      )}
      <Grid
        label="Snapshots"
        items={rows}
        keyOf={({ item }) => item.snapshotId}
        onEnd={more.next}
        onOpen={({ item }) => toggle(item.snapshotId)}
        columns={[
          { name: "Graph", of: (row) => <GraphCell row={row} lanes={Math.min(lanes, 12)} /> },
          {
            name: "Snapshot",
            of: ({ item }) => (
              <SnapshotName
                snapshot={item}
                refs={refsOf.get(item.snapshotId) ?? []}
                isChosen={chosen.includes(item.snapshotId)}
                onChoose={() => toggle(item.snapshotId)}
              />
            ),
          },
          { name: "When", of: ({ item }) => <Ago time={item.timestamp} />, isExtra: true },
          { name: "What", of: ({ item }) => item.operation, isExtra: true },
          {
            name: "Rows",
            of: ({ item }) => added(item, "added-records", "deleted-records"),
            isNumber: true,
          },
          {
            name: "Files",
            of: ({ item }) => added(item, "added-data-files", "deleted-data-files"),
            isNumber: true,
            isExtra: true,
          },
          {
            name: "Size then",
            of: ({ item }) => bytesText(item.summary["total-files-size"]),
            isNumber: true,
            isExtra: true,
          },
        ]}
      />
    </section>
  );
}

function added({ summary }: Snapshot, plus: string, minus: string): string {
  return deltaText(summary[minus], summary[plus]);
}

interface NameProps {
  readonly snapshot: Snapshot;
  readonly refs: readonly PageRef[];
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function SnapshotName({ snapshot: { snapshotId }, refs, isChosen, onChoose }: NameProps) {
  return (
    <span class="id">
      <label>
        <input type="checkbox" checked={isChosen} onChange={onChoose} />
        <code title={snapshotId}>{shortId(snapshotId)}</code>
      </label>
      <Copy text={snapshotId} isSmall />
      {refs.map(({ name, type }) => (
        <span key={name} class={`ref ${type}`}>
          {name}
        </span>
      ))}
    </span>
  );
}
