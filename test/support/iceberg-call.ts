import type { Firn } from "../../src/index.ts";

/** Firn, in this process or in another one. */
export type Answering = Pick<Firn, "fetch">;

/** One request of the Iceberg API, below `/v1`. */
export async function callIceberg(
  open: Answering,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await open.fetch(
    new Request(`http://firn/iceberg/v1${path}`, {
      method,
      headers: { "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    }),
  );
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
}
