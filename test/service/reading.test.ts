import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { inOnePiece } from "../../src/base/bytes.ts";
import type { Revision } from "../../src/base/ids.ts";
import { LIMITS } from "../../src/base/limits.ts";
import type { WorkLimits } from "../../src/base/work-threads.ts";
import { parseTableMetadata, printTableMetadata } from "../../src/iceberg/metadata.ts";
import { parseViewMetadata, printViewMetadata } from "../../src/iceberg/view-metadata.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import {
  type Head,
  MetadataFiles,
  TABLE_FORMAT,
  VIEW_FORMAT,
} from "../../src/service/metadata-files.ts";
import { threadReading } from "../../src/service/reading.ts";
import { largeMetadata } from "../support/large-metadata.ts";
import { testStores } from "../support/open-catalog.ts";
import { openTestIceberg } from "../support/open-iceberg.ts";
import { fixtureFiles } from "../support/planted-table.ts";

/** Of the change that names the file. */
const REVISION = "0199d8a0-0000-7000-8000-000000000001" as Revision;

/** A head of a table of its own. */
function headAt(location: string): Head {
  return { id: location, location, version: 1n, revision: REVISION };
}

async function open(limits: Partial<WorkLimits> = {}) {
  const { locations, directory } = await openTestIceberg(testStores());
  const reading = threadReading(new SystemClock(), limits);
  onTestFinished(() => reading.close());
  const write = (name: string, content: string | Uint8Array): string => {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return `file://${path}`;
  };
  const tables = new MetadataFiles(new SystemClock(), locations, TABLE_FORMAT, reading);
  const views = new MetadataFiles(new SystemClock(), locations, VIEW_FORMAT, reading);
  return { directory, reading, write, tables, views };
}

function textOf(pieces: readonly Uint8Array[]): string {
  return Buffer.from(inOnePiece(pieces)).toString();
}

/** More white space than is read within one turn, where JSON has no meaning for it. */
function padded(text: string): string {
  return text + " ".repeat(LIMITS.turnBytes);
}

test.each(["v1", "v2"] as const)("a thread reads what is read in place, %s", async (v) => {
  const { directory, write, tables, reading } = await open();
  const names = [...fixtureFiles(v).keys()].filter((name) => name.endsWith(".json"));
  for (const name of names) {
    const text = fixtureFiles(v).get(name)?.toString() ?? "";
    const at = text.replace(/"location":\s*"[^"]*"/, `"location": "file://${directory}/t"`);
    const { metadata, pieces } = await tables.load(headAt(write(name, padded(at))));
    const expected = parseTableMetadata(at);
    expect(textOf(pieces)).toBe(padded(at));
    expect(textOf(printTableMetadata(metadata))).toBe(textOf(printTableMetadata(expected)));
    for (const { snapshotId } of expected.snapshots.items) {
      expect(metadata.snapshots.find(snapshotId)?.snapshotId).toBe(snapshotId);
    }
    const [{ layout: _a, snapshots: _b, ...got }, { layout: _c, snapshots: _d, ...want }] = [
      metadata,
      expected,
    ];
    expect(got).toEqual(want);
  }
  expect(reading.threads).toBe(1);
});

test("a thread reads a packed file with a long history, and answers it unpacked", async () => {
  const { directory, write, tables } = await open();
  const text = largeMetadata(`file://${directory}/t`, { snapshots: 3_000, properties: 1_500 });
  const location = write("t/metadata/00001-x.gz.metadata.json", gzipSync(text));
  const { metadata, pieces } = await tables.load(headAt(location));
  expect(textOf(pieces)).toBe(text);
  expect(textOf(printTableMetadata(metadata))).toBe(text);
  expect(metadata.snapshots.items.length).toBe(3_000);
});

test("a thread reads a view", async () => {
  const { directory, write, views } = await open();
  const version = (id: number) => ({
    "version-id": id,
    "timestamp-ms": id,
    "schema-id": 0,
    summary: {},
    "default-namespace": ["a"],
    representations: [{ type: "sql", sql: `select ${"1".repeat(4_000)}`, dialect: "spark" }],
  });
  const text = JSON.stringify({
    "view-uuid": "0a1b2c3d-1111-4222-8333-444455556666",
    "format-version": 1,
    location: `file://${directory}/v`,
    schemas: [{ type: "struct", "schema-id": 0, fields: [] }],
    "current-version-id": 400,
    versions: Array.from({ length: 400 }, (_, i) => version(i + 1)),
    "version-log": [{ "version-id": 400, "timestamp-ms": 400 }],
    "of-another-writer": { "9": 1, a: 2 },
  });
  expect(text.length).toBeGreaterThan(LIMITS.turnBytes);
  const { metadata } = await views.load(headAt(write("v/metadata/1.metadata.json", text)));
  expect(textOf(printViewMetadata(metadata))).toBe(text);
  expect(metadata.versions).toMatchObject(
    parseViewMetadata(text).versions.map(({ fragment: _text, ...version }) => version),
  );
});

test("a file is read once for all that ask for it meanwhile", async () => {
  const { directory, write, tables } = await open();
  const text = padded(largeMetadata(`file://${directory}/t`, {}));
  const location = write("t/metadata/1.metadata.json", text);
  const files = await Promise.all([1, 2, 3].map(() => tables.load(headAt(location))));
  expect(new Set(files).size).toBe(1);
});

test("what a thread refuses names the file and the reason", async () => {
  const { write, tables } = await open();
  const location = write("t/metadata/1.metadata.json", padded(`{"format-version": 9}`));
  await expect(tables.load(headAt(location))).rejects.toMatchObject({
    kind: "Invalid",
    code: "METADATA_INVALID",
    context: { cause: "FORMAT_VERSION_INVALID" },
  });
});

test("a file that takes too long, or too much memory, is refused for good", async () => {
  const slow = await open({ taskMs: 1 });
  const text = largeMetadata("file:///t", { snapshots: 5_000 });
  const costly = { kind: "Invalid", code: "METADATA_INVALID" };
  const location = slow.write("t/metadata/1.metadata.json", text);
  await expect(slow.tables.load(headAt(location))).rejects.toMatchObject({
    ...costly,
    context: { cause: "WORK_TOO_LONG", limitMs: 1, location },
  });
  const narrow = await open({ heapMib: 12 });
  await expect(
    narrow.tables.load(headAt(narrow.write("t/metadata/1.metadata.json", text))),
  ).rejects.toMatchObject({ ...costly, context: { cause: "WORK_TOO_LARGE", heapMib: 12 } });
});

test("a node that closes keeps a file for another to read", async () => {
  const { directory, write, tables, reading } = await open();
  const text = largeMetadata(`file://${directory}/t`, { snapshots: 5_000 });
  const loading = tables.load(headAt(write("t/metadata/1.metadata.json", text)));
  const stopped = expect(loading).rejects.toMatchObject({ code: "WORK_STOPPED" });
  await expect.poll(() => reading.threads).toBe(1);
  await reading.close();
  await stopped;
});
