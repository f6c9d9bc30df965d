import { expect, test } from "vitest";
import type { AccountId, StorageSecretId } from "../../../src/base/ids.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import type { AccountCatalog } from "../../../src/catalog/catalog.ts";
import type { NewStorageProfile } from "../../../src/catalog/storage-profiles.ts";
import { ProfileIndex } from "../../../src/service/stores/profile-index.ts";
import { credentialsIn, ProfileSecrets } from "../../../src/service/stores/profile-secrets.ts";
import { ACTOR, openTestCatalog, testStores } from "../../support/open-catalog.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const OLD = new Uint8Array(32).fill(1);
const NEW = new Uint8Array(32).fill(2);
const KEYS = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "canary-4be0" };
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

const prng = new SeededPrng(3);
const account = "00000000-0000-7000-8000-000000000001" as AccountId;
const id = "00000000-0000-7000-8000-000000000002" as StorageSecretId;

test("credentials open where they were sealed, with a secret of the deployment", () => {
  const secrets = new ProfileSecrets([OLD], prng);
  const sealed = secrets.seal({ account, id }, KEYS);
  expect(Buffer.from(sealed).toString("latin1")).not.toContain(KEYS.secretAccessKey);
  expect(secrets.open({ account, id }, sealed)).toEqual({ credentials: KEYS, isCurrent: true });
  const other = { account, id: account as unknown as StorageSecretId };
  expect(secrets.open(other, sealed)).toBeUndefined();
  expect(secrets.open({ account: id as unknown as AccountId, id }, sealed)).toBeUndefined();
  expect(new ProfileSecrets([NEW], prng).open({ account, id }, sealed)).toBeUndefined();
  const both = new ProfileSecrets([NEW, OLD], prng);
  expect(both.open({ account, id }, sealed)).toEqual({ credentials: KEYS, isCurrent: false });
  const bent = Uint8Array.from(sealed);
  bent[20] = (bent[20] ?? 0) ^ 1;
  expect(secrets.open({ account, id }, bent)).toBeUndefined();
  expect(secrets.open({ account, id }, sealed.subarray(0, 20))).toBeUndefined();
});

test("what is no pair of keys is refused, and not repeated", () => {
  for (const text of ["hush", "[]", "{}", '{"accessKeyId":"a","secretAccessKey":"hush hush"}']) {
    let said = "";
    try {
      credentialsIn(text);
    } catch (error) {
      said = `${(error as Error).message} ${JSON.stringify(error)}`;
    }
    expect(said).toContain("invalid credentials");
    expect(said).not.toContain("hush");
  }
  const whole = { ...KEYS, sessionToken: "t" };
  expect(credentialsIn(JSON.stringify(whole))).toEqual(whole);
});

/** A catalog, and what indexes its profiles would find. */
async function world() {
  const clock = new VirtualClock();
  const stores = testStores({ clock });
  const catalog = await openTestCatalog(stores);
  const files = new Map<string, string>();
  const indexOf = (secrets: ProfileSecrets, stalenessMs?: number, of: AccountCatalog = catalog) => {
    const readFile = async (path: string) => files.get(path) ?? Promise.reject(new Error("none"));
    const index = new ProfileIndex({ clock, secrets, stalenessMs, readFile });
    const own = { account: of.context.account, profiles: of.storageProfiles };
    index.serve(async () => [own]);
    return index;
  };
  const create = (name: string, roots: readonly string[], more: Partial<NewStorageProfile> = {}) =>
    catalog.storageProfiles.create(ACTOR, { ...BLANK, name, roots, ...more });
  return { ...stores, clock, catalog, files, indexOf, create };
}

test("the longest root serves a location, by whole segments", async () => {
  const { indexOf, create } = await world();
  await create("a", ["s3://lake"]);
  await create("b", ["s3://lake/x", "s3://other/y"]);
  await create("c", ["s3://lake/x/z"]);
  const index = indexOf(new ProfileSecrets([OLD], prng));
  const served = async (location: string) => (await index.serving(location))?.profile.name;
  expect(await served("s3://lake/w")).toBe("a");
  expect(await served("s3://lake/xy")).toBe("a");
  expect(await served("s3://lake/x")).toBe("b");
  expect(await served("s3://lake/x/zz")).toBe("b");
  expect(await served("s3://lake/x/z/t")).toBe("c");
  expect(await served("s3://other/y/t")).toBe("b");
  expect(await served("s3://other")).toBeUndefined();
  expect(await served("s3://lake-2")).toBeUndefined();
});

test("other nodes learn of a change within the staleness time", async () => {
  const { indexOf, create, catalog, clock } = await world();
  const secrets = new ProfileSecrets([OLD], prng);
  const [alone, told, late] = [indexOf(secrets), indexOf(secrets), indexOf(secrets, 1_000)];
  for (const index of [alone, told, late]) {
    expect(await index.serving("s3://lake/t")).toBeUndefined();
    expect(index.isEmpty).toBe(true);
  }
  await create("a", ["s3://lake"]);
  told.changed();
  const name = async (index: ProfileIndex) => (await index.serving("s3://lake/t"))?.profile.name;
  expect([await name(alone), await name(told), await name(late)]).toEqual([
    undefined,
    "a",
    undefined,
  ]);
  await clock.advance(1_000);
  expect(await name(late)).toBe("a");
  const before = (await late.serving("s3://lake/t"))?.key;
  await catalog.storageProfiles.revise(ACTOR, "a", ({ entity }) => ({
    entity: { ...entity, region: "eu-central-1" },
  }));
  await clock.advance(1_000);
  expect((await late.serving("s3://lake/t"))?.key).not.toBe(before);
});

test("replaced credentials are gone, and those of an old secret are sealed anew", async () => {
  const { indexOf, catalog, create, clock } = await world();
  const { account: own, ids } = catalog.context;
  const old = new ProfileSecrets([OLD], prng);
  const give = (secrets: ProfileSecrets, secretAccessKey: string) => {
    const newId = ids.mint<StorageSecretId>();
    const credentials = { ...KEYS, secretAccessKey };
    const sealed = secrets.seal({ account: own, id: newId }, credentials);
    return { id: newId, createdAtMs: clock.nowMs(), sealed };
  };
  const first = give(old, "one");
  await create("a", ["s3://lake"], { secretKind: "SEALED" });
  const put = (secret: ReturnType<typeof give>) =>
    catalog.storageProfiles.revise(ACTOR, "a", ({ entity }) => ({
      entity: { ...entity, secretId: secret.id },
      secret,
    }));
  await put(first);
  const second = give(old, "two");
  await put(second);
  expect(await catalog.storageProfiles.secret(first.id)).toBeUndefined();
  const keyOf = async (...secrets: [Uint8Array, ...Uint8Array[]]) =>
    (await indexOf(new ProfileSecrets(secrets, prng)).serving("s3://lake"))?.credentials;
  const unreadable = { code: "STORAGE_SECRET_UNREADABLE" };
  await expect(keyOf(NEW)).rejects.toMatchObject(unreadable);
  expect((await keyOf(NEW, OLD))?.secretAccessKey).toBe("two");
  // As a node that knows the new secret alone.
  expect((await keyOf(NEW))?.secretAccessKey).toBe("two");
  await catalog.storageProfiles.delete(ACTOR, "a");
  expect(await catalog.storageProfiles.secret(second.id)).toBeUndefined();
});

test("a file of credentials is read again now and then", async () => {
  const { indexOf, create, files, clock } = await world();
  await create("a", ["s3://lake"], { secretKind: "FILE", secretFile: "/keys" });
  const index = indexOf(new ProfileSecrets([OLD], prng));
  const key = async () => (await index.serving("s3://lake"))?.credentials?.accessKeyId;
  await expect(key()).rejects.toMatchObject({ code: "STORAGE_SECRET_UNREADABLE" });
  files.set("/keys", JSON.stringify(KEYS));
  expect(await key()).toBe(KEYS.accessKeyId);
  files.set("/keys", JSON.stringify({ ...KEYS, accessKeyId: "AKIDNEXT" }));
  expect(await key()).toBe(KEYS.accessKeyId);
  await clock.advance(10_000);
  expect(await key()).toBe("AKIDNEXT");
});
