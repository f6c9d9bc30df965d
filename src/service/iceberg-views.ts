import type { ViewUuid } from "../base/ids.ts";
import { inTurns, type Steps } from "../base/steps.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { View } from "../catalog/model.ts";
import type { ViewRef as CatalogViewRef } from "../catalog/views.ts";
import { type ViewCommit, viewCommitSteps } from "../iceberg/commit.ts";
import type { ViewMetadata } from "../iceberg/view-metadata.ts";
import { applyViewSteps, newViewSteps, viewRequirementChecks } from "../iceberg/view-updates.ts";
import type { Actor } from "./actor.ts";
import type { Described } from "./commit-files.ts";
import { CommitQueue } from "./commit-queue.ts";
import { asDryRun, dryRunOf } from "./dry-run.ts";
import type { MetadataFile, MetadataFiles } from "./metadata-files.ts";
import { Registration, RelationCommits } from "./relation-commits.ts";
import { ofRelation } from "./relation-missing.ts";
import type {
  CommitView,
  CreateView,
  DryRun,
  LoadedView,
  NamespaceRef,
  RegisterView,
  RenameView,
  ViewOperations,
  ViewRef,
} from "./requests.ts";
import type { TableConfigs } from "./table-config.ts";
import type { CatalogPlaces, TableLocations } from "./table-locations.ts";

function refOf(ref: ViewRef): CatalogViewRef {
  return { catalog: ref.catalog, path: ref.namespace, name: ref.view };
}

/** What the catalog is told of a view with this metadata: in one step, where a table takes many. */
export function* describeView({ uuid, currentVersionId }: ViewMetadata): Steps<Described<View>> {
  yield;
  const viewUuid = uuid as ViewUuid;
  return (metadataLocation) => ({ iceberg: { viewUuid, metadataLocation, currentVersionId } });
}

/** The view operations of the Iceberg REST protocol. */
export class IcebergViews implements ViewOperations {
  readonly #catalog: AccountCatalog;
  readonly #files: MetadataFiles<ViewMetadata>;
  readonly #configs: TableConfigs;
  readonly #commits: RelationCommits<View, ViewMetadata>;
  readonly #queue: CommitQueue = new CommitQueue();

  constructor(
    catalog: AccountCatalog,
    files: MetadataFiles<ViewMetadata>,
    places: TableLocations,
    configs: TableConfigs,
  ) {
    this.#catalog = catalog;
    this.#files = files;
    this.#configs = configs;
    const { context, views: relations } = catalog;
    const parts = {
      type: "view",
      relations,
      describe: describeView,
      context,
      files,
      places,
    } as const;
    this.#commits = new RelationCommits<View, ViewMetadata>(parts);
  }

  /** Warm: one batch read of pointers and, for a `file:` view, one `stat`. */
  async loadView(_actor: Actor, ref: ViewRef): Promise<LoadedView> {
    const found = await ofRelation("view", refOf(ref), () => this.#commits.find(refOf(ref)));
    return this.#answer(await this.#files.load(found));
  }

  /** What its metadata file says. Cost: as `loadView`. */
  async metadata(_actor: Actor, ref: ViewRef): Promise<ViewMetadata> {
    const found = await ofRelation("view", refOf(ref), () => this.#commits.find(refOf(ref)));
    return (await this.#files.load(found)).metadata;
  }

  async viewExists(_actor: Actor, ref: ViewRef): Promise<void> {
    await ofRelation("view", refOf(ref), () => this.#catalog.views.find(refOf(ref)));
  }

  async createView(actor: Actor, ref: NamespaceRef, request: CreateView): Promise<LoadedView> {
    this.#configs.reserved.assertUnset(new Map(Object.entries(request.properties)));
    const view = { ...ref, view: request.name };
    const uuid = this.#catalog.context.ids.mint<ViewUuid>();
    const factory = {
      byDefault: request.location === undefined,
      metadata: (places: CatalogPlaces) => this.#newMetadata(places, view, request, uuid),
    };
    return this.#answer((await this.#commits.create(actor, refOf(view), factory)).file);
  }

  /** Commits of one view are taken in turn; a lost race between nodes is applied again. */
  async commitView(actor: Actor, ref: ViewRef, request: CommitView): Promise<LoadedView> {
    const key = JSON.stringify([ref.catalog, ref.namespace, ref.view]);
    const commit = await inTurns(this.#catalog.context.clock, viewCommitSteps(request));
    const done = await this.#queue.take(key, () => this.#commit(actor, ref, commit));
    return this.#answer(done.file);
  }

  /** What a commit would come to now. Warm: one batch read and, for a `file:` view, one `stat`. */
  async dryRunView(actor: Actor, ref: ViewRef, request: CommitView): Promise<DryRun> {
    const { clock } = this.#catalog.context;
    const commit = await inTurns(clock, viewCommitSteps(request));
    const { file, base } = await this.#commit(asDryRun(actor), ref, commit);
    return dryRunOf(clock, this.#files, file, base);
  }

  async #answer(file: MetadataFile<ViewMetadata>): Promise<LoadedView> {
    const { location, pieces, metadata } = file;
    const config = await this.#configs.of(metadata);
    return { metadataLocation: location, metadata: pieces, config };
  }

  #commit(actor: Actor, ref: ViewRef, { requirements, updates }: ViewCommit) {
    const { clock } = this.#catalog.context;
    const { reserved } = this.#configs;
    const change = function* (base: ViewMetadata): Steps<ViewMetadata> {
      yield* viewRequirementChecks(requirements, base);
      const next = yield* applyViewSteps(base, updates, clock.nowMs());
      reserved.assertUnset(next.properties, base.properties);
      return next;
    };
    return ofRelation("view", refOf(ref), () => this.#commits.update(actor, refOf(ref), change));
  }

  async registerView(actor: Actor, ref: NamespaceRef, request: RegisterView): Promise<LoadedView> {
    const { views } = this.#catalog;
    const view = refOf({ ...ref, view: request.name });
    const registration = new Registration<View, ViewMetadata>();
    const draft = () => this.#commits.registered(view, request.metadataLocation, registration);
    const done = await views.create(actor, "register-view", view, draft);
    return this.#answer((await this.#commits.confirm(actor, done, view, registration)).file);
  }

  async dropView(actor: Actor, ref: ViewRef): Promise<void> {
    await ofRelation("view", refOf(ref), () => this.#catalog.views.drop(actor, refOf(ref)));
  }

  async renameView(actor: Actor, { catalog, from, to }: RenameView): Promise<void> {
    const source = refOf({ ...from, catalog });
    const target = { path: to.namespace, name: to.view };
    await ofRelation("view", source, () => this.#catalog.views.rename(actor, source, target));
  }

  #newMetadata(
    places: CatalogPlaces,
    ref: ViewRef,
    request: CreateView,
    uuid: ViewUuid,
  ): Steps<ViewMetadata> {
    const { schema, version, properties } = request;
    if (request.location !== undefined) places.allowed(request.location);
    const location = request.location ?? places.defaultFor(ref.namespace, request.name, uuid);
    const nowMs = this.#catalog.context.clock.nowMs();
    return newViewSteps({ schema, version, location, properties, uuid, nowMs });
  }
}
