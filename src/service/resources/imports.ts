import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { Connector, Job } from "../../catalog/model.ts";
import type { Actor } from "../actor.ts";
import { importJob } from "../import-jobs.ts";
import { importScope, tablesIn } from "../import-walk.ts";
import { SERVICE_LIMITS } from "../limits.ts";
import type { PageTokens } from "../page-token.ts";
import type { RemoteCredentials } from "../remote-credentials.ts";
import type { ImportedTable, ImportRun, RemotePlace, TableImport } from "../table-import.ts";
import type { ConnectorResources } from "./connectors.ts";
import { type PageAsked, type TokenPage, tokenPage } from "./pages.ts";
import type { ConnectorPlace } from "./resource.ts";

export interface ImportRequest extends PageAsked {
  /** The catalog that tables are registered in. */
  readonly into: string;
  /** Namespaces and what is below them; absent: as the connector's policy says. */
  readonly namespaces?: readonly (readonly string[])[] | undefined;
  /** Whether a table that is here moves to the remote one's metadata. */
  readonly replace: boolean;
  readonly dryRun: boolean;
  /** What the remote catalog asks for. */
  readonly credentials?: RemoteCredentials | undefined;
}

/** An import in the background: of what the connector's policy names, without credentials. */
export interface ImportJobRequest {
  readonly into: string;
  readonly replace: boolean;
}

export interface ConnectorCheck {
  readonly namespaces: number;
}

export interface ImportParts {
  readonly catalog: AccountCatalog;
  readonly connectors: ConnectorResources;
  readonly tables: TableImport;
  readonly tokens: PageTokens;
}

/**
 * Imports tables of other Iceberg REST catalogs: their metadata files are registered, no data is
 * copied. It goes through them in the order of their names, page by page, so that an import that
 * was cut short goes on where it stood, and one that is repeated changes only what has changed.
 */
export class ConnectorImports {
  readonly #parts: ImportParts;

  constructor(parts: ImportParts) {
    this.#parts = parts;
  }

  /** @throws FirnError `CONNECTOR_NOT_FOUND`; as `RemoteCatalog.open`. */
  async check(
    actor: Actor,
    place: ConnectorPlace,
    credentials?: RemoteCredentials,
  ): Promise<ConnectorCheck> {
    const remote = await this.#parts.tables.open(await this.#connector(actor, place), credentials);
    return { namespaces: (await remote.namespaces()).length };
  }

  /**
   * Imports so many tables, or as many as it can within `SERVICE_LIMITS.importMs`.
   *
   * @throws FirnError `CATALOG_NOT_FOUND`, `CONNECTOR_NOT_FOUND`; as `RemoteCatalog`. What is wrong
   *   with one table is its outcome.
   */
  async run(
    actor: Actor,
    place: ConnectorPlace,
    request: ImportRequest,
  ): Promise<TokenPage<ImportedTable>> {
    const { catalog, tables, tokens } = this.#parts;
    const connector = await this.#connector(actor, place);
    await catalog.catalogs.get(request.into);
    const remote = await tables.open(connector, request.credentials);
    const scope = request.namespaces ?? importScope(connector);
    const list = ["import", connector.id, request.into];
    return tokenPage(tokens, actor, list, request, async ({ limit = 1, after }) => {
      const done = after === undefined ? undefined : (JSON.parse(after) as RemotePlace);
      const { into, replace, dryRun } = request;
      const run = { remote, into, replace, dryRun, made: new Set<string>() };
      return this.#page(actor, run, { scope, limit, done });
    });
  }

  /**
   * Begins an import that goes on in the background, on whichever node: see `ImportJobs`.
   *
   * @throws FirnError `CATALOG_NOT_FOUND`, `CONNECTOR_NOT_FOUND`, and what `check` throws: a
   *   connector that cannot be asked now is told at once.
   */
  async begin(
    actor: Actor,
    place: ConnectorPlace,
    { into, replace }: ImportJobRequest,
  ): Promise<Job> {
    const { catalog, tables } = this.#parts;
    const connector = await this.#connector(actor, place);
    const { entity } = await catalog.catalogs.get(into);
    await tables.open(connector);
    const { ids, clock } = catalog.context;
    const job = importJob(ids.mint(), connector.id, { into: entity.id, replace }, clock.nowMs());
    await catalog.jobs.begin(job);
    return job;
  }

  async #page(actor: Actor, run: ImportRun, { scope, limit, done }: Walk) {
    const { clock } = this.#parts.catalog.context;
    const endMs = clock.monotonicMs() + SERVICE_LIMITS.importMs;
    const items: ImportedTable[] = [];
    for await (const place of tablesIn(run.remote, { scope, done })) {
      items.push(await this.#parts.tables.one(actor, run, place));
      const isOver = items.length >= limit || clock.monotonicMs() >= endMs;
      if (isOver) return { items, next: JSON.stringify(place) };
    }
    return { items };
  }

  async #connector(actor: Actor, place: ConnectorPlace): Promise<Connector> {
    return (await this.#parts.connectors.get(actor, place)).entity;
  }
}

interface Walk {
  readonly scope: readonly (readonly string[])[];
  readonly limit: number;
  /** The last table that was looked at. */
  readonly done: RemotePlace | undefined;
}
