import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { CompactionStyle } from "../lsm/index.ts";
import { SERVICE_LIMITS } from "../service/limits.ts";
import type { OwnPrice } from "../service/stores/prices.ts";
import { ACCESS_SETTINGS, type AccessSettingValues } from "./access-settings.ts";
import { bucketOf, fileUri, parseLocation } from "./location.ts";
import { many, optional, type SettingSpec, single, toggle } from "./setting-spec.ts";
import {
  type CatalogSetting,
  mergeThreadsOf,
  oneOf,
  parseBucket,
  parseCatalog,
  parseClientEndpoint,
  parseCount,
  parseDir,
  parseEngineMemory,
  parseHost,
  parseHostName,
  parseKmsKey,
  parseMebibytes,
  parseMergeThreads,
  parseNetwork,
  parseOptionalPort,
  parsePort,
  parsePrefix,
  parsePrice,
  parsePropertyKey,
  parseSecret,
  parseSpan,
  parseTable,
  parseUrl,
  spanFrom,
} from "./setting-values.ts";

export const PROFILES = ["memory", "local", "bucket", "aws"] as const;
export type Profile = (typeof PROFILES)[number];

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Spelled out here, because reading the settings must not load the engine. */
const COMPACTION_STYLE_NAMES = [
  "balanced",
  "write",
  "read",
  "space",
] as const satisfies readonly CompactionStyle[];

/** Floor of every retention: see `SERVICE_LIMITS.catalogGcFloorMs`. */
const parseRetention = spanFrom(SERVICE_LIMITS.catalogGcFloorMs, "1h");

export const LOG_FORMATS = ["auto", "text", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** The value of every setting. */
export interface SettingValues extends AccessSettingValues {
  readonly profile: Profile;
  readonly host: string;
  readonly port: number;
  /** Undefined: PostgreSQL clients are not served. */
  readonly pgPort: number | undefined;
  /** Undefined: other nodes cannot call this one. */
  readonly internalPort: number | undefined;
  /** Absent: where the internal port listens. */
  readonly internalUrl: string | undefined;
  /** Absolute path. */
  readonly dir: string;
  /** A URI without a slash at its end. */
  readonly warehouse: string;
  readonly catalog: readonly CatalogSetting[];
  readonly allowLocation: readonly string[];
  /** Keys that tables, views and namespaces may hold though they are reserved. */
  readonly allowProperty: readonly string[];
  readonly price: readonly OwnPrice[];
  readonly allowAnonymous: boolean;
  /** Each as `canonicalHost` spells it. */
  readonly allowHost: readonly string[];
  /** IP addresses, or networks of them. */
  readonly trustedProxy: readonly string[];
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Requests under way at once, reads and writes apart. */
  readonly maxInFlight: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** Where another process has the shard open: wait until it has ended. */
  readonly standby: boolean;
  /** In that case, fence it now. */
  readonly takeover: boolean;
  /** Where other processes ask whether this one lives; absent: where it listens. */
  readonly advertiseUrl: string | undefined;
  /** Of the profiles `bucket` and `aws`; in the others of what lies in S3. */
  readonly s3Bucket: string | undefined;
  /** With a slash at its end. */
  readonly s3Prefix: string;
  /** Absent: as the endpoint needs it. */
  readonly s3PathStyle: boolean | undefined;
  /** Absent: this process's own, if it is not AWS's. */
  readonly s3ClientEndpoint: string | undefined;
  readonly s3KmsKey: string | undefined;
  readonly s3CheckMetadata: boolean;
  readonly dynamodbTable: string;
  readonly init: boolean;
  readonly engineMemoryMib: number;
  readonly engineCompactionStyle: CompactionStyle;
  readonly engineMergeThreads: number;
  /** How long what no replay needs stays of the storage engine's log, in ms; 0: not at all. */
  readonly logRetention: number;
  readonly logRetentionMib: number;
  /** Milliseconds, as the two below. */
  readonly rowHistory: number;
  readonly historyRetention: number;
  readonly dropRetention: number;
  readonly gcGrace: number;
  readonly cacheMemoryMib: number;
  readonly cacheDiskMib: number;
  /** Never shown, logged or answered, as the next one. */
  readonly secret: string | undefined;
  readonly secretPrevious: string | undefined;
}

export type SettingName = keyof SettingValues;

/** Every setting, validated. JSON-able: components come in through `compose`. */
export interface Settings extends SettingValues {
  /** Those that were chosen, be it what they are by default. */
  readonly given: readonly SettingName[];
}

type SettingTable = {
  readonly [Name in SettingName]: SettingSpec<SettingValues[Name], SettingValues>;
};

/** Whether the catalog lies in S3, for other processes to reach as well. */
export function isRemote(profile: Profile | undefined): boolean {
  return profile === "bucket" || profile === "aws";
}

/** All settings, in the order of help and documentation. */
export const SETTINGS: SettingTable = {
  profile: {
    ...single(`<${PROFILES.join("|")}>`, "local", oneOf(PROFILES)),
    doc:
      "Store the catalog in memory, in --dir, in one bucket, or in a bucket and a DynamoDB " +
      "table. With `memory`, catalog entries end with the process; their files remain.",
  },
  host: {
    ...single("<address>", "127.0.0.1", parseHost),
    doc:
      "Address to listen on. A non-loopback address requires --allow-anonymous, or --auth " +
      "required with --tls-cert or --plain-http.",
  },
  port: {
    ...single("<port>", "8181", parsePort),
    doc: "Port to listen on. 0 picks a free port and prints it.",
  },
  pgPort: {
    ...single("<port|off>", "5433", parseOptionalPort),
    doc:
      "Port for PostgreSQL clients. 0 picks a free port and prints it; `off` serves none. If the " +
      "default port is in use, the server logs that and starts without it.",
  },
  internalPort: {
    ...single("<port|off>", "8182", parseOptionalPort),
    doc:
      "Profile aws: port on which other nodes call this one, for the rows that it serves. 0 " +
      "picks a free port; `off` serves none, for a single node. Keep it in a private network.",
  },
  internalUrl: {
    ...optional("<url>", parseUrl),
    fallbackText: "the address of --internal-port",
    doc: "Profile aws: URL at which other nodes reach --internal-port.",
  },
  dir: {
    ...single("<path>", "./.firn", parseDir),
    doc: "Directory for everything Firn stores on this machine.",
  },
  warehouse: {
    ...single("<uri|path>", "<dir>/warehouse", parseLocation),
    fallbackText: "<dir>/warehouse, or s3://<bucket>/warehouse",
    fallback: ({ profile, dir, s3Bucket }, cwd) =>
      isRemote(profile) && s3Bucket !== undefined
        ? `s3://${s3Bucket}/warehouse`
        : fileUri(resolve(cwd, dir ?? ".", "warehouse")),
    doc: "Root of the default catalog's tables. (In Iceberg clients, `warehouse` names a catalog.)",
  },
  catalog: {
    ...many("<name[=uri]>", parseCatalog),
    doc: "Additional catalog, created at startup if it does not exist.",
  },
  allowLocation: {
    ...many("<uri|path>", parseLocation),
    doc:
      "Additional root for table locations, for new and registered tables. Stored with every " +
      "catalog.",
  },
  allowProperty: {
    ...many("<key>", parsePropertyKey),
    doc:
      "Reserved property, such as s3.acl, that tables, views and namespaces may set. Clients " +
      "treat it as their own setting.",
  },
  price: {
    ...many("<name=dollars>", parsePrice),
    doc:
      "Dollars for a million, in place of the list price, in /usage and the metrics of costs: " +
      "readUnits or writeUnits of DynamoDB, s3Puts or s3Gets.",
  },
  allowAnonymous: {
    ...toggle(),
    doc: "Listen on non-loopback addresses. Every client that reaches the port has full access.",
  },
  ...ACCESS_SETTINGS,
  allowHost: {
    ...many("<name>", parseHostName),
    doc:
      "Additional host name in the Host header. Firn refuses names other than localhost and its " +
      "own address, to stop DNS rebinding.",
  },
  trustedProxy: {
    ...many("<address|network>", parseNetwork),
    doc:
      "Proxy that is exempt from --max-connections-per-address. The last address of its " +
      "X-Forwarded-For counts as the client's.",
  },
  maxConnections: {
    ...single("<connections>", "8192", parseCount),
    doc: "Maximum open connections. The server closes further ones.",
  },
  maxConnectionsPerAddress: {
    ...single("<connections>", "2048", parseCount),
    doc: "Maximum open connections from one address.",
  },
  maxInFlight: {
    ...single("<requests>", "128", parseCount),
    doc:
      "Maximum concurrent requests, counted separately for reads and writes. The server answers " +
      "further ones with 429.",
  },
  logLevel: {
    ...single(`<${LOG_LEVELS.join("|")}>`, "info", oneOf(LOG_LEVELS)),
    doc: "Lowest level to log. The log goes to stderr.",
  },
  logFormat: {
    ...single(`<${LOG_FORMATS.join("|")}>`, "auto", oneOf(LOG_FORMATS)),
    doc: "Log format: text, or JSON lines. `auto` writes text to a terminal and JSON elsewhere.",
  },
  standby: {
    ...toggle(),
    doc: "If another process owns the directory or bucket, wait until it ends, then serve.",
  },
  takeover: {
    ...toggle(),
    doc:
      "If another process owns the directory or bucket, fence it now. The fenced process stops " +
      "serving.",
  },
  advertiseUrl: {
    ...optional("<url>", parseUrl),
    fallbackText: "the listening address",
    doc: "URL at which other processes check that this one is alive before they take over.",
  },
  s3Bucket: {
    ...optional("<name>", parseBucket),
    fallbackText: "bucket of --warehouse",
    fallback: ({ warehouse = "" }) => bucketOf(warehouse),
    doc: "Profiles bucket and aws: bucket that stores the catalog.",
  },
  s3Prefix: {
    ...single("<folder>", "firn/", parsePrefix),
    doc:
      "Profiles bucket and aws: folder of the catalog in its bucket. No table may be located " +
      "there.",
  },
  s3PathStyle: {
    ...toggle(),
    fallbackText: "true if AWS_ENDPOINT_URL names a server other than AWS",
    fallback: () => undefined,
    doc: "Address buckets as paths of the endpoint instead of host names.",
  },
  s3ClientEndpoint: {
    ...optional("<url|none>", parseClientEndpoint),
    fallbackText: "AWS_ENDPOINT_URL",
    doc:
      "S3 endpoint that the server sends to clients with each table. `none` sends no endpoint; " +
      "clients use their own.",
  },
  s3KmsKey: {
    ...optional("<id|arn>", parseKmsKey),
    doc: "KMS key that encrypts objects. Default: the encryption of the bucket.",
  },
  s3CheckMetadata: {
    ...toggle(),
    doc:
      "Check at each load that the table's metadata file still exists in S3. Costs one request " +
      "per load.",
  },
  dynamodbTable: {
    ...single("<name>", "firn", parseTable),
    doc: "Profile aws: DynamoDB table that stores the pointers.",
  },
  init: {
    ...toggle(),
    doc: "Profiles bucket and aws: create the bucket and the DynamoDB table if they do not exist.",
  },
  engineMemoryMib: {
    ...single("<mebibytes>", "256", parseEngineMemory),
    doc:
      "Profiles local and bucket: approximate memory of the storage engine: memtables and cached " +
      "blocks, plus 128 MiB of untracked overhead. Minimum 16.",
  },
  engineCompactionStyle: {
    ...single(`<${COMPACTION_STYLE_NAMES.join("|")}>`, "balanced", oneOf(COMPACTION_STYLE_NAMES)),
    doc:
      "Profiles local and bucket: what compaction optimizes for: write, read or space " +
      "amplification.",
  },
  engineMergeThreads: {
    ...single("<threads>", "1", parseMergeThreads),
    fallbackText: "processors minus 1, between 1 and 4",
    fallback: () => mergeThreadsOf(availableParallelism()),
    doc:
      "Profiles local and bucket: maximum compaction threads, started on demand, about 10 MiB " +
      "each. Maximum 64.",
  },
  logRetention: {
    ...single("<span>", "0", parseSpan),
    doc:
      "Profiles local and bucket: how long to retain the write-ahead log for change feeds (firn " +
      "lsm changes), such as 90s, 30m, 12h, 7d. 0 retains only what recovery needs.",
  },
  logRetentionMib: {
    ...single("<mebibytes>", "1024", parseMebibytes),
    doc: "Profiles local and bucket: maximum size of the log that --log-retention retains.",
  },
  rowHistory: {
    ...single("<span>", "1m", parseSpan),
    doc:
      "How far back SQL reads row tables AS OF SYSTEM TIME, such as 90s, 30m, 12h. Firn keeps " +
      "their replaced files and log for that long; --log-retention-mib bounds the log. " +
      "0 keeps nothing for it.",
  },
  historyRetention: {
    ...single("<span>", "7d", parseRetention),
    doc:
      "How long the history of changes, and every version of an entity that it names, is kept. " +
      "Garbage collection deletes older ones. Minimum 1h.",
  },
  dropRetention: {
    ...single("<span>", "7d", parseRetention),
    doc:
      "How long a dropped table, view, namespace or catalog can be brought back before it is " +
      "purged. Applies to later drops. Minimum 1h.",
  },
  gcGrace: {
    ...single("<span>", "24h", parseRetention),
    doc:
      "Time between the two marks of a garbage collection: what one mark alone missed is kept. " +
      "Minimum 1h.",
  },
  cacheMemoryMib: {
    ...single("<mebibytes>", "64", parseMebibytes),
    doc: "Profiles bucket and aws: memory for cached catalog objects. 0 disables the cache.",
  },
  cacheDiskMib: {
    ...single("<mebibytes>", "0", parseMebibytes),
    doc:
      "Profiles bucket and aws: disk cache for catalog objects, below --dir. It survives a " +
      "restart. 0 disables it.",
  },
  secret: {
    ...optional("<text>", parseSecret),
    secret: true,
    doc:
      "Profiles bucket and aws require it: key that signs page tokens, equal on every node. At " +
      "least 32 random characters.",
  },
  secretPrevious: {
    ...optional("<text>", parseSecret),
    secret: true,
    doc:
      "Profiles bucket and aws: a second secret that is also accepted while FIRN_SECRET is " +
      "replaced. See docs/access.md.",
  },
};

export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS) as SettingName[];

/** Those that a command line may name. */
export const FLAG_NAMES: readonly SettingName[] = SETTING_NAMES.filter(
  (name) => !SETTINGS[name].secret,
);
