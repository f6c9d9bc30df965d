import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { Firn, type FirnOptions } from "../../src/index.ts";
import { closeSites, NAME, openSite } from "../support/aws-site.ts";
import { firnLine } from "../support/firn-lsm.ts";
import { startFirn } from "../support/firn-process.ts";
import { type Answering, callIceberg } from "../support/iceberg-call.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

afterEach(closeSites);

const TABLES = "/namespaces/a/tables";

/** A namespace with a table, in the first catalog. */
async function makeTable(open: Answering): Promise<void> {
  const schema = { type: "struct", fields: [] };
  expect(await callIceberg(open, "POST", "/namespaces", { namespace: ["a"] })).toMatchObject({
    status: 200,
  });
  expect((await callIceberg(open, "POST", TABLES, { name: "t", schema })).status).toBe(200);
}

function local(dir: string): FirnOptions {
  return { profile: "local", dir, logLevel: "silent" };
}

const RESTORED = /^restored backup [0-9a-f-]{36} as of .* as catalog copy: 1 namespaces, 1 tables/;

/** A catalog is backed up and restored beside itself, at one place, to one kind of location. */
async function expectBeside(backups: string, ...at: readonly string[]): Promise<void> {
  const one = ["--catalog", "default", ...at];
  expect(await firnLine(["backup", backups, ...one])).toMatchObject({ exitCode: 0, errors: "" });
  const line = ["restore", backups, "--as", "copy", ...one];
  const done = await firnLine(line);
  expect(done).toMatchObject({ exitCode: 0, errors: "" });
  expect(done.out).toMatch(RESTORED);
  const again = await firnLine(line);
  expect(again.exitCode).toBe(1);
  expect(again.errors).toContain("[CATALOG_ALREADY_EXISTS]");
  const json = await firnLine([...line.map((word) => (word === "copy" ? "two" : word)), "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ catalog: "two", tables: 1, leftOut: [] });
}

async function expectCopies(open: Firn): Promise<void> {
  expect([...(await open.catalogs.list())].sort()).toEqual(["copy", "default", "two"]);
  await expectTables(open);
}

async function expectTables(open: Answering): Promise<void> {
  const places = new Set<unknown>();
  for (const prefix of ["", "/copy", "/two"]) {
    const { status, body } = await callIceberg(open, "GET", `${prefix}${TABLES}/t`);
    expect(status).toBe(200);
    places.add((body as { metadata: { location: string } }).metadata.location);
  }
  expect(places.size).toBe(3);
}

test("beside a server of a directory, and without it", { timeout: 60_000 }, async () => {
  for (const beside of [true, false]) {
    const [dir, backups] = [scratchDirectory(), scratchDirectory()];
    const server = await Firn.open({ ...local(dir), listen: { port: 0 } });
    await makeTable(server);
    if (!beside) await server.close();
    await expectBeside(backups, "--dir", dir);
    const open = beside ? server : await Firn.open(local(dir));
    await expectCopies(open);
    await open.close();
    const checked = await firnLine(["fsck", dir]);
    expect(checked.out).toMatch(/: 0 damaged, 0 derived/);
  }
});

test("of a server in memory, by its socket", { timeout: 60_000 }, async () => {
  const [dir, backups] = [scratchDirectory(), scratchDirectory()];
  const args = ["serve", "--profile", "memory", "--dir", dir, "--port", "0"];
  const server = startFirn(...args);
  server.stderr.resume();
  try {
    let [out, url] = ["", ""];
    for await (const text of server.stdout.setEncoding("utf8")) {
      out += text;
      url = /http:\/\/127\.0\.0\.1:\d+/.exec(out)?.[0] ?? "";
      if (url !== "") break;
    }
    const path = (request: Request) => request.url.slice("http://firn".length);
    const open: Answering = {
      fetch: async (request) => fetch(new Request(`${url}${path(request)}`, request)),
    };
    await makeTable(open);
    await expectBeside(backups, "--server", dir);
    await expectTables(open);
  } finally {
    server.kill();
    await once(server, "close");
  }
});

test("over S3 and DynamoDB, to a bucket and to a directory", { timeout: 120_000 }, async () => {
  await openSite();
  const options: FirnOptions = {
    profile: "aws",
    s3Bucket: NAME,
    dynamodbTable: NAME,
    secret: "s".repeat(64),
    logLevel: "silent",
  };
  const node = await Firn.open(options);
  await makeTable(node);
  const at = ["--profile", "aws", "--s3-bucket", NAME, "--dynamodb-table", NAME];
  const backups = scratchDirectory();
  expect((await firnLine(["backup", backups, ...at])).exitCode).toBe(0);
  expect((await firnLine(["restore", backups, "--verify-only", ...at])).exitCode).toBe(0);
  await expectBeside(`s3://${NAME}/backups`, ...at);
  await expectCopies(node);
  await node.close();
});

test("over a bucket alone", { timeout: 60_000 }, async () => {
  await openSite();
  const options: FirnOptions = {
    profile: "bucket",
    s3Bucket: NAME,
    secret: "s".repeat(64),
    logLevel: "silent",
  };
  const first = await Firn.open(options);
  await makeTable(first);
  await first.close();
  await expectBeside(`s3://${NAME}/backups`, "--profile", "bucket", "--s3-bucket", NAME);
  const again = await Firn.open(options);
  await expectCopies(again);
  await again.close();
});

test("what does not go together is refused", async () => {
  const dir = scratchDirectory();
  for (const [says, ...args] of [
    ["--as needs --catalog", "--as", "x"],
    ["--location needs --as", "--location", "/tmp/x"],
    ["--server needs --as", "--server", "http://127.0.0.1:9"],
    ["--verify-only restores nothing", "--as", "x", "--catalog", "y", "--verify-only"],
  ] as const) {
    const told = await firnLine(["restore", dir, ...args]);
    expect([args, told.exitCode]).toEqual([args, 2]);
    expect(told.errors).toContain(says);
  }
});
