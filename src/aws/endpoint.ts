import type { Clock } from "../base/clock.ts";
import type { HttpHead, Origin } from "./http.ts";
import { type AwsCredentials, type Pairs, Signer } from "./sigv4.ts";

/** A request as the SDK would have sent it, signed. */
export interface SampledRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** What is asked of the SDK: everything about where and who is its own to find. */
export interface EndpointSource {
  /** One request that is made and signed but not sent. */
  sample(): Promise<unknown>;
  /** As kept and renewed by the SDK. */
  credentials(): Promise<AwsCredentials>;
  /** Every service's but S3's path is encoded once more before it is signed. */
  readonly escapePath: boolean;
}

/** The steps that the SDK takes a command through, as far as they matter here. */
interface Steps {
  add(
    step: () => (args: {
      readonly request: unknown;
    }) => Promise<{ readonly response: unknown; readonly output: { readonly $metadata: object } }>,
    options: { readonly step: "deserialize"; readonly name: string; readonly priority: "high" },
  ): void;
}

/** The request of a command as the SDK signs it, on its way out but for the sending. */
export async function sampleOf<C extends { readonly middlewareStack: Steps }>(
  command: C,
  send: (command: C) => Promise<unknown>,
): Promise<unknown> {
  let sample: unknown;
  command.middlewareStack.add(
    () =>
      async ({ request }) => {
        sample = request;
        return { response: {}, output: { $metadata: {} } };
      },
    { step: "deserialize", name: "sample", priority: "high" },
  );
  await send(command);
  return sample;
}

/** Where a service is, and as whom it is asked. */
export interface Endpoint {
  readonly origin: Origin;
  readonly host: string;
  /** Of the sampled request. */
  readonly path: string;
  readonly credentials: AwsCredentials;
  readonly signer: Signer;
}

interface Found {
  readonly endpoint: Promise<Endpoint | undefined>;
  /** From then on another one is looked for. */
  renewAtMs: number;
  /** From then on it is no longer used. */
  endsAtMs: number;
}

/** The SDK renews credentials so long before they end, and is asked for new ones then. */
const RENEW_MS = 300_000;
/** Between two tries to renew what has not ended. */
const RENEW_AGAIN_MS = 10_000;
/** Signatures are refused at 15 minutes; below this a clock is not told from a slow answer. */
export const SKEW_MS = 240_000;
const CREDENTIAL = String.raw`Credential=[^/]+\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request`;
const AUTHORIZATION = new RegExp(`^AWS4-HMAC-SHA256 ${CREDENTIAL}, SignedHeaders=([^,]+), `);

/**
 * Learns an endpoint from a request that the SDK has signed, and takes it only where our signature
 * of that request is the SDK's own, byte for byte. Learns it anew before its credentials end; as
 * long as they have not, no caller waits for that, and a failure harms no caller.
 *
 * Other ways of signing (S3 Express sessions, multi-region access points) make no endpoint: their
 * requests are the SDK's to send.
 */
export class EndpointFinder {
  readonly #source: EndpointSource;
  readonly #clock: Clock;
  #found: Found | undefined;
  #offsetMs = 0;
  #lastDate: string | undefined;

  constructor(source: EndpointSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /**
   * No request, but for those that the SDK makes to find credentials.
   *
   * @returns undefined where the SDK alone can sign.
   * @throws what the SDK throws where it finds no credentials or region.
   */
  find(): Promise<Endpoint | undefined> {
    const nowMs = this.#clock.nowMs();
    const found = this.#found;
    if (found === undefined || nowMs >= found.endsAtMs) return this.#begin();
    if (nowMs >= found.renewAtMs) this.#renew(found);
    return found.endpoint;
  }

  /** Any caller that asks meanwhile waits for it, too. */
  #begin(): Promise<Endpoint | undefined> {
    const never = Number.POSITIVE_INFINITY;
    const endpoint = this.#learn();
    const found: Found = { endpoint, renewAtMs: never, endsAtMs: never };
    this.#found = found;
    endpoint.then(
      (learnt) => Object.assign(found, this.#termOf(learnt)),
      () => {
        if (this.#found === found) this.#found = undefined;
      },
    );
    return endpoint;
  }

  #renew(found: Found): void {
    found.renewAtMs = Number.POSITIVE_INFINITY;
    const endpoint = this.#learn();
    endpoint.then(
      (learnt) => {
        if (this.#found === found) this.#found = { endpoint, ...this.#termOf(learnt) };
      },
      () => {
        found.renewAtMs = this.#clock.nowMs() + RENEW_AGAIN_MS;
      },
    );
  }

  /** Until when an endpoint is good, and from when on another one is looked for. */
  #termOf(endpoint: Endpoint | undefined): Pick<Found, "renewAtMs" | "endsAtMs"> {
    const nowMs = this.#clock.nowMs();
    // Also where credentials changed between the sample and its signature.
    if (endpoint === undefined) return { renewAtMs: nowMs + RENEW_MS, endsAtMs: nowMs + RENEW_MS };
    const endsAtMs = endpoint.credentials.expiration?.getTime() ?? Number.POSITIVE_INFINITY;
    return { renewAtMs: Math.max(endsAtMs - RENEW_MS, nowMs + RENEW_AGAIN_MS), endsAtMs };
  }

  /** The service's time, in ms, as far as it is known to differ from ours. */
  nowMs(): number {
    return this.#clock.nowMs() + this.#offsetMs;
  }

  /** Looks at the date of an answer that has just come. */
  observe({ headers }: HttpHead): void {
    const { date } = headers;
    // It moves once a second.
    if (date === undefined || date === this.#lastDate || headers["age"] !== undefined) return;
    this.#lastDate = date;
    const aheadMs = Date.parse(date) - this.#clock.nowMs();
    if (!Number.isNaN(aheadMs)) this.#offsetMs = Math.abs(aheadMs) < SKEW_MS ? 0 : aheadMs;
  }

  async #learn(): Promise<Endpoint | undefined> {
    const sampled = (await this.#source.sample()) as SampledRequest;
    const credentials = await this.#source.credentials();
    const { authorization = "", host } = sampled.headers;
    const [, region, service, names] = AUTHORIZATION.exec(authorization) ?? [];
    if (region === undefined || service === undefined || host === undefined) return undefined;
    const { escapePath } = this.#source;
    const signer = new Signer({ credentials, region, service, escapePath });
    if (resigned(signer, sampled, names ?? "") !== authorization) return undefined;
    const { protocol, hostname, port, path } = sampled;
    const bare = hostname.replace(/^\[(.*)\]$/, "$1");
    const origin = { secure: protocol === "https:", hostname: bare, port };
    return { origin, host, path, credentials, signer };
  }
}

/** Our signature of what the SDK has signed. */
function resigned(
  signer: Signer,
  { method, path, query = {}, headers }: SampledRequest,
  names: string,
): string {
  const date = headers["x-amz-date"] ?? "";
  const signed: Pairs = names.split(";").map((name) => [name, headers[name] ?? ""]);
  const pairs = Object.entries(query).map(([name, value]) => [name, String(value)] as const);
  const payloadSha256 = headers["x-amz-content-sha256"] ?? "";
  return signer.authorize({ method, path, query: pairs, headers: signed, payloadSha256 }, date);
}
