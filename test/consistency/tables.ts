import { equal } from "node:assert/strict";
import type { Answer, Client } from "./client.ts";

const SCHEMA = {
  type: "struct",
  fields: [{ id: 1, name: "id", required: true, type: "long" }],
};

/** The path of a table. */
export function at(ns: string, table: string): string {
  return `/namespaces/${ns}/tables/${table}`;
}

export function createTable(node: Client, ns: string, name: string): Promise<Answer> {
  return node.ask("POST", `/namespaces/${ns}/tables`, { body: { name, schema: SCHEMA } });
}

/** A namespace with such tables in it. */
export async function prepare(
  node: Client,
  ns: string,
  ...tables: readonly string[]
): Promise<void> {
  await node.done("POST", "/namespaces", { body: { namespace: [ns] } });
  for (const table of tables) equal((await createTable(node, ns, table)).status, 200);
}

/** A commit that sets properties. */
export function setting(updates: Readonly<Record<string, string>>): object {
  return { requirements: [], updates: [{ action: "set-properties", updates }] };
}

/** A commit that adds the column of that number, which holds once alone. */
export function widening(field: number): object {
  const fields = Array.from({ length: field }, (_, i) => ({
    id: i + 1,
    name: i === 0 ? "id" : `c${i + 1}`,
    required: i === 0,
    type: "long",
  }));
  const schema = { type: "struct", fields };
  return {
    requirements: [{ type: "assert-last-assigned-field-id", "last-assigned-field-id": field - 1 }],
    updates: [
      { action: "add-schema", schema, "last-column-id": field },
      { action: "set-current-schema", "schema-id": -1 },
    ],
  };
}

export function rename(node: Client, ns: string, from: string, to: string): Promise<Answer> {
  const body = {
    source: { namespace: [ns], name: from },
    destination: { namespace: [ns], name: to },
  };
  return node.ask("POST", "/tables/rename", { body });
}

/** A property of a table, as a node answers it now. */
export async function property(node: Client, path: string, name: string): Promise<string> {
  return (await node.done("GET", path)).json.metadata.properties[name] ?? "";
}

/** How many commits its metadata counts, its creation aside. */
export async function commitsOf(node: Client, path: string): Promise<number> {
  return (await node.done("GET", path)).json.metadata["metadata-log"]?.length ?? 0;
}

/** Names of a namespace, by pages; `between` runs after each. */
export async function listed(
  nodeOf: (page: number) => Client,
  ns: string,
  pageSize: number,
  between: (page: number) => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const names: string[] = [];
  let token = "";
  for (let page = 0; ; page++) {
    const query = `pageSize=${pageSize}&pageToken=${encodeURIComponent(token)}`;
    const { json } = await nodeOf(page).done("GET", `/namespaces/${ns}/tables?${query}`);
    names.push(...json.identifiers.map(({ name }: { readonly name: string }) => name));
    await between(page);
    if (typeof json["next-page-token"] !== "string") return names;
    token = json["next-page-token"];
  }
}

/** The version that an entity tag begins with. */
export function versionOf({ etag }: Answer): number {
  return Number(/^"(\d+)-/.exec(etag)?.[1] ?? Number.NaN);
}
