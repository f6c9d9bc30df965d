import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { FirnError } from "../base/error.ts";
import { ApiError, type Fetch, FirnClient } from "../client/client.ts";

/** Properties of anything, by key. */
type Properties = Readonly<Record<string, string>>;

/** Columns by name: `{ "depth": "long not null" }`; or a schema as Iceberg writes one. */
export type FixtureSchema = Readonly<Record<string, unknown>>;

export interface FixtureTable {
  readonly name: string;
  /** Absent: `register` names a metadata file that has it. */
  readonly schema?: FixtureSchema;
  readonly properties?: Properties;
  /** A metadata file of a table that exists: a URI, or a path relative to the fixture. */
  readonly register?: string;
}

export interface FixtureView {
  readonly name: string;
  readonly sql: string;
  /** `spark` if absent. */
  readonly dialect?: string;
  readonly schema?: FixtureSchema;
}

export interface FixtureNamespace {
  /** Its levels, or one name. */
  readonly path: string | readonly string[];
  readonly properties?: Properties;
  readonly tables?: readonly FixtureTable[];
  readonly views?: readonly FixtureView[];
}

export interface FixtureCatalog {
  /** `default` is there already, and gets what the fixture adds. */
  readonly name: string;
  readonly description?: string;
  readonly properties?: Properties;
  readonly namespaces?: readonly FixtureNamespace[];
}

/** A whole catalog, or several, as a file of JSON has them. */
export interface Fixture {
  readonly catalogs: readonly FixtureCatalog[];
}

const URL_OF_NOWHERE = "http://firn";

/** A fixture, and the directory that its paths start at. */
export interface LoadedFixture {
  readonly fixture: Fixture;
  readonly directory: string;
}

/** @throws FirnError `FIXTURE_UNREADABLE`, `FIXTURE_INVALID`. */
export async function readFixture(file: string, cwd: string): Promise<LoadedFixture> {
  const path = resolve(cwd, file);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const message = "cannot read the fixture: give the path of a JSON file";
    throw new FirnError("Invalid", "FIXTURE_UNREADABLE", message, { path }, error);
  }
  try {
    return { fixture: JSON.parse(text) as Fixture, directory: resolve(path, "..") };
  } catch (error) {
    throw new FirnError("Invalid", "FIXTURE_INVALID", "the fixture is not JSON", { path }, error);
  }
}

/** Fills a catalog through the same API that clients use. */
export class FixtureLoader {
  readonly #fetch: Fetch;
  readonly #client: FirnClient;
  readonly #directory: string;

  constructor(fetch: Fetch, directory: string) {
    this.#fetch = fetch;
    this.#client = new FirnClient({ url: URL_OF_NOWHERE, fetch });
    this.#directory = directory;
  }

  /** @throws FirnError `FIXTURE_INVALID`, which names the entry and why it was refused. */
  async load(fixture: Fixture): Promise<void> {
    for (const [i, catalog] of entriesOf(fixture.catalogs, "/catalogs")) {
      await this.#catalog(catalog, `/catalogs/${i}`);
    }
  }

  async #catalog(catalog: FixtureCatalog, at: string): Promise<void> {
    const { name, namespaces: _namespaces, ...own } = catalog;
    if (name !== "default") {
      await told(at, this.#client.call("createCatalog", { body: { name, ...own } }));
    } else if (Object.keys(own).length > 0) {
      await told(at, this.#client.call("updateCatalog", { path: { catalog: name }, body: own }));
    }
    for (const [i, namespace] of entriesOf(catalog.namespaces, `${at}/namespaces`)) {
      await this.#namespace(name, namespace, `${at}/namespaces/${i}`);
    }
  }

  async #namespace(catalog: string, namespace: FixtureNamespace, at: string): Promise<void> {
    const { path, properties } = namespace;
    const levels = typeof path === "string" ? [path] : path;
    const body = { path: levels, ...(properties !== undefined && { properties }) };
    await told(at, this.#client.call("createNamespace", { path: { catalog }, body }));
    const mount = [catalog, "namespaces", levels.join("\u001f")].map(encodeURIComponent).join("/");
    for (const [i, table] of entriesOf(namespace.tables, `${at}/tables`)) {
      await this.#table(mount, table, `${at}/tables/${i}`);
    }
    for (const [i, view] of entriesOf(namespace.views, `${at}/views`)) {
      await this.#view(mount, view, `${at}/views/${i}`);
    }
  }

  #table(mount: string, table: FixtureTable, at: string): Promise<void> {
    const { name, schema, properties, register } = table;
    if (register !== undefined) {
      const isUri = /^[A-Za-z][A-Za-z0-9+.-]+:/.test(register);
      const path = resolve(this.#directory, register);
      const location = isUri ? register : pathToFileURL(path).href;
      return this.#post(`${mount}/register`, { name, "metadata-location": location }, at);
    }
    const body = { name, schema: icebergSchema(schema ?? {}, `${at}/schema`), properties };
    return this.#post(`${mount}/tables`, body, at);
  }

  #view(mount: string, { name, sql, dialect = "spark", schema }: FixtureView, at: string) {
    const body = {
      name,
      schema: icebergSchema(schema ?? {}, `${at}/schema`),
      "view-version": {
        "version-id": 1,
        "timestamp-ms": 0,
        "schema-id": 0,
        summary: {},
        "default-namespace": [decodeURIComponent(mount.split("/").at(-1) ?? "")],
        representations: [{ type: "sql", sql, dialect }],
      },
      properties: {},
    };
    return this.#post(`${mount}/views`, body, at);
  }

  async #post(path: string, body: object, at: string): Promise<void> {
    const response = await this.#fetch(
      new Request(`${URL_OF_NOWHERE}/iceberg/v1/${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
    if (response.ok) return;
    const { error } = (await response.json()) as { readonly error: { readonly message: string } };
    throw invalidAt(at, response.headers.get("X-Firn-Error") ?? "", error.message);
  }
}

/** A refusal, with the entry of the fixture that was refused. */
async function told(at: string, call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, detail, errors = [] } = error.problem;
    const [first] = errors;
    throw invalidAt(`${at}${first?.pointer ?? ""}`, code, first?.detail ?? detail);
  }
}

function invalidAt(pointer: string, code: string, detail: string): FirnError {
  const message = `the fixture is invalid at ${pointer}: ${detail}`;
  return new FirnError("Invalid", "FIXTURE_INVALID", message, { pointer, code });
}

/** A list of the fixture with the place of each entry; absent: none. */
function entriesOf<T>(list: readonly T[] | undefined, at: string): IterableIterator<[number, T]> {
  if (list === undefined) return [].entries();
  if (Array.isArray(list)) return list.entries();
  throw invalidAt(at, "VALUE_INVALID", "must be a list");
}

/** Columns by name as a schema of Iceberg; one that is such a schema stays as it is. */
function icebergSchema(schema: FixtureSchema, at: string): object {
  if (schema["type"] === "struct" && Array.isArray(schema["fields"])) return schema;
  const fields = Object.entries(schema).map(([name, type], i) => {
    if (typeof type !== "string") throw invalidAt(`${at}/${name}`, "VALUE_INVALID", "must be text");
    const [, base = type, required] = /^(.*?)(\s+not\s+null)?$/i.exec(type.trim()) ?? [];
    return { id: i + 1, name, required: required !== undefined, type: base };
  });
  return { type: "struct", fields };
}
