import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Firn } from "../../src/index.ts";
import { largeMetadata } from "../support/large-metadata.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";
import { askAtCost, expectShortTurns } from "../support/turns.ts";

/** Sizes that real clients reach: each commits, and none keeps the event loop. */

const SNAPSHOTS = 5_000;
/** As `largeMetadata` numbers them. */
const FIRST_SNAPSHOT = 8_000_000_000_000_000;

let firn: Firn;
beforeAll(async () => {
  firn = await Firn.open({ profile: "memory", listen: { port: 0 } });
  await askAtCost(firn, "POST", "/namespaces", { namespace: ["a"] });
});
afterAll(() => firn.close());

async function succeed(what: string, path: string, body: object): Promise<void> {
  const cost = await askAtCost(firn, "POST", path, body);
  const { status, code } = cost.result;
  expect([what, status, code]).toEqual([what, 200, undefined]);
  await expectShortTurns(what, cost);
}

/** A table that has so many snapshots, as another catalog left it. */
async function register(name: string): Promise<string> {
  const directory = scratchDirectory();
  const path = join(directory, "metadata", "00001-x.metadata.json");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, largeMetadata(`file://${directory}`, { snapshots: SNAPSHOTS }));
  const request = { name, "metadata-location": `file://${path}` };
  await succeed("register", "/namespaces/a/register", request);
  return `/namespaces/a/tables/${name}`;
}

/** The snapshots of the table but its last one, and then as many that are gone already. */
function expired(count: number): readonly number[] {
  const ids = Array.from({ length: count }, (_, i) => FIRST_SNAPSHOT + i);
  return ids.filter((id) => id !== FIRST_SNAPSHOT + SNAPSHOTS - 1);
}

it("50,000 snapshots expire one by one, as in Java, in short turns", async () => {
  const table = await register("one-by-one");
  const updates = expired(50_000).map((id) => ({
    action: "remove-snapshots",
    "snapshot-ids": [id],
  }));
  await succeed("expiry, one by one", table, { requirements: [], updates });
});

it("100,000 snapshots expire at once in short turns", async () => {
  const table = await register("at-once");
  const updates = [{ action: "remove-snapshots", "snapshot-ids": expired(100_000) }];
  await succeed("expiry, at once", table, { requirements: [], updates });
});

it("a table of 21,000 columns is served in short turns", async () => {
  const field = (_: unknown, i: number) => {
    return { id: i + 1, name: `column_${i}`, required: false, type: "long" };
  };
  const fields = Array.from({ length: 21_000 }, field);
  const request = { name: "wide", schema: { type: "struct", fields } };
  await succeed("create", "/namespaces/a/tables", request);
  const updates = [{ action: "set-properties", updates: { a: "b" } }];
  await succeed("commit", "/namespaces/a/tables/wide", { requirements: [], updates });
});
