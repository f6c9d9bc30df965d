import { type FirnError, invalid } from "../../base/error.ts";
import { type ConnectorId, parseId } from "../../base/ids.ts";
import type { Column, Table, Upstream } from "../../catalog/model.ts";
import { type Patch, patched } from "./patch.ts";

/*
 * What people say of a table that has no Iceberg metadata file: its columns, its partition keys,
 * and where it comes from. Of an Iceberg table the file says it, and commits change that.
 */

/** A column as a request gives it. */
export interface GivenColumn {
  readonly name: string;
  readonly type: string;
  readonly nullable?: boolean | undefined;
  readonly comment?: string | undefined;
  readonly fieldId?: number | undefined;
}

export interface GivenUpstream {
  readonly connectorId?: string | null | undefined;
  readonly uri: string;
  readonly path?: string | undefined;
}

/** What a request may say of a table of another format. */
export interface GivenContent {
  readonly columns?: readonly GivenColumn[] | undefined;
  readonly partitionKeys?: readonly string[] | undefined;
  readonly upstream?: GivenUpstream | undefined;
}

/** A merge patch of a table: arrays are replaced, null takes the upstream away. */
export interface TablePatch extends Patch {
  readonly columns?: readonly GivenColumn[];
  readonly partitionKeys?: readonly string[];
  readonly upstream?: Partial<GivenUpstream> | null;
}

type Content = Pick<Table, "columns" | "partitionKeys" | "upstream">;

const OF_OTHERS = ["properties", "columns", "partitionKeys", "upstream"] as const;

function wrong(why: string, facts: Readonly<Record<string, string | number>>): FirnError {
  return invalid("COLUMNS_INVALID", `invalid columns: ${why}`, facts);
}

/** @throws FirnError `Invalid`: `COLUMNS_INVALID`, `ID_INVALID`. */
export function contentOf({ columns = [], partitionKeys = [], upstream }: GivenContent): Content {
  const made = columns.map(columnOf);
  assertColumns(made, partitionKeys);
  return {
    ...(made.length > 0 && { columns: made }),
    ...(partitionKeys.length > 0 && { partitionKeys }),
    ...(upstream !== undefined && { upstream: upstreamOf(upstream) }),
  };
}

function columnOf({ name, type, nullable = true, comment = "", fieldId }: GivenColumn): Column {
  return { name, type, nullable, comment, ...(fieldId !== undefined && { fieldId }) };
}

function upstreamOf({ connectorId, uri, path = "" }: GivenUpstream): Upstream {
  return { uri, path, ...(connectorId && { connectorId: parseId<ConnectorId>(connectorId) }) };
}

function assertColumns(columns: readonly Column[], partitionKeys: readonly string[]): void {
  const names = new Set<string>();
  const ids = new Set<number>();
  for (const { name, fieldId } of columns) {
    if (names.has(name)) throw wrong("two have the same name", { name });
    if (fieldId !== undefined && ids.has(fieldId)) throw wrong("two have one id", { fieldId });
    names.add(name);
    if (fieldId !== undefined) ids.add(fieldId);
  }
  const keys = new Set<string>();
  for (const key of partitionKeys) {
    if (keys.has(key)) throw wrong("a partition key comes twice", { key });
    // Without columns it is not known what there is.
    if (columns.length > 0 && !names.has(key))
      throw wrong("a partition key names none of them", { key });
    keys.add(key);
  }
}

/**
 * What a patch makes of a table; undefined where that is what it is already.
 *
 * @throws FirnError `Invalid`: `FORMAT_UNSUPPORTED`, of an Iceberg table; `COLUMNS_INVALID`.
 */
export function patchedTable(table: Table, patch: TablePatch): Table | undefined {
  const members = OF_OTHERS.filter((name) => patch[name] !== undefined);
  if (members.length > 0 && table.format === "ICEBERG") {
    const why = "commits change these members of an Iceberg table: use the Iceberg protocol";
    throw invalid("FORMAT_UNSUPPORTED", why, { members: members.join(", ") });
  }
  if (table.format === "ROW" && members.some((name) => name !== "properties")) {
    const why = "the columns of a row table change with its rows: use ALTER TABLE";
    throw invalid("FORMAT_UNSUPPORTED", why, { members: members.join(", ") });
  }
  const base = patched(table, patch) ?? table;
  const { columns: _columns, partitionKeys: _keys, upstream: _upstream, ...rest } = base;
  const upstream = mergedUpstream(table.upstream, patch.upstream);
  const content = contentOf({
    columns: patch.columns ?? table.columns,
    partitionKeys: patch.partitionKeys ?? table.partitionKeys,
    upstream,
  });
  const isSame = base === table && sameContent(content, table);
  return isSame ? undefined : { ...rest, ...content };
}

function sameContent(a: Content, b: Content): boolean {
  const textOf = ({ columns = [], partitionKeys = [], upstream }: Content): string => {
    const all = columns.map((one) => [one.name, one.type, one.nullable, one.comment, one.fieldId]);
    const from = upstream && [upstream.connectorId, upstream.uri, upstream.path];
    return JSON.stringify([all, partitionKeys, from]);
  };
  return textOf(a) === textOf(b);
}

function mergedUpstream(
  before: Upstream | undefined,
  patch: Partial<GivenUpstream> | null | undefined,
): GivenUpstream | undefined {
  if (patch === undefined) return before;
  if (patch === null) return undefined;
  const { uri } = { ...before, ...patch };
  if (uri === undefined) {
    throw invalid("UPSTREAM_INVALID", "invalid upstream: it needs a uri", {});
  }
  return { ...before, ...patch, uri };
}
