import { invalid } from "../base/error.ts";
import { MessageReader } from "./message-reader.ts";
import { STARTUP } from "./message-types.ts";

/** The first packet of a connection. */
export type Startup =
  | { readonly kind: "encryption"; readonly by: "tls" | "gss" }
  | { readonly kind: "cancel"; readonly pid: number; readonly secret: number }
  | {
      readonly kind: "session";
      readonly user: string;
      readonly database: string;
      /** What the client sets at once, in its order. */
      readonly settings: ReadonlyMap<string, string>;
      /** Whether it speaks a newer protocol, and what it asked for that there is not. */
      readonly minor: number;
      readonly unknown: readonly string[];
    };

/** @throws FirnError `PROTOCOL_VIOLATION`, `PROTOCOL_NOT_SUPPORTED`, `USER_MISSING`. */
export function readStartup(body: Buffer): Startup {
  const reader = new MessageReader(body);
  const version = reader.uint32();
  if (version === STARTUP.sslRequest || version === STARTUP.gssRequest) {
    reader.end();
    return { kind: "encryption", by: version === STARTUP.sslRequest ? "tls" : "gss" };
  }
  if (version === STARTUP.cancelRequest) {
    const cancel = { kind: "cancel", pid: reader.int32(), secret: reader.int32() } as const;
    reader.end();
    return cancel;
  }
  const [major, minor] = [version >>> 16, version & 0xffff];
  if (major !== STARTUP.major) {
    const message =
      `unsupported frontend protocol ${major}.${minor}: the server supports 3.0; ` +
      "use a PostgreSQL client";
    throw fatal("PROTOCOL_NOT_SUPPORTED", "0A000", message);
  }
  return sessionOf(reader, minor);
}

function sessionOf(reader: MessageReader, minor: number): Startup {
  const settings = new Map<string, string>();
  const unknown: string[] = [];
  let user = "";
  let database = "";
  for (let name = reader.text(); name !== ""; name = reader.text()) {
    const value = reader.text();
    if (name === "user") user = value;
    else if (name === "database") database = value;
    else if (name === "options")
      for (const [key, each] of optionsOf(value)) settings.set(key, each);
    else if (name === "replication") refuseReplication(value);
    else if (name.startsWith("_pq_.")) unknown.push(name);
    else settings.set(name, value);
  }
  reader.end();
  if (user === "") {
    const message = "no PostgreSQL user name specified in startup packet";
    throw fatal("USER_MISSING", "28000", message);
  }
  return { kind: "session", user, database: database || user, settings, minor, unknown };
}

function refuseReplication(value: string): void {
  if (/^(?:0|f|false|n|no|off)$/i.test(value)) return;
  throw fatal("REPLICATION_NOT_SUPPORTED", "0A000", "replication connections are not supported");
}

/** `-c name=value`, `--name=value`; a backslash keeps a blank in a value. */
function* optionsOf(text: string): Generator<readonly [string, string]> {
  const words: string[] = text.match(/(?:\\.|[^\s\\])+/gs) ?? [];
  const plain = words.map((word) => word.replace(/\\(.)/gs, "$1"));
  for (let i = 0; i < plain.length; i++) {
    const word = plain[i] ?? "";
    const setting = word === "-c" ? plain[++i] : /^(?:-c|--)(.+)$/s.exec(word)?.[1];
    const parts = /^([^=]+)=(.*)$/s.exec(setting ?? "");
    if (parts === null) {
      const message = `invalid command-line argument for server process: ${word}`;
      throw fatal("OPTION_INVALID", "42601", message);
    }
    yield [(parts[1] as string).replaceAll("-", "_"), parts[2] as string];
  }
}

function fatal(code: string, sqlState: string, message: string): Error {
  return invalid(code, message, { sqlState, fatal: true });
}
