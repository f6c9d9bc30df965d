import { useState } from "preact/hooks";
import type { NamespacePage, TableLine } from "../../api/page-operations.ts";
import type { Summary } from "../../api/resources.ts";
import { namespaceName } from "../../client/client.ts";
import { client, useLoaded } from "../data.ts";
import { bytesText, countText } from "../format.ts";
import { go, useLook } from "../navigation.ts";
import { Ago, Changed } from "../parts/ago.tsx";
import { Id } from "../parts/copy.tsx";
import { Facts, Figure } from "../parts/facts.tsx";
import { Findings } from "../parts/findings.tsx";
import { Grid } from "../parts/grid.tsx";
import { Heading } from "../parts/heading.tsx";
import { Icon } from "../parts/icon.tsx";
import { later } from "../parts/later.tsx";
import { Link } from "../parts/link.tsx";
import { PropertyList } from "../parts/properties.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { usePages } from "../parts/use-pages.ts";
import { Share } from "../pictures/bars.tsx";
import type { Path } from "../route.ts";
import { STRINGS } from "../strings.ts";
import { Namespaces } from "./catalog.tsx";

const SqlViews = later(async () => (await import("./sql-view.tsx")).SqlViews);

interface Place {
  readonly catalog: string;
  readonly namespace: Path;
}

function firstTable({ catalog, namespace }: Place): string {
  const levels = [...namespace, "cores"].map((name) => JSON.stringify(name)).join(", ");
  return [
    "import pyarrow",
    "from pyiceberg.catalog import load_catalog",
    `catalog = load_catalog("firn", type="rest", uri=${JSON.stringify(`${location.origin}/iceberg`)}, warehouse=${JSON.stringify(catalog)})`,
    `catalog.create_table((${levels}), schema=pyarrow.schema([("depth", pyarrow.int64())]))`,
  ].join("\n");
}

/** One namespace: what is in it, and how large. */
export function NamespaceView(place: Place) {
  const path = { catalog: place.catalog, namespace: namespaceName(place.namespace) };
  const { data, error, reload } = useLoaded(`namespace ${JSON.stringify(place)}`, () =>
    client.call("getNamespacePage", { path }),
  );
  const more = usePages(data?.nextPageToken, async (pageToken) => {
    const { tables: items, nextPageToken } = await client.call("getNamespacePage", {
      path,
      query: { pageToken },
    });
    return { items, ...(nextPageToken !== undefined && { nextPageToken }) };
  });
  return (
    <>
      <Heading icon="namespace" name={place.namespace.join(".")} badges={["namespace"]} />
      <Shown data={data} error={error}>
        {(page) => <Content place={place} page={page} more={more} onDone={reload} />}
      </Shown>
    </>
  );
}

interface ContentProps {
  readonly place: Place;
  readonly page: NamespacePage;
  readonly more: { readonly items: readonly TableLine[]; readonly next: (() => void) | undefined };
  readonly onDone: () => Promise<void>;
}

function Content({ place, page, more, onDone }: ContentProps) {
  const { namespace, namespaces, views } = page;
  const tables = [...page.tables, ...more.items];
  const isEmpty = tables.length + views.length + namespaces.length === 0;
  return (
    <>
      {tables.length > 0 && <Totals tables={tables} isAll={more.next === undefined} />}
      <Facts
        facts={[
          [
            "Changed",
            <Changed key="changed" time={namespace.updatedAt} by={namespace.updatedBy} />,
          ],
          ["Id", <Id key="id" id={namespace.id} />],
        ]}
      />
      {isEmpty && <Empty text={STRINGS.noTables} code={firstTable(place)} />}
      {namespaces.length > 0 && (
        <>
          <h2>{STRINGS.namespaces}</h2>
          <Namespaces catalog={place.catalog} items={namespaces} />
        </>
      )}
      {views.length > 0 && <Views place={place} views={views} />}
      {tables.length > 0 && <Tables place={place} tables={tables} onEnd={more.next} />}
      <OfSql {...place} />
      <PropertyList
        properties={namespace.properties}
        onSave={async (properties) => {
          const path = { catalog: place.catalog, namespace: namespaceName(place.namespace) };
          const options = { ifMatch: namespace.etag };
          await client.call("updateNamespace", { path, body: { properties } }, options);
          await onDone();
        }}
      />
    </>
  );
}

interface TotalsProps {
  readonly tables: readonly TableLine[];
  readonly isAll: boolean;
}

/** What the tables of a namespace come to; of those that are loaded so far. */
function Totals({ tables, isAll }: TotalsProps) {
  const sum = (of: (line: TableLine) => string | undefined): string =>
    String(tables.reduce((so, line) => so + BigInt(of(line) ?? "0"), 0n));
  const plus = isAll ? "" : "+";
  const newest = tables.reduce(
    (so, { lastCommit = "" }) => (lastCommit > so ? lastCommit : so),
    "",
  );
  return (
    <div class="figures">
      <Figure name="Tables" value={`${countText(tables.length)}${plus}`} />
      <Figure name="Rows" value={`${countText(sum(({ rows }) => rows))}${plus}`} />
      <Figure name="Size" value={`${bytesText(sum(({ bytes }) => bytes))}${plus}`} />
      <Figure name="Files" value={`${countText(sum(({ files }) => files))}${plus}`} />
      {newest !== "" && <Figure name="Last commit" value={<Ago time={newest} />} />}
    </div>
  );
}

function Views({ place, views }: { readonly place: Place; readonly views: readonly Summary[] }) {
  return (
    <>
      <h2>{STRINGS.views}</h2>
      <ul class="plain panel">
        {views.map(({ id, name }) => (
          <li key={id}>
            <span class="marked">
              <Icon name="view" />
              <Link to={{ view: "view", ...place, name }}>{name}</Link>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Views of SQL are asked for when they are wanted: the catalog does not know them. */
function OfSql(place: Place) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{STRINGS.sqlViews}</summary>
      {isOpen && <SqlViews {...place} />}
    </details>
  );
}

function byNumber(of: (line: TableLine) => string | undefined) {
  return (a: TableLine, b: TableLine): number => Number(of(a) ?? -1) - Number(of(b) ?? -1);
}

interface TablesProps {
  readonly place: Place;
  readonly tables: readonly TableLine[];
  readonly onEnd: (() => void) | undefined;
}

function Tables({ place, tables, onEnd }: TablesProps) {
  const [text, setText] = useLook("q");
  const most = tables.reduce((so, { bytes = "0" }) => Math.max(so, Number(bytes)), 0);
  const wanted = text.trim().toLowerCase();
  const found = tables.filter(({ name }) => name.toLowerCase().includes(wanted));
  const routeTo = ({ name: table }: TableLine) =>
    ({ view: "table", ...place, table, tab: "overview" }) as const;
  return (
    <>
      <div class="above">
        <h2>{STRINGS.tables}</h2>
        <label>
          {STRINGS.filter}{" "}
          <input
            type="search"
            value={text}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <span class="dim" role="status">
          {wanted === "" ? "" : `${countText(found.length)} of `}
          {countText(tables.length)} {onEnd === undefined ? "tables" : "tables so far"}
        </span>
      </div>
      <Grid
        label={STRINGS.tables}
        items={found}
        keyOf={({ id }) => id}
        onOpen={(line) => go(routeTo(line))}
        onEnd={onEnd}
        sortAs="sort"
        columns={[
          {
            name: "Name",
            of: (line) => (
              <span class="marked">
                <Icon name="table" />
                <Link to={routeTo(line)}>{line.name}</Link>
              </span>
            ),
            sort: (a, b) => (a.name < b.name ? -1 : 1),
          },
          {
            name: "Format",
            of: ({ format }) => <span class="badge">{(format ?? "").toLowerCase()}</span>,
            isExtra: true,
          },
          {
            name: "Rows",
            of: ({ rows }) => countText(rows),
            isNumber: true,
            sort: byNumber(({ rows }) => rows),
          },
          {
            name: "Size",
            of: ({ bytes }) => bytesText(bytes),
            isNumber: true,
            sort: byNumber(({ bytes }) => bytes),
          },
          {
            name: STRINGS.share,
            isNameless: true,
            of: ({ bytes = "0" }) => <Share value={Number(bytes)} most={most} />,
            isExtra: true,
          },
          {
            name: "Files",
            of: ({ files }) => countText(files),
            isNumber: true,
            isExtra: true,
            sort: byNumber(({ files }) => files),
          },
          {
            name: STRINGS.health,
            of: ({ findings }) => <Findings codes={findings} />,
            isExtra: true,
            sort: ({ findings: a = [] }, { findings: b = [] }) => b.length - a.length,
          },
          {
            name: "Last commit",
            of: ({ lastCommit, operation }) => (
              <>
                <Ago time={lastCommit} />
                {operation !== undefined && `, ${operation}`}
              </>
            ),
            isExtra: true,
            sort: (a, b) =>
              Date.parse(a.lastCommit ?? "1970-01-01") - Date.parse(b.lastCommit ?? "1970-01-01"),
          },
        ]}
      />
    </>
  );
}
