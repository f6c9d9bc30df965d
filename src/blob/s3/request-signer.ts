import { type Endpoint, EndpointFinder } from "../../aws/endpoint.ts";
import { amzDate, type Pairs } from "../../aws/sigv4.ts";
import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import { connectS3 } from "./client.ts";
import { SAMPLE_KEY, s3Source } from "./direct-transport.ts";
import type { S3Options } from "./options.ts";

/** A request to a bucket that another party sends. */
export interface ForeignRequest {
  readonly method: string;
  readonly host: string;
  /** Percent-encoded. */
  readonly path: string;
  /** Not encoded. */
  readonly query: Pairs;
  /** Signed together with those that are made here. */
  readonly headers: Pairs;
  readonly payloadSha256: string;
}

/** AWS answers in one region under this name, too. */
const GLOBAL = { region: "us-east-1", host: "s3.amazonaws.com" } as const;
const AWS_HOST = /\.amazonaws\.com(?:\.cn)?$/;

/** Signs requests that others send to one bucket, with the credentials that the SDK finds. */
export class S3RequestSigner {
  readonly #finder: EndpointFinder;
  readonly #bucket: string;
  readonly #region: () => Promise<string>;
  readonly #close: () => void;

  constructor(options: S3Options, clock: Clock) {
    const { client, close } = connectS3(options, clock);
    this.#bucket = options.bucket;
    this.#finder = new EndpointFinder(s3Source(client, options.bucket), clock);
    this.#region = () => client.config.region();
    this.#close = close;
  }

  /** Closes connections, of which signing needs none. */
  close(): void {
    this.#close();
  }

  region(): Promise<string> {
    return this.#region();
  }

  /**
   * What URLs of the bucket begin with, before the slash and the key.
   *
   * @param elsewhere the endpoint that clients use, where it is not this server's.
   */
  async bases(elsewhere?: string): Promise<readonly string[]> {
    const { origin, path } = await this.endpoint();
    const { hostname, port, secure } = origin;
    const bucket = this.#bucket;
    const pathStyle = !hostname.startsWith(`${bucket}.`);
    const host = pathStyle ? hostname : hostname.slice(bucket.length + 1);
    if (elsewhere === undefined && AWS_HOST.test(host)) {
      const region = await this.#region();
      const hosts = region === GLOBAL.region ? [host, GLOBAL.host] : [host];
      return hosts.flatMap((each) => [`https://${bucket}.${each}`, `https://${each}/${bucket}`]);
    }
    const scheme = secure ? "https" : "http";
    const at = port === undefined ? host : `${host}:${port}`;
    const tail = pathStyle ? `/${bucket}/${SAMPLE_KEY}` : `/${SAMPLE_KEY}`;
    const own = `${scheme}://${at}${path.slice(0, -tail.length)}`;
    const base = (elsewhere ?? own).replace(/\/$/, "");
    if (pathStyle) return [`${base}/${bucket}`];
    return [base.replace("://", `://${bucket}.`)];
  }

  /** Headers to be sent beside those that were given. */
  async sign({ headers, ...request }: ForeignRequest): Promise<Pairs> {
    const { signer, credentials } = await this.endpoint();
    const date = amzDate(this.#finder.nowMs());
    const { sessionToken } = credentials;
    const made: Pairs = [
      ["x-amz-date", date],
      ["x-amz-content-sha256", request.payloadSha256],
      ...(sessionToken === undefined ? [] : ([["x-amz-security-token", sessionToken]] as const)),
    ];
    const signed: Pairs = [["host", request.host], ...headers, ...made];
    const authorization = signer.authorize({ ...request, headers: signed }, date);
    return [...made, ["authorization", authorization]];
  }

  /** @throws FirnError `Unavailable` `SIGNING_UNAVAILABLE`. */
  async endpoint(): Promise<Endpoint> {
    let endpoint: Endpoint | undefined;
    try {
      endpoint = await this.#finder.find();
    } catch (error) {
      throw unavailable(error);
    }
    if (endpoint === undefined) throw unavailable();
    return endpoint;
  }
}

function unavailable(cause?: unknown): FirnError {
  const message = "this server has no credentials to sign with: see AWS_ACCESS_KEY_ID, AWS_PROFILE";
  return new FirnError("Unavailable", "SIGNING_UNAVAILABLE", message, {}, cause);
}
