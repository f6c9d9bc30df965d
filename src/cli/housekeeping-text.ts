import { textOfKey } from "../base/printable.ts";
import type { DroppedInfo } from "../service/dropped-admin.ts";
import type { JobInfo } from "../service/jobs-admin.ts";
import type { Output } from "./output.ts";

/*
 * What `firn dropped` and `firn jobs` print.
 */

export interface Listing<T> {
  readonly header: readonly string[];
  readonly row: (item: T) => readonly string[];
  readonly json: boolean;
  readonly output: Output;
}

/** All pages of a list: a table, or one JSON object a line. */
export async function printPages<T>(
  pageAfter: (
    after: string | undefined,
  ) => Promise<{ readonly items: readonly T[]; readonly next?: string }>,
  { header, row, json, output }: Listing<T>,
): Promise<number> {
  for (let after: string | undefined, first = true; ; first = false) {
    const { items, next } = await pageAfter(after);
    const rows = items.map(row);
    if (json) output.print(items.map((item) => `${JSON.stringify(item)}\n`).join(""));
    else output.print(tableText(first ? [header, ...rows] : rows));
    await output.drained();
    if (next === undefined) return 0;
    after = next;
  }
}

/** Columns are padded to the widest cell of the page. */
function tableText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  "));
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

/** A name as it is, but for what a terminal would obey. */
export function plain(text: string): string {
  return text.replace(/\p{C}/gu, (char) => textOfKey(Buffer.from(char).toString("latin1")));
}

export function placeOf({ catalog, namespace, name }: DroppedInfo): string {
  const above = [...(catalog === undefined ? [] : [catalog]), ...(namespace ?? [])];
  return plain([...above, name].join("."));
}

export function droppedRow(item: DroppedInfo): readonly string[] {
  const files = item.purgeRequested ? "purged" : "kept";
  return [item.id, item.type, placeOf(item), timeText(item.purgeAfterMs), files];
}

export function jobRow({ id, kind, state, nextTryMs, tries, error }: JobInfo): readonly string[] {
  return [id, kind, state, timeText(nextTryMs), String(tries), error?.code ?? ""];
}

export function printJob(job: JobInfo, json: boolean, { print }: Output): void {
  if (json) {
    print(`${JSON.stringify(job)}\n`);
    return;
  }
  const { id, kind, subjectType, subjectId, state, dueMs, nextTryMs, tries, error } = job;
  const lines = [
    ["id", id],
    ["kind", kind],
    ["subject", `${subjectType} ${subjectId}`],
    ["state", state],
    ["due", timeText(dueMs)],
    ["next try", timeText(nextTryMs)],
    ["tries", String(tries)],
    ["left undone", String(job.leftUndone)],
    ...(job.progress === undefined ? [] : [["progress", progressText(job.progress)]]),
    ...(job.endedMs === undefined ? [] : [["ended", timeText(job.endedMs)]]),
    ...(error === undefined ? [] : [["error", `${plain(error.message)} [${error.code}]`]]),
  ];
  print(tableText(lines));
}

function progressText({ done, total, unit }: NonNullable<JobInfo["progress"]>): string {
  return total === undefined ? `${done} ${unit}` : `${done} of ${total} ${unit}`;
}

export function timeText(ms: number): string {
  return ms === 0 ? "now" : new Date(ms).toISOString();
}
