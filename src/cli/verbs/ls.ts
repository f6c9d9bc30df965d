import type { Dropped, Summary } from "../../api/resources.ts";
import { EXIT } from "../exit-codes.ts";
import type { Place } from "../place.ts";
import { agoText, bytesText, countText, paint, plain, type Screen } from "../screen.ts";
import { type Column, showList } from "../show.ts";
import type { VerbCall } from "./call.ts";
import { loadTable } from "./iceberg-table.ts";
import { dotted, partsOf } from "./names.ts";
import { summaryNumber } from "./snapshots.ts";
import { nameOf, type Placed, resourceOf } from "./target.ts";
import { childrenOf, pagesOf } from "./tree.ts";

/** Tables whose metadata are read at once. */
const AT_ONCE = 8;

/** An entry of `firn ls`. */
interface Entry {
  readonly name: string;
  readonly type: string;
  readonly id: string;
  readonly path: readonly string[];
  readonly format?: string;
  readonly protected?: boolean;
  readonly rows?: number | undefined;
  readonly files?: number | undefined;
  readonly bytes?: number | undefined;
  readonly updated?: string | undefined;
  readonly refs?: readonly string[] | undefined;
}

/** `firn ls [place]`: what lies in the account, a catalog or a namespace. */
export async function ls(call: VerbCall): Promise<number> {
  const { words, values, format, screen, place } = call;
  const [text] = words;
  if (values["dropped"] === true) return lsDropped(call, text);
  const resource = text === undefined ? undefined : await resourceOf(place, text);
  const isLong = values["long"] === true;
  const isTree = values["tree"] === true;
  await showList(
    {
      columns: isLong ? longColumns(screen) : isTree ? [treeColumn(screen)] : columns(screen),
      pages: long(entries(place, resource, isTree), isLong, place),
      id: ({ id }) => id,
      members: MEMBERS,
      empty: emptyText(resource),
    },
    format,
    screen,
  );
  return EXIT.ok;
}

const MEMBERS = "name type id path format protected rows files bytes updated refs".split(" ");

function emptyText(resource: Placed | undefined): string {
  if (resource === undefined) return "no catalogs: firn catalog create NAME makes one";
  const name = nameOf(resource);
  return resource.type === "catalog"
    ? `no namespaces: firn namespace create ${name}.NAME makes one`
    : `nothing is in ${name}`;
}

async function* entries(
  place: Place,
  resource: Placed | undefined,
  isTree: boolean,
): AsyncGenerator<readonly Entry[]> {
  if (resource?.type === "table" || resource?.type === "view") {
    const { type, id, name, protected: isProtected } = resource;
    const path = [resource.catalog, ...resource.namespace, name];
    const format = resource.type === "table" ? { format: resource.format } : {};
    yield [{ name, type, id, path, protected: isProtected, ...format }];
    return;
  }
  const above = resource === undefined ? [] : partsOf(nameOf(resource));
  yield* walk(place, above, isTree);
}

async function* walk(
  place: Place,
  above: readonly string[],
  isTree: boolean,
): AsyncGenerator<readonly Entry[]> {
  for await (const items of childrenOf(place, above)) {
    const all = items.map((item) => entryOf(item, above));
    if (!isTree) yield all;
    else {
      for (const entry of all) {
        yield [entry];
        const isFolder = entry.type === "catalog" || entry.type === "namespace";
        if (isFolder) yield* walk(place, entry.path, isTree);
      }
    }
  }
}

function entryOf(
  { name, type, id, format, protected: isProtected }: Summary,
  above: readonly string[],
): Entry {
  const own = { name, type, id, path: [...above, name], protected: isProtected };
  return format === undefined ? own : { ...own, format };
}

/** Adds what the metadata of each table tells, several tables at a time. */
async function* long(
  pages: AsyncIterable<readonly Entry[]>,
  isLong: boolean,
  place: Place,
): AsyncGenerator<readonly Entry[]> {
  if (!isLong) {
    yield* pages;
    return;
  }
  for await (const items of pages) {
    for (let i = 0; i < items.length; i += AT_ONCE) {
      yield await Promise.all(items.slice(i, i + AT_ONCE).map((item) => detailed(item, place)));
    }
  }
}

async function detailed(entry: Entry, place: Place): Promise<Entry> {
  if (entry.format !== "ICEBERG") return entry;
  const [catalog = "", ...path] = entry.path;
  const at = {
    catalog,
    namespace: path.slice(0, -1),
    name: entry.name,
    format: "ICEBERG",
  } as const;
  const state = await loadTable(place, at, "refs");
  const current = state.snapshots.find(({ id }) => id === state.currentSnapshotId);
  const refs = state.refs.map(({ name }) => name);
  if (current === undefined) return { ...entry, rows: 0, files: 0, bytes: 0, refs };
  return {
    ...entry,
    rows: summaryNumber(current, "total-records"),
    files: summaryNumber(current, "total-data-files"),
    bytes: summaryNumber(current, "total-files-size"),
    updated: new Date(current.timeMs).toISOString(),
    refs,
  };
}

function nameText({ name, type, protected: isProtected }: Entry, screen: Screen): string {
  const isFolder = type === "catalog" || type === "namespace";
  const text = isFolder ? paint(screen, "blue", `${plain(name)}.`) : plain(name);
  return isProtected === true ? `${text} ${paint(screen, "dim", "(protected)")}` : text;
}

const kindOf = ({ type, format }: Entry): string => format?.toLowerCase() ?? type;

function columns(screen: Screen): readonly Column<Entry>[] {
  return [
    { header: "NAME", value: ({ name }) => name, shown: (entry) => nameText(entry, screen) },
    { header: "KIND", value: kindOf },
  ];
}

function treeColumn(screen: Screen): Column<Entry> {
  return {
    header: "NAME",
    value: ({ path }) => dotted(path),
    shown: (entry) => {
      const kind = entry.type === "catalog" || entry.type === "namespace" ? "" : kindOf(entry);
      const indent = "  ".repeat(entry.path.length - 1);
      return `${indent}${nameText(entry, screen)}  ${paint(screen, "dim", kind)}`;
    },
  };
}

function longColumns(screen: Screen): readonly Column<Entry>[] {
  const number = (
    header: string,
    of: (entry: Entry) => number | undefined,
    shown: (value: number) => string,
  ): Column<Entry> => ({
    header,
    right: true,
    value: (entry) => String(of(entry) ?? ""),
    shown: (entry) => {
      const value = of(entry);
      return value === undefined ? "" : shown(value);
    },
  });
  return [
    ...columns(screen),
    number("ROWS", ({ rows }) => rows, countText),
    number("SIZE", ({ bytes }) => bytes, bytesText),
    number("FILES", ({ files }) => files, countText),
    {
      header: "UPDATED",
      value: ({ updated }) => updated ?? "",
      shown: ({ updated }) =>
        updated === undefined ? "" : agoText(Date.parse(updated), screen.nowMs()),
    },
    { header: "REFS", value: ({ refs }) => refs?.join(",") ?? "" },
  ];
}

/** What was dropped and can come back: all of it, or what was below a name. */
async function lsDropped(call: VerbCall, below: string | undefined): Promise<number> {
  const { format, screen, place } = call;
  const prefix = below === undefined ? [] : partsOf(below);
  const isBelow = (item: Dropped) => prefix.every((part, i) => pathOfDropped(item)[i] === part);
  const pages = pagesOf((query) => place.client.call("listDropped", { query }));
  await showList<Dropped>(
    {
      columns: [
        { header: "NAME", value: (item) => dotted(pathOfDropped(item)) },
        { header: "TYPE", value: ({ type }) => type },
        {
          header: "PURGE",
          value: ({ purgeAfter }) => purgeAfter,
          shown: ({ purgeAfter }) => agoText(Date.parse(purgeAfter), screen.nowMs()),
        },
        { header: "FILES", value: ({ purgeRequested }) => (purgeRequested ? "purged" : "kept") },
        { header: "ID", value: ({ id }) => id },
      ],
      pages: (async function* () {
        for await (const items of pages) yield items.filter(isBelow);
      })(),
      id: ({ id }) => id,
      empty: "nothing was dropped that can come back",
    },
    format,
    screen,
  );
  return EXIT.ok;
}

function pathOfDropped({ catalog, namespace = [], name, type }: Dropped): readonly string[] {
  const above = catalog === undefined ? [] : [catalog];
  return type === "namespace" && namespace.at(-1) === name
    ? [...above, ...namespace]
    : [...above, ...namespace, name];
}
