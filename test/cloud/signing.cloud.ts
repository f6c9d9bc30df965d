import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { S3RequestSigner } from "../../src/blob/s3/request-signer.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { honorsUnsigned } from "../../src/runtime/signing-trial.ts";
import { findPython, PythonEnvironment } from "../clients/python.ts";
import type { ServerProcess } from "../clients/server-process.ts";
import { ADMIN_KEY, table } from "../service/access/support.ts";
import { firnWith } from "../support/firn-process.ts";
import {
  type DelegatingServer,
  REGION,
  SIGNED_BUCKET,
  SIGNING_ENV,
  startSigning,
} from "./delegating-server.ts";
import { VERSITYGW_ACCOUNT } from "./versitygw.ts";

/*
 * Signatures for single tables over versitygw, which checks them, and which resolves `..` and `//`
 * in a path that was signed with them.
 */

const STORE = process.env["FIRN_TEST_VERSITYGW"];
const BUCKET = SIGNED_BUCKET;
const CLIENTS = join(import.meta.dirname, "..", "clients");
const TABLES = "/iceberg/v1/default/namespaces/sales/tables";
const ASKS = { "x-iceberg-access-delegation": "remote-signing" };

type Json = Record<string, unknown>;

let server: ServerProcess;
let signing: DelegatingServer | undefined;
let reader: string;

async function ask(
  key: string,
  method: string,
  path: string,
  body?: object,
  more: Readonly<Record<string, string>> = {},
) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...more };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${server.url}${path}`, { method, headers, ...sent });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? {} : (JSON.parse(text) as Json),
  };
}

async function admin(method: string, path: string, body?: object): Promise<Json> {
  const answer = await ask(ADMIN_KEY, method, path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

beforeAll(async () => {
  if (STORE === undefined) return;
  signing = await startSigning(STORE);
  ({ server } = signing);
  await admin("POST", "/iceberg/v1/default/namespaces", { namespace: ["sales"] });
  for (const name of ["mine", "other"]) await admin("POST", TABLES, table(name));
  await admin("POST", "/api/v1/principals", { name: "reader" });
  reader = (await admin("POST", "/api/v1/principals/reader/keys", {}))["key"] as string;
  const on = { catalog: "default", namespace: ["sales"], name: "mine" };
  const privileges = ["read-metadata", "read-data"];
  await admin("POST", "/api/v1/grants", { principal: "reader", privileges, ...on });
});

afterAll(async () => {
  await signing?.close();
});

async function locationOf(name: string): Promise<string> {
  const { body } = await ask(ADMIN_KEY, "GET", `${TABLES}/${name}`, undefined, ASKS);
  const { location } = body["metadata"] as { location: string };
  return `${STORE}/${location.slice("s3://".length)}`;
}

async function sign(key: string, method: string, uri: string, more: object = {}) {
  const asked = { method, uri, region: REGION, headers: {}, ...more };
  return ask(key, "POST", `${TABLES}/mine/sign`, asked);
}

/** Sends what was signed, as a client does. */
async function send(
  key: string,
  method: string,
  uri: string,
  body?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<number> {
  const signed = await sign(
    key,
    method,
    uri,
    body !== undefined && uri.includes("?delete") ? { body } : {},
  );
  if (signed.status !== 200) return signed.status;
  const given = signed.body["headers"] as Record<string, string[]>;
  const headers = Object.fromEntries(
    Object.entries(given).map(([name, [value]]) => [name, value ?? ""]),
  );
  const md5 = createHash("md5")
    .update(body ?? "")
    .digest("base64");
  const sums = body === undefined ? {} : { "content-md5": md5 };
  const sent = { ...headers, ...sums, ...more };
  const init = { method, headers: sent, ...(body !== undefined && { body }) };
  return (await fetch(signed.body["uri"] as string, init)).status;
}

const PYICEBERG = `
import sys
import pyarrow as pa
from pyiceberg.catalog import load_catalog

catalog = load_catalog("firn", type="rest", uri=sys.argv[1] + "/iceberg", credential=sys.argv[2],
                       **{"header.X-Iceberg-Access-Delegation": "remote-signing"})
rows = pa.table({"a": pa.array([1, 2, 3], pa.int64())})
made = catalog.create_table("sales.py", schema=rows.schema)
assert type(made.io).__name__ == "FsspecFileIO", type(made.io)
made.append(rows)
catalog.load_table("sales.py").append(rows)
made = catalog.load_table("sales.py")
assert len(made.scan().to_arrow()) == 6
print("six, signed")
`;

const TWO_TABLES = `
import sys
import pyarrow as pa
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import SignError

def load(name, credential):
    return load_catalog(name, type="rest", uri=sys.argv[1] + "/iceberg", credential=credential,
                        **{"header.X-Iceberg-Access-Delegation": "remote-signing"})

catalog = load("firn", sys.argv[2])
rows = pa.table({"a": pa.array([1, 2, 3], pa.int64())})
more = pa.table({"a": pa.array([4, 5], pa.int64())})
first = catalog.create_table("shown.first", schema=rows.schema)
first.append(rows)
second = catalog.create_table("sales.second", schema=rows.schema)
second.append(more)
# Each is used after the other one was loaded: one endpoint is asked for both.
first.append(more)
second.append(rows)
again = catalog.load_table("shown.first")
assert len(second.scan().to_arrow()) == 5
assert len(first.scan().to_arrow()) == 5
assert len(again.scan().to_arrow()) == 5
# The endpoint's own table is dropped; the other one is still read and written.
third = catalog.create_table("sales.third", schema=rows.schema)
catalog.drop_table("sales.third")
first.append(rows)
assert len(first.scan().to_arrow()) == 8
mine = load("half", sys.argv[3]).load_table("shown.first")
assert len(mine.scan().to_arrow()) == 8
# Not one that its key may not read, by the same process that has the endpoint of one that it may.
path = second.metadata.current_snapshot().manifest_list
try:
    mine.io.new_input(path).open().read()
except SignError as refused:
    print("two, signed; a hidden one refused:", "403" in str(refused))
`;

describe.skipIf(STORE === undefined)("remote signing", () => {
  test("what a client needs is told to those who ask for it", async () => {
    const { body } = await ask(ADMIN_KEY, "GET", `${TABLES}/mine`, undefined, ASKS);
    expect(body["config"]).toMatchObject({
      "s3.remote-signing-enabled": "true",
      "s3.signer": "S3V4RestSigner",
      "s3.signer.endpoint": "v1/default/namespaces/sales/tables/mine/sign",
      "py-io-impl": "pyiceberg.io.fsspec.FsspecFileIO",
      "s3.endpoint": STORE,
    });
    const plain = await ask(ADMIN_KEY, "GET", `${TABLES}/mine`);
    expect(plain.body["config"]).not.toHaveProperty("s3.signer");
  });

  test("a signed request does what it says, in its table alone", async () => {
    const mine = await locationOf("mine");
    const key = `${mine}/data/1.parquet`;
    expect(await send(ADMIN_KEY, "PUT", key, "rows")).toBe(200);
    expect(await send(ADMIN_KEY, "GET", key)).toBe(200);
    expect(await send(reader, "GET", key)).toBe(200);
    expect(await send(reader, "PUT", key, "x")).toBe(403);
    expect(await send(reader, "DELETE", key)).toBe(403);
    const prefix = encodeURIComponent(new URL(mine).pathname.slice(`/${BUCKET}/`.length));
    const list = `${STORE}/${BUCKET}?list-type=2&prefix=${prefix}%2F`;
    expect(await send(reader, "GET", list)).toBe(200);
    const name = new URL(key).pathname.slice(`/${BUCKET}/`.length);
    const deletion = `<Delete><Object><Key>${name}</Key></Object></Delete>`;
    expect(await send(reader, "POST", `${STORE}/${BUCKET}?delete`, deletion)).toBe(403);
    expect(await send(ADMIN_KEY, "POST", `${STORE}/${BUCKET}?delete`, deletion)).toBe(200);
    expect(await send(ADMIN_KEY, "GET", key)).toBe(404);
    const [cached, written] = [await sign(reader, "GET", key), await sign(ADMIN_KEY, "PUT", key)];
    expect(cached.headers.get("cache-control")).toBe("private");
    expect(written.headers.get("cache-control")).toBe("no-store");
  });

  test("no trick of a path, query or header leaves the table", async () => {
    const [mine, other] = [await locationOf("mine"), await locationOf("other")];
    const victim = other.slice(other.lastIndexOf("/") + 1);
    const refused = [
      ["GET", `${mine}/../${victim}/data/1`],
      ["GET", `${mine}//${victim}`],
      ["GET", `${mine}/%2e%2e/${victim}/data/1`],
      ["GET", `${mine}/..%2F${victim}`],
      ["GET", `${mine}/data/1?acl`],
      ["PUT", `${mine}/metadata/00009-x.metadata.json`],
      ["GET", `${STORE}/${BUCKET}?list-type=2&prefix=wh`],
      ["DELETE", `${STORE}/${BUCKET}`],
    ] as const;
    for (const [method, uri] of refused) {
      expect([uri, (await sign(ADMIN_KEY, method, uri)).status]).toEqual([uri, 403]);
    }
    expect((await sign(reader, "GET", `${other}/data/1`)).status).toBe(403);
    const copy = { "x-amz-copy-source": [`/${BUCKET}/wh/x`] };
    const copied = await sign(ADMIN_KEY, "PUT", `${mine}/data/2`, { headers: copy });
    expect(copied.status).toBe(403);
    // Added once it is signed: the store refuses what was not.
    const source = { "x-amz-copy-source": `/${BUCKET}/wh/x` };
    expect(await send(ADMIN_KEY, "PUT", `${mine}/data/2`, "", source)).toBe(403);
  });

  test("PyIceberg reads and writes without credentials of the store", {
    timeout: 300_000,
  }, async () => {
    const { stdout, stderr } = await pyIceberg(PYICEBERG, `admin:${ADMIN_KEY}`);
    expect(stdout.trim(), stderr).toBe("six, signed");
  });

  test("PyIceberg reads and writes two tables in one process", { timeout: 300_000 }, async () => {
    await admin("POST", "/iceberg/v1/default/namespaces", { namespace: ["shown"] });
    await admin("POST", "/api/v1/principals", { name: "half" });
    const { key } = await admin("POST", "/api/v1/principals/half/keys", {});
    const on = { catalog: "default", namespace: ["shown"] };
    const privileges = ["read-metadata", "read-data"];
    await admin("POST", "/api/v1/grants", { principal: "half", privileges, ...on });
    const keys = [`admin:${ADMIN_KEY}`, `half:${key}`];
    const { stdout, stderr } = await pyIceberg(TWO_TABLES, ...keys);
    expect(stdout.trim(), stderr).toBe("two, signed; a hidden one refused: True");
  });
});

/** Runs a program of PyIceberg that holds no credentials of the store. */
async function pyIceberg(program: string, ...keys: readonly string[]) {
  const requirements = join(CLIENTS, "requirements.txt");
  const environment = new PythonEnvironment(join(CLIENTS, ".venv"), requirements);
  await environment.prepare(findPython() ?? "python3");
  const args = ["-c", program, server.url, ...keys];
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("AWS_")),
  );
  // PyIceberg 0.12 takes its signer out and puts it in again as each thread begins: what another
  // thread sends meanwhile is not signed (apache/iceberg-python 3896). One worker has no race.
  const one = { PYICEBERG_MAX_WORKERS: "1", AWS_EC2_METADATA_DISABLED: "true" };
  // Not in the way of this process, which has to read what the server writes.
  return promisify(execFile)(environment.python, args, { env: { ...env, ...one } });
}

describe.skipIf(STORE === undefined)("signatures in the audit log", () => {
  test("each signature, given or refused, is in the audit log, and no secret", async () => {
    const key = `${await locationOf("mine")}/data/audited`;
    expect((await sign(reader, "GET", key)).status).toBe(200);
    expect((await sign(reader, "PUT", key)).status).toBe(403);
    expect((await sign("firn_0123456789_unknown", "GET", key)).status).toBe(401);
    const file = signing?.auditLog ?? "";
    const entries = () =>
      readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Json);
    const signed = (principal: string, decision: string) =>
      entries().some((entry) => {
        const { table: name } = (entry["object"] ?? {}) as Json;
        const isSign = /sign$/.test(String(entry["operation"]));
        return (
          isSign &&
          name === "mine" &&
          entry["principal"] === principal &&
          entry["decision"] === decision
        );
      });
    await expect.poll(() => signed("reader", "allowed")).toBe(true);
    await expect.poll(() => signed("admin", "allowed")).toBe(true);
    await expect.poll(() => signed("reader", "denied")).toBe(true);
    const text = readFileSync(file, "utf8");
    const secrets = [VERSITYGW_ACCOUNT.secretAccessKey, "Signature=", ADMIN_KEY, reader];
    for (const secret of secrets) expect(text).not.toContain(secret);
  });
});

describe("a store that copies because of an unsigned header", () => {
  async function honors(store: string, bucket: string): Promise<boolean> {
    const s3 = new S3Client({
      endpoint: store,
      region: REGION,
      forcePathStyle: true,
      credentials: VERSITYGW_ACCOUNT,
    });
    await s3.send(new CreateBucketCommand({ Bucket: bucket }));
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: "there", Body: "x" }));
    s3.destroy();
    const options = { bucket, endpoint: store, region: REGION, pathStyle: true };
    const credentials = VERSITYGW_ACCOUNT;
    const signer = new S3RequestSigner({ ...options, credentials }, new SystemClock());
    try {
      return await honorsUnsigned(signer, bucket, "probe/x");
    } finally {
      signer.close();
    }
  }

  test.skipIf(process.env["FIRN_TEST_MINISTACK"] === undefined)(
    "is found out, so that no write is signed for it",
    async () => {
      const ministack = process.env["FIRN_TEST_MINISTACK"] ?? "";
      expect(await honors(ministack, "unsafe-to-sign")).toBe(true);
    },
  );

  test.skipIf(STORE === undefined)("is not versitygw", async () => {
    expect(await honors(STORE ?? "", "safe-to-sign")).toBe(false);
  });
});

describe("firn storage check", () => {
  interface Report {
    readonly findings: readonly { readonly asked: string; readonly holds?: boolean }[];
    readonly writeSigning: string;
    readonly readSigning: string;
    readonly problems: readonly string[];
  }

  async function check(store: string, location: string, env: Readonly<Record<string, string>>) {
    const aws = { ...SIGNING_ENV, AWS_ENDPOINT_URL_S3: store, ...env };
    const done = await firnWith(aws, "storage", "check", location, "--json");
    const report = done.out === "" ? undefined : (JSON.parse(done.out) as Report);
    const held = report?.findings.map(({ asked, holds }) => [asked, holds]) ?? [];
    return { ...done, report, held: Object.fromEntries(held) };
  }

  test.skipIf(STORE === undefined)("finds versitygw safe, which resolves paths", async () => {
    const { exitCode, report, held } = await check(STORE ?? "", `s3://${BUCKET}/wh`, {});
    expect({ exitCode, ...held }).toEqual({
      exitCode: 0,
      conditionalWrites: true,
      signatures: true,
      unsignedHeaders: true,
      signedBodies: true,
      literalDots: false,
      literalSlashes: false,
      pathStyle: true,
    });
    expect(report).toMatchObject({ readSigning: "safe", writeSigning: "safe", problems: [] });
  });

  test.skipIf(STORE === undefined)("cannot tell with credentials that are wrong", async () => {
    const wrong = { AWS_SECRET_ACCESS_KEY: "wrong" };
    const { exitCode, out, errors } = await check(STORE ?? "", `s3://${BUCKET}/wh`, wrong);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(errors).toMatch(/BUCKET_DENIED/);
  });

  const ministack = process.env["FIRN_TEST_MINISTACK"];
  test.skipIf(ministack === undefined)("finds a store unsafe that checks nothing", async () => {
    const where = "s3://unsafe-to-sign/wh";
    const { exitCode, report, held } = await check(ministack ?? "", where, {});
    expect(exitCode).toBe(1);
    expect(held).toMatchObject({ signatures: false, unsignedHeaders: false });
    expect(report).toMatchObject({ readSigning: "unsafe", writeSigning: "unsafe" });
  });
});
