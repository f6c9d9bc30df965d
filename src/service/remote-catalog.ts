import { FirnError, invalid } from "../base/error.ts";
import { isJsonArray, isJsonObject, type JsonObject, parseJsonBytes } from "../base/json.ts";
import { asObject } from "../base/json-read.ts";
import { LIMITS } from "../base/limits.ts";
import { SERVICE_LIMITS } from "./limits.ts";
import { authorizationOf, type RemoteCredentials } from "./remote-credentials.ts";
import { type RemoteParts, type RemoteRequest, remoteBase } from "./remote-request.ts";

/** How a catalog is asked. */
export interface RemoteAccess {
  readonly warehouse?: string | undefined;
  readonly credentials?: RemoteCredentials | undefined;
}

interface Configured {
  readonly authorization: string | undefined;
  readonly prefix: string;
  readonly separator: string;
}

/** Between the levels of a namespace in a path, where a server names no other. */
const SEPARATOR = "%1F";

/** Reads another Iceberg REST catalog. Nothing of what it answers is taken on trust. */
export class RemoteCatalog {
  readonly #parts: RemoteParts;
  readonly #base: string;
  readonly #authorization: string | undefined;
  readonly #prefix: string;
  readonly #separator: string;

  private constructor(
    parts: RemoteParts,
    base: string,
    { authorization, prefix, separator }: Configured,
  ) {
    this.#parts = parts;
    this.#base = base;
    this.#authorization = authorization;
    this.#prefix = prefix;
    this.#separator = separator;
  }

  /**
   * Asks for the catalog's configuration. One request, two where a client signs in.
   *
   * @throws FirnError `Invalid`: `CONNECTOR_URI_INVALID`, `CONNECTOR_UNREACHABLE`,
   *   `CONNECTOR_REFUSED`, `CONNECTOR_ANSWER_INVALID`; as `authorizationOf`.
   */
  static async open(
    parts: RemoteParts,
    uri: string,
    { warehouse, credentials }: RemoteAccess,
  ): Promise<RemoteCatalog> {
    const base = remoteBase(uri);
    const authorization = await authorizationOf(parts, base, credentials);
    const query = warehouse === undefined ? "" : `?warehouse=${encodeURIComponent(warehouse)}`;
    const config = await asked(parts, { url: `${base}/v1/config${query}`, authorization });
    const setting = (name: string): string | undefined => {
      for (const each of [config["overrides"], config["defaults"]]) {
        const value = isJsonObject(each) ? each[name] : undefined;
        if (typeof value === "string") return value;
      }
      return undefined;
    };
    const prefix = pathOf(setting("prefix") ?? "");
    const separator = separatorOf(setting("namespace-separator") ?? SEPARATOR);
    return new RemoteCatalog(parts, base, { authorization, prefix, separator });
  }

  /** Namespaces of all levels, sorted, each once. One request a page, and one a namespace. */
  async namespaces(): Promise<readonly (readonly string[])[]> {
    const found: (readonly string[])[] = [];
    const waiting: (readonly string[])[] = [[]];
    for (let parent = waiting.shift(); parent !== undefined; parent = waiting.shift()) {
      const query =
        parent.length === 0 ? {} : { parent: parent.join(decodeURIComponent(this.#separator)) };
      for await (const path of this.#pages("namespaces", "namespaces", query)) {
        const levels = isJsonArray(path) ? path.filter((level) => typeof level === "string") : [];
        // A server that knows no parents answers the top level again.
        const isChild =
          levels.length === parent.length + 1 && parent.every((level, i) => level === levels[i]);
        if (!isChild || levels.length > LIMITS.namespaceLevels) continue;
        found.push(levels);
        waiting.push(levels);
        if (found.length > SERVICE_LIMITS.importedNamespaces) {
          throw tooMany("namespaces", SERVICE_LIMITS.importedNamespaces);
        }
      }
    }
    return found.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  /** Names of the tables of a namespace, sorted. One request a page. */
  async tables(namespace: readonly string[]): Promise<readonly string[]> {
    const names = new Set<string>();
    const path = `namespaces/${this.#encoded(namespace)}/tables`;
    for await (const entry of this.#pages(path, "identifiers", {})) {
      const name = isJsonObject(entry) ? entry["name"] : undefined;
      if (typeof name === "string") names.add(name);
      if (names.size > SERVICE_LIMITS.importedTables) {
        throw tooMany("tables", SERVICE_LIMITS.importedTables);
      }
    }
    return [...names].sort();
  }

  /** Where the current metadata file of a table is. One request. */
  async metadataLocation(namespace: readonly string[], table: string): Promise<string> {
    const path = `namespaces/${this.#encoded(namespace)}/tables/${encodeURIComponent(table)}`;
    const answer = await this.#ask(`${path}?snapshots=refs`);
    const location = answer["metadata-location"];
    if (typeof location === "string" && location !== "") return location;
    throw answerInvalid("a table without metadata-location", { table });
  }

  #encoded(namespace: readonly string[]): string {
    return namespace.map(encodeURIComponent).join(this.#separator);
  }

  #ask(path: string): Promise<JsonObject> {
    const url = `${this.#base}/v1/${this.#prefix}${path}`;
    return asked(this.#parts, { url, authorization: this.#authorization });
  }

  async *#pages(path: string, member: string, query: Readonly<Record<string, string>>) {
    const seen = new Set<string>();
    for (let pageToken = ""; ; ) {
      const params = new URLSearchParams({ ...query, pageToken, pageSize: "1000" });
      const answer = await this.#ask(`${path}?${params}`);
      const items = answer[member];
      if (!isJsonArray(items)) throw answerInvalid(`a list without ${member}`, { path });
      yield* items;
      const next = answer["next-page-token"];
      if (typeof next !== "string" || next === "") return;
      if (seen.has(next)) throw answerInvalid("pages without end", { path });
      seen.add(next);
      pageToken = next;
    }
  }
}

function keyOf(path: readonly string[]): string {
  return path.join("\u0000");
}

/** As it stands in a path: percent-encoded, as servers name it. */
function separatorOf(text: string): string {
  if (text.length <= 16 && /^(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9._~-])+$/.test(text)) {
    try {
      decodeURIComponent(text);
      return text;
    } catch {
      // Told below.
    }
  }
  throw answerInvalid("a namespace-separator that is not percent-encoded", {});
}

/** A prefix may have several segments; it leads to no other path of the server. */
function pathOf(prefix: string): string {
  const segments = prefix.split("/").filter((segment) => segment !== "");
  if (segments.some((segment) => segment === "." || segment === "..")) {
    throw answerInvalid("a prefix with dot segments", {});
  }
  return segments.map((segment) => `${encodeURIComponent(segment)}/`).join("");
}

async function asked(
  { fetch, readBody }: RemoteParts,
  request: RemoteRequest,
): Promise<JsonObject> {
  const { status, bytes } = await fetch(request);
  const { pathname } = new URL(request.url);
  if (status !== 200) {
    const message = "the remote catalog refused a request: see its status";
    throw invalid("CONNECTOR_REFUSED", message, { status, path: pathname.slice(0, 200) });
  }
  try {
    if (bytes.length > LIMITS.turnBytes) return await readBody(bytes);
    return asObject(parseJsonBytes(bytes), "");
  } catch (error) {
    if (!(error instanceof FirnError) || error.kind !== "Invalid") throw error;
    throw answerInvalid(error.code, { path: pathname.slice(0, 200) });
  }
}

function answerInvalid(why: string, context: Readonly<Record<string, string>>): FirnError {
  const message = `the remote catalog's answer is not of an Iceberg REST catalog: ${why}`;
  return invalid("CONNECTOR_ANSWER_INVALID", message, { why, ...context });
}

function tooMany(what: string, limit: number): FirnError {
  const message = `too many ${what} for one import: name namespaces`;
  return invalid("IMPORT_TOO_LARGE", message, { what, limit });
}
