import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/**
 * What the addresses of Unix sockets hold on every system, in bytes; Linux takes 107. The name that
 * a socket is made under counts, not the shorter one that it gets.
 */
export const SOCKET_PATH_BYTES = 103;

/** Where a server keeps what only its own user may open: the socket and the token of operators. */
export function operatorFolder(dir: string): string {
  return join(dir, "operator");
}

/** The socket, or on Windows the named pipe, where the server of a directory serves operators. */
export function operatorSocket(dir: string, platform: string = process.platform): string {
  if (platform !== "win32") return join(operatorFolder(dir), "socket");
  const mark = createHash("sha256").update(resolve(dir).toLowerCase()).digest("hex");
  return `\\\\.\\pipe\\firn-${mark.slice(0, 32)}`;
}

/** The file of the token that operators send over TCP. */
export function operatorTokenFile(dir: string): string {
  return join(operatorFolder(dir), "token");
}

/** The token in a directory; undefined where it has none, or none that this user may read. */
export async function readOperatorToken(dir: string): Promise<string | undefined> {
  return readFile(operatorTokenFile(dir), "latin1").catch(() => undefined);
}
