import { type JsonObject, printJson } from "../base/json.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { IcebergNamespaces } from "./iceberg-namespaces.ts";
import type { IcebergTables } from "./iceberg-tables.ts";
import type { IcebergViews } from "./iceberg-views.ts";
import type { MetricsReports } from "./metrics-reports.ts";
import type {
  CommitOfTable,
  CommitTable,
  CommitView,
  CreateTable,
  CreateView,
  DryRun,
  DryRunOfTable,
  IcebergService,
  LoadedTable,
  LoadedView,
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
  RegisterView,
  RenameTable,
  RenameView,
  RequestContext,
  TableRef,
  ViewRef,
} from "./requests.ts";

/** The catalog that requests without a warehouse mean. Made at the first start. */
export const DEFAULT_CATALOG = "default";

/** The Iceberg REST operations over one account. */
export class Iceberg implements IcebergService {
  readonly #catalog: AccountCatalog;
  readonly #namespaces: IcebergNamespaces;
  readonly #tables: IcebergTables;
  readonly #views: IcebergViews;
  readonly #reports: MetricsReports;

  constructor(
    catalog: AccountCatalog,
    namespaces: IcebergNamespaces,
    tables: IcebergTables,
    views: IcebergViews,
    reports: MetricsReports,
  ) {
    this.#catalog = catalog;
    this.#namespaces = namespaces;
    this.#tables = tables;
    this.#views = views;
    this.#reports = reports;
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
      ? this.#tables.stage(ctx, ref, request)
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

  dryRunTable(ctx: RequestContext, ref: TableRef, request: CommitTable): Promise<DryRun> {
    return this.#tables.dryRun(ctx, ref, request);
  }

  dropTable(
    ctx: RequestContext,
    ref: TableRef,
    options: { readonly purgeRequested: boolean },
  ): Promise<void> {
    return this.#tables.drop(ctx, ref, options);
  }

  unregisterTable(ctx: RequestContext, ref: TableRef): Promise<LoadedTable> {
    return this.#tables.unregister(ctx, ref);
  }

  renameTable(ctx: RequestContext, request: RenameTable): Promise<void> {
    return this.#tables.rename(ctx, request);
  }

  commitTransaction(
    ctx: RequestContext,
    catalog: string,
    changes: readonly CommitOfTable[],
  ): Promise<void> {
    return this.#tables.commitTogether(ctx, catalog, changes);
  }

  dryRunTransaction(
    ctx: RequestContext,
    catalog: string,
    changes: readonly CommitOfTable[],
  ): Promise<readonly DryRunOfTable[]> {
    return this.#tables.dryRunTogether(ctx, catalog, changes);
  }

  reportMetrics(ctx: RequestContext, ref: TableRef, report: JsonObject): Promise<void> {
    return this.#reports.accept(ctx, ref, printJson(report));
  }

  listViews(_ctx: RequestContext, ref: NamespaceRef, page: PageRequest): Promise<Page<string>> {
    return this.#namespaces.listViews(ref, page);
  }

  createView(ctx: RequestContext, ref: NamespaceRef, request: CreateView): Promise<LoadedView> {
    return this.#views.create(ctx, ref, request);
  }

  registerView(ctx: RequestContext, ref: NamespaceRef, request: RegisterView): Promise<LoadedView> {
    return this.#views.register(ctx, ref, request);
  }

  loadView(_ctx: RequestContext, ref: ViewRef): Promise<LoadedView> {
    return this.#views.load(ref);
  }

  viewExists(_ctx: RequestContext, ref: ViewRef): Promise<void> {
    return this.#views.assertExists(ref);
  }

  commitView(ctx: RequestContext, ref: ViewRef, request: CommitView): Promise<LoadedView> {
    return this.#views.commit(ctx, ref, request);
  }

  dryRunView(ctx: RequestContext, ref: ViewRef, request: CommitView): Promise<DryRun> {
    return this.#views.dryRun(ctx, ref, request);
  }

  dropView(ctx: RequestContext, ref: ViewRef): Promise<void> {
    return this.#views.drop(ctx, ref);
  }

  renameView(ctx: RequestContext, request: RenameView): Promise<void> {
    return this.#views.rename(ctx, request);
  }
}
