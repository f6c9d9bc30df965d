import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import { LruMap } from "../../base/lru.ts";
import type { Locations } from "../../blob/locations.ts";
import { nameAccess } from "../../catalog/name-access.ts";
import type { Actor } from "../actor.ts";
import type { NamespaceRef, Properties, StorageCredential, TableRef } from "../requests.ts";
import type { CatalogPlaces } from "../table-locations.ts";
import { confinedLocation, isApart, type LocatedTable } from "./confined-location.ts";
import { sessionPolicy, type VendMode } from "./session-policy.ts";

/** Credentials that a store lends. */
export interface LentCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiresAtMs: number;
}

export interface AssumedSession {
  readonly policy: string;
  /** Shown in the store's own log. */
  readonly sessionName: string;
  /** The account's id: a role can demand it, so that no account borrows another one's role. */
  readonly externalId: string;
  readonly lifeMs: number;
}

/** Asks a store's token service. @throws FirnError `Unavailable` `STS_UNAVAILABLE`. */
export type AssumeRole = (session: AssumedSession) => Promise<LentCredentials>;

/** What lends credentials for the files of one store. */
export interface StoreLender {
  /** Another one after each change of what is lent. */
  readonly key: string;
  readonly partition: string;
  readonly kmsKeys: readonly string[];
  readonly assumeRole: AssumeRole;
}

export interface VendingParts {
  readonly clock: Clock;
  readonly lifeMs: number;
  readonly locations: Locations;
  /** Whether it may lend for any location, as far as it knows. No request. */
  readonly isOn: () => boolean;
  /** What lends for a location; undefined: nothing does. @throws FirnError `Unavailable`. */
  readonly lenderOf: (location: string) => Promise<StoreLender | undefined>;
}

const KEPT = 10_000;
const SESSION_NAME_CHARS = 64;
/** Clients renew credentials five minutes before they end. */
const REFRESH_ENDPOINT = "client.refresh-credentials-endpoint";

/** What its caller may do with the data of a table. */
export function modeOf(actor: Actor, ref: TableRef): VendMode | undefined {
  const { catalog, namespace: path, table: name } = ref;
  const asked = { catalog, path, relation: { type: "table", name } };
  const holds = (privilege: string): boolean =>
    actor.rights === undefined || nameAccess()?.holds(asked, privilege) === true;
  if (!holds("read-data")) return undefined;
  return holds("write-data") ? "write" : "read";
}

/** The same of a table that its caller is about to make, and then owns. */
export function modeOfNew({ rights }: Actor, ref: NamespaceRef): VendMode | undefined {
  if (rights === undefined || rights.owns) return "write";
  const asked = { catalog: ref.catalog, path: ref.namespace };
  const holds = (privilege: string) => nameAccess()?.holds(asked, privilege) === true;
  return holds("read-data") && holds("write-data") ? "write" : undefined;
}

/** Lends credentials that reach the files of one table, and nothing beside them. */
export class Vending {
  readonly #parts: VendingParts;
  readonly #lent: LruMap<string, Promise<LentCredentials>> = new LruMap(KEPT);

  constructor(parts: VendingParts) {
    this.#parts = parts;
  }

  get isOn(): boolean {
    return this.#parts.isOn();
  }

  /**
   * Credentials for a table whose caller was judged. None where its files cannot be told apart from
   * others by their paths: then the caller uses its own. Cached: no request.
   *
   * @throws FirnError `Unavailable` `STS_UNAVAILABLE`.
   */
  async lend(
    actor: Actor,
    mode: VendMode,
    table: LocatedTable,
    places: () => Promise<CatalogPlaces>,
  ): Promise<LentCredentials | undefined> {
    const location = confinedLocation(this.#parts.locations, table);
    if (location === undefined) return undefined;
    const { clock, lifeMs } = this.#parts;
    const lender = await this.#parts.lenderOf(location);
    if (lender === undefined) return undefined;
    const { partition, kmsKeys, assumeRole } = lender;
    const holder = actor.principalId ?? actor.principal;
    const key = JSON.stringify([actor.account, holder, location, mode, lender.key]);
    const kept = await this.#kept(key);
    // A caller can use it for half of its life.
    if (kept !== undefined && kept.expiresAtMs - clock.nowMs() > lifeMs / 2) return kept;
    if (!isApart(await places(), location)) return undefined;
    const policy = sessionPolicy({ location, mode, partition, kmsKeys });
    if (policy === undefined) return undefined;
    const asked = assumeRole({
      policy,
      sessionName: sessionNameOf(actor.principal),
      externalId: actor.accountId ?? actor.account,
      lifeMs,
    });
    this.#lent.set(key, asked);
    return asked;
  }

  async #kept(key: string): Promise<LentCredentials | undefined> {
    try {
      return await this.#lent.get(key);
    } catch (error) {
      if (error instanceof FirnError) return undefined;
      throw error;
    }
  }
}

/** As AWS takes it: letters, digits and `_+=,.@-`. */
function sessionNameOf(principal: string): string {
  const name = principal.replace(/[^\w+=,.@-]/g, "_").slice(0, SESSION_NAME_CHARS);
  return name.length < 2 ? `firn-${name}` : name;
}

/** As the settings of clients. `store`: what they need to know of the bucket. */
export function credentialConfig(
  lent: LentCredentials,
  store: Properties,
  refreshEndpoint: string,
): Properties {
  return {
    ...store,
    "s3.access-key-id": lent.accessKeyId,
    "s3.secret-access-key": lent.secretAccessKey,
    "s3.session-token": lent.sessionToken,
    "s3.session-token-expires-at-ms": String(lent.expiresAtMs),
    [REFRESH_ENDPOINT]: refreshEndpoint,
  };
}

/** One entry: Java's clients refresh only where there is one, and compare prefixes as texts. */
export function storageCredential(location: string, config: Properties): StorageCredential {
  return { prefix: location.endsWith("/") ? location : `${location}/`, config };
}
