import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ADMIN_KEY, type Told, World } from "../../access/probes/world.ts";
import { Bucket } from "../../double/s3/model.ts";
import { S3Service } from "../../double/s3/service.ts";
import { type Serving, serve } from "../../double/server.ts";
import { table } from "./support.ts";

/*
 * Signatures asked of the endpoint of one table for files of another one: judged is the table that
 * owns the file, and a file of nobody answers as one of a table that the caller may not know.
 */

const START_MS = 1_800_000_000_000;
const ACCOUNT = { accessKeyId: "key", secretAccessKey: "secret-of-the-store" };
const AT = "/iceberg/v1/default/namespaces";
const REGION = "us-east-1";

let world: World;
let store: Serving;
let ann: string;
let boss: string;
const files: Record<string, string> = {};

beforeAll(async () => {
  const accounts = new Map([[ACCOUNT.accessKeyId, ACCOUNT.secretAccessKey]]);
  const service = new S3Service({ accounts, now: () => START_MS });
  service.model.buckets.set("lake", new Bucket(REGION));
  store = await serve(service.handler);
  vi.stubEnv("AWS_ENDPOINT_URL_S3", store.url);
  vi.stubEnv("AWS_REGION", REGION);
  vi.stubEnv("AWS_ACCESS_KEY_ID", ACCOUNT.accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", ACCOUNT.secretAccessKey);
  world = await World.open(1, { warehouse: "s3://lake/wh", remoteSigning: "write" });
  for (const path of ["open", "hidden"]) await world.done("POST", AT, { namespace: [path] });
  for (const [namespace, name] of [
    ["open", "mine"],
    ["open", "read"],
    ["open", "known"],
    ["open", "secret"],
    ["hidden", "lost"],
  ] as const) {
    const made = await world.done<{ metadata: { location: string } }>(
      "POST",
      `${AT}/${namespace}/tables`,
      table(name),
    );
    files[name] = made.metadata.location.slice("s3://".length);
  }
  ann = await world.principal("ann");
  const on = (name: string) => ({ catalog: "default", namespace: ["open"], name });
  await world.grant("ann", ["read-metadata", "read-data", "write-data"], on("mine"));
  await world.grant("ann", ["read-data"], on("read"));
  await world.grant("ann", ["read-metadata"], on("known"));
  boss = await world.account("acme");
});

afterAll(async () => {
  await world.close();
  await store.close();
  vi.unstubAllEnvs();
});

interface Asked {
  readonly key?: string;
  readonly at?: string;
  readonly method?: string;
  readonly body?: string;
}

/** Asks at the endpoint of `mine` for what lies at a path of the store. */
function sign(path: string, { key = ann, at = "open/tables/mine", ...more }: Asked = {}) {
  const asked = {
    method: "GET",
    region: REGION,
    headers: {},
    uri: `${store.url}/${path}`,
    ...more,
  };
  return world.ask(key, { method: "POST", path: `${AT}/${at}/sign`, body: asked });
}

const codeOf = ({ status, headers }: Told) => [status, headers["x-firn-error"]];

describe("a file of another table", () => {
  test("is signed for by what the caller may do with that table", async () => {
    const path = `${files["read"]}/data/1.parquet`;
    expect((await sign(path)).status).toBe(200);
    expect((await sign(path, { method: "HEAD" })).status).toBe(200);
    const list = `lake?list-type=2&prefix=${encodeURIComponent(`${files["read"]?.slice(5)}/`)}`;
    expect((await sign(list)).status).toBe(200);
    for (const method of ["PUT", "DELETE"]) {
      const refused = await sign(path, { method });
      expect(codeOf(refused)).toEqual([403, "PRIVILEGE_MISSING"]);
      expect(refused.text).toContain("write-data on default.open.read");
    }
    expect((await sign(path, { method: "PUT", key: ADMIN_KEY })).status).toBe(200);
  });

  test("needs the privilege on it, whatever is held on the table that was asked", async () => {
    const refused = await sign(`${files["known"]}/data/1`);
    expect(codeOf(refused)).toEqual([403, "PRIVILEGE_MISSING"]);
    expect(refused.text).toContain("read-data on default.open.known");
    // What is held on the table that is asked for it says nothing either.
    expect((await sign(`${files["mine"]}/data/1`, { at: "open/tables/known" })).status).toBe(200);
  });

  test("is signed for when the asked table is gone, and when its own has moved", async () => {
    const path = `${files["read"]}/data/2`;
    expect((await sign(path, { at: "open/tables/gone" })).status).toBe(200);
    const at = (name: string) => ({ namespace: ["open"], name });
    const rename = "/iceberg/v1/default/tables/rename";
    await world.done("POST", rename, { source: at("read"), destination: at("renamed") });
    expect((await sign(path)).status).toBe(200);
    // Under its name another one comes to lie, which is none of the caller's.
    await world.done("POST", `${AT}/open/tables`, table("read"));
    expect((await sign(path)).status).toBe(200);
    await world.done("POST", rename, { source: at("read"), destination: at("successor") });
    await world.done("POST", rename, { source: at("renamed"), destination: at("read") });
    expect((await sign(path)).status).toBe(200);
  });

  test("is not written to where the catalog writes, and no trick leads to it", async () => {
    const { read = "", mine = "" } = files;
    const name = read.slice(read.lastIndexOf("/") + 1);
    for (const [method, path] of [
      ["PUT", `${read}/metadata/00001-a.metadata.json`],
      ["DELETE", `${read}/metadata/00001-a.metadata.json.gz`],
      ["GET", `${mine}/../${name}/data/1`],
      ["GET", `${mine}/%2e%2e/${name}/data/1`],
      ["GET", `${mine}/..%2F${name}/data/1`],
      ["GET", `${read}//data/1`],
      ["GET", `${read}/data/%2Fx`],
      ["GET", `${read}/data/1?acl`],
      ["GET", `${read}`],
      ["GET", `other/${read.slice(5)}/data/1`],
      ["GET", "lake?list-type=2&prefix=wh"],
      ["GET", `lake?list-type=2&prefix=${encodeURIComponent(read.slice(5))}`],
    ] as const) {
      const refused = await sign(path, { method, key: ADMIN_KEY });
      expect([path, ...codeOf(refused)]).toEqual([path, 403, "SIGN_REFUSED"]);
    }
    const elsewhere = { method: "GET", region: REGION, headers: {} };
    for (const host of ["http://evil.example", "http://lake.evil.example", "http://127.0.0.1:1"]) {
      const body = { ...elsewhere, uri: `${host}/${read}/data/1` };
      const path = `${AT}/open/tables/mine/sign`;
      const refused = await world.ask(ADMIN_KEY, { method: "POST", path, body });
      expect(codeOf(refused)).toEqual([403, "SIGN_REFUSED"]);
    }
  });

  test("one deletion is of the files of one table", async () => {
    const { mine = "", read = "" } = files;
    const deletion = (...paths: readonly string[]) =>
      `<Delete>${paths
        .map((path) => `<Object><Key>${path.slice(5)}</Key></Object>`)
        .join("")}</Delete>`;
    const ask = (body: string, at: string) =>
      sign("lake?delete", { method: "POST", body, at: `open/tables/${at}`, key: ADMIN_KEY });
    expect((await ask(deletion(`${read}/a`, `${read}/b`), "mine")).status).toBe(200);
    for (const at of ["mine", "read"]) {
      const mixed = await ask(deletion(`${read}/a`, `${mine}/b`), at);
      expect(codeOf(mixed)).toEqual([403, "SIGN_REFUSED"]);
    }
  });
});

describe("a file of nobody that the caller may know", () => {
  /** What a caller can tell of an answer, and what it cost. */
  function told({ status, headers, text, reads }: Told): unknown {
    const { "x-request-id": _id, date: _date, ...rest } = headers;
    return { status, headers: rest, text: text.replace(/"request-?id":"[^"]*"/gi, ""), reads };
  }

  test("answers alike, after the same reads, whose ever it is", async () => {
    const { secret = "", lost = "", mine = "" } = files;
    const absent = `${mine.slice(0, -1)}~`;
    const paths = [absent, secret, lost, `lake/wh/none/${"x".repeat(20)}`];
    // Once for what a node keeps: names on the way, and what others were signed for.
    for (const path of paths) {
      await sign(`${path}/data/1`);
      await sign(`${path}/data/1`, { key: ADMIN_KEY });
    }
    for (const at of [
      "open/tables/mine",
      "open/tables/secret",
      "open/tables/none",
      "none/tables/a",
    ]) {
      for (const method of ["GET", "PUT"]) {
        const answers: unknown[] = [];
        for (const path of paths) {
          answers.push(told(await sign(`${path}/data/1`, { at, method })));
        }
        for (const answer of answers) expect(answer).toEqual(answers[0]);
        expect(answers[0]).toMatchObject({ status: at.endsWith("mine") ? 403 : 404 });
      }
    }
  });

  test("is what another account has, either way round", async () => {
    const { read = "" } = files;
    await world.done("POST", AT, { namespace: ["open"] }, boss);
    const made = await world.done<{ metadata: { location: string } }>(
      "POST",
      `${AT}/open/tables`,
      table("mine"),
      boss,
    );
    const theirs = made.metadata.location.slice("s3://".length).replace("@", "%40");
    expect((await sign(`${theirs}/data/1`, { key: boss })).status).toBe(200);
    for (const [key, path] of [
      [boss, read],
      [ADMIN_KEY, theirs],
    ] as const) {
      const absent = told(await sign("lake/wh/none/x/data/1", { key }));
      const foreign = told(await sign(`${path}/data/1`, { key }));
      expect(foreign).toEqual(absent);
      expect(foreign).toMatchObject({ status: 403 });
    }
  });
});
