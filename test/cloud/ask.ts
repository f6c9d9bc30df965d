import { expect } from "vitest";

interface Node {
  readonly url: string;
}

export const SCHEMA: object = {
  type: "struct",
  fields: [{ id: 1, name: "id", required: true, type: "long" }],
};

export interface Answer {
  readonly status: number;
  /** The server's own code, where it refuses. */
  readonly error: string | null;
  readonly text: string;
}

/** One request of the Iceberg protocol. */
export async function exchange(
  node: Node,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`${node.url}/iceberg/v1${path}`, {
    method,
    ...(body !== undefined && {
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  const text = await response.text();
  return { status: response.status, error: response.headers.get("X-Firn-Error"), text };
}

/** The answer to a request that must succeed. */
export async function ask(
  node: Node,
  method: string,
  path: string,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: an answer has whatever shape the test expects
): Promise<any> {
  const { status, text } = await exchange(node, method, path, body);
  expect(`${status} ${text}`).toMatch(/^2/);
  return text === "" ? undefined : JSON.parse(text);
}

export async function createTable(node: Node, name: string): Promise<void> {
  await ask(node, "POST", "/namespaces/ns/tables", { name, schema: SCHEMA });
}

export async function commitProperty(
  node: Node,
  table: string,
  key: string,
  value: string,
): Promise<void> {
  const update = { action: "set-properties", updates: { [key]: value } };
  const path = `/namespaces/ns/tables/${table}`;
  await ask(node, "POST", path, { requirements: [], updates: [update] });
}

/** What was committed to a table; those that every table is made with are left out. */
export async function propertiesOf(node: Node, table: string): Promise<Record<string, string>> {
  const { metadata } = await ask(node, "GET", `/namespaces/ns/tables/${table}`);
  const properties = Object.entries<string>(metadata.properties);
  return Object.fromEntries(properties.filter(([key]) => !key.startsWith("write.")));
}
