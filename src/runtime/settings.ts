import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { TRADE_NAMES, type Trade } from "../lsm/compaction/trade.ts";
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
  parsePort,
  parsePrefix,
  parsePropertyKey,
  parseSecret,
  parseSpan,
  parseTable,
  parseUrl,
} from "./setting-values.ts";

export const PROFILES = ["memory", "local", "bucket", "aws"] as const;
export type Profile = (typeof PROFILES)[number];

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ["auto", "text", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** The value of every setting. */
export interface SettingValues {
  readonly profile: Profile;
  readonly host: string;
  readonly port: number;
  /** Absolute path. */
  readonly dir: string;
  /** A URI without a slash at its end. */
  readonly warehouse: string;
  readonly catalog: readonly CatalogSetting[];
  readonly allowLocation: readonly string[];
  /** Keys that tables, views and namespaces may hold though they are reserved. */
  readonly allowProperty: readonly string[];
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
  /** Likewise: fence it now. */
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
  readonly engineTrade: Trade;
  readonly engineMergeThreads: number;
  /** How long what no replay needs stays of the storage engine's log, in ms; 0: not at all. */
  readonly logRetention: number;
  readonly logRetentionMib: number;
  readonly cacheMemoryMib: number;
  readonly cacheDiskMib: number;
  /** Never shown, logged or answered. */
  readonly secret: string | undefined;
}

export type SettingName = keyof SettingValues;

/** Every setting, validated. JSON-able: components come in through `compose`. */
export interface Settings extends SettingValues {
  /** Those that somebody chose, be it what they are by default. */
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
      "where the catalog is stored: nowhere (tables vanish with the process, their files stay), " +
      "in --dir, in a bucket, in a bucket and a DynamoDB table",
  },
  host: {
    ...single("<address>", "127.0.0.1", parseHost),
    doc: "address to listen on; anything but loopback needs --allow-anonymous",
  },
  port: {
    ...single("<port>", "8181", parsePort),
    doc: "port to listen on; 0 takes any free one and prints it",
  },
  dir: {
    ...single("<path>", "./.firn", parseDir),
    doc: "folder of everything that Firn keeps on this machine",
  },
  warehouse: {
    ...single("<uri|path>", "<dir>/warehouse", parseLocation),
    fallbackText: "<dir>/warehouse, or s3://<bucket>/warehouse",
    fallback: ({ profile, dir, s3Bucket }, cwd) =>
      isRemote(profile) && s3Bucket !== undefined
        ? `s3://${s3Bucket}/warehouse`
        : fileUri(resolve(cwd, dir ?? ".", "warehouse")),
    doc: "root of the tables of the default catalog (a client's `warehouse` is a catalog's name)",
  },
  catalog: {
    ...many("<name[=uri]>", parseCatalog),
    doc: "further catalog, made at the start if it is absent",
  },
  allowLocation: {
    ...many("<uri|path>", parseLocation),
    doc: "further root under which tables may lie or be registered from; stored with every catalog",
  },
  allowProperty: {
    ...many("<key>", parsePropertyKey),
    doc:
      "reserved property that tables, views and namespaces may set all the same, such as s3.acl: " +
      "clients take it for a setting of their own",
  },
  allowAnonymous: {
    ...toggle(),
    doc: "listen on other addresses than loopback: every client that reaches the port may do all",
  },
  allowHost: {
    ...many("<name>", parseHostName),
    doc:
      "further host name that clients reach this server by; others than localhost and the " +
      "server's own address are refused, against web pages that point their name at it",
  },
  trustedProxy: {
    ...many("<address|network>", parseNetwork),
    doc: "proxy whose connections --max-connections-per-address does not bound",
  },
  maxConnections: {
    ...single("<connections>", "8192", parseCount),
    doc: "open connections at once; more are closed",
  },
  maxConnectionsPerAddress: {
    ...single("<connections>", "2048", parseCount),
    doc: "of them from one address",
  },
  maxInFlight: {
    ...single("<requests>", "128", parseCount),
    doc: "requests under way at once, reads and writes apart; more are answered 429 at once",
  },
  logLevel: {
    ...single(`<${LOG_LEVELS.join("|")}>`, "info", oneOf(LOG_LEVELS)),
    doc: "lowest level that is logged, on stderr",
  },
  logFormat: {
    ...single(`<${LOG_FORMATS.join("|")}>`, "auto", oneOf(LOG_FORMATS)),
    doc: "form of the log: text for people, JSON lines for programs; auto: text on a terminal",
  },
  standby: {
    ...toggle(),
    doc:
      "where another process has the directory or bucket open: wait until it has ended, then " +
      "serve",
  },
  takeover: {
    ...toggle(),
    doc:
      "where another process has the directory or bucket open: take it over now; the other stops " +
      "serving",
  },
  advertiseUrl: {
    ...optional("<url>", parseUrl),
    fallbackText: "where it listens",
    doc: "where other processes ask whether this one still lives, before they take its place",
  },
  s3Bucket: {
    ...optional("<name>", parseBucket),
    fallbackText: "the warehouse's",
    fallback: ({ warehouse = "" }) => bucketOf(warehouse),
    doc: "profiles bucket and aws: the bucket that holds the catalog",
  },
  s3Prefix: {
    ...single("<folder>", "firn/", parsePrefix),
    doc: "its folder there; no table can lie in it",
  },
  s3PathStyle: {
    ...toggle(),
    fallbackText: "where AWS_ENDPOINT_URL names a server other than AWS's",
    fallback: () => undefined,
    doc: "buckets are paths of the endpoint, not host names",
  },
  s3ClientEndpoint: {
    ...optional("<url|none>", parseClientEndpoint),
    fallbackText: "AWS_ENDPOINT_URL",
    doc:
      "where clients reach the S3 that their tables lie in, told them with each table; none: " +
      "they know it themselves",
  },
  s3KmsKey: {
    ...optional("<id|arn>", parseKmsKey),
    doc: "KMS key that objects are encrypted with; absent: as the bucket says",
  },
  s3CheckMetadata: {
    ...toggle(),
    doc:
      "look at each load whether the table's metadata file still stands, also in S3: one request " +
      "each",
  },
  dynamodbTable: {
    ...single("<name>", "firn", parseTable),
    doc: "profile aws: the table that holds the pointers",
  },
  init: {
    ...toggle(),
    doc: "profiles bucket and aws: make the bucket and the table where they are absent",
  },
  engineMemoryMib: {
    ...single("<mebibytes>", "256", parseEngineMemory),
    doc:
      "profiles local and bucket: memory that the storage engine takes, about: what is not in " +
      "its tables yet, what it keeps of them, and 128 that nothing counts; 16 at least",
  },
  engineTrade: {
    ...single(`<${TRADE_NAMES.join("|")}>`, "balanced", oneOf(TRADE_NAMES)),
    doc:
      "profiles local and bucket: what compactions of the storage engine save, at the cost of " +
      "the others: bytes written, places to read, or space",
  },
  engineMergeThreads: {
    ...single("<threads>", "1", parseMergeThreads),
    fallbackText: "a processor less than there are, 1 to 4",
    fallback: () => mergeThreadsOf(availableParallelism()),
    doc:
      "profiles local and bucket: threads that compute compactions of the storage engine, " +
      "started as they are needed, some ten mebibytes each; 64 at most",
  },
  logRetention: {
    ...single("<span>", "0", parseSpan),
    doc:
      "profiles local and bucket: how long the storage engine's log stays for those who follow " +
      "it (firn lsm changes), such as 90s, 30m, 12h, 7d; 0: as long as it is needed",
  },
  logRetentionMib: {
    ...single("<mebibytes>", "1024", parseMebibytes),
    doc: "likewise: and at most so much of it",
  },
  cacheMemoryMib: {
    ...single("<mebibytes>", "64", parseMebibytes),
    doc: "profiles bucket and aws: what of the catalog's objects is kept in memory; 0: nothing",
  },
  cacheDiskMib: {
    ...single("<mebibytes>", "0", parseMebibytes),
    doc: "likewise, below --dir on this machine's disk; it outlives a restart",
  },
  secret: {
    ...optional("<text>", parseSecret),
    secret: true,
    doc:
      "profiles bucket and aws need it: signs page tokens, the same on every node; 32 random " +
      "characters or more",
  },
};

export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS) as SettingName[];

/** Those that a command line may name. */
export const FLAG_NAMES: readonly SettingName[] = SETTING_NAMES.filter(
  (name) => !SETTINGS[name].secret,
);
