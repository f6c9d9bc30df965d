import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { FirnError } from "../base/error.ts";
import type { OperatorTarget } from "../http/admin/client.ts";
import { operatorFolder, operatorSocket, readOperatorToken } from "../runtime/operator-place.ts";

/** A running server, as a command line names it. */
export interface ServerAt {
  /** Its URL, or its `--dir`. */
  readonly server: string;
  /** Where the token for a URL lies. Absolute. */
  readonly dir: string;
}

/**
 * How to reach a server: by the socket of its directory, or by its URL with the directory's token.
 *
 * @throws FirnError `Invalid`, code `OPERATOR_URL_INVALID`.
 */
export async function operatorTarget({ server, dir }: ServerAt): Promise<OperatorTarget> {
  if (/^https?:\/\//.test(server)) {
    const url = serverUrl(server);
    if (url !== undefined) return { url, token: await readOperatorToken(dir) };
  } else if (existsSync(operatorFolder(resolve(server)))) {
    return { socketPath: operatorSocket(resolve(server)) };
  }
  const message =
    "not a running server: give http://host:port, or its --dir, which has a folder operator";
  throw new FirnError("Invalid", "OPERATOR_URL_INVALID", message, { server });
}

/** Where a server is said to listen, without a slash at its end; undefined of anything else. */
function serverUrl(text: string): string | undefined {
  const url = URL.parse(text);
  return url?.pathname === "/" && url.search === "" ? url.origin : undefined;
}
