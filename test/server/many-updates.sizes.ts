import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Firn } from "../../src/index.ts";
import { askAtCost, type Cost, encoded, expectLinear, expectShortTurns } from "../support/turns.ts";

let firn: Firn;
const SCHEMA = { type: "struct", fields: [{ id: 1, name: "a", required: false, type: "long" }] };
const VIEW_VERSION = {
  "version-id": 1,
  "schema-id": 0,
  "timestamp-ms": 1,
  summary: {},
  "default-namespace": ["ns"],
  representations: [{ type: "sql", sql: "select 1", dialect: "x" }],
};
const SNAPSHOT = 1_000_000_000_000;

beforeAll(async () => {
  firn = await Firn.open({ profile: "memory", listen: { port: 0 } });
  await succeed("POST", "/namespaces", { namespace: ["ns"] });
});
afterAll(() => firn.close());

async function succeed(method: string, path: string, body?: Uint8Array | object): Promise<Cost> {
  const cost = await askAtCost(firn, method, path, body);
  const { status, body: answer } = cost.result;
  const text = status < 300 ? "" : Buffer.concat(answer).toString();
  expect([`${method} ${path}`, status < 300, text]).toEqual([`${method} ${path}`, true, ""]);
  return cost;
}

let made = 0;

/** A new table with one snapshot. */
async function table(): Promise<string> {
  const name = `t${++made}`;
  await succeed("POST", "/namespaces/ns/tables", { name, schema: SCHEMA });
  await succeed("POST", `/namespaces/ns/tables/${name}`, {
    requirements: [],
    updates: [addSnapshot(0)],
  });
  return `/namespaces/ns/tables/${name}`;
}

async function view(): Promise<string> {
  const name = `v${++made}`;
  const request = { name, schema: SCHEMA, "view-version": VIEW_VERSION, properties: {} };
  await succeed("POST", "/namespaces/ns/views", request);
  return `/namespaces/ns/views/${name}`;
}

function addSnapshot(i: number): object {
  const snapshot = {
    "snapshot-id": SNAPSHOT + i,
    "sequence-number": i + 1,
    "timestamp-ms": 1_700_000_000_000 + i,
    summary: { operation: "append" },
    "manifest-list": `memory:///m/${i}.avro`,
  };
  return { action: "add-snapshot", snapshot };
}

function fieldsOf(i: number): object[] {
  return [
    { id: 1, name: "a", required: false, type: "long" },
    { id: 2, name: `b${i}`, required: false, type: "long" },
  ];
}

/** What a request may hold thousands of. */
const UPDATES: Readonly<Record<string, (i: number) => object>> = {
  "set-properties": (i) => ({ action: "set-properties", updates: { [`k${i}`]: "v" } }),
  "remove-properties": (i) => ({ action: "remove-properties", removals: [`k${i}`] }),
  "set-snapshot-ref": (i) => ({
    action: "set-snapshot-ref",
    "ref-name": `r${i}`,
    "snapshot-id": SNAPSHOT,
    type: "tag",
  }),
  "main to and fro": (i) => ({
    action: "set-snapshot-ref",
    "ref-name": "main",
    "snapshot-id": SNAPSHOT,
    type: "branch",
    "min-snapshots-to-keep": i + 1,
  }),
  "remove-snapshot-ref": (i) => ({ action: "remove-snapshot-ref", "ref-name": `r${i}` }),
  "add-schema": (i) => ({
    action: "add-schema",
    schema: { type: "struct", fields: fieldsOf(i) },
  }),
  "add-spec": (i) => ({
    action: "add-spec",
    spec: { fields: [{ name: `p${i}`, transform: `bucket[${i + 1}]`, "source-id": 1 }] },
  }),
  "add-sort-order": (i) => ({
    action: "add-sort-order",
    "sort-order": {
      "order-id": 1,
      fields: [
        {
          transform: `bucket[${i + 1}]`,
          "source-id": 1,
          direction: "asc",
          "null-order": "nulls-last",
        },
      ],
    },
  }),
  "set-statistics": (i) => ({
    action: "set-statistics",
    statistics: {
      "snapshot-id": i,
      "statistics-path": "s3://b/x",
      "file-size-in-bytes": 1,
      "file-footer-size-in-bytes": 1,
      "blob-metadata": [],
    },
  }),
  "add-encryption-key": (i) => ({
    action: "add-encryption-key",
    "encryption-key": { "key-id": `k${i}`, "encrypted-key-metadata": "AAAA" },
  }),
  "add-snapshot": (i) => addSnapshot(i + 1),
};

const VIEW_UPDATES: typeof UPDATES = {
  "set-properties": UPDATES["set-properties"] as (i: number) => object,
  "add-schema": UPDATES["add-schema"] as (i: number) => object,
  "add-view-version": (i) => ({
    action: "add-view-version",
    "view-version": {
      ...VIEW_VERSION,
      representations: [{ type: "sql", sql: `select ${i}`, dialect: "x" }],
    },
  }),
};

function commitOf(update: (i: number) => object, count: number): Uint8Array {
  const updates = Array.from({ length: count }, (_, i) => update(i));
  return encoded({ requirements: [], updates });
}

const MANY = 2_000;

describe.each([
  ["table", UPDATES, table],
  ["view", VIEW_UPDATES, view],
] as const)("thousands of updates of a %s in one request", (_what, all, make) => {
  it.each(Object.entries(all))("%s: linear work, short turns", async (name, update) => {
    const path = await make();
    const [few, many] = [commitOf(update, MANY), commitOf(update, 2 * MANY)];
    const dryRun = async (body: Uint8Array) => {
      const run = () => succeed("POST", `${path}?dry-run=true`, body);
      const cost = await run();
      await expectShortTurns(`${name}, dry run`, cost, run);
      return cost;
    };
    await expectLinear(
      name,
      () => dryRun(few),
      () => dryRun(many),
    );
    await succeed("POST", path, many);
  });
});

describe("names and ids that collide", () => {
  it("in a schema are refused, or found without comparing each with all", async () => {
    const leaves = Array.from({ length: 1_000 }, (_, i) => ({
      id: i + 2,
      name: `leaf_${1_000 + i}`,
      required: false,
      type: "long",
    }));
    const struct = { type: "struct", fields: leaves };
    const long = { id: 1, name: "x".repeat(16_400), required: false, type: struct };
    const request = (fields: object[]) => ({ name: "long", schema: { type: "struct", fields } });
    const refuse = () => askAtCost(firn, "POST", "/namespaces/ns/tables", request([long]));
    const refused = await refuse();
    expect(refused.result.status).toBe(400);
    await expectShortTurns("long name", refused, refuse);

    const ids = collidingIds(4_000);
    const fields = ids.map((id) => ({ id, name: `c${id}`, required: false, type: "long" }));
    const many = encoded({ ...request(fields), name: "colliding" });
    await expectShortTurns("ids", await succeed("POST", "/namespaces/ns/tables", many));
  });

  it("in properties and removals are refused", async () => {
    const names = Array.from({ length: 200 }, (_, i) => `${"x".repeat(16_400)}${i}`);
    const path = await table();
    for (const update of [
      { action: "set-properties", updates: Object.fromEntries(names.map((one) => [one, ""])) },
      { action: "remove-properties", removals: names },
      { ...UPDATES["set-snapshot-ref"]?.(1), "ref-name": names[0] },
    ]) {
      const body = { requirements: [], updates: [update] };
      const ask = () => askAtCost(firn, "POST", path, body);
      const cost = await ask();
      expect(cost.result.status).toBe(400);
      await expectShortTurns("long names", cost, ask);
    }
  });
});

/** Integers whose hash in V8, which has no seed for them, ends alike. */
function collidingIds(count: number): number[] {
  const ids: number[] = [];
  for (let id = 1; ids.length < count; id++) {
    let hash = (~id + (id << 15)) >>> 0;
    hash = (hash ^ (hash >>> 12)) >>> 0;
    hash = (hash + (hash << 2)) >>> 0;
    hash = (hash ^ (hash >>> 4)) >>> 0;
    hash = Math.imul(hash, 2_057) >>> 0;
    hash = (hash ^ (hash >>> 16)) >>> 0;
    if ((hash & 0x7ff) === 0) ids.push(id);
  }
  return ids;
}

describe("properties", () => {
  it("are bounded together, and larger ones of before may shrink", async () => {
    const path = await table();
    const set = (updates: Record<string, string>) =>
      askAtCost(firn, "POST", path, {
        requirements: [],
        updates: [{ action: "set-properties", updates }],
      });
    const half = "v".repeat(4_194_304 - 100);
    expect((await set({ a: half, b: half })).result.status).toBe(200);
    const { result } = await set({ c: "v".repeat(300) });
    expect([result.status, result.code]).toEqual([400, "TABLE_PROPERTY_INVALID"]);
    expect(Buffer.concat(result.body).toString()).toContain("8388608");
    expect((await set({ a: "" })).result.status).toBe(200);
  });
});
