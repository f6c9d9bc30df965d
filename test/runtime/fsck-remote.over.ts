import { afterEach, expect, test } from "vitest";
import { createMetrics } from "../../src/base/metrics.ts";
import { partsOfS3Location } from "../../src/blob/s3/location.ts";
import { Firn, type FirnOptions } from "../../src/index.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { openStores } from "../../src/runtime/compose.ts";
import { openLake } from "../../src/runtime/lake.ts";
import { readOptions } from "../../src/runtime/open-settings.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import { requireSettings } from "../../src/runtime/read-settings.ts";
import { FINDING_LEVELS, type FindingCode } from "../../src/service/fsck/findings.ts";
import type { Item } from "../double/dynamo/value-types.ts";
import type { StoredObject } from "../double/s3/model.ts";
import { DAMAGES, type Damage } from "../service/support/planted-damage.ts";
import { closeSites, NAME, openSite, type Site } from "../support/aws-site.ts";
import { firnLine } from "../support/firn-lsm.ts";
import { commitOf, SCHEMA, scratchDirectory } from "../support/open-iceberg.ts";
import { addSnapshot, type ClientMetadata, setRef } from "../support/snapshots.ts";

/*
 * A check of stores behind a wire: what it lists, sweeps and repairs goes through the adapters of
 * S3 and DynamoDB. Its rules are judged over memory, one by one; here, one of each sort of object.
 */

const PROFILES = ["aws", "bucket"] as const;
const SECRET = "the secret that all nodes of a test share";

/** Of each sort of object and each level at least one. */
const SAMPLE: readonly FindingCode[] = [
  "POINTER_UNREADABLE",
  "PAYLOAD_MISSING",
  "PAYLOAD_HASH_MISMATCH",
  "NAME_ORPHANED",
  "LISTING_MISSING",
  "CLAIM_MISSING",
  "GUARD_MISSING",
  "JOB_DUE_MISSING",
  "SNAPSHOT_MISSING",
  "METADATA_MISSING",
  "CHANGE_GAP",
  "PAYLOAD_UNKNOWN",
];

afterEach(() => closeSites());

function optionsOf(profile: (typeof PROFILES)[number]): FirnOptions {
  const table = profile === "aws" ? { dynamodbTable: NAME } : {};
  return { profile, dir: scratchDirectory(), s3Bucket: NAME, secret: SECRET, ...table };
}

async function fill(options: FirnOptions): Promise<void> {
  const firn = await Firn.open({ ...options, logLevel: "silent" });
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const request = new Request(`http://firn/iceberg/v1/default/${path}`, {
      method,
      ...(body && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body, (_, value) =>
          typeof value === "bigint" ? Number(value) : value,
        ),
      }),
    });
    const response = await firn.fetch(request);
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  await ask("POST", "namespaces", { namespace: ["a"] });
  for (const name of ["t", "u", "gone"]) {
    await ask("POST", "namespaces/a/tables", { name, schema: SCHEMA });
  }
  for (const id of [1_001n, 1_002n]) {
    const { metadata } = (await ask("GET", "namespaces/a/tables/t")) as {
      readonly metadata: ClientMetadata;
    };
    const commit = commitOf([addSnapshot(metadata, id), setRef("main", id)]);
    await ask("POST", "namespaces/a/tables/t", commit);
  }
  await ask("DELETE", "namespaces/a/tables/gone");
  await firn.close();
}

/** Everything that the services hold, to be brought back. */
function saved({ s3, dynamo }: Site): () => void {
  const bucket = s3.model.buckets.get(NAME);
  const table = dynamo.tables.ready(NAME);
  if (bucket === undefined) throw new Error("no bucket");
  const objects = new Map<string, StoredObject>();
  for (const key of bucket.keys()) objects.set(key, bucket.get(key) as StoredObject);
  const items: readonly Item[] = [...table.all()];
  return () => {
    for (const key of [...bucket.keys()]) bucket.delete(key);
    for (const [key, object] of objects) bucket.set(key, object);
    for (const item of [...table.all()]) table.delete(table.placeOfItem(item));
    for (const item of items) table.put(table.placeOfItem(item), item);
  };
}

/** Plants a damage through the profile's own stores. @returns the subject that it is found at. */
async function plant(options: FirnOptions, damage: Damage): Promise<string> {
  const [clock, prng] = [new SystemClock(), new SystemPrng()];
  const quiet = { nodeId: "planter", onDefect: () => undefined, notify: () => undefined };
  const components = { clock, prng, ...quiet };
  const settings = requireSettings(readOptions(options, process.cwd()));
  const { pointers, blobs, close } = await openStores(settings, components, createMetrics());
  const lake = openLake(settings, components, createMetrics());
  const { store } = await lake.bucket(NAME);
  const pathOf = (uri: string) => partsOfS3Location(uri).key;
  const files = {
    get: (uri: string) => store.get(pathOf(uri)),
    put: (uri: string, bytes: Uint8Array) => store.put(pathOf(uri), bytes),
    delete: (uri: string) => store.delete(pathOf(uri)),
  };
  try {
    return await damage.plant({ pointers, blobs, files, nowMs: clock.nowMs() });
  } finally {
    await lake.close();
    await close();
  }
}

/** What is young may be on its way to its pointer: makes a payload an hour older. */
function grow({ s3 }: Site, subject: string): void {
  const bucket = s3.model.buckets.get(NAME);
  const key = bucket?.keys().find((each) => each.endsWith(`/${subject}`)) ?? "";
  const object = bucket?.get(key);
  if (object !== undefined) {
    bucket?.set(key, { ...object, modifiedMs: object.modifiedMs - 3_600_000 });
  }
}

interface Checked {
  readonly exitCode: number;
  readonly found: readonly { code: string; subject: string; repaired?: string }[];
}

async function check(options: FirnOptions, ...flags: readonly string[]): Promise<Checked> {
  const { profile = "", dir = "", dynamodbTable = "" } = options as Record<string, string>;
  const env = {
    FIRN_PROFILE: profile,
    FIRN_DIR: dir,
    FIRN_S3_BUCKET: NAME,
    FIRN_SECRET: SECRET,
    ...(dynamodbTable === "" ? {} : { FIRN_DYNAMODB_TABLE: dynamodbTable }),
  };
  const { exitCode, out, errors } = await firnLine(["fsck", "--json", ...flags], env);
  const lines = out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  if (exitCode > 1) throw new Error(errors);
  return { exitCode, found: lines.filter((line) => line.code !== undefined) };
}

test.each(PROFILES)(
  "profile %s: what is planted is found, and derived keys are repaired",
  async (profile) => {
    const site = await openSite();
    const options = optionsOf(profile);
    await fill(options);
    expect(await check(options)).toEqual({ exitCode: 0, found: [] });
    const restore = saved(site);
    for (const code of SAMPLE) {
      const damage = DAMAGES.find((one) => one.code === code);
      if (damage === undefined) throw new Error(`nobody plants ${code}`);
      const subject = await plant(options, damage);
      grow(site, subject);
      const { exitCode, found } = await check(options, "--repair");
      expect(
        found.map((one) => `${one.code} ${one.subject}`),
        code,
      ).toContain(`${code} ${subject}`);
      const known: readonly string[] = [
        code,
        ...(damage.also ?? []),
        "CHANGE_MISSING",
        "CHANGE_GAP",
      ];
      expect(
        found.filter((one) => !known.includes(one.code)),
        code,
      ).toEqual([]);
      const isDerived = FINDING_LEVELS[code] === "derived";
      for (const one of found.filter((each) => each.code === code)) {
        expect(one.repaired, code).toBe(isDerived ? "repaired" : undefined);
      }
      if (FINDING_LEVELS[code] === "damage") expect(exitCode, code).toBe(1);
      if (isDerived) {
        const again = await check(options);
        expect(
          again.found.filter((one) => one.code === code),
          code,
        ).toEqual([]);
      }
      restore();
    }
  },
  300_000,
);
