import { createHash, timingSafeEqual } from "node:crypto";
import { chmodSync, lstatSync, renameSync, unlinkSync } from "node:fs";
import type { IncomingMessage, Server } from "node:http";
import { join } from "node:path";
import type { Logger } from "pino";
import { utf8 } from "../base/bytes.ts";
import { FirnError } from "../base/error.ts";
import type { Prng } from "../base/prng.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../blob/directories.ts";
import {
  operatorFolder,
  operatorSocket,
  operatorTokenFile,
  SOCKET_PATH_BYTES,
} from "../runtime/operator-place.ts";
import { secretFile } from "../runtime/secret.ts";

/** The principal of who asks by the socket, while there is authentication, or with the token. */
export const OPERATOR = "operator";
const TOKEN_BYTES = 32;
/** A shorter one, which another program must have written, could be guessed. */
const TOKEN_CHARS = 32;

export interface OperatorPlaces {
  /** Where operators find socket and token; undefined: they are not served. */
  readonly dir: string | undefined;
  readonly log: Logger;
  readonly prng: Prng;
}

/**
 * Who may operate: those who can open the folder `operator` of the server's directory, which is its
 * user's alone. They connect to the socket there, or send the token there over TCP. Where a request
 * seems to come from is never asked: a proxy of this machine is as local as its operator.
 */
export class OperatorAccess {
  readonly server: Server;
  readonly #dir: string | undefined;
  readonly #log: Logger;
  readonly #prng: Prng;
  readonly #trusted = new WeakSet<IncomingMessage>();
  /** The digest of the token; undefined while there is none. */
  #token: Buffer | undefined;
  #removeSocket: () => void = () => {};

  /** @param server of the socket; not listening yet. */
  constructor(server: Server, { dir, log, prng }: OperatorPlaces) {
    this.server = server;
    this.#dir = dir;
    this.#log = log;
    this.#prng = prng;
  }

  /** Makes the folder, the token and the socket. What cannot be made is off, which is logged. */
  async open(): Promise<void> {
    const dir = this.#dir;
    if (dir === undefined) return;
    try {
      this.#token = digestOf(await this.#openToken(dir));
    } catch (error) {
      const code = error instanceof FirnError ? error.context["errno"] : undefined;
      this.#log.warn(
        { dir, code: code ?? codeOf(error) },
        "operators' endpoints are off: the directory cannot be used",
      );
      return;
    }
    try {
      this.#removeSocket = await this.#openSocket(dir);
    } catch (error) {
      this.#log.warn(
        { dir, code: codeOf(error) },
        "operators have no socket: the token works over TCP",
      );
    }
  }

  /** The request came in by the socket. */
  trust(request: IncomingMessage): void {
    this.#trusted.add(request);
  }

  isTrusted(request: IncomingMessage): boolean {
    return this.#trusted.has(request);
  }

  /** @throws FirnError `OPERATORS_OFF` (Forbidden), `OPERATOR_TOKEN_WRONG` (Unauthenticated). */
  authorize(request: IncomingMessage): void {
    if (this.#trusted.has(request)) return;
    if (this.#token === undefined) {
      const message = "operator endpoints are off: start the server with a writable --dir";
      throw new FirnError("Forbidden", "OPERATORS_OFF", message);
    }
    const sent = /^Bearer ([\x21-\x7e]{1,256})$/i.exec(request.headers.authorization ?? "")?.[1];
    if (sent !== undefined && timingSafeEqual(digestOf(sent), this.#token)) return;
    const message =
      "operator endpoints need the token: run firn lsm with the server's --dir, or send " +
      "Authorization: Bearer with the content of its operator/token";
    throw new FirnError("Unauthenticated", "OPERATOR_TOKEN_WRONG", message);
  }

  /** Takes no further connections. Resolves when those that are open have ended. */
  async close(): Promise<void> {
    this.#removeSocket();
    if (this.server.listening) {
      await new Promise<void>((resolve) => this.server.close(() => resolve()));
    }
  }

  async #openToken(dir: string): Promise<string> {
    const file = operatorTokenFile(dir);
    const made = () => utf8(Buffer.from(this.#prng.bytes(TOKEN_BYTES)).toString("hex"));
    const token = Buffer.from(await secretFile(file, this.#prng, made)).toString("latin1");
    if (process.platform !== "win32") {
      // Whatever was there before, others had no business with it.
      chmodSync(operatorFolder(dir), PRIVATE_FOLDER);
      chmodSync(file, PRIVATE_FILE);
    }
    if (/^[\x21-\x7e]+$/.test(token) && token.length >= TOKEN_CHARS) return token;
    throw new FirnError(
      "Corrupt",
      "OPERATOR_TOKEN_INVALID",
      "the operator token is too short: delete the file and restart",
      { file },
    );
  }

  /**
   * The newest server of a directory has its socket: it is made under another name in a folder that
   * only its user may enter, and replaces one that was left behind, or a fenced owner's.
   *
   * @returns what removes it, if it is still this one's.
   */
  async #openSocket(dir: string): Promise<() => void> {
    const path = operatorSocket(dir);
    if (process.platform === "win32") {
      await listenAt(this.server, path);
      return () => {};
    }
    const mark = Buffer.from(this.#prng.bytes(4)).toString("hex");
    const temporary = join(operatorFolder(dir), `socket-${mark}`);
    if (Buffer.byteLength(temporary) > SOCKET_PATH_BYTES) {
      const context = { bytes: Buffer.byteLength(temporary), limit: SOCKET_PATH_BYTES };
      throw new FirnError("Invalid", "SOCKET_PATH_TOO_LONG", "socket path too long", context);
    }
    assertReplaceable(path);
    await listenAt(this.server, temporary);
    const { ino } = lstatSync(temporary);
    renameSync(temporary, path);
    return () => {
      if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) unlinkSync(path);
    };
  }
}

/** Only a socket is ever replaced: anything else at its place is a file of others. */
function assertReplaceable(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSocket()) return;
  throw new FirnError(
    "Invalid",
    "SOCKET_PATH_TAKEN",
    "a file exists at the path of the operator socket: remove it",
  );
}

function listenAt(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token, "latin1").digest();
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
