import { isLoopbackHost } from "../base/loopback.ts";
import { isWithin } from "../blob/locations.ts";
import { ownLocations } from "./own-locations.ts";
import { envOf, flagOf } from "./setting-names.ts";
import { isRemote, type Settings } from "./settings.ts";

/** What no single setting shows. Looks only at what could be read. */
export function contradictions(settings: Partial<Settings>): readonly string[] {
  return [
    ...listening(settings),
    ...encrypting(settings),
    ...signingIn(settings),
    ...bootstrapping(settings),
    ...owning(settings),
    ...(isRemote(settings.profile) ? remote(settings) : []),
    ...amongOurs(settings),
    ...catalogs(settings),
  ];
}

function listening(settings: Partial<Settings>): readonly string[] {
  const { host, allowAnonymous, auth, plainHttp, tlsCert } = settings;
  if (host === undefined || isLoopbackHost(host)) return [];
  if (auth === "required") {
    if (plainHttp !== false || tlsCert !== undefined) return [];
    return [
      `host ${host} is not loopback: keys and tokens would travel unencrypted; give ` +
        `${flagOf("tlsCert")} and ${flagOf("tlsKey")}, or put a proxy that terminates TLS before ` +
        `it and give ${flagOf("plainHttp")}`,
    ];
  }
  if (allowAnonymous !== false) return [];
  return [
    `host ${host} is not loopback: without authentication this needs ${flagOf("allowAnonymous")}`,
  ];
}

function encrypting(settings: Partial<Settings>): readonly string[] {
  const { tlsCert, tlsKey, plainHttp } = settings;
  // One that could not be read has been named by its own parser.
  const isHalf = (tlsCert === undefined) !== (tlsKey === undefined);
  if (isHalf && "tlsCert" in settings && "tlsKey" in settings) {
    const [has, lacks] =
      tlsKey === undefined ? (["tlsCert", "tlsKey"] as const) : (["tlsKey", "tlsCert"] as const);
    return [`${flagOf(has)} needs ${flagOf(lacks)}: a certificate and its key are given together`];
  }
  if (tlsCert === undefined || plainHttp !== true) return [];
  return [`${flagOf("tlsCert")} and ${flagOf("plainHttp")} exclude each other: give one`];
}

function signingIn(settings: Partial<Settings>): readonly string[] {
  const { issuers, oidcIssuer, oidcClientId } = settings;
  const isAsked = oidcIssuer !== undefined || oidcClientId !== undefined;
  if (!isAsked) return [];
  const [issuer, client] = [flagOf("oidcIssuer"), flagOf("oidcClientId")];
  if (oidcIssuer === undefined && "oidcIssuer" in settings) return [`${client} needs ${issuer}`];
  if (oidcClientId === undefined && "oidcClientId" in settings)
    return [`${issuer} needs ${client}`];
  if (issuers !== undefined || !("issuers" in settings)) return [];
  return [`${issuer} needs ${flagOf("issuers")}, the file that says how its tokens are verified`];
}

function bootstrapping(settings: Partial<Settings>): readonly string[] {
  const { bootstrapAdmin, bootstrapKey, issuers } = settings;
  if (bootstrapAdmin === undefined) return [];
  const flag = flagOf("bootstrapAdmin");
  if (bootstrapKey !== undefined) {
    return [`${flag} and ${envOf("bootstrapKey")} exclude each other: give one`];
  }
  if (issuers !== undefined || !("issuers" in settings)) return [];
  return [`${flag} needs ${flagOf("issuers")}, the file that says how its tokens are verified`];
}

function owning({ profile, standby, takeover }: Partial<Settings>): readonly string[] {
  if (standby === true && takeover === true) {
    return [`${flagOf("standby")} and ${flagOf("takeover")} exclude each other: give one`];
  }
  const waits = standby === true ? flagOf("standby") : flagOf("takeover");
  const unowned = profile === "memory" || profile === "aws";
  if (!unowned || (standby !== true && takeover !== true)) return [];
  return [`${waits}: profile ${profile} has no owner`];
}

/** What the profiles in S3 cannot do without, each with what mends it. */
function remote(settings: Partial<Settings>): readonly string[] {
  const { profile, s3Bucket, secret } = settings;
  const problems: string[] = [];
  // Where the key is there, its own parser has said what is wrong.
  if ("s3Bucket" in settings && s3Bucket === undefined) {
    problems.push(
      `profile ${profile} stores its catalog in a bucket: give ${flagOf("s3Bucket")} NAME, ` +
        `or by ${flagOf("warehouse")} s3://NAME/path`,
    );
  }
  if ("secret" in settings && secret === undefined) {
    problems.push(
      `profile ${profile} needs a secret, equal on all nodes: set ${envOf("secret")} to the ` +
        "output of `openssl rand -hex 32`",
    );
  }
  return problems;
}

/** Roots that lie where the catalog's own objects are: nothing could be stored there. */
function amongOurs(settings: Partial<Settings>): readonly string[] {
  const { warehouse = "", catalog = [], allowLocation = [] } = settings;
  const roots = [warehouse, ...catalog.map(({ uri = "" }) => uri), ...allowLocation];
  return ownLocations(settings).flatMap((own) =>
    roots
      .filter((root) => isWithin(root, own))
      .map(
        (root) =>
          `${root}: no table may be located there: ${own} contains the catalog's own objects`,
      ),
  );
}

function catalogs({ catalog = [] }: Partial<Settings>): readonly string[] {
  const names = catalog.map(({ name }) => name);
  const twice = new Set(names.filter((name, i) => names.indexOf(name) < i));
  return [...twice].map((name) => `catalog ${name} is configured twice`);
}
