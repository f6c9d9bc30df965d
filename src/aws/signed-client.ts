import { type Clock, Stopwatch } from "../base/clock.ts";
import { type Endpoint, EndpointFinder, type EndpointSource, SKEW_MS } from "./endpoint.ts";
import { type HttpAnswer, type HttpCall, type HttpPool, unsentAbort } from "./http.ts";
import { amzDate, type Pairs } from "./sigv4.ts";

/** How services refuse a signature, among others one that is of another time. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403]);
/** What an answer says of the time is true so long after the request was dated. */
const SOON_MS = 30_000;

/** A request before it is signed. */
export interface UnsignedRequest {
  readonly method: string;
  /** As it stands on the wire. */
  readonly path: string;
  /** Under lower-case names; host, date, token and length are added. */
  readonly headers: Pairs;
  /** Lower-hex, of the body. */
  readonly payloadSha256: string;
  readonly body?: Uint8Array | string;
}

export interface SignedClientOptions {
  readonly source: EndpointSource;
  readonly pool: HttpPool;
  readonly clock: Clock;
}

/** Signs and sends requests to one service. */
export class SignedClient {
  readonly #pool: HttpPool;
  readonly #clock: Clock;
  readonly #finder: EndpointFinder;
  #dateS: number | undefined;
  #date = "";

  constructor({ source, pool, clock }: SignedClientOptions) {
    this.#pool = pool;
    this.#clock = clock;
    this.#finder = new EndpointFinder(source, clock);
  }

  /**
   * As `EndpointFinder.find`, until the signal ends: what the SDK waits for may have no end of its
   * own.
   *
   * @throws also: an `AbortError` that says in `syscall` that nothing was sent.
   */
  endpoint(signal: AbortSignal): Promise<Endpoint | undefined> {
    return untilAborted(this.#finder.find(), signal);
  }

  /**
   * One request, sent once; and once more where it was refused with a date by which its own was
   * wrong: then it was not looked at further. Not where it took long: the sender of a write knows
   * until when.
   *
   * @throws as `HttpPool.exchange`
   */
  async send(endpoint: Endpoint, request: UnsignedRequest, call: HttpCall): Promise<HttpAnswer> {
    const watch = new Stopwatch(this.#clock);
    const datedMs = this.#finder.nowMs();
    const answer = await this.#once(endpoint, request, call);
    if (watch.elapsedMs() > SOON_MS) return answer;
    this.#finder.observe(answer);
    const isMisdated = Math.abs(this.#finder.nowMs() - datedMs) >= SKEW_MS;
    return isMisdated && REFUSED.has(answer.status) ? this.#once(endpoint, request, call) : answer;
  }

  #once(endpoint: Endpoint, request: UnsignedRequest, call: HttpCall): Promise<HttpAnswer> {
    const { method, path, payloadSha256, body } = request;
    const { origin, host, credentials, signer } = endpoint;
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
    return this.#pool.exchange(origin, sent, call);
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

/** What a promise comes to, or the end of the signal. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(unsentAbort());
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
