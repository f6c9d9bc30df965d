import type { Asks, PageQuery } from "./asks.ts";
import type { ApiOperation, Parameters, Schema } from "./operation.ts";
import {
  type Page,
  type Properties,
  STORAGE_PROFILE,
  STORAGE_SECRET_KIND,
  STORAGE_SIGNING,
  type StorageProfile,
  type StorageSecretKind,
  type StorageSigning,
  SUMMARY,
  type Summary,
} from "./resources.ts";
import {
  DESCRIPTION,
  FLAG,
  listOf,
  NAME,
  object,
  oneOf,
  PAGE,
  PROPERTIES,
  PROPERTIES_PATCH,
  pageOf,
  patchOf,
  TEXT,
} from "./schema.ts";
import { type PropertiesPatch, UPDATE_MASK, type UpdateMask } from "./updates.ts";

/** Credentials as they are given. They are never answered. */
export interface StorageSecret {
  readonly kind: StorageSecretKind;
  /** Of `FILE`. */
  readonly file?: string;
  /** Of `SEALED`, as the next one. */
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
}

interface StorageFields {
  readonly description?: string;
  readonly region?: string;
  readonly endpoint?: string;
  readonly pathStyle?: boolean;
  readonly roleArn?: string;
  readonly stsEndpoint?: string;
  readonly kmsKeys?: readonly string[];
  readonly vend?: boolean;
  readonly sign?: StorageSigning;
  readonly secret?: StorageSecret;
}

export interface CreateStorageProfile extends StorageFields {
  readonly name: string;
  readonly roots: readonly string[];
  readonly properties?: Properties;
}

export interface UpdateStorageProfile extends StorageFields {
  readonly roots?: readonly string[];
  readonly properties?: PropertiesPatch;
}

/** Whether a store does something. */
export interface StorageFinding {
  readonly asked: string;
  /** Absent: it was not tried. */
  readonly holds?: boolean;
  readonly detail: string;
}

export interface StorageReport {
  readonly location: string;
  readonly region: string;
  readonly base: string;
  readonly findings: readonly StorageFinding[];
  readonly readSigning: "safe" | "unsafe";
  readonly writeSigning: "safe" | "unsafe";
  readonly problems: readonly string[];
}

export interface StorageReports {
  readonly reports: readonly StorageReport[];
}

interface SkipCheck {
  readonly skipCheck?: boolean;
}

export interface StorageOperations {
  listStorageProfiles: Asks<never, PageQuery, undefined, Page<Summary>>;
  createStorageProfile: Asks<never, SkipCheck, CreateStorageProfile, StorageProfile>;
  getStorageProfile: Asks<"profile", object, undefined, StorageProfile>;
  updateStorageProfile: Asks<
    "profile",
    UpdateMask & SkipCheck,
    UpdateStorageProfile,
    StorageProfile
  >;
  deleteStorageProfile: Asks<"profile", object, undefined, undefined>;
  checkStorageProfile: Asks<"profile", object, undefined, StorageReports>;
}

const PROFILES = "/storage-profiles";
const ONE = `${PROFILES}/{profile}`;
const tag = "storage";

const SHORT: Schema = { type: "string", maxLength: 2_048 };
const WORD: Schema = { type: "string", minLength: 1, maxLength: 1_024 };
const ROOTS: Schema = {
  type: "array",
  items: { type: "string", minLength: 1, maxLength: 1_024 },
  minItems: 1,
  maxItems: 32,
  description: "Locations in S3; the profile with the longest root above a location serves it",
};

const SECRET: Schema = {
  ...object(
    { kind: STORAGE_SECRET_KIND },
    {
      file: { ...WORD, description: "FILE: path of a JSON file on the server" },
      accessKeyId: { ...WORD, maxLength: 128, description: "SEALED" },
      secretAccessKey: { ...WORD, maxLength: 256, writeOnly: true, description: "SEALED" },
    },
  ),
  description: "Credentials for the store. Stored encrypted, and never answered",
};

const FIELDS: Readonly<Record<string, Schema>> = {
  description: DESCRIPTION,
  region: { ...SHORT, description: "Empty: the store is asked" },
  endpoint: { ...SHORT, description: "URL of the store; empty: AWS" },
  pathStyle: { ...FLAG, description: "The bucket is in the path of URLs; default with endpoint" },
  roleArn: { ...SHORT, description: "Role whose sessions are vended to clients" },
  stsEndpoint: { ...SHORT, description: "URL of the token service; empty: AWS" },
  kmsKeys: {
    type: "array",
    items: WORD,
    maxItems: 8,
    description: "ARNs of keys that clients may use; the first one encrypts metadata files",
  },
  vend: { ...FLAG, description: "Whether credentials are vended for the tables" },
  sign: { ...STORAGE_SIGNING, description: "Which requests are signed for clients" },
  secret: SECRET,
};

const SKIP_CHECK: Parameters = {
  skipCheck: { ...FLAG, description: "Stores the profile without a check of its stores" },
};

const REPORT: Schema = object({
  location: TEXT,
  region: TEXT,
  base: { ...TEXT, description: "What URLs of objects begin with" },
  findings: listOf(object({ asked: TEXT, detail: TEXT }, { holds: FLAG })),
  readSigning: oneOf("safe", "unsafe"),
  writeSigning: oneOf("safe", "unsafe"),
  problems: listOf(TEXT),
});

export const STORAGE_OPERATIONS: Readonly<Record<keyof StorageOperations, ApiOperation>> = {
  listStorageProfiles: {
    method: "GET",
    template: PROFILES,
    tag,
    summary: "List storage profiles",
    needs: ["admin"],
    query: PAGE,
    status: 200,
    answer: pageOf(SUMMARY),
  },
  createStorageProfile: {
    method: "POST",
    template: PROFILES,
    tag,
    summary: "Create a storage profile: how the files below some roots are reached",
    needs: ["admin"],
    query: SKIP_CHECK,
    body: object({ name: NAME, roots: ROOTS }, { ...FIELDS, properties: PROPERTIES }),
    status: 201,
    answer: STORAGE_PROFILE,
    once: true,
  },
  getStorageProfile: {
    method: "GET",
    template: ONE,
    tag,
    summary: "Get a storage profile, without its secret",
    needs: ["admin"],
    status: 200,
    answer: STORAGE_PROFILE,
    conditional: "read",
  },
  updateStorageProfile: {
    method: "PATCH",
    template: ONE,
    tag,
    summary: "Update a storage profile, or replace its secret",
    needs: ["admin"],
    query: { ...UPDATE_MASK, ...SKIP_CHECK },
    body: patchOf({ roots: ROOTS, ...FIELDS, properties: PROPERTIES_PATCH }),
    status: 200,
    answer: STORAGE_PROFILE,
    conditional: "write",
    once: true,
  },
  deleteStorageProfile: {
    method: "DELETE",
    template: ONE,
    tag,
    summary: "Delete a storage profile that no catalog and no table uses, with its secret",
    needs: ["admin"],
    status: 204,
    conditional: "write",
    once: true,
  },
  checkStorageProfile: {
    method: "POST",
    template: `${ONE}:check`,
    tag,
    summary: "Find out by real requests what the stores of a profile enforce",
    needs: ["admin"],
    status: 200,
    answer: object({ reports: listOf(REPORT) }),
  },
};
