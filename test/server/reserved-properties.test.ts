import { readFileSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { Firn, type FirnOptions } from "../../src/index.ts";
import { ask, exchange } from "./support.ts";

const TABLES = "/namespaces/ns/tables";
const T = `${TABLES}/t`;
const EVIL = { "s3.signer.uri": "http://evil.example" };
const SCHEMA = {
  type: "struct",
  "schema-id": 0,
  fields: [{ id: 1, name: "id", required: false, type: "long" }],
};
const VIEW_VERSION = {
  "version-id": 1,
  "timestamp-ms": 1,
  "schema-id": 0,
  summary: {},
  "default-namespace": ["ns"],
  representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
};
const STAGED = [
  { action: "add-schema", schema: SCHEMA },
  { action: "set-current-schema", "schema-id": -1 },
  { action: "add-spec", spec: { "spec-id": 0, fields: [] } },
  { action: "set-default-spec", "spec-id": -1 },
  { action: "add-sort-order", "sort-order": { "order-id": 0, fields: [] } },
  { action: "set-default-sort-order", "sort-order-id": -1 },
];

async function open(options: FirnOptions = {}): Promise<Firn> {
  const firn = await Firn.open({ profile: "memory", ...options });
  onTestFinished(() => firn.close());
  await ask(firn, "POST", "/namespaces", { namespace: ["ns"] });
  return firn;
}

const set = (updates: Record<string, string>) => ({
  requirements: [],
  updates: [{ action: "set-properties", updates }],
});

/** Whether a request was refused for a reserved property. */
async function refused(firn: Firn, path: string, body: unknown): Promise<unknown> {
  const { status, code } = await exchange(firn, "POST", path, body);
  return [status, code];
}
const RESERVED = [400, "PROPERTY_RESERVED"];

/** A table of this name whose file holds reserved properties: another catalog wrote it. */
async function planted(firn: Firn, name: string, properties: Record<string, string>) {
  const made = await ask(firn, "POST", TABLES, { name, schema: SCHEMA });
  const path = String(made["metadata-location"]).slice("file://".length);
  await ask(firn, "DELETE", `${TABLES}/${name}`);
  const metadata = JSON.parse(readFileSync(path, "utf8"));
  const theirs = path.replace(/[^/]+$/, "planted.metadata.json");
  writeFileSync(theirs, JSON.stringify({ ...metadata, properties }));
  return { name, "metadata-location": `file://${theirs}` };
}

test("no request sets a reserved property", async () => {
  const firn = await open();
  await ask(firn, "POST", TABLES, { name: "t", schema: SCHEMA });
  const view = { name: "v", schema: SCHEMA, "view-version": VIEW_VERSION };
  await ask(firn, "POST", "/namespaces/ns/views", { ...view, properties: {} });
  const table = { name: "u", schema: SCHEMA, properties: EVIL };
  const named = { identifier: { namespace: ["ns"], name: "t" }, ...set(EVIL) };
  const { location } = (await ask(firn, "GET", "/namespaces/ns")).properties;
  const place = { action: "set-location", location: `${location}/staged` };
  const staged = {
    requirements: [{ type: "assert-create" }],
    updates: [...STAGED, place, { action: "set-properties", updates: EVIL }],
  };
  const requests: readonly (readonly [string, unknown])[] = [
    [TABLES, table],
    [TABLES, { ...table, "stage-create": true }],
    [`${TABLES}/staged`, staged],
    [T, set(EVIL)],
    [`${T}?dry-run=true`, set(EVIL)],
    ["/transactions/commit", { "table-changes": [named] }],
    ["/transactions/commit?dry-run=true", { "table-changes": [named] }],
    ["/namespaces", { namespace: ["evil"], properties: EVIL }],
    ["/namespaces/ns/properties", { removals: [], updates: EVIL }],
    ["/namespaces/ns/views", { ...view, name: "w", properties: EVIL }],
    ["/namespaces/ns/views/v", set(EVIL)],
    ["/namespaces/ns/views/v?dry-run=true", set(EVIL)],
  ];
  for (const [path, body] of requests) {
    expect([path, await refused(firn, path, body)]).toEqual([path, RESERVED]);
  }
  expect((await ask(firn, "GET", TABLES)).identifiers).toHaveLength(1);
  expect((await ask(firn, "GET", T)).metadata.properties).not.toHaveProperty("s3.signer.uri");
});

test("every family and key is reserved, what only encrypts is not", async () => {
  const firn = await open({ allowProperty: ["s3.acl"] });
  await ask(firn, "POST", TABLES, { name: "t", schema: SCHEMA });
  const keys = [
    ...["s3.endpoint", "s3.proxy-uri", "client.region", "signer.uri", "rest.client.proxy.hostname"],
    ...["header.X", "auth.type", "gcs.service.host", "adls.account-host", "oss.endpoint"],
    ...["hf.endpoint", "hdfs.host", "http-client.proxy-endpoint", "token", "credential", "uri"],
    ...["oauth2-server-uri", "io-impl", "py-io-impl", "write.location-provider.impl"],
    ...["write.py-location-provider.impl", "DEFAULT_SCHEME", "DEFAULT_NETLOC"],
  ];
  for (const key of keys) {
    expect([key, await refused(firn, T, set({ [key]: "x" }))]).toEqual([key, RESERVED]);
  }
  const legal = [
    "s3.sse-kms-key-id",
    "s3.server-side-encryption",
    "s3.acl",
    "s3",
    "tokens",
    "my.s3.x",
  ];
  await ask(firn, "POST", T, set(Object.fromEntries(legal.map((key) => [key, "x"]))));
});

test("a file may hold them: they have no effect, stay as they are, and may go", async () => {
  const firn = await open();
  const held = { ...EVIL, "py-io-impl": "evil.IO", owner: "me" };
  const registered = await ask(
    firn,
    "POST",
    "/namespaces/ns/register",
    await planted(firn, "t", held),
  );
  const neutral = { "s3.signer.uri": "", "py-io-impl": "" };
  expect(registered.metadata.properties).toEqual(held);
  expect(registered.config).toMatchObject(neutral);
  for (const path of [T, `${T}?snapshots=refs`]) {
    expect((await ask(firn, "GET", path)).config).toMatchObject(neutral);
  }
  // A client that sends all it knows changes nothing; another value is another matter.
  await ask(firn, "POST", T, set({ ...held, owner: "you" }));
  expect(await refused(firn, T, set({ "s3.signer.uri": "http://other" }))).toEqual(RESERVED);
  const removals = ["s3.signer.uri", "py-io-impl"];
  const remove = { requirements: [], updates: [{ action: "remove-properties", removals }] };
  await ask(firn, "POST", T, remove);
  const after = await ask(firn, "GET", T);
  expect(after.metadata.properties).toEqual({ owner: "you" });
  expect(Object.keys(after.config)).not.toContain("s3.signer.uri");
  expect(await refused(firn, T, set(EVIL))).toEqual(RESERVED);
});
