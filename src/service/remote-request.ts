import { invalid } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { isLoopbackHost } from "../base/loopback.ts";

/** What a remote server answered. */
export interface RemoteAnswer {
  readonly status: number;
  readonly bytes: Uint8Array;
}

/** A request to another server: a `GET`, or a `POST` where it has a form. */
export interface RemoteRequest {
  readonly url: string;
  /** Secret, as a form may be: neither is part of an error. */
  readonly authorization?: string | undefined;
  readonly form?: Readonly<Record<string, string>>;
}

/**
 * Asks another server, within its own bounds of time and bytes, and follows no redirect.
 *
 * @throws FirnError `Invalid` `CONNECTOR_UNREACHABLE`.
 */
export type RemoteFetch = (request: RemoteRequest) => Promise<RemoteAnswer>;

export interface RemoteParts {
  readonly fetch: RemoteFetch;
  /** The JSON of an answer that is too large to be parsed within a turn. */
  readonly readBody: (bytes: Uint8Array) => Promise<JsonObject>;
}

/**
 * The base of a remote catalog's URLs: https, or http on this machine, so that no request reaches
 * the plain services of a network that this server stands in.
 *
 * @throws FirnError `Invalid` `CONNECTOR_URI_INVALID`.
 */
export function remoteBase(uri: string): string {
  const url = URL.parse(uri);
  const refuse = (why: string) =>
    invalid("CONNECTOR_URI_INVALID", `the connector's uri cannot be asked: ${why}`, { why });
  if (url === null) throw refuse("it is not a URL");
  const isNear = url.protocol === "http:" && isLoopbackHost(url.hostname);
  if (url.protocol !== "https:" && !isNear) throw refuse("it must be https, or http on loopback");
  if (url.username !== "" || url.password !== "") throw refuse("it must hold no credentials");
  if (url.search !== "" || url.hash !== "") throw refuse("it must end with its path");
  return `${url.origin}${url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "")}`;
}
