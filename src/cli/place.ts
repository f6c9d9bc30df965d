import { existsSync } from "node:fs";
import { FirnError } from "../base/error.ts";
import { type Fetch, FirnClient } from "../client/client.ts";
import { operatorSocket } from "../runtime/operator-place.ts";
import type { Output } from "./output.ts";
import { socketFetch } from "./socket-fetch.ts";
import type { Where } from "./where.ts";

/** A catalog that a command asks, however it was reached. */
export interface Place {
  /** By a URL, by the server that owns the store, or in this process. */
  readonly reached: "url" | "server" | "store";
  /** Before the path of every request. */
  readonly url: string;
  /** The native API, Iceberg, the probes. @throws FirnError `SERVER_UNREACHABLE`. */
  readonly fetch: Fetch;
  readonly client: FirnClient;
  close(): Promise<void>;
}

/** Stands for a host where no request leaves this machine. */
const NO_HOST = "http://localhost";

/**
 * Reaches a catalog: a URL is asked; a store is asked through its owner, or else opened here.
 *
 * @param opensStore whether it may be opened here.
 * @throws FirnError `SERVER_UNREACHABLE`, `NO_SERVER`, `NO_STORE`, `LSM_NO_SHARD`, `LSM_OWNED`;
 *   what the stores throw.
 */
export async function openPlace(
  where: Where,
  output: Output,
  { opensStore = true }: { readonly opensStore?: boolean } = {},
): Promise<Place> {
  if (where.kind === "url") return urlPlace(where.url, where.token);
  const { settings } = where;
  const { profile, dir } = settings;
  if (profile === "memory") {
    const message = "profile memory exists only in its server: name that with --url";
    throw new FirnError("Invalid", "NO_STORE", message);
  }
  if (profile === "local") {
    if (existsSync(operatorSocket(dir)) && (await answers(dir))) {
      return placeOf("server", NO_HOST, reachable(socketFetch(operatorSocket(dir)), dir));
    }
  }
  if (!opensStore) {
    throw new FirnError("Unavailable", "NO_SERVER", "no server runs on this store");
  }
  try {
    // A server's worth of modules: what asks another process, and a key press, does without.
    const { openStore } = await import("./open-store.ts");
    const { fetch: send, close } = await openStore(settings, output);
    return placeOf("store", NO_HOST, send, close);
  } catch (error) {
    // The owner says where it listens: of a bucket, or a directory too deep for a socket.
    const url = error instanceof FirnError && error.code === "LSM_OWNED" && error.context["url"];
    if (typeof url !== "string" || url === "") throw error;
    return placeOf(
      "server",
      url,
      reachable((request) => fetch(request), url),
    );
  }
}

function placeOf(
  reached: Place["reached"],
  url: string,
  send: Fetch,
  close = async (): Promise<void> => {},
): Place {
  return { reached, url, fetch: send, client: new FirnClient({ url, fetch: send }), close };
}

function urlPlace(url: string, token: string | undefined): Place {
  const send: Fetch = (request) => {
    if (token !== undefined) request.headers.set("Authorization", `Bearer ${token}`);
    return fetch(request);
  };
  return placeOf("url", url, reachable(send, url));
}

/** A connection that fails is told as an error of the house. */
function reachable(send: Fetch, server: string): Fetch {
  return async (request) => {
    try {
      return await send(request);
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      const reason = cause instanceof Error ? { reason: reasonOf(cause) } : {};
      const kind = request.method === "GET" || isRefused(cause) ? "Unavailable" : "Unknown";
      const message =
        kind === "Unavailable"
          ? "no server answers there: start one with firn serve, or correct --url"
          : "the connection broke: the change may have happened, so look before you repeat it";
      throw new FirnError(kind, "SERVER_UNREACHABLE", message, { server, ...reason }, error);
    }
  };
}

function reasonOf(cause: Error): string {
  return (cause as NodeJS.ErrnoException).code ?? cause.message;
}

/** Nothing was sent then. */
function isRefused(cause: unknown): boolean {
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined;
  return ["ECONNREFUSED", "ENOENT", "ENOTFOUND", "EAI_AGAIN"].includes(code ?? "");
}

/** A socket that a killed server left answers nothing. */
async function answers(dir: string): Promise<boolean> {
  try {
    const { status } = await socketFetch(operatorSocket(dir))(new Request(`${NO_HOST}/livez`));
    return status === 200;
  } catch {
    return false;
  }
}
