import { FirnError, invalid } from "../../base/error.ts";
import type { AccountId, StorageProfileId, StorageSecretId } from "../../base/ids.ts";
import { isWithin, type Locations } from "../../blob/locations.ts";
import { normalizeS3Location } from "../../blob/s3/location.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { storageProfileNotFound } from "../../catalog/errors.ts";
import type { Listed } from "../../catalog/listed.ts";
import type { StorageProfile, StorageSecretKind, StorageSigning } from "../../catalog/model.ts";
import { type RevisedEntity, revisedOf } from "../../catalog/revised-entity.ts";
import type { NewSecret, NewStorageProfile } from "../../catalog/storage-profiles.ts";
import type { Actor } from "../actor.ts";
import type { PageTokens } from "../page-token.ts";
import type { Properties } from "../requests.ts";
import type { ReservedProperties } from "../reserved-properties.ts";
import type { ServedProfile } from "../stores/profile-index.ts";
import {
  credentialsIn,
  type ProfileSecrets,
  type StoreCredentials,
} from "../stores/profile-secrets.ts";
import type { StoreReport } from "../stores/store-report.ts";
import type { ResourceNames } from "./names.ts";
import { type PageAsked, type TokenPage, tokenPage } from "./pages.ts";
import { masked, mergedProperties, type Patch } from "./patch.ts";
import {
  expecting,
  type Precondition,
  type Resource,
  type StorageProfilePlace,
} from "./resource.ts";

/** Credentials as a request gives them. */
export interface GivenSecret {
  readonly kind: StorageSecretKind;
  readonly file?: string | undefined;
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
}

interface Fields {
  readonly description?: string | undefined;
  readonly roots?: readonly string[] | undefined;
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly pathStyle?: boolean | undefined;
  readonly roleArn?: string | undefined;
  readonly stsEndpoint?: string | undefined;
  readonly kmsKeys?: readonly string[] | undefined;
  readonly vend?: boolean | undefined;
  readonly sign?: StorageSigning | undefined;
  readonly secret?: GivenSecret | undefined;
}

export interface NewStorageProfileResource extends Fields {
  readonly name: string;
  readonly roots: readonly string[];
  readonly properties?: Properties | undefined;
}

export type StorageProfilePatch = Omit<Patch, "protected" | "description"> & Fields;

interface Checking {
  /** Stores the profile without a look at its stores. */
  readonly skipCheck?: boolean | undefined;
}

export interface StorageProfileUpdate extends Precondition, Checking {
  readonly patch: StorageProfilePatch;
  readonly mask?: readonly string[] | undefined;
}

/** What the process gives to the profiles of an account. */
export interface StorageSupport {
  readonly secrets: ProfileSecrets;
  /** Asks the stores of a profile. Absent: there are none to ask. */
  readonly check?:
    | ((served: ServedProfile, externalId: string) => Promise<readonly StoreReport[]>)
    | undefined;
  readonly readFile: (path: string) => Promise<string>;
  /**
   * What profiles of this account may use; absent: whatever they name. Its administrators are none
   * of the deployment's: they must not make this machine ask addresses of their choice, read its
   * files, or use its credentials.
   */
  readonly limits?: {
    readonly endpoints: readonly string[];
    /** Places of others. */
    readonly excluded: readonly string[];
  };
  /** Told of each change. */
  readonly changed: () => void;
}

export interface StorageProfileParts {
  readonly catalog: AccountCatalog;
  readonly names: ResourceNames;
  readonly tokens: PageTokens;
  readonly reserved: ReservedProperties;
  readonly locations: Locations;
  readonly storage: StorageSupport;
}

const ROLE = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;
const KMS_KEY = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:(?:key|alias)\/[\w/-]{1,256}$/;
const REGION = /^[a-z0-9-]{0,64}$/;

/** The storage profiles of the account, as the native API has them. */
export class StorageProfileResources {
  readonly #parts: StorageProfileParts;

  constructor(parts: StorageProfileParts) {
    this.#parts = parts;
  }

  async list(actor: Actor, page: PageAsked): Promise<TokenPage<Listed>> {
    const { catalog, tokens } = this.#parts;
    return tokenPage(tokens, actor, ["storage-profiles"], page, (asked) =>
      catalog.storageProfiles.page(asked),
    );
  }

  /**
   * Its stores are asked before it is stored.
   *
   * @throws FirnError `STORAGE_PROFILE_ALREADY_EXISTS`, `NAME_INVALID`, `STORAGE_PROFILE_INVALID`,
   * `STORAGE_SECRET_INVALID`, `STORAGE_ROOT_TAKEN`, `STORAGE_CHECK_FAILED`.
   */
  async create(
    actor: Actor,
    request: NewStorageProfileResource,
    { skipCheck }: Checking = {},
  ): Promise<Resource<StorageProfile>> {
    const { catalog } = this.#parts;
    const { name, properties = {}, secret = { kind: "AMBIENT" }, ...given } = request;
    const before: NewStorageProfile = { ...BLANK, name, properties };
    const next = this.#with(before, { ...given, secret });
    await this.#prove(actor, next, skipCheck);
    const { fields, sealed } = this.#sealed(next);
    const made = await catalog.storageProfiles.create(actor, fields, sealed);
    this.#changed(actor);
    return shown(made);
  }

  /** @throws FirnError `STORAGE_PROFILE_NOT_FOUND`. */
  async get(_actor: Actor, place: StorageProfilePlace): Promise<Resource<StorageProfile>> {
    const { ref, id } = await this.#parts.names.storageProfile(place);
    const stored = await this.#parts.catalog.storageProfiles.get(ref);
    expecting<StorageProfile>({}, id, () => storageProfileNotFound(ref))(stored);
    return shown(revisedOf(stored));
  }

  /**
   * Its stores are asked before it is stored.
   *
   * @throws FirnError as `get`, `create`; `PRECONDITION_FAILED`, `UPDATE_MASK_INVALID`,
   * `STORAGE_PROFILE_IN_USE`.
   */
  async update(
    actor: Actor,
    place: StorageProfilePlace,
    { patch, mask, skipCheck, ...precondition }: StorageProfileUpdate,
  ): Promise<Resource<StorageProfile>> {
    const { catalog, names } = this.#parts;
    const { ref, id } = await names.storageProfile(place);
    const asked = masked(patch as StorageProfilePatch & Patch, mask);
    const expect = expecting<StorageProfile>(precondition, id, () => storageProfileNotFound(ref));
    const { properties, ...fields } = asked;
    const planned = (entity: StorageProfile): Changed<StorageProfile> | undefined => {
      const next = this.#with(entity, fields);
      const merged = mergedProperties(entity.properties, properties);
      const changed = { ...next, fields: { ...next.fields, properties: merged } };
      const isSame =
        fields.secret === undefined && textOf(changed.fields) === textOf({ ...entity });
      return isSame ? undefined : changed;
    };
    const found = await catalog.storageProfiles.get(ref);
    expect(found);
    const first = planned(found.entity);
    let sealed: NewSecret | undefined;
    if (first !== undefined) {
      await this.#prove(actor, first, skipCheck, found.entity);
      sealed = this.#sealed(first).sealed;
    }
    const done = await catalog.storageProfiles.revise(actor, ref, (stored) => {
      expect(stored);
      const next = planned(stored.entity);
      if (next === undefined) return undefined;
      // What was proven is what is stored: another change came between.
      if (first === undefined || stored.item.version !== found.item.version) throw moved(ref);
      const own = sealed && { secretId: sealed.id, secretSetAtMs: sealed.createdAtMs };
      return { entity: { ...next.fields, ...own }, secret: sealed };
    });
    this.#changed(actor);
    return shown(done);
  }

  /** @throws FirnError as `get`; `PRECONDITION_FAILED`, `STORAGE_PROFILE_IN_USE`. */
  async delete(
    actor: Actor,
    place: StorageProfilePlace,
    precondition: Precondition = {},
  ): Promise<void> {
    const { catalog, names } = this.#parts;
    const { ref, id } = await names.storageProfile(place);
    const expect = expecting<StorageProfile>(precondition, id, () => storageProfileNotFound(ref));
    await catalog.storageProfiles.delete(actor, ref, expect);
    this.#changed(actor);
  }

  /**
   * What the stores of a profile do, found out by real requests: one report for each root.
   *
   * @throws FirnError as `get`; what makes a store unreachable; `Unavailable`.
   */
  async check(actor: Actor, place: StorageProfilePlace): Promise<readonly StoreReport[]> {
    const { entity } = await this.get(actor, place);
    const credentials = await this.#stored(entity, entity);
    return (await this.#ask(actor, entity, credentials)) ?? [];
  }

  #changed({ dryRun }: Actor): void {
    if (dryRun !== true) this.#parts.storage.changed();
  }

  /** A profile with what a request gives. @throws FirnError `STORAGE_PROFILE_INVALID`. */
  #with<P extends NewStorageProfile>(before: P, given: Fields): Changed<P> {
    const { secret, roots, ...rest } = given;
    const set = Object.fromEntries(
      Object.entries(rest).filter(([, value]) => value !== undefined),
    ) as Partial<P>;
    const fields: P = {
      ...before,
      ...set,
      ...(roots !== undefined && { roots: this.#roots(roots) }),
      endpoint: urlOf(given.endpoint ?? before.endpoint, "endpoint"),
      stsEndpoint: urlOf(given.stsEndpoint ?? before.stsEndpoint, "stsEndpoint"),
    };
    if (before.roots.length === 0 && given.pathStyle === undefined) {
      return this.#checked({ ...fields, pathStyle: fields.endpoint !== "" }, secret);
    }
    return this.#checked(fields, secret);
  }

  #checked<P extends NewStorageProfile>(fields: P, secret: GivenSecret | undefined): Changed<P> {
    const { region, roleArn, kmsKeys, vend, properties } = fields;
    this.#parts.reserved.assertNoSecret({ ...properties });
    if (!REGION.test(region)) throw wrong("region must be a name such as eu-central-1");
    if (roleArn !== "" && !ROLE.test(roleArn)) throw wrong("roleArn must be the ARN of a role");
    if (vend && roleArn === "") throw wrong("vend needs roleArn");
    if (!kmsKeys.every((key) => KMS_KEY.test(key))) throw wrong("kmsKeys must be ARNs of keys");
    const { kind, file = "" } = secret ?? {};
    const now = {
      ...fields,
      ...(kind !== undefined && {
        secretKind: kind,
        secretFile: kind === "FILE" ? file : "",
        secretSetAtMs: this.#parts.catalog.context.clock.nowMs(),
      }),
    };
    this.#assertWithinLimits(now);
    if (secret === undefined) return { fields: now };
    const { secretId: _old, ...without } = now;
    const credentials = this.#credentialsGiven(secret);
    return { fields: without as P, ...(credentials !== undefined && { credentials }) };
  }

  #credentialsGiven(secret: GivenSecret): StoreCredentials | undefined {
    const { kind, file, accessKeyId, secretAccessKey } = secret;
    const hasKeys = accessKeyId !== undefined || secretAccessKey !== undefined;
    if (kind !== "FILE" && file !== undefined) throw wrong("file belongs to a secret of kind FILE");
    if (kind !== "SEALED" && hasKeys) throw wrong("keys belong to a secret of kind SEALED");
    if (kind === "FILE" && !/^\/[^\0]+$/.test(file ?? "")) {
      throw wrong("file must be an absolute path on the server");
    }
    if (kind !== "SEALED") return undefined;
    return credentialsIn(JSON.stringify({ accessKeyId, secretAccessKey }));
  }

  #assertWithinLimits({ endpoint, stsEndpoint, secretKind }: NewStorageProfile): void {
    const { limits } = this.#parts.storage;
    if (limits === undefined) return;
    if (secretKind !== "SEALED") {
      throw wrong("profiles of this account need a secret of kind SEALED");
    }
    for (const url of [endpoint, stsEndpoint]) {
      if (url === "" || limits.endpoints.includes(url)) continue;
      throw wrong("the endpoint is none that the operator allows: see --storage-endpoint");
    }
  }

  #roots(given: readonly string[]): readonly string[] {
    const { locations, storage } = this.#parts;
    const roots = given.map(rootOf);
    for (const root of roots) {
      const excluded = storage.limits?.excluded ?? [];
      const isOthers = excluded.some((place) => isWithin(root, place) || isWithin(place, root));
      if (locations.isReserved(root) || isOthers) {
        const message = "the root, or a place above or below it, is in use: choose another one";
        throw new FirnError("Conflict", "STORAGE_ROOT_TAKEN", message, { root });
      }
    }
    return [...new Set(roots)].sort();
  }

  /** Mints an id for credentials, and seals them. */
  #sealed<P extends NewStorageProfile>({
    fields,
    credentials,
  }: Changed<P>): { readonly fields: P; readonly sealed?: NewSecret } {
    if (credentials === undefined) return { fields };
    const { catalog, storage } = this.#parts;
    const { account, ids, clock } = catalog.context;
    const id = ids.mint<StorageSecretId>();
    const sealed = storage.secrets.seal({ account, id }, credentials);
    const secret = { id, createdAtMs: clock.nowMs(), sealed };
    return { fields: { ...fields, secretId: id }, sealed: secret };
  }

  /** @throws FirnError `STORAGE_CHECK_FAILED`: the stores do not do what the profile rests on. */
  async #prove(
    actor: Actor,
    { fields, credentials }: Changed<NewStorageProfile>,
    skipCheck = false,
    before?: StorageProfile,
  ): Promise<void> {
    // A dry run makes no object anywhere.
    if (skipCheck || actor.dryRun === true) return;
    const own = credentials ?? (await this.#stored({ ...fields }, before));
    const profile = { ...BLANK_ENTITY, ...before, ...fields } as StorageProfile;
    for (const report of (await this.#ask(actor, profile, own)) ?? []) {
      const { location, findings } = report;
      const lacks = (asked: string) =>
        findings.some((each) => each.asked === asked && each.holds === false);
      const unsafe = [
        ...(fields.vend && lacks("sessionPolicies") ? ["sessionPolicies"] : []),
        ...(fields.sign !== "OFF" && report.readSigning === "unsafe" ? ["readSigning"] : []),
        ...(fields.sign === "WRITE" && report.writeSigning === "unsafe" ? ["writeSigning"] : []),
      ];
      if (unsafe.length > 0) throw failedCheck(location, unsafe, report.problems);
    }
  }

  async #ask(
    actor: Actor,
    profile: StorageProfile,
    credentials: StoreCredentials | undefined,
  ): Promise<readonly StoreReport[] | undefined> {
    const { check } = this.#parts.storage;
    try {
      const externalId = actor.accountId ?? actor.account;
      return await check?.({ profile, key: "check", credentials }, externalId);
    } catch (error) {
      if (!(error instanceof FirnError) || error.kind === "Invalid") throw error;
      if (error.kind === "Unavailable" || error.kind === "Overloaded") throw error;
      const [location = ""] = profile.roots;
      throw failedCheck(location, [error.code], [error.message]);
    }
  }

  /** Credentials that are stored, or lie in a file. */
  async #stored(
    { secretKind, secretFile }: Pick<StorageProfile, "secretKind" | "secretFile">,
    before?: Pick<StorageProfile, "secretId" | "name">,
  ): Promise<StoreCredentials | undefined> {
    const { catalog, storage } = this.#parts;
    switch (secretKind) {
      case "AMBIENT":
        return undefined;
      case "FILE":
        return credentialsIn(
          await storage.readFile(secretFile).catch(() => {
            throw invalid("STORAGE_SECRET_INVALID", "the file of credentials cannot be read");
          }),
        );
      case "SEALED": {
        const id = before?.secretId;
        const found = id && (await catalog.storageProfiles.secret(id));
        const account: AccountId = catalog.context.account;
        const opened = id && found && storage.secrets.open({ account, id }, found.sealed);
        if (opened) return opened.credentials;
        const message = "the credentials cannot be read: give them again, or see FIRN_SECRET";
        throw new FirnError("Unavailable", "STORAGE_SECRET_UNREADABLE", message);
      }
    }
  }
}

/** What a request makes of a profile, and credentials that it gives. */
interface Changed<P> {
  readonly fields: P;
  readonly credentials?: StoreCredentials;
}

const BLANK: NewStorageProfile = {
  name: "",
  description: "",
  roots: [],
  region: "",
  endpoint: "",
  pathStyle: false,
  roleArn: "",
  stsEndpoint: "",
  kmsKeys: [],
  vend: false,
  sign: "OFF",
  secretKind: "AMBIENT",
  secretFile: "",
  secretSetAtMs: 0,
  properties: {},
};

/** Of a profile that is not stored yet. */
const BLANK_ENTITY = { type: "storageProfile", id: "new" as StorageProfileId } as const;

function textOf(fields: NewStorageProfile): string {
  return JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function rootOf(text: string): string {
  if (!/^s3[an]?:/i.test(text)) throw wrong("roots must begin with s3://");
  return normalizeS3Location(text);
}

function urlOf(text: string, member: string): string {
  if (text === "") return "";
  const url = URL.parse(text);
  const plain = url !== null && url.pathname === "/" && url.search === "" && url.hash === "";
  if (!plain || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw wrong(`${member} must be http://host:port or https://host:port`);
  }
  return url.origin;
}

function wrong(message: string): FirnError {
  return invalid("STORAGE_PROFILE_INVALID", `invalid storage profile: ${message}`);
}

function moved(profile: string): FirnError {
  const message = "the storage profile was changed meanwhile: try again";
  return new FirnError("Conflict", "CONTENDED", message, { profile });
}

function failedCheck(
  root: string,
  failed: readonly string[],
  problems: readonly string[],
): FirnError {
  const message = "the store does not do what the storage profile rests on";
  const facts = { root, failed: failed.join(" "), problems: problems.join("; ") };
  return invalid("STORAGE_CHECK_FAILED", message, facts);
}

function shown(revised: RevisedEntity<StorageProfile>): Resource<StorageProfile> {
  return { ...revised, above: {} };
}
