import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import { Firn } from "../../src/index.ts";
import { largeMetadata, type MetadataSize } from "../support/large-metadata.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";
import { askAtCost, expectShortTurns } from "../support/turns.ts";

let firn: Firn;
let tables = 0;

beforeAll(async () => {
  firn = await Firn.open({ profile: "memory", listen: { port: 0 } });
  await askAtCost(firn, "POST", "/namespaces", { namespace: ["a"] });
});
afterAll(() => firn.close());

/** Registers a metadata file, and answers what became of it once every turn was short. */
async function register(
  what: string,
  content: string | Uint8Array,
  directory: string = scratchDirectory(),
): Promise<readonly [name: string, verdict: string]> {
  const suffix = typeof content === "string" ? ".metadata.json" : ".gz.metadata.json";
  const path = join(directory, "metadata", `00001-x${suffix}`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  const name = `t${tables++}`;
  const request = { name, "metadata-location": `file://${path}` };
  const answered = await askAtCost(firn, "POST", "/namespaces/a/register", request);
  await expectShortTurns(what, answered);
  const { status, code } = answered.result;
  return [name, `${status} ${code ?? ""}`.trim()];
}

const REAL: readonly (readonly [string, MetadataSize])[] = [
  ["a long history", { snapshots: 3_000 }],
  ["many columns in many schemas", { columns: 5_000, schemas: 5 }],
  ["many properties", { properties: 30_000, valueBytes: 200 }],
];

test.each(REAL)("%s is registered, loaded and committed in short turns", async (what, size) => {
  const directory = scratchDirectory();
  const text = largeMetadata(`file://${directory}`, size);
  expect(text.length).toBeGreaterThan(LIMITS.turnBytes);
  const [name, verdict] = await register(what, text, directory);
  expect(verdict).toBe("200");
  const load = () => askAtCost(firn, "GET", `/namespaces/a/tables/${name}`);
  const loaded = await load();
  await expectShortTurns(`${what}, load`, loaded, load);
  expect(loaded.result.status).toBe(200);
  const commit = () =>
    askAtCost(firn, "POST", `/namespaces/a/tables/${name}`, {
      requirements: [],
      updates: [{ action: "set-properties", updates: { a: "b" } }],
    });
  const committed = await commit();
  await expectShortTurns(`${what}, commit`, committed, commit);
  expect(committed.result.status).toBe(200);
});

/** A gzip file of `mib` MiB that repeat a text: members one behind the other. */
function bomb(mib: number, text: string): Uint8Array {
  const member = gzipSync(text.repeat(Math.ceil(1_048_576 / text.length)), { level: 9 });
  return Buffer.concat(Array.from({ length: mib }, () => member));
}

const REFUSED = "400 METADATA_INVALID";

const HOSTILE: readonly (readonly [string, () => string | Uint8Array])[] = [
  ["white space without end, packed", () => bomb(300, " ")],
  ["arrays in arrays, packed", () => bomb(40, "[[[[[[[[")],
  ["values without number, packed", () => Buffer.concat([gzipSync("["), bomb(20, "0,")])],
  ["what is not gzip", () => Buffer.alloc(LIMITS.turnBytes + 1)],
  ["one text of all bytes", () => `"${"x".repeat(30_000_000)}"`],
  ["an object of many members", () => `{${members(200_000)}}`],
];

function members(count: number): string {
  return Array.from({ length: count }, (_, i) => `"k${i}":${i}`).join();
}

test.each(HOSTILE)("%s: refused in short turns", async (what, content) => {
  expect((await register(what, content()))[1]).toBe(REFUSED);
});

test("members that nothing knows are kept, in short turns", async () => {
  const directory = scratchDirectory();
  const text = largeMetadata(`file://${directory}`, { snapshots: 3 });
  const [, verdict] = await register(
    "unknown members",
    `${text.slice(0, -1)},${members(100_000)}}`,
    directory,
  );
  expect(verdict).toBe("200");
});

test("snapshots of next to nothing are many, and come in short turns", async () => {
  const directory = scratchDirectory();
  const text = largeMetadata(`file://${directory}`, {});
  const one = (i: number) => `{"snapshot-id":${i + 1},"timestamp-ms":1,"manifest-list":""}`;
  const all = Array.from({ length: 20_000 }, (_, i) => one(i)).join();
  const [, verdict] = await register(
    "small snapshots",
    text.replace('"snapshots":[]', `"snapshots":[${all}]`),
    directory,
  );
  expect(verdict).toBe("200");
});
