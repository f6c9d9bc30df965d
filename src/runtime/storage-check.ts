import { FirnError, invalid } from "../base/error.ts";
import { IdSource } from "../base/ids.ts";
import { partsOfS3Location } from "../blob/s3/location.ts";
import type { S3Options } from "../blob/s3/options.ts";
import { probeBucket } from "../blob/s3/probe.ts";
import { inItsRegion } from "../blob/s3/region.ts";
import { S3RequestSigner } from "../blob/s3/request-signer.ts";
import { sessionPolicy } from "../service/access/session-policy.ts";
import type { StoreLender } from "../service/access/vending.ts";
import type { ServedProfile } from "../service/stores/profile-index.ts";
import type { StoreAsked, StoreFinding, StoreReport } from "../service/stores/store-report.ts";
import { partitionOf } from "./lake.ts";
import { profileBucket, profileRole, s3Options } from "./s3-stores.ts";
import { isRemote, type Settings } from "./settings.ts";
import {
  honorsUnsignedBody,
  honorsUnsignedCopy,
  pathOfKey,
  SigningTrial,
} from "./signing-trial.ts";
import type { Components } from "./stores.ts";

/*
 * What a store enforces, found out by real requests. The objects that the requests make lie below
 * one key, and are removed again.
 */

/** A place to check. */
interface Checked {
  readonly location: string;
  /** Whether it holds the catalog, which rests on conditional writes. */
  readonly holdsCatalog: boolean;
}

/** What lends sessions for a store, and for whom. */
interface Sessions extends Omit<StoreLender, "key"> {
  readonly externalId: string;
}

/** How a store is reached; without `sessions` none are tried. */
interface Reached {
  readonly options: (bucket: string) => S3Options;
  readonly sessions: Sessions | undefined;
}

type CheckComponents = Pick<Components, "clock" | "prng">;

/**
 * Checks a named location; without one the places in S3 that the settings name: the catalog's own,
 * and the warehouse.
 *
 * @throws FirnError `NO_STORE_IN_S3`, `LOCATION_INVALID`; as `probeBucket`; `Unavailable`
 *   `SIGNING_UNAVAILABLE`, `STS_UNAVAILABLE`: it could not be found out.
 */
export async function* checkStorage(
  named: string | undefined,
  settings: Settings,
  components: CheckComponents,
): AsyncGenerator<StoreReport> {
  const sessions = await sessionsOf(settings);
  const reached = { options: (bucket: string) => s3Options(bucket, settings), sessions };
  for (const place of placesOf(named, settings)) {
    yield await new StorageCheck(place, reached, components).run();
  }
}

/**
 * Checks each root of a storage profile, with its credentials.
 *
 * @throws FirnError as `checkStorage`.
 */
export async function checkProfile(
  served: ServedProfile,
  externalId: string,
  components: CheckComponents,
): Promise<readonly StoreReport[]> {
  const { profile } = served;
  const lends = profile.vend && profile.roleArn !== "";
  const { stsSessions } = await import("./sts.ts");
  const sessions = lends
    ? {
        externalId,
        partition: partitionOf(profile.roleArn),
        kmsKeys: profile.kmsKeys,
        assumeRole: stsSessions(profileRole(served)),
      }
    : undefined;
  const options = (bucket: string) => profileBucket(bucket, served).options;
  const reports: StoreReport[] = [];
  for (const location of profile.roots) {
    const place = { location, holdsCatalog: false };
    reports.push(await new StorageCheck(place, { options, sessions }, components).run());
  }
  return reports;
}

function placesOf(named: string | undefined, settings: Settings): readonly Checked[] {
  const { profile, s3Bucket, s3Prefix, warehouse } = settings;
  if (named !== undefined) return [{ location: named, holdsCatalog: false }];
  const own = isRemote(profile) && s3Bucket !== undefined;
  const places = [
    ...(own
      ? [{ location: `s3://${s3Bucket}/${s3Prefix}`.replace(/\/$/, ""), holdsCatalog: true }]
      : []),
    ...(warehouse.startsWith("s3://") ? [{ location: warehouse, holdsCatalog: false }] : []),
  ];
  if (places.length > 0) return places;
  const message = "nothing to check: name a location, s3://bucket/prefix, or see --warehouse";
  throw invalid("NO_STORE_IN_S3", message, { profile });
}

async function sessionsOf({
  vendRole: roleArn,
  vendStsEndpoint: endpoint,
  s3KmsKey,
}: Settings): Promise<Sessions | undefined> {
  if (roleArn === undefined) return undefined;
  const { stsSessions } = await import("./sts.ts");
  return {
    externalId: "firn-storage-check",
    partition: partitionOf(roleArn),
    kmsKeys: s3KmsKey === undefined ? [] : [s3KmsKey],
    assumeRole: stsSessions({ roleArn, endpoint }),
  };
}

/** The shortest that AWS gives. */
const SESSION_MS = 900_000;
const OK = 200;
const REFUSED = 400;
const SERVER_FAILED = 500;

/** One place under trial. */
class StorageCheck {
  readonly #place: Checked;
  readonly #reached: Reached;
  readonly #components: CheckComponents;
  readonly #bucket: string;
  /** Below it lies what the check makes. */
  readonly #home: string;

  constructor(place: Checked, reached: Reached, components: CheckComponents) {
    this.#place = place;
    this.#reached = reached;
    this.#components = components;
    const { bucket, key } = partsOfS3Location(place.location);
    const id = new IdSource(components.clock, components.prng).mint();
    this.#bucket = bucket;
    this.#home = `${key === "" ? "" : `${key}/`}.firn-probe-${id}`;
  }

  async run(): Promise<StoreReport> {
    const { clock, prng } = this.#components;
    const asked = this.#reached.options(this.#bucket);
    const options = await inItsRegion(asked, { clock, prng });
    const conditions = await this.#conditions(options);
    const signer = new S3RequestSigner(options, clock);
    try {
      const trial = await SigningTrial.open(signer);
      const findings = [
        conditions,
        await this.#signatures(trial, signer, options),
        await this.#unsignedHeaders(trial),
        await this.#signedBodies(trial),
        ...(await this.#paths(trial)),
        await this.#sessions(trial, options),
      ];
      const region = await signer.region();
      return this.#report(findings, { region, base: trial.base });
    } finally {
      signer.close();
    }
  }

  #report(
    findings: readonly StoreFinding[],
    where: Pick<StoreReport, "region" | "base">,
  ): StoreReport {
    const lacks = (...asked: readonly StoreAsked[]) =>
      findings.filter((each) => asked.includes(each.asked) && each.holds === false);
    const unsafeReads = lacks("signatures");
    const unsafeWrites = lacks("signatures", "unsignedHeaders", "signedBodies");
    const others = lacks(
      "sessionPolicies",
      ...(this.#place.holdsCatalog ? (["conditionalWrites"] as const) : []),
    );
    return {
      location: this.#place.location,
      ...where,
      findings,
      readSigning: unsafeReads.length === 0 ? "safe" : "unsafe",
      writeSigning: unsafeWrites.length === 0 ? "safe" : "unsafe",
      problems: [...unsafeWrites, ...others].map(({ detail }) => detail),
    };
  }

  async #conditions(options: S3Options): Promise<StoreFinding> {
    const asked = "conditionalWrites";
    try {
      await probeBucket({ ...options, prefix: `${this.#home}/` }, this.#components);
      return { asked, holds: true, detail: "of many writers under one condition one wins" };
    } catch (error) {
      const isIgnored = error instanceof FirnError && error.code === "BUCKET_CONDITIONS_IGNORED";
      if (!isIgnored) throw error;
      return { asked, holds: false, detail: "the store ignores conditions of writes" };
    }
  }

  /** A signature by a wrong secret, none at all, and one of another path. */
  async #signatures(
    trial: SigningTrial,
    signer: S3RequestSigner,
    options: S3Options,
  ): Promise<StoreFinding> {
    const asked = "signatures";
    const { credentials } = await signer.endpoint();
    const { accessKeyId, sessionToken } = credentials;
    const wrong = {
      accessKeyId,
      secretAccessKey: Buffer.from(this.#components.prng.bytes(30)).toString("base64"),
      ...(sessionToken !== undefined && { sessionToken }),
    };
    const forger = new S3RequestSigner({ ...options, credentials: wrong }, this.#components.clock);
    const path = pathOfKey(`${this.#home}-signed`);
    const put = { method: "PUT", path, body: "x" } as const;
    const tries = [
      ["a signature by a wrong secret", { ...put, signer: forger }],
      ["a write without a signature", { ...put, signer: null }],
      ["the signature of another path", { ...put, signedPath: `${path}-other` }],
    ] as const;
    try {
      for (const [what, request] of tries) {
        const status = await trial.send(request);
        assertAnswered(status);
        if (status < REFUSED) return { asked, holds: false, detail: `the store takes ${what}` };
      }
      return { asked, holds: true, detail: "wrong, absent and foreign signatures are refused" };
    } finally {
      forger.close();
      await trial.send({ method: "DELETE", path });
    }
  }

  async #unsignedHeaders(trial: SigningTrial): Promise<StoreFinding> {
    const obeys = await honorsUnsignedCopy(trial, this.#bucket, `${this.#home}-copy`);
    const detail = obeys
      ? "the store obeys x-amz-copy-source without a signature of it"
      : "an unsigned x-amz-copy-source is refused or passed over";
    return { asked: "unsignedHeaders", holds: !obeys, detail };
  }

  async #signedBodies(trial: SigningTrial): Promise<StoreFinding> {
    const obeys = await honorsUnsignedBody(trial, `${this.#home}-body`);
    const detail = obeys
      ? "the store takes another body than the one whose hash was signed"
      : "a body that is not the signed one is refused";
    return { asked: "signedBodies", holds: !obeys, detail };
  }

  /** Firn signs no path with `.`, `..` or empty segments: what a store makes of them is told. */
  async #paths(trial: SigningTrial): Promise<readonly StoreFinding[]> {
    const home = pathOfKey(`${this.#home}-paths`);
    const path = `${home}/x`;
    const reads = async (raw: string, base = trial.base): Promise<boolean> => {
      const status = await trial.send({ method: "GET", path: raw, base });
      assertAnswered(status);
      return status === OK;
    };
    await trial.send({ method: "PUT", path, body: "x" });
    try {
      const dots = (await reads(`${home}/y/../x`)) || (await reads(`${home}/y/%2E%2E/x`));
      const slashes = await reads(`${home}//x`);
      return [
        {
          asked: "literalDots",
          holds: !dots,
          detail: dots ? "the store resolves .. in a path" : ".. in a path is a name",
        },
        {
          asked: "literalSlashes",
          holds: !slashes,
          detail: slashes ? "the store reads // in a path as /" : "// in a path is an empty name",
        },
        await this.#pathStyle(trial, () => reads(path, pathStyleOf(trial.base, this.#bucket))),
      ];
    } finally {
      await trial.send({ method: "DELETE", path });
    }
  }

  async #pathStyle(trial: SigningTrial, reads: () => Promise<boolean>): Promise<StoreFinding> {
    const holds = await reads();
    const used = trial.base === pathStyleOf(trial.base, this.#bucket);
    const how = used ? "which is used" : "the bucket is in the host's name";
    return {
      asked: "pathStyle",
      holds,
      detail: `${holds ? "URLs with the bucket in the path work" : "they do not work"}; ${how}`,
    };
  }

  /** A session for one folder reads and writes it, fails beside it, writes no metadata file. */
  async #sessions(trial: SigningTrial, options: S3Options): Promise<StoreFinding> {
    const asked = "sessionPolicies";
    const { sessions } = this.#reached;
    if (sessions === undefined) {
      return { asked, holds: undefined, detail: "no role is set: see --vend-role, or the profile" };
    }
    const { partition, kmsKeys, externalId, assumeRole } = sessions;
    const [mine, other] = [`${this.#home}-mine`, `${this.#home}-mine-2`];
    const location = `s3://${this.#bucket}/${mine}`;
    const policy = sessionPolicy({ location, mode: "write", partition, kmsKeys });
    if (policy === undefined) {
      return { asked, holds: undefined, detail: "the location is too long for a session policy" };
    }
    const lent = await assumeRole({
      policy,
      sessionName: "firn-storage-check",
      externalId,
      lifeMs: SESSION_MS,
    });
    const session = new S3RequestSigner({ ...options, credentials: lent }, this.#components.clock);
    const made = [`${mine}/data/x`, `${other}/data/x`, `${mine}/metadata/1.metadata.json`];
    const [own = "", beside = "", metadata = ""] = made.map(pathOfKey);
    try {
      await trial.send({ method: "PUT", path: beside, body: "x" });
      const allowed = [
        await trial.send({ method: "PUT", path: own, body: "x", signer: session }),
        await trial.send({ method: "GET", path: own, signer: session }),
      ];
      if (allowed.some((status) => status !== OK)) {
        const detail = "a session of the role does not reach its own files: see its policy";
        return { asked, holds: false, detail };
      }
      for (const [what, method, path] of [
        ["reads", "GET", beside],
        ["writes", "PUT", beside],
        ["deletes", "DELETE", beside],
      ] as const) {
        const status = await trial.send({ method, path, signer: session });
        assertAnswered(status);
        if (status < REFUSED) {
          return { asked, holds: false, detail: `a session for one folder ${what} another` };
        }
      }
      const status = await trial.send({ method: "PUT", path: metadata, signer: session });
      assertAnswered(status);
      return status < REFUSED
        ? { asked, holds: false, detail: "a session writes metadata files" }
        : { asked, holds: true, detail: "a session reaches the files of one folder" };
    } finally {
      session.close();
      for (const path of [own, beside, metadata]) await trial.send({ method: "DELETE", path });
    }
  }
}

/** With the bucket in the path. */
function pathStyleOf(base: string, bucket: string): string {
  if (!base.includes(`://${bucket}.`)) return base;
  return `${base.replace(`://${bucket}.`, "://")}/${bucket}`;
}

/** A refusal says something of the store; its own failure does not. */
function assertAnswered(status: number): void {
  if (status < SERVER_FAILED) return;
  const message = "the store failed: what it enforces is not known";
  throw new FirnError("Unavailable", "SIGNING_UNAVAILABLE", message, { status });
}
