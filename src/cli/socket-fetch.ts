import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import type { Fetch } from "../client/client.ts";

/** Sends requests to a server's socket of operators. Only path and query of a URL count. */
export function socketFetch(socketPath: string): Fetch {
  return async (asked) => {
    const { pathname, search } = new URL(asked.url);
    const body = asked.body === null ? undefined : Buffer.from(await asked.arrayBuffer());
    const headers = {
      ...Object.fromEntries(asked.headers),
      // Node leaves it out of a DELETE, and the server would take the body for another request.
      ...(body !== undefined && { "content-length": String(body.length) }),
    };
    return new Promise((resolve, reject) => {
      const path = `${pathname}${search}`;
      const sent = request({ socketPath, path, method: asked.method, headers, agent: false });
      sent.on("error", reject).on("response", (response) => {
        buffer(response).then((bytes) => {
          const { statusCode: status = 502 } = response;
          const pairs = Object.entries(response.headers).flatMap(
            ([name, value]): [string, string][] => [value ?? []].flat().map((each) => [name, each]),
          );
          const bodyless = status === 204 || status === 304;
          resolve(new Response(bodyless ? null : bytes, { status, headers: pairs }));
        }, reject);
      });
      sent.end(body);
    });
  };
}
