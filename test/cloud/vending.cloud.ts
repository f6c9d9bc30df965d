import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findPython, PythonEnvironment } from "../clients/python.ts";
import type { ServerProcess } from "../clients/server-process.ts";
import { ADMIN_KEY, table } from "../service/access/support.ts";
import { firnWith } from "../support/firn-process.ts";
import {
  type DelegatingServer,
  LENT_BUCKET,
  LENT_ROLE,
  startLending,
} from "./delegating-server.ts";
import { awsEnv } from "./node.ts";

/*
 * Credentials for single tables over MiniStack, which evaluates the policies of sessions. It takes
 * any secret of its root key, and knows no variables such as `${*}`.
 */

const MINISTACK = process.env["FIRN_TEST_MINISTACK_AUTH"] ?? "";
const BUCKET = LENT_BUCKET;
const ROLE = LENT_ROLE;
const CLIENTS = join(import.meta.dirname, "..", "clients");
const DELEGATED = { "x-iceberg-access-delegation": "vended-credentials,remote-signing" };

let server: ServerProcess;
let lending: DelegatingServer;
let reader: string;

type Json = Record<string, unknown>;

async function ask(
  key: string,
  method: string,
  path: string,
  body?: object,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly body: Json }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...more };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${server.url}${path}`, { method, headers, ...sent });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : (JSON.parse(text) as Json) };
}

async function admin(method: string, path: string, body?: object): Promise<Json> {
  const answer = await ask(ADMIN_KEY, method, path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

beforeAll(async () => {
  lending = await startLending(MINISTACK);
  ({ server } = lending);
  await admin("POST", NAMESPACES, { namespace: ["sales"] });
  for (const name of ["a-1", "a-12", "b"]) await admin("POST", TABLES, table(name));
  await admin("POST", "/api/v1/principals", { name: "reader" });
  reader = (await admin("POST", "/api/v1/principals/reader/keys", {}))["key"] as string;
  const privileges = ["read-metadata", "read-data"];
  const on = { catalog: "default", namespace: ["sales"], name: "a-1" };
  await admin("POST", "/api/v1/grants", { principal: "reader", privileges, ...on });
});

afterAll(async () => {
  await lending.close();
});

const NAMESPACES = "/iceberg/v1/default/namespaces";
const TABLES = `${NAMESPACES}/sales/tables`;

interface Loaded {
  readonly location: string;
  readonly metadataLocation: string;
  readonly config: Readonly<Record<string, string>>;
  readonly credentials: readonly { prefix: string; config: Record<string, string> }[];
}

async function load(key: string, name: string, more = DELEGATED): Promise<Loaded> {
  const { status, body } = await ask(key, "GET", `${TABLES}/${name}`, undefined, more);
  expect(status).toBe(200);
  return {
    location: (body["metadata"] as { location: string }).location,
    metadataLocation: body["metadata-location"] as string,
    config: body["config"] as Record<string, string>,
    credentials: (body["storage-credentials"] ?? []) as Loaded["credentials"],
  };
}

/** An S3 client by nothing but what the catalog said. */
function clientOf(config: Readonly<Record<string, string>>): S3Client {
  return new S3Client({
    endpoint: config["s3.endpoint"] ?? "",
    region: config["client.region"] ?? "",
    forcePathStyle: config["s3.path-style-access"] === "true",
    maxAttempts: 1,
    credentials: {
      accessKeyId: config["s3.access-key-id"] ?? "",
      secretAccessKey: config["s3.secret-access-key"] ?? "",
      sessionToken: config["s3.session-token"] ?? "",
    },
  });
}

function keyOf(location: string): string {
  return location.slice(`s3://${BUCKET}/`.length);
}

async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    return (error as Error).name;
  }
}

const at = (location: string) => ({ Bucket: BUCKET, Key: keyOf(location) });

test("a vended credential reaches its table and nothing beside it", async () => {
  const mine = await load(ADMIN_KEY, "a-1");
  expect(mine.credentials).toHaveLength(1);
  expect(mine.credentials[0]?.prefix).toBe(`${mine.location}/`);
  expect(mine.config).toMatchObject(mine.credentials[0]?.config ?? { none: "" });
  const s3 = clientOf(mine.config);
  const data = at(`${mine.location}/data/1.parquet`);
  expect(await outcome(s3.send(new PutObjectCommand({ ...data, Body: "x" })))).toBe("done");
  expect(await outcome(s3.send(new GetObjectCommand(data)))).toBe("done");
  expect(await outcome(s3.send(new GetObjectCommand(at(mine.metadataLocation))))).toBe("done");
  const within = { Bucket: BUCKET, Prefix: `${keyOf(mine.location)}/data` };
  expect(await outcome(s3.send(new ListObjectsV2Command(within)))).toBe("done");
  expect(await outcome(s3.send(new DeleteObjectCommand(data)))).toBe("done");
  const forged = { ...at(`${mine.location}/metadata/00009-x.metadata.json`), Body: "{}" };
  expect(await outcome(s3.send(new PutObjectCommand(forged)))).toBe("AccessDenied");
  const own = at(mine.metadataLocation);
  expect(await outcome(s3.send(new DeleteObjectCommand(own)))).toBe("AccessDenied");
  for (const name of ["a-12", "b"]) {
    const other = await load(ADMIN_KEY, name, { ...DELEGATED, "x-iceberg-access-delegation": "" });
    expect(other.credentials).toEqual([]);
    expect(other.config["s3.access-key-id"]).toBeUndefined();
    for (const command of [
      new GetObjectCommand(at(other.metadataLocation)),
      new PutObjectCommand({ ...at(`${other.location}/data/x`), Body: "x" }),
      new DeleteObjectCommand(at(other.metadataLocation)),
      new ListObjectsV2Command({ Bucket: BUCKET, Prefix: `${keyOf(other.location)}/` }),
    ]) {
      expect(await outcome(s3.send(command as GetObjectCommand)), name).toBe("AccessDenied");
    }
  }
  for (const prefix of ["", "wh/", "wh/sales", keyOf(mine.location)]) {
    const all = new ListObjectsV2Command({ Bucket: BUCKET, Prefix: prefix });
    expect(await outcome(s3.send(all)), prefix).toBe("AccessDenied");
  }
});

test("a reader's credential reads only, is renewed, and ends with the grant", async () => {
  const { config, location, metadataLocation } = await load(reader, "a-1");
  const s3 = clientOf(config);
  expect(await outcome(s3.send(new GetObjectCommand(at(metadataLocation))))).toBe("done");
  const written = { ...at(`${location}/data/evil`), Body: "x" };
  expect(await outcome(s3.send(new PutObjectCommand(written)))).toBe("AccessDenied");
  const gone = new DeleteObjectCommand(at(metadataLocation));
  expect(await outcome(s3.send(gone))).toBe("AccessDenied");
  const renewal = `/iceberg/${config["client.refresh-credentials-endpoint"]}`;
  const renewed = await ask(reader, "GET", renewal);
  expect(renewed.status).toBe(200);
  // Kept for half of its life.
  const again = renewed.body["storage-credentials"] as Loaded["credentials"];
  expect(again[0]?.config["s3.access-key-id"]).toBe(config["s3.access-key-id"]);
  const on = { catalog: "default", namespace: ["sales"], name: "a-1" };
  const revoked = { principal: "reader", privileges: ["read-data"], ...on };
  await admin("POST", "/api/v1/grants:revoke", revoked);
  expect((await load(reader, "a-1")).credentials).toEqual([]);
  expect((await ask(reader, "GET", renewal)).status).toBe(403);
  await admin("POST", "/api/v1/grants", revoked);
});

test("a table whose files lie elsewhere, or that may hold others, is not vended", async () => {
  const elsewhere = {
    ...table("wide"),
    properties: { "write.data.path": `s3://${BUCKET}/wh/shared` },
  };
  await admin("POST", TABLES, elsewhere);
  expect((await load(ADMIN_KEY, "wide")).credentials).toEqual([]);
  const properties = { "location.overlap.allowed": "true" };
  await admin("POST", "/api/v1/catalogs", { name: "loose", properties });
  await admin("POST", "/iceberg/v1/loose/namespaces", { namespace: ["n"] });
  const loose = "/iceberg/v1/loose/namespaces/n/tables";
  const made = await ask(ADMIN_KEY, "POST", loose, table("t"), DELEGATED);
  expect([made.status, made.body["storage-credentials"]]).toEqual([200, undefined]);
});

const PYICEBERG = `
import sys
import pyarrow as pa
from pyiceberg.catalog import load_catalog

catalog = load_catalog("firn", type="rest", uri=sys.argv[1] + "/iceberg", credential=sys.argv[2])
rows = pa.table({"a": pa.array([1, 2, 3], pa.int64())})
made = catalog.create_table("sales.py", schema=rows.schema)
made.append(rows)
made.append(rows)
with catalog.create_table_transaction("sales.staged", schema=rows.schema) as staged:
    staged.append(rows)
assert len(catalog.load_table("sales.py").scan().to_arrow()) == 6
assert len(catalog.load_table("sales.staged").scan().to_arrow()) == 3
print("six and three")
`;

test("PyIceberg needs nothing but the URL and a credential", { timeout: 300_000 }, async () => {
  const requirements = join(CLIENTS, "requirements.txt");
  const environment = new PythonEnvironment(join(CLIENTS, ".venv"), requirements);
  await environment.prepare(findPython() ?? "python3");
  const args = ["-c", PYICEBERG, server.url, `admin:${ADMIN_KEY}`];
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("AWS_")),
  );
  const bare = { ...env, AWS_EC2_METADATA_DISABLED: "true" };
  const { stdout, stderr } = spawnSync(environment.python, args, { encoding: "utf8", env: bare });
  expect(stdout.trim(), stderr).toBe("six and three");
});

test("each set of credentials is in the audit log, and none of their secrets", async () => {
  const [write, read] = [await load(ADMIN_KEY, "a-1"), await load(reader, "a-1")];
  const file = lending.auditLog;
  const modes = () =>
    readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Json)
      .filter(
        ({ operation, object }) => operation === "vend" && (object as Json)["table"] === "a-1",
      )
      .map(({ principal, mode }) => `${principal} ${mode}`);
  await expect.poll(modes).toEqual(expect.arrayContaining(["admin write", "reader read"]));
  const text = readFileSync(file, "utf8");
  for (const { config } of [write, read]) {
    for (const name of ["s3.secret-access-key", "s3.session-token"]) {
      expect(config[name]).toMatch(/.{8}/);
      expect(text).not.toContain(config[name]);
    }
  }
});

test("firn storage check finds that sessions reach one folder", async () => {
  const args = ["storage", "check", `s3://${BUCKET}/wh`, "--json", "--vend-role", ROLE];
  const { exitCode, out } = await firnWith(awsEnv(MINISTACK), ...args);
  const { findings } = JSON.parse(out) as {
    readonly findings: readonly { readonly asked: string; readonly holds?: boolean }[];
  };
  const held = Object.fromEntries(findings.map(({ asked, holds }) => [asked, holds]));
  // Its root key passes with any secret.
  expect({ exitCode, ...held }).toMatchObject({
    exitCode: 1,
    signatures: false,
    sessionPolicies: true,
  });
});
