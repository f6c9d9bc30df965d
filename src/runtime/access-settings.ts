import { many, optional, type SettingSpec, single, toggle } from "./setting-spec.ts";
import {
  oneOf,
  parseBootstrapKey,
  parseBound,
  parseCount,
  parseDir,
  parseExternalName,
  parseRoleArn,
  parseScope,
  parseSpan,
  parseText,
  parseUrl,
  spanWithin,
} from "./setting-values.ts";

export const AUTH_MODES = ["none", "required"] as const;
export type AuthMode = (typeof AUTH_MODES)[number];

export const SIGNING_MODES = ["off", "read", "write"] as const;
export type SigningMode = (typeof SIGNING_MODES)[number];

/** Who is let in, and what they are asked for. */
export interface AccessSettingValues {
  readonly auth: AuthMode;
  /** Absolute paths, both or none. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly plainHttp: boolean;
  /** Milliseconds, as the next one. */
  readonly tokenLifetime: number;
  readonly accessStaleness: number;
  /** Never shown, logged or answered. */
  readonly bootstrapKey: string | undefined;
  /** `{issuer}/{subject}`. */
  readonly bootstrapAdmin: string | undefined;
  /** Absolute path of their configuration. */
  readonly issuers: string | undefined;
  /** Name of one in that file, which signs browsers in; with the id of this server's client. */
  readonly oidcIssuer: string | undefined;
  readonly oidcClientId: string | undefined;
  /** Never shown, logged or answered. */
  readonly oidcClientSecret: string | undefined;
  readonly oidcScope: string;
  /** Where browsers reach this server; absent: as they say. */
  readonly oidcOrigin: string | undefined;
  /** A second; 0: no bound. */
  readonly principalRate: number;
  /** ARN of the role whose sessions are lent to clients. */
  readonly vendRole: string | undefined;
  readonly vendStsEndpoint: string | undefined;
  readonly vendLifetime: number;
  readonly remoteSigning: SigningMode;
  /** URLs that storage profiles of other accounts may name. */
  readonly storageEndpoint: readonly string[];
  /** Absolute path. */
  readonly auditLog: string | undefined;
  readonly auditLogMib: number;
}

type AccessSettingTable = {
  readonly [Name in keyof AccessSettingValues]: SettingSpec<AccessSettingValues[Name], object>;
};

export const ACCESS_SETTINGS: AccessSettingTable = {
  auth: {
    ...single(`<${AUTH_MODES.join("|")}>`, "none", oneOf(AUTH_MODES)),
    doc:
      "Who may connect. `required` refuses requests without a valid API key or token; the first " +
      "start creates the principal `admin` and prints its key once.",
  },
  tlsCert: {
    ...optional("<file>", parseDir),
    doc:
      "Certificates in PEM form, the server's first: every port speaks TLS 1.2 or later. Read " +
      "again when the file changes.",
  },
  tlsKey: {
    ...optional("<file>", parseDir),
    doc: "Private key of --tls-cert, in PEM form without a password.",
  },
  plainHttp: {
    ...toggle(),
    doc:
      "With --auth required: listen on non-loopback addresses without TLS, for example behind a " +
      "proxy that terminates it.",
  },
  tokenLifetime: {
    ...single("<span>", "1h", spanWithin(300_000, 86_400_000, "5m", "24h")),
    doc: "How long an access token is valid. Between 5m and 24h.",
  },
  accessStaleness: {
    ...single("<span>", "1s", parseSpan),
    doc:
      "How long this node may use what it knows of principals, keys, roles and grants before it " +
      "checks for changes. A revoked key stops working within this time.",
  },
  bootstrapKey: {
    ...optional("<key>", parseBootstrapKey),
    secret: true,
    doc:
      "With --auth required: API key of the principal `admin` at the first start, as " +
      "firn_ID_SECRET. Ignored once principals exist.",
  },
  bootstrapAdmin: {
    ...optional("<name>", parseExternalName),
    doc:
      "With --auth required: the principal ISSUER/SUBJECT, of --issuers, is the administrator at " +
      "the first start, and no key is made. Ignored once principals exist.",
  },
  issuers: {
    ...optional("<file>", parseDir),
    doc:
      "With --auth required: JSON file of issuers (OpenID Connect, Kubernetes) whose tokens sign " +
      "in. See docs/access.md.",
  },
  oidcIssuer: {
    ...optional("<name>", parseText),
    doc:
      "Name of the issuer in --issuers that signs users of the console in (OpenID Connect with " +
      "PKCE). See docs/access.md.",
  },
  oidcClientId: {
    ...optional("<id>", parseText),
    doc: "With --oidc-issuer: client id of this server at the provider.",
  },
  oidcClientSecret: {
    ...optional("<secret>", parseText),
    secret: true,
    doc: "Client secret for --oidc-client-id. Without it the client is a public one.",
  },
  oidcScope: {
    ...single("<scopes>", "openid", parseScope),
    doc: "Scopes that the console's sign-in asks the provider for, separated by spaces.",
  },
  oidcOrigin: {
    ...optional("<url>", parseUrl),
    doc:
      "Origin at which browsers reach this server, such as https://firn.example; by default as " +
      "the browser names it. Register ORIGIN/console/session/callback at the provider.",
  },
  principalRate: {
    ...single("<requests>", "0", parseBound),
    doc:
      "Maximum requests per second of one principal on this node; 0: no limit. A principal never " +
      "has more than half of --max-in-flight.",
  },
  vendRole: {
    ...optional("<arn>", parseRoleArn),
    doc:
      "ARN of an IAM role that this server may assume. Clients that ask for credentials get a " +
      "session of it, limited to the files of one table. See docs/access.md.",
  },
  vendStsEndpoint: {
    ...optional("<url>", parseUrl),
    doc: "URL of the token service (STS) for --vend-role, where it is not AWS's own.",
  },
  vendLifetime: {
    ...single("<span>", "1h", spanWithin(900_000, 43_200_000, "15m", "12h")),
    doc:
      "How long credentials for the files of a table are valid. Between 15m and 12h, and at most " +
      "the role's maximum session duration.",
  },
  remoteSigning: {
    ...single(`<${SIGNING_MODES.join("|")}>`, "off", oneOf(SIGNING_MODES)),
    doc:
      "Which requests to S3 this server signs for clients that ask for it (remote signing): " +
      "none, reads, or writes too. See docs/access.md.",
  },
  storageEndpoint: {
    ...many("<url>", parseUrl),
    doc:
      "URL of a store or token service that storage profiles of accounts other than `default` " +
      "may name, beside AWS's own. See docs/access.md.",
  },
  auditLog: {
    ...optional("<file>", parseDir),
    doc:
      "File for the audit log: changes, denials and failed sign-ins as JSON lines. Each process " +
      "needs its own. See docs/access.md.",
  },
  auditLogMib: {
    ...single("<mebibytes>", "100", parseCount),
    doc: "Size at which the audit log is rotated. Ten files are kept.",
  },
};
