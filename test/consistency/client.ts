import { match } from "node:assert/strict";

export interface Answer {
  readonly status: number;
  /** The server's own code, where it refuses. */
  readonly code: string;
  /** The type of the protocol's error. */
  readonly type: string;
  readonly etag: string;
  readonly replayed: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: an answer has whatever shape the check expects
  readonly json: any;
}

export interface AskOptions {
  readonly body?: unknown;
  /** An `Idempotency-Key`. */
  readonly key?: string;
  readonly ifNoneMatch?: string;
}

/** Who asks a node of the Iceberg protocol, however it is reached. */
export abstract class Client {
  abstract ask(method: string, path: string, options?: AskOptions): Promise<Answer>;

  /** The answer to what must succeed. */
  async done(method: string, path: string, options?: AskOptions): Promise<Answer> {
    const answer = await this.ask(method, path, options);
    match(`${answer.status} ${answer.code}`, /^2/);
    return answer;
  }
}

export function headersOf({ body, key, ifNoneMatch }: AskOptions): Record<string, string> {
  return {
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(key !== undefined && { "idempotency-key": key }),
    ...(ifNoneMatch !== undefined && { "if-none-match": ifNoneMatch }),
  };
}

/** @param headers under lower-case names. */
export function answerOf(
  status: number,
  headers: ReadonlyMap<string, string>,
  text: string,
): Answer {
  const json = text === "" ? undefined : JSON.parse(text);
  return {
    status,
    code: headers.get("x-firn-error") ?? "",
    type: json?.error?.type ?? "",
    etag: headers.get("etag") ?? "",
    json,
    replayed: headers.get("idempotency-replayed") === "true",
  };
}
