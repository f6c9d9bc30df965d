import { abortAfter } from "./clock.ts";

/** A request from its start to the last byte of its answer. */
const REQUEST_MS = 10_000;

/** What a server answered. */
export interface BoundedAnswer {
  readonly status: number;
  readonly bytes: Uint8Array;
}

/**
 * Gets a URL within 10 s and so many bytes, or posts a form to it. A redirect is a failure: it
 * could lead to where the first URL may not.
 *
 * @throws Error, with `cause` where the network is to blame.
 */
export async function boundedFetch(
  url: string,
  answerBytes: number,
  headers: Readonly<Record<string, string>> = {},
  form?: Readonly<Record<string, string>>,
): Promise<BoundedAnswer> {
  const response = await fetch(url, {
    ...(form !== undefined && { method: "POST", body: new URLSearchParams(form) }),
    redirect: "error",
    headers: { Accept: "application/json", ...headers },
    signal: abortAfter(REQUEST_MS),
  });
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > answerBytes) throw new Error(`an answer over ${answerBytes} bytes`);
    pieces.push(piece);
  }
  return { status: response.status, bytes: Buffer.concat(pieces) };
}

/** Why it failed, without what it was asked for. */
export function fetchTrouble(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = (cause as NodeJS.ErrnoException).code;
  return code ?? (cause instanceof Error ? cause.message : String(cause));
}
