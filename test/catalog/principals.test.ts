import { expect, test } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { decodePayload, encodePayload } from "../../src/catalog/codec/entities.ts";
import type { Principal } from "../../src/catalog/model.ts";
import { ownerOfKey } from "../../src/catalog/principals.ts";
import { mintKey } from "../../src/service/access/api-keys.ts";
import { ACTOR, openTestCatalog, testStores } from "../support/open-catalog.ts";
import { checkStore } from "./support/check-store.ts";
import { InstantClock } from "./support/instant-clock.ts";

const prng = new SeededPrng(7);
const newKey = async () =>
  (await mintKey(prng, { description: "", createdAtMs: 1, expiresAtMs: 0 })).key;
const blank = { description: "", properties: {}, keys: [], grants: [], roles: [] };

async function world() {
  const clock = new InstantClock();
  const blobs = new MemoryBlobStore(clock);
  const stores = testStores({ clock, blobs });
  const catalog = await openTestCatalog(stores);
  return { catalog, check: () => checkStore(stores.pointers, blobs) };
}

test("principals, their keys and names live and end in one batch each", async () => {
  const { catalog, check } = await world();
  const { principals, context } = catalog;
  expect(await principals.accessVersion()).toBe(0n);
  const [first, second] = [await newKey(), await newKey()];
  const made = await principals.create(ACTOR, {
    ...blank,
    name: "etl",
    kind: "LOCAL",
    keys: [first],
  });
  await check();
  expect(await principals.accessVersion()).toBe(1n);
  expect(await ownerOfKey(context, first.id)).toEqual({
    account: context.account,
    principal: made.entity.id,
  });
  await principals.revise(ACTOR, "rotate", "etl", ({ entity }) => ({ ...entity, keys: [second] }));
  await check();
  expect(await principals.accessVersion()).toBe(2n);
  expect(await ownerOfKey(context, first.id)).toBeUndefined();
  expect(await ownerOfKey(context, second.id)).toBeDefined();
  await expect(
    principals.create(ACTOR, { ...blank, name: "etl", kind: "ROLE" }),
  ).rejects.toMatchObject({ code: "PRINCIPAL_ALREADY_EXISTS" });
  await principals.delete(ACTOR, "etl");
  await check();
  expect(await principals.accessVersion()).toBe(3n);
  expect(await ownerOfKey(context, second.id)).toBeUndefined();
  await expect(principals.get("etl")).rejects.toMatchObject({ code: "PRINCIPAL_NOT_FOUND" });
  const again = await principals.create(ACTOR, { ...blank, name: "etl", kind: "ROLE" });
  expect(again.entity.id).not.toBe(made.entity.id);
  await check();
});

test("nothing of a principal is lost on the way to the store", async () => {
  const id = "01890000-0000-7000-8000-000000000001";
  const entity = {
    ...blank,
    type: "principal",
    id,
    name: "okta/jo",
    kind: "EXTERNAL",
    createdAtMs: 5,
    state: "ACTIVE",
    nameRevision: id,
    suspended: true,
    keys: [await newKey()],
    grants: [{ objectType: "table", objectId: id, path: [id, id], privileges: 511 }],
    roles: [id],
  } as unknown as Principal;
  const envelope = {
    schemaVersion: 1,
    minWriterVersion: 1,
    entityType: "principal",
    accountId: id,
    entityId: id,
    revision: id,
    updatedAtMs: 5,
    updatedBy: "x",
    requestId: "r",
  } as unknown as Parameters<typeof encodePayload>[0];
  const { bytes } = encodePayload(envelope, entity);
  const read = decodePayload("principal", bytes).entity as Principal;
  const [key] = read.keys;
  const plain = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString("hex");
  expect(plain(key?.secretHash)).toBe(plain(entity.keys[0]?.secretHash));
  expect(plain(key?.scram.serverKey)).toBe(plain(entity.keys[0]?.scram.serverKey));
  expect({ ...read, keys: [] }).toEqual({ ...entity, keys: [] });
});
