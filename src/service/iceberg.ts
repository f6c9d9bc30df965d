import type { JsonObject } from "../base/json.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { IcebergNamespaces } from "./iceberg-namespaces.ts";
import type { IcebergTables } from "./iceberg-tables.ts";
import type {
  CommitTable,
  CreateTable,
  IcebergService,
  LoadedTable,
  LoadOptions,
  LoadResult,
  NamespaceInfo,
  NamespaceRef,
  Page,
  PageRequest,
  Properties,
  PropertiesUpdate,
  PropertiesUpdated,
  RegisterTable,
  RenameTable,
  RequestContext,
  TableRef,
} from "./requests.ts";

/** The catalog that requests without a warehouse mean. Made at the first start. */
export const DEFAULT_CATALOG = "default";

/** The Iceberg REST operations over one account. */
export class Iceberg implements IcebergService {
  readonly #catalog: AccountCatalog;
  readonly #namespaces: IcebergNamespaces;
  readonly #tables: IcebergTables;

  constructor(catalog: AccountCatalog, namespaces: IcebergNamespaces, tables: IcebergTables) {
    this.#catalog = catalog;
    this.#namespaces = namespaces;
    this.#tables = tables;
  }

  async config(_ctx: RequestContext, warehouse: string | undefined): Promise<{ catalog: string }> {
    const { entity } = await this.#catalog.catalogs.get(warehouse || DEFAULT_CATALOG);
    return { catalog: entity.name };
  }

  listNamespaces(
    _ctx: RequestContext,
    catalog: string,
    parent: readonly string[],
    page: PageRequest,
  ): Promise<Page<readonly string[]>> {
    return this.#namespaces.list(catalog, parent, page);
  }

  createNamespace(
    ctx: RequestContext,
    ref: NamespaceRef,
    properties: Properties,
  ): Promise<NamespaceInfo> {
    return this.#namespaces.create(ctx, ref, properties);
  }

  loadNamespace(_ctx: RequestContext, ref: NamespaceRef): Promise<NamespaceInfo> {
    return this.#namespaces.load(ref);
  }

  dropNamespace(ctx: RequestContext, ref: NamespaceRef): Promise<void> {
    return this.#namespaces.drop(ctx, ref);
  }

  updateNamespace(
    ctx: RequestContext,
    ref: NamespaceRef,
    update: PropertiesUpdate,
  ): Promise<PropertiesUpdated> {
    return this.#namespaces.update(ctx, ref, update);
  }

  listTables(_ctx: RequestContext, ref: NamespaceRef, page: PageRequest): Promise<Page<string>> {
    return this.#namespaces.listTables(ref, page);
  }

  createTable(ctx: RequestContext, ref: NamespaceRef, request: CreateTable): Promise<LoadedTable> {
    return request.stageCreate
      ? this.#tables.stage(ref, request)
      : this.#tables.create(ctx, ref, request);
  }

  registerTable(
    ctx: RequestContext,
    ref: NamespaceRef,
    request: RegisterTable,
  ): Promise<LoadedTable> {
    return this.#tables.register(ctx, ref, request);
  }

  loadTable(_ctx: RequestContext, ref: TableRef, options: LoadOptions): Promise<LoadResult> {
    return this.#tables.load(ref, options);
  }

  tableExists(_ctx: RequestContext, ref: TableRef): Promise<void> {
    return this.#tables.assertExists(ref);
  }

  commitTable(ctx: RequestContext, ref: TableRef, request: CommitTable): Promise<LoadedTable> {
    return this.#tables.commit(ctx, ref, request);
  }

  dropTable(
    ctx: RequestContext,
    ref: TableRef,
    options: { readonly purgeRequested: boolean },
  ): Promise<void> {
    return this.#tables.drop(ctx, ref, options);
  }

  renameTable(ctx: RequestContext, request: RenameTable): Promise<void> {
    return this.#tables.rename(ctx, request);
  }

  async reportMetrics(_ctx: RequestContext, ref: TableRef, _report: JsonObject): Promise<void> {
    await this.#tables.assertExists(ref);
  }
}
