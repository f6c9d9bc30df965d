import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { NewConnector } from "../../catalog/connectors.ts";
import { connectorNotFound } from "../../catalog/errors.ts";
import type { Listed } from "../../catalog/listed.ts";
import type { Connector, ConnectorKind, ConnectorPolicy } from "../../catalog/model.ts";
import { type RevisedEntity, revisedOf } from "../../catalog/revised-entity.ts";
import type { Actor } from "../actor.ts";
import type { PageTokens } from "../page-token.ts";
import type { Properties } from "../requests.ts";
import type { ReservedProperties } from "../reserved-properties.ts";
import type { ResourceNames } from "./names.ts";
import { type PageAsked, type TokenPage, tokenPage } from "./pages.ts";
import { masked, mergedProperties, type Patch } from "./patch.ts";
import { type ConnectorPlace, expecting, type Precondition, type Resource } from "./resource.ts";

/** How often a connector is imported from where its policy says nothing else. */
const INTERVAL_MS = 3_600_000;

type GivenPolicy = { readonly [K in keyof ConnectorPolicy]?: ConnectorPolicy[K] | undefined };

export interface NewConnectorResource {
  readonly name: string;
  readonly kind: ConnectorKind;
  readonly uri: string;
  readonly description?: string | undefined;
  readonly options?: Properties | undefined;
  readonly policy?: GivenPolicy | undefined;
  readonly properties?: Properties | undefined;
}

export interface ConnectorPatch extends Omit<Patch, "protected"> {
  readonly uri?: string;
  /** Null removes an option. */
  readonly options?: Readonly<Record<string, string | null>>;
  readonly policy?: GivenPolicy;
}

export interface ConnectorUpdate extends Precondition {
  readonly patch: ConnectorPatch;
  readonly mask?: readonly string[] | undefined;
}

export interface ConnectorResourceParts {
  readonly catalog: AccountCatalog;
  readonly names: ResourceNames;
  readonly tokens: PageTokens;
  readonly reserved: ReservedProperties;
}

/** The connectors of the account, as the native API has them. */
export class ConnectorResources {
  readonly #parts: ConnectorResourceParts;

  constructor(parts: ConnectorResourceParts) {
    this.#parts = parts;
  }

  async list(actor: Actor, page: PageAsked): Promise<TokenPage<Listed>> {
    const { catalog, tokens } = this.#parts;
    return tokenPage(tokens, actor, ["connectors"], page, (asked) =>
      catalog.connectors.page(asked),
    );
  }

  /** @throws FirnError `CONNECTOR_ALREADY_EXISTS`, `NAME_INVALID`, `PROPERTY_SECRET`. */
  async create(actor: Actor, request: NewConnectorResource): Promise<Resource<Connector>> {
    const { name, kind, uri, description = "", options = {}, properties = {} } = request;
    const policy = { enabled: false, intervalMs: INTERVAL_MS, scope: [], ...given(request.policy) };
    const made: NewConnector = { name, kind, uri, description, options, properties, policy };
    this.#assertNoSecret(made);
    return shown(await this.#parts.catalog.connectors.create(actor, made));
  }

  /** @throws FirnError `CONNECTOR_NOT_FOUND`. */
  async get(_actor: Actor, place: ConnectorPlace): Promise<Resource<Connector>> {
    const { ref, id } = await this.#parts.names.connector(place);
    const stored = await this.#parts.catalog.connectors.get(ref);
    expecting<Connector>({}, id, () => connectorNotFound(ref))(stored);
    return shown(revisedOf(stored));
  }

  /** @throws FirnError as `get`, `create`; `PRECONDITION_FAILED`, `UPDATE_MASK_INVALID`. */
  async update(
    actor: Actor,
    place: ConnectorPlace,
    { patch, mask, ...precondition }: ConnectorUpdate,
  ): Promise<Resource<Connector>> {
    const { catalog, names } = this.#parts;
    const { ref, id } = await names.connector(place);
    const asked = masked(patch, mask);
    const expect = expecting<Connector>(precondition, id, () => connectorNotFound(ref));
    const done = await catalog.connectors.revise(actor, ref, (stored) => {
      expect(stored);
      const next = patchedConnector(stored.entity, asked);
      if (next !== undefined) this.#assertNoSecret(next);
      return next;
    });
    return shown(done);
  }

  /** @throws FirnError as `get`; `PRECONDITION_FAILED`. */
  async delete(
    actor: Actor,
    place: ConnectorPlace,
    precondition: Precondition = {},
  ): Promise<void> {
    const { catalog, names } = this.#parts;
    const { ref, id } = await names.connector(place);
    const expect = expecting<Connector>(precondition, id, () => connectorNotFound(ref));
    await catalog.connectors.delete(actor, ref, expect);
  }

  /** Options are read by everybody, as properties are: credentials come from the environment. */
  #assertNoSecret({ uri, options, properties }: Pick<Connector, "uri" | "options" | "properties">) {
    const { reserved } = this.#parts;
    reserved.assertNoSecret({ ...options, ...properties, uri });
  }
}

function given(policy: GivenPolicy = {}): Partial<ConnectorPolicy> {
  return Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== undefined));
}

/** What a patch makes of a connector; undefined where that is what it is already. */
function patchedConnector(before: Connector, patch: ConnectorPatch): Connector | undefined {
  const { description = before.description, uri = before.uri } = patch;
  const properties = mergedProperties(before.properties, patch.properties);
  const options = mergedProperties(before.options, patch.options);
  const policy = { ...before.policy, ...given(patch.policy) };
  const isSame =
    description === before.description &&
    uri === before.uri &&
    properties === before.properties &&
    options === before.options &&
    samePolicy(policy, before.policy);
  return isSame ? undefined : { ...before, description, uri, properties, options, policy };
}

function samePolicy(a: ConnectorPolicy, b: ConnectorPolicy): boolean {
  const textOf = ({ enabled, intervalMs, scope }: ConnectorPolicy): string =>
    JSON.stringify([enabled, intervalMs, scope]);
  return textOf(a) === textOf(b);
}

function shown(revised: RevisedEntity<Connector>): Resource<Connector> {
  return { ...revised, above: {} };
}
