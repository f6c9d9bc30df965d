import { useEffect, useMemo, useRef } from "preact/hooks";
import type { IcebergPage, PageRef, TablePage } from "../../api/page-operations.ts";
import type { Table } from "../../api/resources.ts";
import { namespaceName } from "../../client/client.ts";
import { commitProperties } from "../commit-properties.ts";
import { client, useLoaded } from "../data.ts";
import { bytesText, countText } from "../format.ts";
import { Ago, Changed } from "../parts/ago.tsx";
import { Id } from "../parts/copy.tsx";
import { Facts, Figure } from "../parts/facts.tsx";
import { Heading } from "../parts/heading.tsx";
import { later } from "../parts/later.tsx";
import { Link } from "../parts/link.tsx";
import { PropertyList } from "../parts/properties.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Line } from "../pictures/line.tsx";
import type { PropertiesChange } from "../properties.ts";
import { type Path, TABLE_TABS, type TableTab } from "../route.ts";
import { STRINGS } from "../strings.ts";
import { Definitions } from "./definitions.tsx";
import { Fields, SchemaTab } from "./schema-tab.tsx";
import { TableActions } from "./table-actions.tsx";

const Connect = later(async () => (await import("./connect-tab.tsx")).Connect);
const FilesTab = later(async () => (await import("./files-tab.tsx")).FilesTab);
const History = later(async () => (await import("./history-tab.tsx")).History);
const RowsTab = later(async () => (await import("./rows-tab.tsx")).RowsTab);
const StatsTab = later(async () => (await import("./stats-tab.tsx")).StatsTab);

/** Tabs whose scripts are loaded when they are first shown. */
const LATER: Partial<Record<TableTab, { readonly ahead: () => void }>> = {
  connect: Connect,
  files: FilesTab,
  history: History,
  rows: RowsTab,
  stats: StatsTab,
};

/** Of the operations on one table. */
export interface TablePath {
  readonly catalog: string;
  /** As `namespaceName` makes it. */
  readonly namespace: string;
  readonly table: string;
}

interface Place {
  readonly catalog: string;
  readonly namespace: Path;
  readonly table: string;
}

function pathOf({ catalog, namespace, table }: Place): TablePath {
  return { catalog, namespace: namespaceName(namespace), table };
}

/** Tabs of row tables, and of formats that the catalog only registers. */
const ROW_TABS: readonly TableTab[] = ["overview", "rows", "schema", "properties", "connect"];
const PLAIN_TABS: readonly TableTab[] = ["overview", "schema", "properties", "connect"];
const ICEBERG_TABS = TABLE_TABS.filter((tab) => tab !== "rows");

/** Of a table that is not loaded yet: those of most tables. */
function tabsOf({ format = "ICEBERG" }: Partial<Table> = {}): readonly TableTab[] {
  if (format === "ICEBERG") return ICEBERG_TABS;
  return format === "ROW" ? ROW_TABS : PLAIN_TABS;
}

function badgesOf(table: Table | undefined): readonly string[] {
  if (table === undefined) return [];
  return [table.format.toLowerCase(), ...(table.protected ? ["protected"] : [])];
}

/** One table, in tabs. */
export function TableView({ tab, ...place }: Place & { readonly tab: TableTab }) {
  const { catalog, namespace, table } = place;
  // The script of a tab and the table come at once, not one behind the other.
  useMemo(() => LATER[tab]?.ahead(), [tab]);
  const { data, error, reload } = useLoaded(
    `table ${JSON.stringify([catalog, namespace, table])}`,
    () => client.call("getTablePage", { path: pathOf(place) }),
  );
  return (
    <>
      <Heading icon="table" name={table} badges={badgesOf(data?.table)}>
        {data !== undefined && <TableActions table={data.table} onDone={() => void reload()} />}
      </Heading>
      <Tabs place={place} tab={tab} tabs={tabsOf(data?.table)} />
      <Shown data={data} error={error}>
        {(page) => <Tab place={place} page={page} tab={tab} onDone={() => void reload()} />}
      </Shown>
    </>
  );
}

interface TabsProps {
  readonly place: Place;
  readonly tab: TableTab;
  readonly tabs: readonly TableTab[];
}

function Tabs({ place, tab, tabs }: TabsProps) {
  const nav = useRef<HTMLElement>(null);
  // Where the page is narrow, tabs lie in one line that scrolls.
  useEffect(() => {
    const { current } = nav;
    const shown = current?.querySelector<HTMLElement>("[aria-current]");
    if (current !== null && shown) current.scrollLeft = shown.offsetLeft - current.offsetLeft - 60;
  }, [tab, tabs.length]);
  return (
    <nav class="tabs" ref={nav} aria-label="Parts of the table">
      {tabs.map((name) => (
        <Link key={name} to={{ view: "table", ...place, tab: name }} isCurrent={name === tab}>
          {`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`}
        </Link>
      ))}
    </nav>
  );
}

function Tab({
  place,
  page,
  tab,
  onDone,
}: {
  readonly place: Place;
  readonly page: TablePage;
  readonly tab: TableTab;
  readonly onDone: () => void;
}) {
  const { table, iceberg } = page;
  switch (tab) {
    case "overview":
      return <Overview page={page} />;
    case "history":
      return iceberg === undefined ? (
        <NoHistory />
      ) : (
        <History table={table} iceberg={iceberg} onDone={onDone} />
      );
    case "schema":
      if (iceberg !== undefined) return <SchemaTab iceberg={iceberg} />;
      return (
        <>
          <PlainColumns page={page} />
          {table.format === "ROW" && <Definitions table={table} />}
        </>
      );
    case "rows":
      return table.format === "ROW" ? <RowsTab table={table} /> : <Empty text={STRINGS.noRows} />;
    case "files":
      return currentOf(iceberg) === undefined ? <NoHistory /> : <FilesTab path={pathOf(place)} />;
    case "stats": {
      const current = currentOf(iceberg);
      if (current === undefined) return <NoHistory />;
      return <StatsTab path={pathOf(place)} snapshot={current.snapshotId} />;
    }
    case "properties":
      return <TableProperties page={page} onDone={onDone} />;
    case "connect":
      return <Connect {...place} format={table.format} />;
  }
}

interface TablePropertiesProps {
  readonly page: TablePage;
  readonly onDone: () => void;
}

/** Those of an Iceberg table are in its metadata file; those of others the catalog keeps. */
function TableProperties({ page: { table, iceberg }, onDone }: TablePropertiesProps) {
  const { catalog, namespace, name } = table;
  const path = { catalog, namespace: namespaceName(namespace), table: name };
  const save = async (properties: PropertiesChange) => {
    if (iceberg !== undefined) await commitProperties(table, properties);
    else await client.call("updateTable", { path, body: { properties } }, { ifMatch: table.etag });
    onDone();
  };
  return <PropertyList properties={iceberg?.properties ?? table.properties} onSave={save} />;
}

/** What the branch `main` points at. */
function currentOf(iceberg: IcebergPage | undefined): PageRef | undefined {
  return iceberg?.refs.find(({ name }) => name === "main");
}

function NoHistory() {
  return <Empty text={STRINGS.noSnapshots} />;
}

function Overview({ page: { table, iceberg } }: { readonly page: TablePage }) {
  return (
    <>
      {iceberg !== undefined && <Figures iceberg={iceberg} />}
      {iceberg !== undefined && <OverTime iceberg={iceberg} />}
      <h2>{STRINGS.columns}</h2>
      {iceberg === undefined ? (
        <PlainColumns page={{ table }} />
      ) : (
        <Fields
          fields={
            iceberg.schemas.find(({ schemaId }) => schemaId === iceberg.currentSchemaId)?.fields ??
            []
          }
        />
      )}
      <h2>{STRINGS.details}</h2>
      <Facts
        facts={[
          [
            "Format",
            iceberg === undefined ? table.format : `Iceberg, version ${iceberg.formatVersion}`,
          ],
          ["Location", <Id key="location" id={table.location} />, "wide"],
          ...(iceberg === undefined || iceberg.partition.length === 0
            ? []
            : ([["Partitioned by", iceberg.partition.join(", ")]] as const)),
          ...(iceberg === undefined || iceberg.sort.length === 0
            ? []
            : ([["Sorted by", iceberg.sort.join(", ")]] as const)),
          ["Changed", <Changed key="changed" time={table.updatedAt} by={table.updatedBy} />],
          ["Id", <Id key="id" id={table.id} />],
        ]}
      />
    </>
  );
}

function Figures({ iceberg: { snapshots, refs } }: { readonly iceberg: IcebergPage }) {
  const main = refs.find(({ name }) => name === "main");
  const current = snapshots.find(({ snapshotId }) => snapshotId === main?.snapshotId);
  if (current === undefined) return <p>{STRINGS.noSnapshots}</p>;
  const { summary, timestamp, operation } = current;
  return (
    <div class="figures">
      <Figure name="Rows" value={countText(summary["total-records"])} />
      <Figure name="Size" value={bytesText(summary["total-files-size"])} />
      <Figure name="Files" value={countText(summary["total-data-files"])} />
      <Figure name="Last commit" value={<Ago time={timestamp} />} note={operation} />
    </div>
  );
}

/** Figures of the snapshots that `main` grew out of, oldest first. */
function OverTime({ iceberg }: { readonly iceberg: IcebergPage }) {
  const byId = new Map(iceberg.snapshots.map((snapshot) => [snapshot.snapshotId, snapshot]));
  const main = iceberg.refs.find(({ name }) => name === "main");
  const line: IcebergPage["snapshots"][number][] = [];
  for (
    let at = byId.get(main?.snapshotId ?? "");
    at !== undefined;
    at = byId.get(at.parentSnapshotId ?? "")
  ) {
    line.push(at);
    byId.delete(at.snapshotId);
  }
  if (line.length < 2) return null;
  const points = (name: string, text: (value: string | undefined) => string) =>
    line.toReversed().map(({ timestamp, summary, snapshotId }) => ({
      name: `${timestamp.slice(0, 19).replace("T", " ")} · ${snapshotId}`,
      atMs: Date.parse(timestamp),
      value: Number(summary[name] ?? 0),
      text: text(summary[name]),
    }));
  return (
    <div class="columns">
      <Line
        title={STRINGS.rowsOverTime}
        points={points("total-records", countText)}
        textOf={(value) => countText(Math.round(value))}
      />
      <Line
        title={STRINGS.bytesOverTime}
        points={points("total-files-size", bytesText)}
        textOf={bytesText}
        isBytes
      />
    </div>
  );
}

function PlainColumns({ page: { table } }: { readonly page: TablePage }) {
  return (
    <table class="small">
      <thead>
        <tr>
          <th scope="col">{STRINGS.name}</th>
          <th scope="col">{STRINGS.type}</th>
          <th scope="col">{STRINGS.description}</th>
        </tr>
      </thead>
      <tbody>
        {(table.columns ?? []).map(({ name, type, nullable, comment }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <code>{type}</code>
              {nullable ? "" : " not null"}
            </td>
            <td>{comment}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
