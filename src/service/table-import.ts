import { FirnError, invalid } from "../base/error.ts";
import type { Locations } from "../blob/locations.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { Connector } from "../catalog/model.ts";
import type { Actor } from "./actor.ts";
import type { IcebergNamespaces } from "./iceberg-namespaces.ts";
import type { IcebergTables } from "./iceberg-tables.ts";
import { RemoteCatalog } from "./remote-catalog.ts";
import type { RemoteCredentials } from "./remote-credentials.ts";
import type { RemoteParts } from "./remote-request.ts";

/** A table of a remote catalog. */
export interface RemotePlace {
  readonly namespace: readonly string[];
  readonly name: string;
}

/** What became of a table of the remote catalog. */
export interface ImportedTable extends RemotePlace {
  /**
   * `unchanged`: it is here with the same metadata file. `exists`: another table, or another
   * state of this one, has its name. A dry run tells what would become of it.
   */
  readonly outcome: "registered" | "replaced" | "unchanged" | "exists" | "failed";
  readonly metadataLocation?: string;
  /** Of what failed. */
  readonly code?: string;
  readonly message?: string;
}

/** One go through a remote catalog. */
export interface ImportRun {
  readonly remote: RemoteCatalog;
  /** The catalog that tables are registered in. */
  readonly into: string;
  /** Whether a table that is here moves to the remote one's metadata. */
  readonly replace: boolean;
  readonly dryRun: boolean;
  /** Namespaces that are known to be there, by `keyOf`. */
  readonly made: Set<string>;
}

export interface TableImportParts {
  readonly catalog: AccountCatalog;
  readonly locations: Locations;
  readonly iceberg: Pick<IcebergNamespaces, "make">;
  readonly icebergTables: Pick<IcebergTables, "registerTable">;
  /** Absent: this node asks no other server. */
  readonly remote?: RemoteParts | undefined;
}

/** Kinds of failures that are of one table, not of the stores. */
const OF_TABLE: ReadonlySet<string> = new Set(["Invalid", "NotFound", "AlreadyExists", "Conflict"]);

/** Brings tables of a remote catalog here, one by one: for requests and for jobs. */
export class TableImport {
  readonly #parts: TableImportParts;

  constructor(parts: TableImportParts) {
    this.#parts = parts;
  }

  /** @throws FirnError `CONNECTOR_KIND_UNSUPPORTED`; as `RemoteCatalog.open`. */
  async open(
    { kind, uri, options }: Connector,
    credentials?: RemoteCredentials,
  ): Promise<RemoteCatalog> {
    if (kind !== "ICEBERG_REST") {
      const message = "only connectors of kind ICEBERG_REST can be asked";
      throw invalid("CONNECTOR_KIND_UNSUPPORTED", message, { kind });
    }
    const { remote } = this.#parts;
    const access = { warehouse: options["warehouse"], credentials };
    if (remote !== undefined) return RemoteCatalog.open(remote, uri, access);
    throw invalid("CONNECTOR_UNREACHABLE", "this node asks no other server", {});
  }

  /** Imports one table. What is wrong with it alone is its outcome. @throws as `RemoteCatalog`. */
  async one(actor: Actor, run: ImportRun, place: RemotePlace): Promise<ImportedTable> {
    const { remote, replace } = run;
    const { namespace, name } = place;
    let metadataLocation: string | undefined;
    try {
      metadataLocation = await remote.metadataLocation(namespace, name);
      const outcome = await this.#register(actor, run, place, metadataLocation);
      return { namespace, name, outcome, metadataLocation };
    } catch (error) {
      if (!(error instanceof FirnError) || !OF_TABLE.has(error.kind)) throw error;
      // The remote catalog has gone: the tables behind this one would all fail like it.
      if (error.code === "CONNECTOR_UNREACHABLE") throw error;
      const { code, message } = error;
      const facts = metadataLocation === undefined ? {} : { metadataLocation };
      const isTaken = code === "RELATION_ALREADY_EXISTS" || error.kind === "AlreadyExists";
      const outcome = isTaken && !replace ? "exists" : "failed";
      return { namespace, name, outcome, ...facts, code, message };
    }
  }

  async #register(
    actor: Actor,
    { into: catalog, replace, dryRun, made }: ImportRun,
    { namespace, name }: RemotePlace,
    metadataLocation: string,
  ): Promise<ImportedTable["outcome"]> {
    const { iceberg, icebergTables, locations } = this.#parts;
    const held = await this.#held(catalog, namespace, name);
    if (held !== undefined) {
      if (locations.normalize(held) === locations.normalize(metadataLocation)) return "unchanged";
      if (!replace) return "exists";
    }
    const outcome = held === undefined ? "registered" : "replaced";
    if (dryRun) {
      if (await locations.exists(metadataLocation)) return outcome;
      const message = "metadata file not found";
      throw new FirnError("NotFound", "METADATA_FILE_MISSING", message, { metadataLocation });
    }
    // One change for each: a key of the request's names none of them.
    const { idempotency: _, ...each } = actor;
    for (let level = 1; level <= namespace.length; level++) {
      const path = namespace.slice(0, level);
      if (made.has(keyOf(path))) continue;
      try {
        await iceberg.make(each, { catalog, namespace: path }, {});
      } catch (error) {
        if (!(error instanceof FirnError) || error.kind !== "AlreadyExists") throw error;
      }
      made.add(keyOf(path));
    }
    const registration = { name, metadataLocation, overwrite: held !== undefined };
    await icebergTables.registerTable(each, { catalog, namespace }, registration);
    return outcome;
  }

  /** The metadata file of the table that has the name; "" where it is of another format. */
  async #held(catalog: string, path: readonly string[], name: string): Promise<string | undefined> {
    try {
      const { entity } = await this.#parts.catalog.tables.get({ catalog, path, name });
      if (entity.iceberg !== undefined) return entity.iceberg.metadataLocation;
      throw new FirnError("AlreadyExists", "TABLE_ALREADY_EXISTS", "a table of another format");
    } catch (error) {
      if (error instanceof FirnError && error.kind === "NotFound") return undefined;
      throw error;
    }
  }
}

export function keyOf(path: readonly string[]): string {
  return path.join("\u0000");
}
