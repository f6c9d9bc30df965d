import { FirnError } from "../../base/error.ts";
import { EXIT } from "../exit-codes.ts";
import { bytesText, countText, paint, plain, type Screen } from "../screen.ts";
import { showItem } from "../show.ts";
import type { VerbCall } from "./call.ts";
import { fieldsAt, fieldText } from "./describe.ts";
import {
  loadTable,
  type TableField,
  type TableSnapshot,
  type TableState,
} from "./iceberg-table.ts";
import { snapshotAt, summaryNumber, tableOf } from "./snapshots.ts";
import { nameIn, pathOf, resourceOf, targetOf } from "./target.ts";

/** `firn diff TABLE@a [@b]`, or `firn diff NAME --from 1 [--to 2]` of versions. */
export async function diff(call: VerbCall): Promise<number> {
  const { words, values } = call;
  const { name, at } = targetOf(nameIn(words));
  if (values["from"] !== undefined) return diffVersions(call, name);
  if (at === undefined) {
    const message =
      "nothing to compare: give firn diff TABLE@A [@B], or --from VERSION (firn table versions)";
    throw new FirnError("Invalid", "DIFF_INVALID", message, { name });
  }
  return diffSnapshots(call, name, at, words[1]?.replace(/^@/, ""));
}

async function diffSnapshots(
  { place, screen, format }: VerbCall,
  name: string,
  from: string,
  to: string | undefined,
): Promise<number> {
  const state = await loadTable(place, await tableOf(place, name), "all");
  const [before, after] = [snapshotAt(state, from), snapshotAt(state, to)];
  const columns = columnChanges(state, before, after);
  const figures = FIGURES.map(({ name: figure, member, text }) => ({
    name: figure,
    before: summaryNumber(before, member),
    after: summaryNumber(after, member),
    text,
  }));
  const answer = {
    from: String(before.id),
    to: String(after.id),
    columns: columns.map(({ change, before: old, after: now }) => ({
      change,
      before: old,
      after: now,
    })),
    ...Object.fromEntries(figures.map((figure) => [figure.name, pair(figure)])),
  };
  const changed = figures.filter((figure) => figure.before !== figure.after);
  const lines: (readonly [string, string])[] = [
    ...columns.map((column, i) => [i === 0 ? "schema" : "", columnText(column, screen)] as const),
    ...changed.map(({ name: figure, before: old, after: now, text }) => {
      const told = (value: number | undefined) => (value === undefined ? "?" : text(value));
      return [figure, `${told(old)} → ${told(now)}`] as const;
    }),
  ];
  const same = [["same", "schema, rows, files and bytes"]] as const;
  showItem(answer, answer.to, format, screen, lines.length === 0 ? same : lines);
  return EXIT.ok;
}

const FIGURES = [
  { name: "rows", member: "total-records", text: countText },
  { name: "files", member: "total-data-files", text: countText },
  { name: "bytes", member: "total-files-size", text: bytesText },
  { name: "deletes", member: "total-delete-files", text: countText },
] as const;

function pair({
  before,
  after,
}: {
  before: number | undefined;
  after: number | undefined;
}): object {
  return { before: before ?? null, after: after ?? null };
}

interface ColumnChange {
  readonly change: "added" | "removed" | "changed";
  readonly before?: TableField;
  readonly after?: TableField;
}

/** Columns are the same where their ids are. */
function columnChanges(
  state: TableState,
  before: TableSnapshot,
  after: TableSnapshot,
): readonly ColumnChange[] {
  // The newest schema belongs to the current snapshot, also where a later commit changed it alone.
  const schemaOf = ({ id, schemaId }: TableSnapshot) =>
    id === state.currentSnapshotId ? undefined : schemaId;
  const [old, now] = [fieldsAt(state, schemaOf(before)), fieldsAt(state, schemaOf(after))];
  const ids = new Set([...old, ...now].map(({ id }) => id));
  return [...ids]
    .sort((a, b) => a - b)
    .flatMap((id): readonly ColumnChange[] => {
      const [was, is] = [old, now].map((fields) => fields.find((field) => field.id === id));
      if (was === undefined) return is === undefined ? [] : [{ change: "added", after: is }];
      if (is === undefined) return [{ change: "removed", before: was }];
      if (fieldText(was) === fieldText(is)) return [];
      return [{ change: "changed", before: was, after: is }];
    });
}

function columnText({ change, before, after }: ColumnChange, screen: Screen): string {
  const id = before?.id ?? after?.id ?? 0;
  switch (change) {
    case "added":
      return paint(screen, "green", `+ ${id} ${after === undefined ? "" : fieldText(after)}`);
    case "removed":
      return paint(screen, "red", `- ${id} ${before === undefined ? "" : fieldText(before)}`);
    case "changed": {
      const isRename = before?.type === after?.type && before?.required === after?.required;
      const text = (field: TableField | undefined) =>
        field === undefined ? "" : isRename ? plain(field.name) : fieldText(field);
      return paint(screen, "yellow", `~ ${id} ${text(before)} → ${text(after)}`);
    }
  }
}

/** What changed between two versions of anything, member by member. */
async function diffVersions(
  { place: { client }, place, values, screen, format }: VerbCall,
  name: string,
): Promise<number> {
  const resource = await resourceOf(place, name);
  const path = pathOf(resource);
  const { from, to } = values as { readonly from: string; readonly to?: string };
  const query = { from, ...(to !== undefined && { to }) };
  const operation = {
    catalog: "diffCatalog",
    namespace: "diffNamespace",
    table: "diffTable",
    view: "diffView",
  } as const;
  const found = await client.call(operation[resource.type], { path, query });
  const text = (value: unknown) => (value === undefined ? "" : plain(JSON.stringify(value)));
  const lines = found.changes.map(({ pointer, before, after }) => {
    const [mark, colour] =
      before === undefined ? ["+", "green"] : after === undefined ? ["-", "red"] : ["~", "yellow"];
    const both = [before, after]
      .filter((value) => value !== undefined)
      .map(text)
      .join(" → ");
    return [`${mark} ${plain(pointer)}`, paint(screen, colour as "green", both)] as const;
  });
  showItem(found, found.to, format, screen, lines);
  return EXIT.ok;
}
