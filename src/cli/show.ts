import { FirnError } from "../base/error.ts";
import { nearest } from "../runtime/nearest.ts";
import { padEnd, padStart, paint, plain, type Screen, widthOf } from "./screen.ts";

/** How a line wants its answer. */
export interface Format {
  readonly form: "text" | "json" | "ndjson" | "ids";
  /** Of JSON: these members alone, nested ones with dots. */
  readonly fields?: readonly string[] | undefined;
}

/** A column of a list. */
export interface Column<T> {
  readonly header: string;
  /** Exact: what a pipe gets. */
  readonly value: (item: T) => string;
  /** What a person reads; as `value` if absent. */
  readonly shown?: ((item: T) => string) | undefined;
  readonly right?: boolean;
}

/** A list as it is shown. */
export interface Listing<T> {
  readonly columns: readonly Column<T>[];
  readonly pages: AsyncIterable<readonly T[]>;
  /** What `-q` prints. */
  readonly id: (item: T) => string;
  /** Members that `--json=` may name; absent: whatever it names. */
  readonly members?: readonly string[] | undefined;
  /** Said on stderr of a terminal where nothing is listed. */
  readonly empty: string;
}

/** Prints a list page by page, so that its length takes no memory. */
export async function showList<T extends object>(
  listing: Listing<T>,
  { form, fields }: Format,
  screen: Screen,
): Promise<void> {
  const { pages, id, members, columns, empty } = listing;
  checkFields(fields, members);
  let count = 0;
  if (form === "json") screen.print("[");
  for await (const items of pages) {
    if (items.length === 0) continue;
    if (form === "text") screen.print(tableText(columns, items, screen, count === 0));
    else if (form === "ids") screen.print(items.map((item) => `${id(item)}\n`).join(""));
    else {
      const texts = items.map((item) => JSON.stringify(picked(item, fields)));
      if (form === "ndjson") screen.print(texts.map((text) => `${text}\n`).join(""));
      else screen.print(`${count === 0 ? "" : ","}\n  ${texts.join(",\n  ")}`);
    }
    count += items.length;
    await screen.drained();
  }
  if (form === "json") screen.print(count === 0 ? "]\n" : "\n]\n");
  if (form === "text" && count === 0 && screen.isTerminal) screen.printError(`${empty}\n`);
}

/** Prints one thing: JSON, its id, or a line a member. */
export function showItem(
  item: object,
  id: string,
  { form, fields }: Format,
  screen: Screen,
  lines: readonly (readonly [name: string, value: string])[] = linesOf(item),
  members?: readonly string[],
): void {
  checkFields(fields, members);
  if (form === "ids") screen.print(`${id}\n`);
  else if (form === "ndjson") screen.print(`${JSON.stringify(picked(item, fields))}\n`);
  else if (form === "json") {
    screen.print(`${JSON.stringify(picked(item, fields), undefined, 2)}\n`);
  } else if (screen.isTerminal) {
    const width = Math.max(0, ...lines.map(([name]) => widthOf(name)));
    const text = ([name, value]: readonly [string, string]) =>
      `${paint(screen, "dim", padEnd(name, width))}  ${value}\n`;
    screen.print(lines.map(text).join(""));
  } else screen.print(lines.map(([name, value]) => `${name}\t${value}\n`).join(""));
}

/** Members of a thing as lines; nested ones joined with dots. */
export function linesOf(item: object, above = ""): readonly (readonly [string, string])[] {
  return Object.entries(item).flatMap(([name, value]): (readonly [string, string])[] => {
    const path = `${above}${plain(name)}`;
    if (value === undefined) return [];
    if (value === null || typeof value !== "object") return [[path, plain(String(value))]];
    if (!Array.isArray(value)) return [...linesOf(value as object, `${path}.`)];
    const simple = value.every((each) => each === null || typeof each !== "object");
    return [[path, simple ? plain(value.join(", ")) : plain(JSON.stringify(value))]];
  });
}

/** Rows of a list: aligned for people, with tabs and without a header for programs. */
export function tableText<T>(
  columns: readonly Column<T>[],
  items: readonly T[],
  screen: Screen,
  withHeader: boolean,
): string {
  if (!screen.isTerminal) {
    const row = (item: T) => columns.map(({ value }) => plain(value(item))).join("\t");
    return items.map((item) => `${row(item)}\n`).join("");
  }
  const cells = items.map((item) =>
    columns.map(({ value, shown }) => shown?.(item) ?? plain(value(item))),
  );
  const headers = columns.map(({ header }) => header);
  const widths = columns.map((_, i) =>
    Math.max(
      withHeader ? widthOf(headers[i] ?? "") : 0,
      ...cells.map((row) => widthOf(row[i] ?? "")),
    ),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (columns[i]?.right === true ? padStart : padEnd)(cell, widths[i] ?? 0))
      .join("  ")
      .trimEnd();
  const head = withHeader ? [paint(screen, "dim", line(headers))] : [];
  return [...head, ...cells.map(line)].map((text) => `${text}\n`).join("");
}

/** The members that were asked for, under their names; an absent one is null. */
function picked(item: object, fields: readonly string[] | undefined): unknown {
  if (fields === undefined) return item;
  return Object.fromEntries(fields.map((field) => [field, memberAt(item, field) ?? null]));
}

function memberAt(item: object, field: string): unknown {
  if (Object.hasOwn(item, field)) return (item as Record<string, unknown>)[field];
  let value: unknown = item;
  for (const name of field.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** @throws FirnError `Invalid`, code `FIELD_UNKNOWN`, before anything is printed. */
function checkFields(fields: readonly string[] = [], members: readonly string[] | undefined): void {
  if (members === undefined) return;
  for (const field of fields) {
    const [name = ""] = field.split(".");
    if (members.includes(name)) continue;
    const near = nearest(name, members);
    const message = "the answer has no such member: correct --json=";
    throw new FirnError("Invalid", "FIELD_UNKNOWN", message, {
      field,
      ...(near !== undefined && { nearest: near }),
      members: members.join(","),
    });
  }
}
