import { expect, test } from "vitest";
import { FirnError } from "../../../src/base/error.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import { Locations } from "../../../src/blob/locations.ts";
import { s3Scheme } from "../../../src/blob/s3/scheme.ts";
import {
  type AssumedSession,
  type AssumeRole,
  Vending,
} from "../../../src/service/access/vending.ts";
import type { Actor } from "../../../src/service/actor.ts";
import type { CatalogPlaces } from "../../../src/service/table-locations.ts";
import { TestClock } from "../../../src/testing/test-clock.ts";

const LIFE_MS = 3_600_000;

/** Vending over a token service that counts, and fails while `isDown`. */
function vendingOver() {
  const clock = new TestClock(1_700_000_000_000);
  const never = () => {
    throw new Error("no store is opened");
  };
  const locations = new Locations({
    clock,
    prng: new SeededPrng(1),
    allowedRoots: ["s3://lake/wh"],
    reserved: ["s3://lake/wh/@accounts"],
    schemes: new Map([["s3", s3Scheme({ open: never, watched: false })]]),
  });
  const asked: AssumedSession[] = [];
  const service = { isDown: false };
  const assumeRole: AssumeRole = async (session) => {
    if (service.isDown) throw new FirnError("Unavailable", "STS_UNAVAILABLE", "down");
    asked.push(session);
    const id = String(asked.length);
    const expiresAtMs = clock.nowMs() + LIFE_MS;
    return { accessKeyId: id, secretAccessKey: id, sessionToken: id, expiresAtMs };
  };
  const lender = { key: "" };
  const vending = new Vending({
    clock,
    locations,
    lifeMs: LIFE_MS,
    isOn: () => true,
    lenderOf: async () => ({ key: lender.key, partition: "aws", kmsKeys: [], assumeRole }),
  });
  return { vending, asked, clock, service, lender };
}

const ANN: Actor = { requestId: "1", principal: "ann", account: "default" };
const apart = { overlaps: false, allowed: (uri: string) => uri } as unknown as CatalogPlaces;
const loose = { overlaps: true, allowed: (uri: string) => uri } as unknown as CatalogPlaces;

const tableAt = (location: string, properties: Readonly<Record<string, string>> = {}) => ({
  location,
  properties: new Map(Object.entries(properties)),
});
const TABLE = tableAt("s3://lake/wh/n/t");

test("what was lent is kept for half of its life, for its holder, table and mode", async () => {
  const { vending, asked, clock } = vendingOver();
  const lend = async (actor = ANN, mode: "read" | "write" = "read", table = TABLE) =>
    (await vending.lend(actor, mode, table, async () => apart))?.accessKeyId;
  expect(await lend()).toBe("1");
  expect(await lend()).toBe("1");
  expect(await lend(ANN, "write")).toBe("2");
  expect(await lend({ ...ANN, principal: "bob" })).toBe("3");
  expect(await lend({ ...ANN, account: "acme" })).toBe("4");
  expect(await lend(ANN, "read", tableAt("s3://lake/wh/n/u"))).toBe("5");
  clock.advance(LIFE_MS / 2 - 60_000);
  expect(await lend()).toBe("1");
  clock.advance(60_000);
  expect(await lend()).toBe("6");
  expect(asked[0]?.policy).not.toContain("PutObject");
  expect(asked[1]?.policy).toContain("PutObject");
  expect(asked[3]).toMatchObject({ externalId: "acme", sessionName: "ann" });
});

test("nothing is lent where files of others can be reached", async () => {
  const { vending, asked } = vendingOver();
  const lend = (table: ReturnType<typeof tableAt>, places = apart) =>
    vending.lend(ANN, "read", table, async () => places);
  const within = tableAt("s3://lake/wh/n/t", { "write.data.path": "s3://lake/wh/n/t/files" });
  expect(await lend(within)).toBeDefined();
  for (const table of [
    tableAt("s3://lake/wh/n/x", { "write.data.path": "s3://lake/wh/n/other" }),
    tableAt("s3://lake/wh/n/x", { "write.metadata.path": "s3://lake/wh/n/x2" }),
    tableAt("s3://lake/wh/n/x", { "write.object-storage.path": "file:///etc" }),
    tableAt("s3://lake/wh/n/x", { "write.folder-storage.path": "s3://lake/wh/n/x/../y" }),
    tableAt("s3://lake/wh"),
    tableAt("s3://lake/wh/@accounts/1/n/t"),
    tableAt("file:///tmp/t"),
    tableAt(`s3://lake/wh/${"x".repeat(1_000)}`),
  ]) {
    expect(await lend(table), table.location).toBeUndefined();
  }
  expect(await lend(tableAt("s3://lake/wh/n/y"), loose)).toBeUndefined();
  expect(asked).toHaveLength(1);
});

test("a token service that is down answers 503, and is asked again", async () => {
  const { vending, service } = vendingOver();
  const lend = () => vending.lend(ANN, "read", TABLE, async () => apart);
  service.isDown = true;
  await expect(lend()).rejects.toMatchObject({ kind: "Unavailable", code: "STS_UNAVAILABLE" });
  service.isDown = false;
  expect((await lend())?.accessKeyId).toBe("1");
});

test("a change of the storage profile ends what was kept of it", async () => {
  const { vending, lender } = vendingOver();
  const lend = async () => (await vending.lend(ANN, "read", TABLE, async () => apart))?.accessKeyId;
  expect(await lend()).toBe("1");
  expect(await lend()).toBe("1");
  lender.key = "another version";
  expect(await lend()).toBe("2");
});
