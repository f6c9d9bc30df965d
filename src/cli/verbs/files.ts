import type {
  FilesOfKind,
  Layout,
  PartitionLayout,
  SizeRange,
} from "../../api/layout-operations.ts";
import { EXIT } from "../exit-codes.ts";
import { barText } from "../progress.ts";
import { bytesText, countText, padEnd, padStart, paint, plain, type Screen } from "../screen.ts";
import { showItem } from "../show.ts";
import type { VerbCall } from "./call.ts";
import { tableAt, warnIfPart, whole } from "./layout-at.ts";

const BAR_COLUMNS = 20;
const PARTITIONS = 10;
const DELETES = [
  ["position deletes", "positionDeletes"],
  ["equality deletes", "equalityDeletes"],
  ["deletion vectors", "deletionVectors"],
] as const;
const MEMBERS = (
  "snapshotId timestamp complete manifests data positionDeletes equalityDeletes deletionVectors " +
  "sizes formats partitionCount morePartitions partitions"
).split(" ");

/** `firn files TABLE[@at]`: sizes of its files, deletes, and the partitions with most bytes. */
export async function files({ words, values, format, screen, place }: VerbCall): Promise<number> {
  const asked = await tableAt(place, words);
  const layout = await whole(
    () => place.client.call("getLayout", asked),
    ({ manifests }) => manifests.read,
  );
  warnIfPart(layout, screen);
  const limit = (values["limit"] as number | undefined) ?? PARTITIONS;
  if (format.form === "text" && screen.isTerminal) {
    printLayout(layout, limit, screen);
    return EXIT.ok;
  }
  showItem(layout, layout.snapshotId, format, screen, linesOf(layout, limit), MEMBERS);
  return EXIT.ok;
}

/** `0–8 MiB`, `512+ MiB`. */
function rangeText({ fromBytes, toBytes }: SizeRange): string {
  const mib = (bytes: string) => String(Number(bytes) / 1_048_576);
  return `${mib(fromBytes)}${toBytes === undefined ? "+" : `–${mib(toBytes)}`} MiB`;
}

function partitionText({ values }: PartitionLayout): string {
  if (values.length === 0) return "(not partitioned)";
  return plain(values.map(({ name, value }) => `${name}=${value ?? "null"}`).join("/"));
}

function printLayout(layout: Layout, limit: number, screen: Screen): void {
  const { sizes, data, manifests, partitions, partitionCount, morePartitions } = layout;
  const most = Math.max(1, ...sizes.map((each) => each.files));
  const width = Math.max(...sizes.map((each) => rangeText(each).length));
  for (const each of sizes) {
    if (each.files === 0) continue;
    const bar = padEnd(barText(each.files / most, BAR_COLUMNS), BAR_COLUMNS);
    const cells = [
      padStart(rangeText(each), width),
      paint(screen, "cyan", bar),
      padStart(countText(each.files), 8),
      padStart(bytesText(Number(each.bytes)), 9),
    ];
    screen.print(`${cells.join("  ")}\n`);
  }
  screen.print(`${filesText("data", data)}\n`);
  for (const [name, member] of DELETES) {
    if (layout[member].files > 0) screen.print(`${filesText(name, layout[member])}\n`);
  }
  const { count, bytes } = manifests;
  screen.print(`manifests  ${countText(count)}  ${bytesText(Number(bytes))}\n`);
  const shown = partitions.slice(0, limit);
  if (shown.every(({ values }) => values.length === 0)) return;
  const known = `${countText(partitionCount)}${morePartitions ? "+" : ""}`;
  screen.print(`partitions ${known}\n`);
  const widest = Math.max(...shown.map((each) => partitionText(each).length));
  for (const each of shown) {
    const deletes = each.deleteFiles === 0 ? "" : `  ${countText(each.deleteFiles)} delete files`;
    const text = padEnd(partitionText(each), widest);
    screen.print(`  ${text}  ${filesText("", each).trimStart()}${deletes}\n`);
  }
}

function filesText(name: string, { files: count, bytes, rows }: FilesOfKind): string {
  const noun = count === 1 ? "file" : "files";
  const size = bytesText(Number(bytes));
  return `${name}  ${countText(count)} ${noun}  ${size}  ${countText(BigInt(rows))} rows`;
}

/** What a pipe gets: a name, and files, bytes and rows in exact numbers. */
function linesOf(layout: Layout, limit: number): readonly (readonly [string, string])[] {
  const { sizes, data, manifests, partitions } = layout;
  const figures = ({ files: count, bytes, rows }: FilesOfKind) => `${count}\t${bytes}\t${rows}`;
  return [
    ...sizes.map((each) => [rangeText(each), `${each.files}\t${each.bytes}`] as const),
    ["data", figures(data)],
    ...DELETES.map(([name, member]) => [name, figures(layout[member])] as const),
    ["manifests", `${manifests.count}\t${manifests.bytes}`],
    ...partitions
      .slice(0, limit)
      .map((each) => [`partition ${partitionText(each)}`, figures(each)] as const),
  ];
}
