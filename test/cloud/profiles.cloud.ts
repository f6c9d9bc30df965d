import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { HeadObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findPython, PythonEnvironment } from "../clients/python.ts";
import { type ServerProcess, startServer } from "../clients/server-process.ts";
import { ADMIN_KEY } from "../service/access/support.ts";
import { LENT_ROLE, makeBucket, makeRole, REGION } from "./delegating-server.ts";
import { VERSITYGW_ACCOUNT } from "./versitygw.ts";

/*
 * Storage profiles: a server without credentials of its own, over a MiniStack that judges, whose
 * sessions are vended, and versitygw, for which requests are signed. Each profile has its own
 * endpoint and its own keys.
 */

const MINISTACK = process.env["FIRN_TEST_MINISTACK_AUTH"] ?? "";
const VERSITYGW = process.env["FIRN_TEST_VERSITYGW"];
const CLIENTS = join(import.meta.dirname, "..", "clients");
/** Root of MiniStack with any secret: this one must turn up nowhere. */
const CANARY = "canary-7f3b19c2e8d54a60";
const MINISTACK_KEYS = { accessKeyId: "test", secretAccessKey: CANARY };

type Json = Record<string, unknown>;

let home: string;
let server: ServerProcess;

async function ask(method: string, path: string, body?: object, key = ADMIN_KEY) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${server.url}${path}`, { method, headers, ...sent });
  const text = await response.text();
  return { status: response.status, text, body: (text === "" ? {} : JSON.parse(text)) as Json };
}

async function admin(method: string, path: string, body?: object): Promise<Json> {
  const answer = await ask(method, path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer.body;
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "firn-profiles-"));
  await makeRole(MINISTACK);
  await makeBucket(MINISTACK, "east", MINISTACK_KEYS);
  if (VERSITYGW !== undefined) await makeBucket(VERSITYGW, "west", VERSITYGW_ACCOUNT);
  const flags = ["--auth", "required", "--audit-log", join(home, "audit.jsonl")];
  server = await startServer(join(home, "dir"), flags, { FIRN_BOOTSTRAP_KEY: ADMIN_KEY });
});

afterAll(async () => {
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

const EAST = {
  name: "east",
  roots: ["s3://east/lake"],
  endpoint: MINISTACK,
  region: REGION,
  roleArn: LENT_ROLE,
  stsEndpoint: MINISTACK,
  vend: true,
  secret: { kind: "SEALED", ...MINISTACK_KEYS },
};
const WEST = {
  name: "west",
  roots: ["s3://west/lake"],
  endpoint: VERSITYGW,
  region: REGION,
  sign: "WRITE",
  secret: { kind: "SEALED", ...VERSITYGW_ACCOUNT },
};

const PYICEBERG = `
import sys
import pyarrow as pa
from pyiceberg.catalog import load_catalog

_, url, credential, warehouse, delegation = sys.argv
catalog = load_catalog("firn", type="rest", uri=url + "/iceberg", credential=credential,
                       warehouse=warehouse,
                       **{"header.X-Iceberg-Access-Delegation": delegation})
catalog.create_namespace("n")
rows = pa.table({"a": pa.array([1, 2, 3], pa.int64())})
made = catalog.create_table("n.t", schema=rows.schema)
made.append(rows)
made.append(rows)
loaded = catalog.load_table("n.t")
print(loaded.metadata.location, len(loaded.scan().to_arrow()), loaded.io.properties["s3.endpoint"])
`;

async function pyiceberg(warehouse: string, delegation: string): Promise<string> {
  const requirements = join(CLIENTS, "requirements.txt");
  const environment = new PythonEnvironment(join(CLIENTS, ".venv"), requirements);
  await environment.prepare(findPython() ?? "python3");
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("AWS_")),
  );
  const args = ["-c", PYICEBERG, server.url, `admin:${ADMIN_KEY}`, warehouse, delegation];
  // One worker: its signer of requests is shared by all threads, and not safe for that.
  const bare = { ...env, AWS_EC2_METADATA_DISABLED: "true", PYICEBERG_MAX_WORKERS: "1" };
  const { stdout } = await promisify(execFile)(environment.python, args, { env: bare });
  return stdout.trim();
}

test("PyIceberg reads and writes through vended credentials", { timeout: 300_000 }, async () => {
  const made = await admin("POST", "/api/v1/storage-profiles", EAST);
  expect(made["secret"]).toMatchObject({ kind: "SEALED" });
  await admin("POST", "/api/v1/catalogs", { name: "east", defaultLocation: "s3://east/lake/wh" });
  const told = await pyiceberg("east", "vended-credentials");
  expect(told).toMatch(/^s3:\/\/east\/lake\/wh\/\S+ 6 /);
  expect(told.endsWith(MINISTACK)).toBe(true);
  // The server itself wrote the metadata there.
  const loaded = await admin("GET", "/iceberg/v1/east/namespaces/n/tables/t");
  const [, , bucket = "", ...key] = String(loaded["metadata-location"]).split("/");
  const s3 = new S3Client({
    endpoint: MINISTACK,
    region: REGION,
    forcePathStyle: true,
    credentials: MINISTACK_KEYS,
  });
  await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key.join("/") }));
  s3.destroy();
});

test.runIf(VERSITYGW !== undefined)(
  "PyIceberg reads and writes through signed requests of another endpoint",
  { timeout: 300_000 },
  async () => {
    await admin("POST", "/api/v1/storage-profiles", WEST);
    await admin("POST", "/api/v1/catalogs", { name: "west", defaultLocation: "s3://west/lake/wh" });
    const told = await pyiceberg("west", "remote-signing");
    expect(told).toMatch(/^s3:\/\/west\/lake\/wh\/\S+ 6 /);
    expect(told.endsWith(VERSITYGW ?? "")).toBe(true);
  },
);

test("the secret turns up nowhere", async () => {
  const paths = ["", "/east", "/east:check"];
  for (const path of paths) {
    const method = path.endsWith(":check") ? "POST" : "GET";
    const { text } = await ask(method, `/api/v1/storage-profiles${path}`);
    expect(text).not.toContain(CANARY);
  }
  const bad = await ask("PATCH", "/api/v1/storage-profiles/east", {
    secret: { kind: "SEALED", accessKeyId: "a b", secretAccessKey: CANARY },
  });
  expect([bad.status, bad.text.includes(CANARY)]).toEqual([400, false]);
  for (const path of ["/api/v1/changes", "/api/v1/audit"]) {
    expect((await ask("GET", path)).text).not.toContain(CANARY);
  }
  expect(readFileSync(join(home, "audit.jsonl"), "utf8")).not.toContain(CANARY);
});
