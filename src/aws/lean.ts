import type { Clock } from "../base/clock.ts";
import type { HttpAnswer, HttpCall, HttpPool } from "./http.ts";
import { amzDate, type Pairs } from "./sigv4.ts";
import { type Site, SiteFinder, type SiteSource } from "./site.ts";

/** A request before it is signed. */
export interface LeanRequest {
  readonly method: string;
  /** As it stands on the wire. */
  readonly path: string;
  /** Under lower-case names; host, date, token and length are added. */
  readonly headers: Pairs;
  /** Lower-hex, of the body. */
  readonly payloadSha256: string;
  readonly body?: Uint8Array | string;
}

export interface LeanOptions {
  readonly source: SiteSource;
  readonly pool: HttpPool;
  readonly clock: Clock;
}

/** Signs and sends requests to one service. */
export class LeanWire {
  readonly #pool: HttpPool;
  readonly #finder: SiteFinder;
  #dateS: number | undefined;
  #date = "";

  constructor({ source, pool, clock }: LeanOptions) {
    this.#pool = pool;
    this.#finder = new SiteFinder(source, clock);
  }

  /** As `SiteFinder.find`. */
  site(): Promise<Site | undefined> {
    return this.#finder.find();
  }

  /** One request, sent once. @throws as `HttpPool.exchange` */
  async send(site: Site, request: LeanRequest, call: HttpCall): Promise<HttpAnswer> {
    const { method, path, payloadSha256, body } = request;
    const { origin, host, credentials, signer } = site;
    const date = this.#dateText();
    const headers: (readonly [string, string])[] = [
      ["host", host],
      ["x-amz-date", date],
      ["x-amz-content-sha256", payloadSha256],
      ...request.headers,
    ];
    if (credentials.sessionToken !== undefined) {
      headers.push(["x-amz-security-token", credentials.sessionToken]);
    }
    const authorization = signer.authorize({ method, path, headers, payloadSha256 }, date);
    const flat = ["authorization", authorization, "user-agent", "firn"];
    for (const [name, value] of headers) flat.push(name, value);
    if (body !== undefined) flat.push("content-length", String(Buffer.byteLength(body)));
    const sent = { method, path, headers: flat, ...(body !== undefined && { body }) };
    const answer = await this.#pool.exchange(origin, sent, call);
    this.#finder.observe(answer);
    return answer;
  }

  /** Made once a second. */
  #dateText(): string {
    const second = Math.floor(this.#finder.nowMs() / 1_000);
    if (second !== this.#dateS) {
      this.#dateS = second;
      this.#date = amzDate(second * 1_000);
    }
    return this.#date;
  }
}
