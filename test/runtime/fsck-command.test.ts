import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { columns as columnTypes, Firn, Schema } from "../../src/index.ts";
import { FINDING_LEVELS } from "../../src/service/fsck/findings.ts";
import { firnLine, servedFrom } from "../support/firn-lsm.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

const SCHEMA = {
  type: "struct",
  "schema-id": 0,
  fields: [{ id: 1, name: "id", type: "long", required: false }],
};

async function post(firn: Firn, path: string, body: object): Promise<void> {
  const request = new Request(`http://firn/iceberg/v1/default/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const response = await firn.fetch(request);
  if (response.status >= 300) throw new Error(await response.text());
}

async function withTable(firn: Firn): Promise<void> {
  await post(firn, "namespaces", { namespace: ["a"] });
  await post(firn, "namespaces/a/tables", { name: "t", schema: SCHEMA });
}

/** The files of payloads of tables. */
function tablePayloads(dir: string): readonly string[] {
  const blobs = join(dir, "store", "blobs");
  const files = readdirSync(blobs, { recursive: true, encoding: "utf8" });
  const isPayload = /\/tables\/[^/]+\/table\/.*[0-9a-f]{64}/;
  return files.filter((file) => isPayload.test(file)).map((file) => join(blobs, file));
}

test("a closed store is checked; a damage is found and exits with 1", async () => {
  const dir = scratchDirectory();
  const firn = await Firn.open({ profile: "local", dir });
  await withTable(firn);
  await firn.close();
  const clean = await firnLine(["fsck", dir]);
  expect(clean).toMatchObject({ exitCode: 0, errors: "" });
  expect(clean.out).toMatch(/^\d+ pointers and \d+ payloads in \d+ ms: 0 damaged, 0 derived/);
  const [payload = ""] = tablePayloads(dir);
  const bytes = readFileSync(payload);
  rmSync(payload);
  const found = await firnLine(["fsck", dir, "--json"]);
  expect(found.exitCode).toBe(1);
  const [line, summary] = found.out
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text));
  expect(line).toMatchObject({ code: "PAYLOAD_MISSING", level: "damage" });
  expect(summary.summary).toMatchObject({ damage: 1, derived: 0 });
  const flipped = Buffer.from(bytes);
  flipped[40] = (flipped[40] ?? 0) ^ 1;
  writeFileSync(payload, flipped);
  const torn = await firnLine(["fsck", dir]);
  expect(torn).toMatchObject({ exitCode: 1, errors: "" });
  expect(torn.out).toMatch(/^damage PAYLOAD_HASH_MISMATCH /);
  writeFileSync(payload, bytes);
  const repaired = await firnLine(["fsck", "--profile", "local", "--dir", dir, "--repair"]);
  expect(repaired.exitCode).toBe(0);
});

test("a running server does the check, found by its directory or its URL", async () => {
  const dir = scratchDirectory();
  const firn = await Firn.open({ profile: "local", dir, listen: { port: 0 } });
  try {
    servedFrom(firn.url, dir);
    await withTable(firn);
    for (const target of [dir, firn.url ?? ""]) {
      const clean = await firnLine(["fsck", target]);
      expect(clean).toMatchObject({ exitCode: 0, errors: "" });
    }
    const [payload = ""] = tablePayloads(dir);
    rmSync(payload);
    for (const target of [dir, firn.url ?? ""]) {
      const found = await firnLine(["fsck", target, "--repair"]);
      expect(found.exitCode).toBe(1);
      expect(found.out).toMatch(/^damage PAYLOAD_MISSING \/accounts\//);
      expect(found.out).toMatch(/: 1 damaged, 0 derived findings, 0 repaired, 0 leftovers\n$/);
    }
  } finally {
    await firn.close();
  }
});

test("one check at a time, and bad bodies are refused", async () => {
  const { fsckOf } = await import("../../src/http/admin/requests.ts");
  expect(fsckOf({ repair: true })).toBe(true);
  expect(fsckOf({})).toBe(false);
  expect(() => fsckOf({ repair: 1 })).toThrow(/repair/);
  const { StoreAdmin } = await import("../../src/http/admin/store-admin.ts");
  const { SystemClock } = await import("../../src/runtime/clock.ts");
  const firn = await Firn.open();
  const admin = new StoreAdmin((repair) => firn.check({ repair }), new SystemClock());
  const first = admin.check(false);
  expect(() => admin.check(false)).toThrow(expect.objectContaining({ code: "FSCK_RUNNING" }));
  const lines: string[] = [];
  for await (const line of first) lines.push(line);
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ summary: { damage: 0 } });
  for await (const _ of admin.check(false)) break;
  admin.stop();
  await firn.close();
});

test("an embedded Firn in memory is checked by its program", async () => {
  const firn = await Firn.open();
  await withTable(firn);
  const step = await firn.check().next();
  expect(step).toMatchObject({ done: true, value: { damage: 0, derived: 0, busy: 0 } });
  await firn.close();
});

test("what cannot be checked exits with 2 and says what to do", async () => {
  const memory = await firnLine(["fsck", "--profile", "memory"]);
  expect(memory).toMatchObject({ exitCode: 2, out: "" });
  expect(memory.errors).toContain("Firn.check()");
  const none = await firnLine(["fsck", scratchDirectory()]);
  expect(none).toMatchObject({ exitCode: 2, out: "" });
  const nobody = await firnLine(["fsck", "http://127.0.0.1:1"]);
  expect(nobody).toMatchObject({ exitCode: 2, out: "" });
  const wrong = await firnLine(["fsck", "--repiar"]);
  expect(wrong.exitCode).toBe(2);
});

test("docs/fsck.md explains every finding, under its level", () => {
  const text = readFileSync("docs/fsck.md", "utf8");
  const rows = [...text.matchAll(/^\| `([A-Z_]+)` \| (\w+) \|/gm)].map(([, ...row]) => row);
  expect(rows).toEqual(Object.entries(FINDING_LEVELS));
});

test("a closed store is checked with its rows; a shard that is gone is not made anew", async () => {
  const dir = scratchDirectory();
  const firn = await Firn.open({ profile: "local", dir });
  const columns = { id: columnTypes.int4(), name: columnTypes.text() };
  const indexes = [{ name: "by_name", parts: [{ column: "name" }], unique: true }] as const;
  const schema = Schema.table({ columns, primaryKey: ["id"], indexes });
  const namespace = await firn.catalog("default").createNamespace("n");
  const table = await namespace.createTable("t", schema);
  await table.insert({ id: 1, name: "one" }, { id: 2, name: "two" });
  await firn.close();
  const logs = join(dir, "store", "wal");
  const [shard = ""] = readdirSync(logs).filter((name) => name !== "system");
  expect(await firnLine(["fsck", dir])).toMatchObject({ exitCode: 0, errors: "" });
  const files = join(dir, "store", "blobs", "shards", shard);
  rmSync(join(logs, shard), { recursive: true });
  const damaged = await firnLine(["fsck", dir]);
  expect(damaged).toMatchObject({ exitCode: 1, errors: "" });
  expect(damaged.out).toMatch(/^damage ROW_TABLE_UNREADABLE .*WAL_CORRUPT/);
  rmSync(files, { recursive: true });
  for (let run = 0; run < 2; run++) {
    const lost = await firnLine(["fsck", dir]);
    expect(lost).toMatchObject({ exitCode: 1, errors: "" });
    expect(lost.out).toMatch(/^damage ROW_TABLE_LOST /);
    expect(existsSync(files)).toBe(false);
  }
});

test("a table that was dropped with its catalog is no damage: it may come back", async () => {
  const dir = scratchDirectory();
  const options = { profile: "local", dir, logLevel: "silent" } as const;
  const firn = await Firn.open(options);
  await withTable(firn);
  for (const path of ["namespaces/a/tables/t", "namespaces/a"]) {
    const request = new Request(`http://firn/iceberg/v1/default/${path}`, { method: "DELETE" });
    expect((await firn.fetch(request)).status).toBe(204);
  }
  const dropped = new Request("http://firn/api/v1/catalogs/default", { method: "DELETE" });
  expect((await firn.fetch(dropped)).status).toBeLessThan(300);
  const found: string[] = [];
  for await (const { level, code } of firn.check()) found.push(`${level} ${code}`);
  expect(found.filter((each) => !each.startsWith("leftover"))).toEqual([]);
  await firn.close();
  expect(await firnLine(["fsck", dir])).toMatchObject({ exitCode: 0, errors: "" });
});
