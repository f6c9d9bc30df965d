import { LIMITS } from "../../base/limits.ts";
import type { SignedRequest } from "../../service/access/remote-signing.ts";
import {
  ANY_TAG,
  type CatalogConfig,
  type DryRun,
  type DryRunOfTable,
  type LoadedTable,
  type LoadedView,
  type NamespaceInfo,
  type Page,
  type PropertiesUpdated,
  type StorageCredential,
} from "../../service/requests.ts";
import { type Answer, inOneWrite } from "../answer.ts";
import { printIdentifiers } from "./identifiers.ts";

const JSON_HEADERS = { "Content-Type": "application/json" } as const;

export const NO_CONTENT: Answer = { status: 204, headers: {}, body: undefined };

function json(body: unknown): Answer {
  return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(body) };
}

/** `prefix` goes into paths as it is, so it is answered in the form that paths need. */
export function configAnswer(
  { catalog, defaults, overrides }: CatalogConfig,
  endpoints: readonly string[],
): Answer {
  return json({
    overrides: { ...overrides, prefix: encodeURIComponent(catalog) },
    defaults,
    endpoints,
    "idempotency-key-lifetime": `PT${LIMITS.receiptLifeMs / 60_000}M`,
  });
}

export function namespacesAnswer(page: Page<readonly string[]>): Answer {
  return json({ namespaces: page.items, "next-page-token": page.nextPageToken });
}

export function namespaceAnswer(info: NamespaceInfo): Answer {
  return json({ namespace: info.namespace, properties: info.properties });
}

export function propertiesAnswer(updated: PropertiesUpdated): Answer {
  return json({ updated: updated.updated, removed: updated.removed, missing: updated.missing });
}

/** Names of tables, or of views. */
export function identifiersAnswer(namespace: readonly string[], page: Page<string>): Answer {
  return { status: 200, headers: JSON_HEADERS, body: printIdentifiers(namespace, page) };
}

/** A table with its configuration, as answered to create and register. */
export function tableAnswer(table: LoadedTable): Answer {
  return spliced(table, configTail(table));
}

/** The body of a load with what it was made of, apart from the metadata that it is kept by. */
interface Kept {
  readonly location: string | undefined;
  readonly tail: string;
  readonly body: Uint8Array | readonly Uint8Array[];
}

/** Bodies of loads: a table is loaded far more often than it changes. Each lives with its bytes. */
const keptBodies = new WeakMap<readonly Uint8Array[], Kept>();

/** A table as answered to a load: the same bytes as long as its metadata is the same. */
export function loadAnswer(table: LoadedTable): Answer {
  // What is lent to one caller is not kept.
  if (table.credentials !== undefined) return tableAnswer(table);
  const { metadata, metadataLocation: location, etag } = table;
  const tail = configTail(table);
  let kept = keptBodies.get(metadata);
  if (kept === undefined || kept.location !== location || kept.tail !== tail) {
    const pieces = [headOf(location), ...metadata, Buffer.from(tail)];
    kept = { location, tail, body: inOneWrite(pieces) };
    keptBodies.set(metadata, kept);
  }
  return { status: 200, headers: tableHeaders(etag), body: kept.body };
}

function configTail({ config, credentials }: Pick<LoadedTable, "config" | "credentials">): string {
  const lent =
    credentials === undefined ? "" : `,"storage-credentials":${JSON.stringify(credentials)}`;
  return `,"config":${JSON.stringify(config)}${lent}}`;
}

/** Never kept by what lies between: they are secrets. */
export function credentialsAnswer(credentials: readonly StorageCredential[]): Answer {
  const body = JSON.stringify({ "storage-credentials": credentials });
  return { status: 200, headers: { ...JSON_HEADERS, "Cache-Control": "no-store" }, body };
}

/** A signed request. Java's client keeps what is private for the same URI. */
export function signedAnswer({ uri, headers, cacheable }: SignedRequest): Answer {
  const signed = Object.fromEntries(headers.map(([name, value]) => [name, [value]]));
  return {
    status: 200,
    headers: { ...JSON_HEADERS, "Cache-Control": cacheable ? "private" : "no-store" },
    body: JSON.stringify({ uri, headers: signed }),
  };
}

/** A view, as answered to whatever concerns one. */
export function viewAnswer(view: LoadedView): Answer {
  return spliced({ ...view, etag: undefined }, configTail(view));
}

/** A table as answered to a commit. */
export function commitAnswer(table: LoadedTable): Answer {
  return spliced(table, "}");
}

/**
 * The stored metadata between two pieces of JSON, never parsed: that is what keeps every integer
 * exact, and a load of a long history cheap.
 */
function spliced(table: LoadedTable, tail: string): Answer {
  const { metadata, metadataLocation, etag } = table;
  const body = [headOf(metadataLocation), ...metadata, Buffer.from(tail)];
  return { status: 200, headers: tableHeaders(etag), body };
}

function headOf(location: string | undefined): Uint8Array {
  if (location === undefined) return Buffer.from('{"metadata":');
  return Buffer.from(`{"metadata-location":${JSON.stringify(location)},"metadata":`);
}

function tableHeaders(etag: string | undefined): Answer["headers"] {
  return etag === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ETag: etag };
}

/**
 * What a commit would come to: the metadata as it would be, and which of its members would differ.
 * There is no location and no tag, since nothing is stored that they could name.
 */
export function dryRunAnswer(dryRun: DryRun): Answer {
  const body = [Buffer.from('{"dry-run":true,'), ...dryRunMembers(dryRun), Buffer.from("}")];
  return { status: 200, headers: JSON_HEADERS, body };
}

/** The same for every table of a transaction, in the order of the request. */
export function dryRunsAnswer(tables: readonly DryRunOfTable[]): Answer {
  // A table with a long history has very many pieces: they are not arguments of one call.
  const body: Uint8Array[][] = [[Buffer.from('{"dry-run":true,"table-changes":[')]];
  for (const [i, { namespace, table, ...dryRun }] of tables.entries()) {
    const identifier = JSON.stringify({ namespace, name: table });
    const start = Buffer.from(`${i === 0 ? "" : ","}{"identifier":${identifier},`);
    body.push([start, ...dryRunMembers(dryRun), Buffer.from("}")]);
  }
  body.push([Buffer.from("]}")]);
  return { status: 200, headers: JSON_HEADERS, body: body.flat() };
}

function dryRunMembers({ baseMetadataLocation, changed, metadata }: DryRun): Uint8Array[] {
  const base = JSON.stringify(baseMetadataLocation ?? null);
  const head = `"base-metadata-location":${base},"changed":${JSON.stringify(changed)},"metadata":`;
  return [Buffer.from(head), ...metadata];
}

/** What stands is what the client has. The tag is repeated where only one can be meant. */
export function notModifiedAnswer(tags: readonly string[] | undefined): Answer {
  const tag = tags?.length === 1 ? tags[0] : undefined;
  return {
    status: 304,
    headers: tag === undefined || tag === ANY_TAG ? {} : { ETag: tag },
    body: undefined,
  };
}
