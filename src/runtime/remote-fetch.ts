import { invalid } from "../base/error.ts";
import type { RemoteAnswer, RemoteRequest } from "../service/remote-request.ts";
import { boundedFetch, fetchTrouble } from "./bounded-fetch.ts";

/** An answer: a page of 1,000 names, or a table's metadata with the snapshots of its refs. */
const ANSWER_BYTES = 67_108_864;

/** As `RemoteFetch`. */
export async function remoteFetch({
  url,
  authorization,
  form,
}: RemoteRequest): Promise<RemoteAnswer> {
  const { host } = new URL(url);
  const headers = authorization === undefined ? {} : { Authorization: authorization };
  try {
    return await boundedFetch(url, ANSWER_BYTES, headers, form);
  } catch (error) {
    const reason = fetchTrouble(error);
    const message = "the remote catalog does not answer: correct the connector's uri, or retry";
    throw invalid("CONNECTOR_UNREACHABLE", message, { host, reason });
  }
}
