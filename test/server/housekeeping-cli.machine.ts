import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { IdSource, type JobId, type WriterId } from "../../src/base/ids.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { AccountCatalog } from "../../src/catalog/catalog.ts";
import { encodeJob } from "../../src/catalog/codec/job.ts";
import { jobKeys } from "../../src/catalog/jobs.ts";
import { Firn, type FirnOptions } from "../../src/index.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { openStores } from "../../src/runtime/compose.ts";
import { readOptions } from "../../src/runtime/open-settings.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import { requireSettings } from "../../src/runtime/read-settings.ts";
import type { JobInfo } from "../../src/service/jobs-admin.ts";
import { closeSites, NAME, openSite } from "../support/aws-site.ts";
import { firnLine } from "../support/firn-lsm.ts";
import { firnProcess } from "../support/firn-process.ts";
import { callIceberg } from "../support/iceberg-call.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

const HOUR_MS = 3_600_000;
const JOB = "tombstones-1" as JobId;

afterEach(closeSites);

function firn(...args: readonly string[]) {
  return firnLine(args);
}

async function ask(...call: Parameters<typeof callIceberg>): Promise<number> {
  return (await callIceberg(...call)).status;
}

/** A table dropped in namespace `a`; and the same name twice in `b` and `c`. */
async function dropSome(open: Firn): Promise<void> {
  const schema = { type: "struct", fields: [] };
  for (const [namespace, name] of [
    ["a", "one"],
    ["b", "two"],
    ["c", "two"],
  ] as const) {
    expect(await ask(open, "POST", "/namespaces", { namespace: [namespace] })).toBe(200);
    const tables = `/namespaces/${namespace}/tables`;
    expect(await ask(open, "POST", tables, { name, schema })).toBe(200);
    expect(await ask(open, "DELETE", `${tables}/${name}`)).toBe(204);
  }
}

/** Puts a job that failed, and waits an hour before it is tried again. */
async function plantFailedJob(options: FirnOptions): Promise<void> {
  const clock = new SystemClock();
  const prng = new SystemPrng();
  const quiet = { nodeId: "planter", onDefect: () => undefined, notify: () => undefined };
  const settings = requireSettings(readOptions(options, process.cwd()));
  const stores = await openStores(settings, { clock, prng, ...quiet }, createMetrics());
  const ids = new IdSource(clock, prng);
  const { context } = await AccountCatalog.open(
    { ...stores, clock, prng, ids, onDefect: quiet.onDefect },
    "default",
  );
  const dueMs = clock.nowMs() - HOUR_MS;
  const [state, due] = jobKeys(context.account, JOB, dueMs);
  const summary = encodeJob({
    id: JOB,
    kind: "forget-tombstones",
    subject: { type: "account", id: context.account },
    step: "",
    dueMs,
    heldUntilMs: clock.nowMs() + HOUR_MS,
    tries: 7,
    failures: 0,
    lastFailure: "STORE_UNAVAILABLE",
    lastMessage: `the store did not answer ${"é".repeat(200)}`,
  });
  const { outcome } = await stores.pointers.commit({
    writerId: ids.mint<WriterId>(),
    ops: [
      { op: "put", key: state, expected: 0n, summary },
      { op: "put", key: due, expected: 0n },
    ],
  });
  expect(outcome).toBe("committed");
  await stores.close();
}

/** Every line of the three commands, at one place. */
async function expectHousekeeping(...at: readonly string[]): Promise<void> {
  const table = await firnProcess("dropped", ...at);
  expect(table).toMatchObject({ exitCode: 0, errors: "" });
  expect(table.out).toMatch(/^ID +TYPE +NAME +PURGE AFTER +FILES\n/);
  expect(table.out).toMatch(/ table +default\.a\.one +\d{4}-.* kept\n/);
  const lines = (await firn("dropped", "--json", ...at)).out.trimEnd().split("\n");
  const items = lines.map((line) => JSON.parse(line) as { id: string; name: string });
  expect(items.map(({ name }) => name).sort()).toEqual(["one", "two", "two"]);

  const unclear = await firn("undrop", "two", ...at);
  expect(unclear.exitCode).toBe(1);
  expect(unclear.errors).toContain("[DROPPED_AMBIGUOUS]");
  const absent = await firn("undrop", "a.gone", ...at);
  expect(absent.exitCode).toBe(1);
  expect(absent.errors).toContain("[DROPPED_NOT_FOUND]");
  const renamed = await firn("undrop", "b.two", "--as", "three", ...at);
  expect(renamed).toMatchObject({ exitCode: 0, errors: "" });
  expect(renamed.out).toMatch(/^restored table default\.b\.three /);
  const byId = items.find(({ name }) => name === "one")?.id ?? "";
  const json = await firn("undrop", byId, "--json", ...at);
  expect(JSON.parse(json.out)).toMatchObject({ id: byId, name: "one", namespace: ["a"] });

  const jobs = await firn("jobs", ...at);
  expect(jobs).toMatchObject({ exitCode: 0, errors: "" });
  expect(jobs.out).toMatch(/tombstones-1 +forget-tombstones +failed .* 7 +STORE_UNAVAILABLE\n/);
  expect(jobs.out).toMatch(/ purge +waiting /);
  const shown = JSON.parse((await firn("jobs", "show", JOB, "--json", ...at)).out) as JobInfo;
  expect(shown).toMatchObject({ state: "failed", error: { code: "STORE_UNAVAILABLE" } });
  expect(shown.error?.message).toMatch(/^the store did not answer é+$/);
  expect((await firn("jobs", "show", JOB, ...at)).out).toContain("[STORE_UNAVAILABLE]");
  const waiting = (await firn("jobs", "list", "--json", ...at)).out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as JobInfo)
    .find(({ kind }) => kind === "purge");
  const early = await firn("jobs", "retry", waiting?.id ?? "", ...at);
  expect(early.exitCode).toBe(1);
  expect(early.errors).toContain("[JOB_NOT_DUE]");
  expect(await firn("jobs", "retry", JOB, ...at)).toMatchObject({ exitCode: 0, errors: "" });
  const over = await firn("jobs", "show", JOB, ...at);
  expect(over.exitCode).toBe(1);
  expect(over.errors).toContain("[JOB_NOT_FOUND]");
}

test("a directory is asked beside its server, and without it", { timeout: 60_000 }, async () => {
  for (const beside of [true, false]) {
    const dir = scratchDirectory();
    mkdirSync(dir, { recursive: true });
    const options: FirnOptions = { profile: "local", dir, logLevel: "silent" };
    const first = await Firn.open(options);
    await dropSome(first);
    await first.close();
    await plantFailedJob(options);
    if (!beside) await expectHousekeeping("--dir", dir);
    else {
      const server = await Firn.open({ ...options, listen: { port: 0 } });
      await expectHousekeeping("--server", server.url ?? "", "--dir", dir);
      expect((await firn("dropped", "--dir", dir)).out).toContain("default.c.two");
      await server.close();
    }
    const back = await Firn.open(options);
    expect(await ask(back, "HEAD", "/namespaces/a/tables/one")).toBe(204);
    expect(await ask(back, "HEAD", "/namespaces/b/tables/three")).toBe(204);
    await back.close();
  }
});

test("profile aws is asked through its stores", { timeout: 60_000 }, async () => {
  await openSite();
  const options: FirnOptions = {
    profile: "aws",
    s3Bucket: NAME,
    dynamodbTable: NAME,
    secret: "s".repeat(64),
    logLevel: "silent",
  };
  const node = await Firn.open(options);
  await dropSome(node);
  await node.close();
  await plantFailedJob(options);
  await expectHousekeeping("--profile", "aws", "--s3-bucket", NAME, "--dynamodb-table", NAME);
});

test("a line that makes no sense is refused", { timeout: 60_000 }, async () => {
  const dir = scratchDirectory();
  for (const [exitCode, says, ...args] of [
    [1, "LSM_NO_SHARD", "dropped", "--dir", dir],
    [1, "NO_STORE", "jobs", "--profile", "memory"],
    [2, "OPERATOR_URL_INVALID", "jobs", "--server", dir],
    [1, "OPERATOR_UNREACHABLE", "jobs", "--server", "http://127.0.0.1:9"],
    [2, "--server", "jobs", "--server", "http://127.0.0.1:9", "--profile", "aws"],
    [2, "", "undrop"],
    [2, "--prot", "dropped", "--prot", "1"],
    [2, "extra", "undrop", "x", "extra"],
  ] as const) {
    const told = await firn(...args);
    expect([args, told.exitCode]).toEqual([args, exitCode]);
    expect(told.errors).toContain(says);
  }
});

/** The Iceberg answers that a client sees: namespaces, and each table whole. */
async function contentOf(options: FirnOptions): Promise<unknown> {
  const open = await Firn.open(options);
  const { items } = await open.dropped.list();
  const tables: unknown[] = [];
  for (const namespace of ["a", "b", "c"]) {
    const path = `/iceberg/v1/namespaces/${namespace}/tables`;
    const answer = await open.fetch(new Request(`http://firn${path}`));
    tables.push([answer.status, await answer.json()]);
  }
  await open.close();
  return { tables, dropped: items };
}

test("a backup goes from profile to profile", { timeout: 60_000 }, async () => {
  await openSite();
  const [first, last, backups] = [scratchDirectory(), scratchDirectory(), scratchDirectory()];
  const local = (dir: string): FirnOptions => ({ profile: "local", dir, logLevel: "silent" });
  const aws: FirnOptions = {
    profile: "aws",
    s3Bucket: NAME,
    dynamodbTable: NAME,
    secret: "s".repeat(64),
    logLevel: "silent",
  };
  const atAws = ["--profile", "aws", "--s3-bucket", NAME, "--dynamodb-table", NAME];
  const server = await Firn.open({ ...local(first), listen: { port: 0 } });
  await dropSome(server);
  const beside = ["--server", server.url ?? "", "--dir", first];
  const told = await firnProcess("backup", backups, ...beside);
  expect(told).toMatchObject({ exitCode: 0, errors: "" });
  expect(told.out).toMatch(/^backup [0-9a-f-]{36}: 1 account, \d+ pointers, .* verified\n$/);
  await server.close();
  const again = await firn("backup", backups, "--dir", first, "--json");
  expect(JSON.parse(again.out)).toMatchObject({ copied: 0 });
  const alone = await firn("backup", backups, "--catalog", "default", "--dir", first, "--json");
  expect(JSON.parse(alone.out)).toMatchObject({ copied: 0 });
  const expected = await contentOf(local(first));

  const over = await firn("restore", backups, "--dir", first);
  expect(over.exitCode).toBe(1);
  expect(over.errors).toContain("[STORE_NOT_EMPTY]");
  const one = ["--catalog", "default"];
  expect(await firn("restore", backups, ...one, ...atAws)).toMatchObject({
    exitCode: 0,
    errors: "",
  });
  expect(await contentOf(aws)).toEqual(expected);
  const inBucket = `s3://${NAME}/backups`;
  expect(await firn("backup", inBucket, ...atAws)).toMatchObject({ exitCode: 0, errors: "" });
  expect((await firn("restore", inBucket, "--verify-only", "--dir", last)).exitCode).toBe(0);
  expect(await firnProcess("restore", inBucket, "--dir", last)).toMatchObject({ exitCode: 0 });
  expect(await contentOf(local(last))).toEqual(expected);
  const checked = await firn("fsck", last);
  expect(checked.out).toMatch(/: 0 damaged, 0 derived/);
  for (const [says, ...args] of [
    ["BACKUP_URI_INVALID", "backup", "ftp://x/y", "--dir", last],
    ["BACKUP_URI_INVALID", "backup", `${last}/store`, "--dir", last],
    ["CATALOG_NOT_FOUND", "backup", backups, "--catalog", "none", "--dir", last],
    ["CATALOG_NOT_FOUND", "restore", backups, "--catalog", "none", "--dir", `${last}2`],
    ["BACKUP_NOT_FOUND", "restore", join(backups, "none"), "--dir", last],
    [
      "RESTORE_TIME_INVALID",
      "restore",
      backups,
      "--at",
      "2001-01-01T00:00:00Z",
      "--dir",
      `${last}2`,
    ],
  ] as const) {
    const refused = await firn(...args);
    expect(refused.exitCode).toBe(1);
    expect(refused.errors).toContain(says);
  }
});

test("a backup holds every account; each comes back alone", { timeout: 60_000 }, async () => {
  const [first, last, alone, backups] = Array.from({ length: 4 }, () => scratchDirectory());
  const local = (dir = ""): FirnOptions => ({ profile: "local", dir, logLevel: "silent" });
  const accountsOf = async (dir?: string): Promise<readonly string[]> => {
    const open = await Firn.open(local(dir));
    const answer = await open.fetch(new Request("http://firn/api/v1/accounts"));
    const { items } = (await answer.json()) as { items: readonly { name: string }[] };
    await open.close();
    return items.map(({ name }) => name);
  };
  const server = await Firn.open({ ...local(first), listen: { port: 0 } });
  const made = await server.fetch(
    new Request("http://firn/api/v1/accounts", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name: "acme" }),
    }),
  );
  expect(made.status).toBe(201);
  const beside = ["--server", server.url ?? "", "--dir", first ?? ""];
  const told = await firnProcess("backup", backups ?? "", ...beside);
  expect(told.out).toContain(": 2 accounts, ");
  const refused = await firnProcess("backup", backups ?? "", "--account", "none", ...beside);
  expect(refused).toMatchObject({ exitCode: 1 });
  expect(refused.errors).toContain("[ACCOUNT_NOT_FOUND]");
  await server.close();
  const expected = await accountsOf(first);
  expect(expected).toEqual(["acme", "default"]);
  expect(await firn("restore", backups ?? "", "--dir", last ?? "")).toMatchObject({ exitCode: 0 });
  expect(await accountsOf(last)).toEqual(expected);
  const one = await firn("restore", backups ?? "", "--account", "acme", "--dir", alone ?? "");
  expect(one).toMatchObject({ exitCode: 0, errors: "" });
  // The node makes the account that it works in.
  expect(await accountsOf(alone)).toEqual(expected);
  const lacking = await firn("restore", backups ?? "", "--account", "acme", "--as", "copy");
  expect(lacking).toMatchObject({ exitCode: 2 });
  expect(lacking.errors).toContain("--as needs --catalog");
});
