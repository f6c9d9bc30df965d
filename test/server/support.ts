import { expect } from "vitest";
import type { Firn } from "../../src/index.ts";

export interface Exchanged {
  readonly status: number;
  readonly code: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: an answer has whatever shape the test expects
  readonly json: any;
}

/** One request to an embedded server, below the Iceberg API. */
export async function exchange(
  firn: Firn,
  method: string,
  path: string,
  body?: unknown,
): Promise<Exchanged> {
  const request = new Request(`http://firn/iceberg/v1${path}`, {
    method,
    ...(body !== undefined && {
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  const response = await firn.fetch(request);
  const text = await response.text();
  const json: unknown = text === "" ? undefined : JSON.parse(text);
  return { status: response.status, code: response.headers.get("X-Firn-Error"), json };
}

/** What a request answers that must succeed. */
export async function ask(
  firn: Firn,
  method: string,
  path: string,
  body?: unknown,
): Promise<Exchanged["json"]> {
  const { status, json } = await exchange(firn, method, path, body);
  expect(`${status} ${JSON.stringify(json)}`).toMatch(/^2/);
  return json;
}
