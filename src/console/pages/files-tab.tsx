import { useEffect } from "preact/hooks";
import type { FilesOfKind, Health, Layout, PartitionLayout } from "../../api/layout-operations.ts";
import { client, useLoaded } from "../data.ts";
import { bytesText, countText } from "../format.ts";
import { Figure } from "../parts/facts.tsx";
import { Grid } from "../parts/grid.tsx";
import { Shown } from "../parts/states.tsx";
import { Ranges } from "../pictures/ranges.tsx";
import { STRINGS } from "../strings.ts";
import type { TablePath } from "./table.tsx";

/** How the files of the current snapshot lie, and what should be mended. */
export function FilesTab({ path }: { readonly path: TablePath }) {
  const key = JSON.stringify(path);
  const layout = useLoaded(`layout ${key}`, () => client.call("getLayout", { path }));
  const health = useLoaded(`health ${key}`, () => client.call("getHealth", { path }));
  useReadOn(layout.data, layout.reload);
  useReadOn(health.data, health.reload);
  return (
    <>
      <Shown {...layout}>{(data) => <Files layout={data} />}</Shown>
      <h2>{STRINGS.health}</h2>
      <Shown {...health}>{(data) => <Findings health={data} />}</Shown>
      <Shown {...layout}>{(data) => <Partitions layout={data} />}</Shown>
    </>
  );
}

/** One request reads so many manifests; the next goes on from there. */
function useReadOn(data: { readonly complete: boolean } | undefined, reload: () => Promise<void>) {
  useEffect(() => {
    if (data?.complete === false) void reload();
  }, [data]);
}

const KINDS = [
  ["data", "data"],
  ["positionDeletes", "position deletes"],
  ["equalityDeletes", "equality deletes"],
  ["deletionVectors", "deletion vectors"],
] as const;

function Files({ layout }: { readonly layout: Layout }) {
  const { data, manifests, formats, sizes, complete } = layout;
  return (
    <>
      {!complete && <ReadOn read={manifests.read} of={manifests.count} />}
      <div class="figures">
        <Figure name="Data files" value={countText(data.files)} />
        <Figure name="Size" value={bytesText(data.bytes)} />
        <Figure name="Mean file" value={data.files === 0 ? "—" : bytesText(meanOf(data))} />
        <Figure name="Rows" value={countText(data.rows)} />
        <Figure
          name="Manifests"
          value={countText(manifests.count)}
          note={`${bytesText(manifests.bytes)}, ${manifests.ofDeletes} of deletes`}
        />
      </div>
      <Ranges
        title={STRINGS.fileSizes}
        ranges={sizes.map(({ fromBytes, toBytes, files, bytes }) => ({
          name:
            toBytes === undefined
              ? `${mib(fromBytes)}+ MiB`
              : `${mib(fromBytes)}–${mib(toBytes)} MiB`,
          value: files,
          text: `${countText(files)}, ${bytesText(bytes)}`,
        }))}
      />
      <table class="small">
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col" class="number">
              Files
            </th>
            <th scope="col" class="number">
              Size
            </th>
            <th scope="col" class="number">
              Rows
            </th>
          </tr>
        </thead>
        <tbody>
          {KINDS.map(([kind, name]) => (
            <tr key={kind}>
              <th scope="row">{name}</th>
              <td class="number">{countText(layout[kind].files)}</td>
              <td class="number">{bytesText(layout[kind].bytes)}</td>
              <td class="number">{countText(layout[kind].rows)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dim">
        {formats
          .map(({ format, files }) => `${countText(files)} ${format.toLowerCase()}`)
          .join(", ")}
      </p>
    </>
  );
}

function ReadOn({ read, of }: { readonly read: number; readonly of: number }) {
  return (
    <p class="dim" role="status">
      {countText(read)} of {countText(of)} manifests are read so far.
    </p>
  );
}

function meanOf({ files, bytes }: FilesOfKind): string {
  return String(BigInt(bytes) / BigInt(files));
}

function mib(bytes: string): string {
  return countText(String(BigInt(bytes) / 1_048_576n));
}

function Findings({ health: { findings, complete } }: { readonly health: Health }) {
  if (findings.length === 0) {
    return <p class="dim">{complete ? STRINGS.healthy : STRINGS.loading}</p>;
  }
  return (
    <ul class="plain findings">
      {findings.map(({ code, severity, message, advice }) => (
        <li key={code}>
          <strong class={`state ${severity}`}>{code}</strong> {message}
          <div class="dim">{advice}</div>
        </li>
      ))}
    </ul>
  );
}

function partitionText({ values }: PartitionLayout): string {
  return values.map(({ name, value }) => `${name}=${value ?? "null"}`).join(", ");
}

function Partitions({ layout }: { readonly layout: Layout }) {
  const { partitions, partitionCount, morePartitions } = layout;
  const isPlain = partitions.every(({ values }) => values.length === 0);
  if (isPlain) return null;
  return (
    <>
      <h2>{STRINGS.partitions}</h2>
      {(morePartitions || partitionCount > partitions.length) && (
        <p class="dim">
          {countText(partitions.length)} of {morePartitions ? "more than " : ""}
          {countText(partitionCount)}: those that take the most.
        </p>
      )}
      <Grid
        label={STRINGS.partitions}
        items={partitions}
        sortAs="sort"
        keyOf={(item) => `${item.specId} ${JSON.stringify(item.values)}`}
        columns={[
          {
            name: "Partition",
            of: partitionText,
            sort: (a, b) => (partitionText(a) < partitionText(b) ? -1 : 1),
          },
          {
            name: "Files",
            of: ({ files }) => countText(files),
            isNumber: true,
            sort: (a, b) => a.files - b.files,
          },
          {
            name: "Size",
            of: ({ bytes }) => bytesText(bytes),
            isNumber: true,
            sort: (a, b) => Number(a.bytes) - Number(b.bytes),
          },
          {
            name: "Rows",
            of: ({ rows }) => countText(rows),
            isNumber: true,
            sort: (a, b) => Number(a.rows) - Number(b.rows),
          },
          {
            name: "Delete files",
            of: ({ deleteFiles }) => countText(deleteFiles),
            isNumber: true,
            isExtra: true,
            sort: (a, b) => a.deleteFiles - b.deleteFiles,
          },
        ]}
      />
    </>
  );
}
