import { invalid } from "../base/error.ts";
import { isJsonObject, type JsonValue, parseJsonBytes } from "../base/json.ts";
import { type RemoteParts, remoteBase } from "./remote-request.ts";

/**
 * What a remote catalog knows its caller by: a token, or a client and its secret. They come with a
 * request and end with it: nothing keeps, logs or repeats them.
 */
export interface RemoteCredentials {
  readonly token?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** Of the token that is asked for; absent: `catalog`, as Iceberg's clients ask. */
  readonly scope?: string | undefined;
  /** Where tokens are given out; absent: by the catalog itself. */
  readonly tokenUri?: string | undefined;
}

/** What fits a header, and a form, as it is. */
const PRINTABLE = /^[\x20-\x7e]+$/;
const SCOPE = "catalog";

function credentialsInvalid(why: string): Error {
  const message = `invalid credentials: ${why}`;
  return invalid("CREDENTIALS_INVALID", message, { why });
}

/**
 * The `Authorization` of requests to a catalog. One request where it is a client's.
 *
 * @throws FirnError `Invalid`: `CREDENTIALS_INVALID`, `CONNECTOR_URI_INVALID` of `tokenUri`,
 *   `CONNECTOR_UNREACHABLE`, `CREDENTIALS_REFUSED`.
 */
export async function authorizationOf(
  { fetch }: Pick<RemoteParts, "fetch">,
  base: string,
  credentials: RemoteCredentials | undefined,
): Promise<string | undefined> {
  if (credentials === undefined) return undefined;
  const { token, clientId, clientSecret, scope = SCOPE, tokenUri } = credentials;
  for (const [name, value] of Object.entries(credentials)) {
    if (value === undefined || PRINTABLE.test(value)) continue;
    throw credentialsInvalid(`${name} must be printable characters of ASCII`);
  }
  const isClient = clientId !== undefined && clientSecret !== undefined;
  if (token !== undefined) {
    if (clientId === undefined && clientSecret === undefined) return `Bearer ${token}`;
    throw credentialsInvalid("give a token, or a client and its secret, not both");
  }
  if (!isClient) throw credentialsInvalid("give token, or clientId and clientSecret");
  const url = tokenUri === undefined ? `${base}/v1/oauth/tokens` : tokenUrl(tokenUri);
  const form = {
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
    scope,
  };
  const { status, bytes } = await fetch({ url, form });
  const given = status === 200 ? accessTokenIn(bytes) : undefined;
  if (given !== undefined) return `Bearer ${given}`;
  const message = "the remote catalog gave no token for these credentials: see its status";
  throw invalid("CREDENTIALS_REFUSED", message, { status });
}

function tokenUrl(uri: string): string {
  // By the rules of a connector's; its path stays as it is.
  remoteBase(uri);
  return new URL(uri).href;
}

/** The answer may hold the token: none of it is told. */
function accessTokenIn(bytes: Uint8Array): string | undefined {
  let answer: JsonValue;
  try {
    answer = parseJsonBytes(bytes);
  } catch {
    return undefined;
  }
  const token = isJsonObject(answer) ? answer["access_token"] : undefined;
  return typeof token === "string" && PRINTABLE.test(token) ? token : undefined;
}
