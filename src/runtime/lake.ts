import type { Metrics } from "../base/metrics.ts";
import type { LocationScheme } from "../blob/locations.ts";
import type { BlobStore } from "../blob/port.ts";
import { RoutedBlobStore } from "../blob/routed.ts";
import { partsOfS3Location } from "../blob/s3/location.ts";
import { s3Scheme } from "../blob/s3/scheme.ts";
import type { SigningStore } from "../service/access/remote-signing.ts";
import type { AssumeRole, StoreLender } from "../service/access/vending.ts";
import type { Properties } from "../service/requests.ts";
import type { ProfileIndex, ServedProfile } from "../service/stores/profile-index.ts";
import type { LakeBucket } from "./s3-stores.ts";
import type { Settings } from "./settings.ts";
import type { Components } from "./stores.ts";

/** The buckets that tables lie in, whatever the profile: opened when they are first used. */
export interface Lake {
  /** As the settings say. @throws FirnError while S3 is silent. */
  bucket(name: string): Promise<LakeBucket>;
  /** As a storage profile says. @throws FirnError while S3 is silent. */
  bucketBy(served: ServedProfile, name: string): Promise<LakeBucket>;
  close(): Promise<void>;
}

/** No request, and no SDK is loaded, before a table in a bucket is asked for. */
export function openLake(settings: Settings, components: Components, metrics: Metrics): Lake {
  const buckets = new Map<string, Promise<LakeBucket>>();
  const opened: Promise<LakeBucket>[] = [];
  const once = (key: string, open: () => Promise<LakeBucket>): Promise<LakeBucket> => {
    const known = buckets.get(key);
    if (known !== undefined) return known;
    const opening = open();
    buckets.set(key, opening);
    opened.push(opening);
    // Tried anew by any caller that asks next.
    opening.catch(() => buckets.delete(key));
    return opening;
  };
  return {
    bucket: (name) =>
      once(name, async () => {
        const { ambientBucket, lakeBucket } = await import("./s3-stores.ts");
        return lakeBucket(ambientBucket(name, settings), components, metrics);
      }),
    bucketBy: (served, name) => {
      const begins = `${served.profile.id}/${name}/`;
      const key = `${begins}${served.key}`;
      // Requests under way go on with what an older version opened.
      for (const old of buckets.keys()) {
        if (old.startsWith(begins) && old !== key) buckets.delete(old);
      }
      return once(key, async () => {
        const { lakeBucket, profileBucket } = await import("./s3-stores.ts");
        return lakeBucket(profileBucket(name, served), components, metrics);
      });
    },
    close: async () => {
      for (const bucket of await Promise.allSettled(opened)) {
        if (bucket.status === "fulfilled") bucket.value.store.close();
      }
    },
  };
}

/** The lake as one account sees it. Locations are canonical. */
export interface AccountLake {
  readonly scheme: LocationScheme;
  /** What clients need to know of the store. @throws FirnError while it is silent. */
  configOf(location: string): Promise<Properties>;
  /** What signs for a location; undefined: nothing does. */
  signingOf(location: string): Promise<SigningStore | undefined>;
  /** What lends for a location; undefined: nothing does. */
  lenderOf(location: string): Promise<StoreLender | undefined>;
}

export interface AccountLakeParts {
  readonly lake: Lake;
  readonly profiles: ProfileIndex;
  readonly settings: Settings;
  /** Refuses a location that no profile serves, and that is none of the process's own for it. */
  readonly assertOwn: (location: string) => void;
}

/** Each location is served by its profile, else as the settings say. */
export function accountLake(parts: AccountLakeParts): AccountLake {
  const { lake, profiles, settings, assertOwn } = parts;
  const lenders = new Map<string, { readonly key: string; readonly lends: Promise<AssumeRole> }>();
  const bucketAt = async (location: string): Promise<LakeBucket> => {
    const { bucket } = partsOfS3Location(location);
    const served = await profiles.serving(location);
    if (served !== undefined) return lake.bucketBy(served, bucket);
    assertOwn(location);
    return lake.bucket(bucket);
  };
  const storeAt = async (location: string): Promise<BlobStore> => (await bucketAt(location)).store;
  const lends = (id: string, key: string, open: () => Promise<AssumeRole>): Promise<AssumeRole> => {
    const known = lenders.get(id);
    if (known?.key === key) return known.lends;
    const made = open();
    lenders.set(id, { key, lends: made });
    return made;
  };
  return {
    scheme: s3Scheme({
      open: (bucket) => new RoutedBlobStore((path) => storeAt(locationOf(bucket, path))),
      watched: settings.s3CheckMetadata,
    }),
    configOf: async (location) => (await bucketAt(location)).config,
    signingOf: async (location) => {
      const served = await profiles.serving(location);
      const mode = served === undefined ? settings.remoteSigning : SIGNS[served.profile.sign];
      if (mode === "off") return undefined;
      return { mode, bucket: async (within) => (await bucketAt(location)).signer(within) };
    },
    lenderOf: async (location) => {
      const served = await profiles.serving(location);
      if (served === undefined) {
        const { vendRole: roleArn, vendStsEndpoint: endpoint, s3KmsKey } = settings;
        if (roleArn === undefined) return undefined;
        const assumeRole = await lends("", "", async () =>
          (await import("./sts.ts")).stsSessions({ roleArn, endpoint }),
        );
        const kmsKeys = s3KmsKey === undefined ? [] : [s3KmsKey];
        return { key: "", partition: partitionOf(roleArn), kmsKeys, assumeRole };
      }
      const { profile, key } = served;
      if (!profile.vend || profile.roleArn === "") return undefined;
      const assumeRole = await lends(profile.id, key, async () => {
        const [{ stsSessions }, { profileRole }] = await Promise.all([
          import("./sts.ts"),
          import("./s3-stores.ts"),
        ]);
        return stsSessions(profileRole(served));
      });
      const { kmsKeys } = profile;
      return { key, partition: partitionOf(profile.roleArn), kmsKeys, assumeRole };
    },
  };
}

const SIGNS = { OFF: "off", READ: "read", WRITE: "write" } as const;

function locationOf(bucket: string, path: string): string {
  const key = path.replace(/\/+$/, "");
  return key === "" ? `s3://${bucket}` : `s3://${bucket}/${key}`;
}

/** Of the cloud that an ARN is of. */
export function partitionOf(arn: string): string {
  return arn.split(":")[1] ?? "aws";
}
