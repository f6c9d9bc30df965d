import type { Constraint } from "../../api/constraint-operations.ts";
import type { ColumnFigures } from "../../api/layout-operations.ts";
import type { Stats } from "../../api/statistics-operations.ts";
import { client, useLoaded } from "../data.ts";
import { bytesText, countText, shareText } from "../format.ts";
import { type Histogram, histogramIn } from "../histogram.ts";
import { Grid } from "../parts/grid.tsx";
import { Shown } from "../parts/states.tsx";
import { usePages } from "../parts/use-pages.ts";
import { type Bar, Bars, Share } from "../pictures/bars.tsx";
import { STRINGS } from "../strings.ts";
import type { TablePath } from "./table.tsx";

interface StatsProps {
  readonly path: TablePath;
  readonly snapshot: string;
}

/** The columns of a snapshot, as manifests and stored statistics describe them. */
export function StatsTab({ path, snapshot }: StatsProps) {
  const key = JSON.stringify([path, snapshot]);
  const figures = (pageToken?: string) =>
    client.call("listColumnFigures", {
      path,
      query: { snapshot, ...(pageToken !== undefined && { pageToken }) },
    });
  const first = useLoaded(`columns ${key}`, () => figures());
  const more = usePages(first.data?.nextPageToken, figures);
  const put = useLoaded(`stats ${key}`, () =>
    client.call("listStats", { path: { ...path, snapshot }, query: { pageSize: 1_000 } }),
  );
  return (
    <Shown {...first}>
      {({ items, complete }) => (
        <>
          {!complete && <p class="dim">{STRINGS.notAllRead}</p>}
          <Columns
            items={[...items, ...more.items]}
            put={put.data?.items ?? []}
            onEnd={more.next}
          />
          <Constraints path={path} snapshot={snapshot} />
        </>
      )}
    </Shown>
  );
}

function constraintText({ columns, expression, reference }: Constraint): string {
  const of = columns.map(({ name }) => name).join(", ");
  if (reference === undefined) return expression || of;
  return `${of} → ${reference.table} (${reference.columns.map(({ name }) => name).join(", ")})`;
}

/** What was said of the rows of the snapshot; nothing where nothing was. */
function Constraints({ path, snapshot }: StatsProps) {
  const { data } = useLoaded(`constraints ${JSON.stringify([path, snapshot])}`, () =>
    client.call("getConstraints", { path: { ...path, snapshot } }),
  );
  if (data === undefined || data.constraints.length === 0) return null;
  return (
    <section aria-label={STRINGS.constraints}>
      <h2>{STRINGS.constraints}</h2>
      <table class="small">
        <tbody>
          {data.constraints.map((one) => (
            <tr key={one.name}>
              <th scope="row">{one.name}</th>
              <td>{one.kind.toLowerCase().replaceAll("_", " ")}</td>
              <td>
                <code>{constraintText(one)}</code>
              </td>
              <td class="dim">{one.enforced ? STRINGS.enforced : STRINGS.notEnforced}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Pictures of histograms on one page. */
const HISTOGRAMS = 12;

function barsOf({ bounds, counts }: Histogram): readonly Bar[] {
  return counts.map((count, i) => ({
    name: `${bounds[i]} – ${bounds[i + 1]}`,
    value: count,
    text: countText(count),
  }));
}

interface ColumnsProps {
  readonly items: readonly ColumnFigures[];
  readonly put: readonly Stats[];
  readonly onEnd: (() => void) | undefined;
}

function Columns({ items, put, onEnd }: ColumnsProps) {
  const given = new Map(
    put.flatMap((one) =>
      one.target.kind === "COLUMN" ? [[one.target.fieldId, one] as const] : [],
    ),
  );
  const histograms = items.flatMap(({ fieldId, name }) => {
    const found = histogramIn(given.get(fieldId)?.histogram);
    return found === undefined ? [] : [{ name, ...found }];
  });
  const distinctOf = ({ fieldId }: ColumnFigures) => given.get(fieldId)?.distinct;
  return (
    <>
      {histograms.length > 0 && (
        <div class="columns">
          {histograms.slice(0, HISTOGRAMS).map((one) => (
            <Bars key={one.name} title={one.name} bars={barsOf(one)} />
          ))}
        </div>
      )}
      <Grid
        label={STRINGS.columns}
        items={items}
        keyOf={({ fieldId }) => String(fieldId)}
        onEnd={onEnd}
        sortAs="sort"
        columns={[
          {
            name: "Column",
            of: ({ name }) => <span title={name}>{name}</span>,
            sort: (a, b) => (a.name < b.name ? -1 : 1),
          },
          { name: "Type", of: ({ type }) => type, isExtra: true },
          {
            name: "Size",
            of: ({ bytes }) => bytesText(bytes),
            isNumber: true,
            isExtra: true,
            sort: (a, b) => Number(a.bytes) - Number(b.bytes),
          },
          {
            name: "Nulls",
            of: ({ nulls, values }) => (
              <span class="marked">
                {shareText(nulls, values)}
                <Share value={Number(nulls)} most={Math.max(1, Number(values))} />
              </span>
            ),
            isNumber: true,
            sort: (a, b) => Number(a.nulls) - Number(b.nulls),
          },
          {
            name: "Distinct",
            of: (line) => {
              const distinct = distinctOf(line);
              if (distinct === undefined) return "—";
              return `${distinct.exact ? "" : "≈ "}${countText(distinct.count)}`;
            },
            isNumber: true,
            isExtra: true,
          },
          { name: "Min", of: ({ lower }) => <Bound text={lower} /> },
          { name: "Max", of: ({ upper }) => <Bound text={upper} /> },
        ]}
      />
    </>
  );
}

function Bound({ text }: { readonly text: string | undefined }) {
  return text === undefined ? "—" : <code title={text}>{text}</code>;
}
