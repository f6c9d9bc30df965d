import { request as send } from "node:http";
import { expect } from "vitest";
import { utf8 } from "../../../src/base/bytes.ts";
import { signedHeaders } from "./signature.ts";
import { textsOf } from "./xml.ts";

export const FACTS_BUCKET = "firn-facts";

/** A server that speaks S3's protocol in path style. */
export interface Endpoint {
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface Sent {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Answer {
  readonly status: number;
  /** Of an error. */
  readonly code: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** One thing that S3 does. */
export interface Fact {
  readonly fact: string;
  readonly ask: (wire: FactsWire) => Promise<Answer>;
  readonly answer: {
    readonly status: number;
    /** Of an error that has a body. */
    readonly code?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly text?: string | RegExp;
  };
}

/** Requests as they stand on the wire, without any SDK. Keys are a fact's own. */
export class FactsWire {
  readonly #endpoint: Endpoint;
  readonly #home: string;

  constructor(endpoint: Endpoint, home: string) {
    this.#endpoint = endpoint;
    this.#home = home;
  }

  /** About an object. */
  send(method: string, key: string, sent: Sent = {}): Promise<Answer> {
    return this.raw(method, `/${FACTS_BUCKET}/${this.#home}${key}`, sent);
  }

  /** About the bucket; the fact's own prefix stands for `@` in the query. */
  bucket(method: string, { query = {}, ...sent }: Sent = {}): Promise<Answer> {
    const own = Object.entries(query).map(([name, value]) => [
      name,
      value.replace("@", this.#home),
    ]);
    return this.raw(method, `/${FACTS_BUCKET}`, { ...sent, query: Object.fromEntries(own) });
  }

  /** Key of the fact's own. */
  key(name: string): string {
    return `${this.#home}${name}`;
  }

  async put(key: string, body: string, headers: Sent["headers"] = {}): Promise<Answer> {
    return this.send("PUT", key, { body, headers });
  }

  /** Begins an upload and sends its parts. @returns its id, and what completes it. */
  async upload(
    key: string,
    parts: readonly string[],
    headers: Sent["headers"] = {},
  ): Promise<{ readonly uploadId: string; readonly etags: readonly string[] }> {
    const begun = await this.send("POST", key, { query: { uploads: "" }, headers });
    const [uploadId = ""] = textsOf(begun.text, "UploadId");
    const etags: string[] = [];
    for (const [i, body] of parts.entries()) {
      const query = { partNumber: String(i + 1), uploadId };
      etags.push((await this.send("PUT", key, { query, body })).headers["etag"] ?? "");
    }
    return { uploadId, etags };
  }

  complete(
    key: string,
    uploadId: string,
    etags: readonly string[],
    headers: Sent["headers"] = {},
    numbers: readonly number[] = etags.map((_, i) => i + 1),
  ): Promise<Answer> {
    const parts = etags.map(
      (etag, i) => `<Part><PartNumber>${numbers[i]}</PartNumber><ETag>${etag}</ETag></Part>`,
    );
    const body = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
    return this.send("POST", key, { query: { uploadId }, body, headers });
  }

  raw(
    method: string,
    path: string,
    { query = {}, headers = {}, body = "" }: Sent,
  ): Promise<Answer> {
    const bytes = typeof body === "string" ? utf8(body) : body;
    const { url, region } = this.#endpoint;
    const { hostname, port, host } = new URL(url);
    const request = {
      method,
      path: encoded(path),
      query,
      body: bytes,
      headers: { host, "content-length": String(bytes.length), ...headers },
    };
    const all = signedHeaders(request, this.#endpoint, region);
    const search = Object.entries(query).map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
    );
    const target = `${request.path}${search.length > 0 ? `?${search.join("&")}` : ""}`;
    return new Promise<Answer>((resolve, reject) => {
      const outgoing = send({ hostname, port, method, path: target, headers: all }, (incoming) => {
        const chunks: Uint8Array[] = [];
        incoming.on("data", (chunk: Uint8Array) => chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const status = incoming.statusCode ?? 0;
          const [code] = status < 300 ? [] : textsOf(text, "Code");
          const got = incoming.headers as Record<string, string>;
          resolve({ status, code, headers: got, text });
        });
      });
      outgoing.on("error", reject);
      outgoing.end(bytes);
    });
  }
}

function encoded(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Makes the bucket that facts are judged in. */
export async function makeFactsBucket(endpoint: Endpoint): Promise<void> {
  const made = await new FactsWire(endpoint, "").bucket("PUT");
  expect([200, 409]).toContain(made.status);
}

let judged = 0;

/** Rejects where the server does not do what the fact says. */
export async function judgeFact(endpoint: Endpoint, fact: Fact): Promise<void> {
  const wire = new FactsWire(endpoint, `fact-${process.pid}-${judged++}/`);
  const answer = await fact.ask(wire);
  const { status, code, headers = {}, text } = fact.answer;
  expect({ status: answer.status, code: answer.code }).toEqual({ status, code });
  expect(answer.headers).toMatchObject(headers);
  if (typeof text === "string") expect(answer.text).toBe(text);
  else if (text !== undefined) expect(answer.text).toMatch(text);
}
