import { afterEach, describe, expect, it } from "vitest";
import { Firn, type FirnOptions } from "../../src/index.ts";
import { closeSites, NAME, openSite } from "../support/aws-site.ts";
import { firnLine } from "../support/firn-lsm.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

/*
 * A catalog of any account comes back beside the original, into that account alone, on each
 * profile that keeps its store: in a process that serves, and on a closed store by the command.
 */

const SECRET = "the secret that all nodes of a test share";
const ADMIN_KEY = `firn_${"a1".repeat(10)}_${"s".repeat(43)}`;
const SCHEMA = { type: "struct", fields: [{ id: 1, name: "id", type: "long", required: false }] };
const SLOW = { timeout: 120_000 };
const CATALOGS = "/api/v1/catalogs";

afterEach(closeSites);

interface Place {
  readonly options: FirnOptions;
  /** The same, for the command. */
  readonly line: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly backups: string;
}

async function placeOf(profile: "local" | "bucket" | "aws"): Promise<Place> {
  const [dir, backups] = [scratchDirectory(), scratchDirectory()];
  const options = { profile, dir, secret: SECRET, logLevel: "silent" } as const;
  const env = { FIRN_SECRET: SECRET };
  if (profile === "local") return { options, line: ["--dir", dir], env, backups };
  await openSite();
  const warehouse = `file://${dir}/warehouse`;
  const table = profile === "aws" ? { dynamodbTable: NAME } : {};
  const flags = profile === "aws" ? ["--dynamodb-table", NAME] : [];
  const line = ["--profile", profile, "--s3-bucket", NAME, ...flags, "--warehouse", warehouse];
  return { options: { ...options, s3Bucket: NAME, warehouse, ...table }, line, env, backups };
}

async function ask<T>(firn: Firn, method: string, path: string, body?: object, key?: string) {
  const headers = {
    "content-type": "application/json",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const answer = await firn.fetch(new Request(`http://firn${path}`, init));
  const text = await answer.text();
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return (text === "" ? {} : JSON.parse(text)) as T;
}

/** Makes account `acme`. @returns the key of its administrator. */
async function makeAccount({ options }: Place): Promise<string> {
  const firn = await Firn.open(options);
  await ask(firn, "POST", "/api/v1/accounts", { name: "acme" });
  const admin = { principal: "boss" };
  const { key } = await ask<{ key: string }>(firn, "POST", "/api/v1/accounts/acme/admins", admin);
  await firn.close();
  return key;
}

const serve = ({ options }: Place): Promise<Firn> =>
  Firn.open({ ...options, auth: "required", bootstrapKey: ADMIN_KEY });

async function catalogsOf(firn: Firn, key: string): Promise<readonly string[]> {
  const { items } = await ask<{ items: { name: string }[] }>(firn, "GET", CATALOGS, undefined, key);
  return items.map(({ name }) => name).sort();
}

async function makeTable(firn: Firn, key: string): Promise<void> {
  await ask(firn, "POST", "/iceberg/v1/default/namespaces", { namespace: ["a"] }, key);
  const table = { name: "t", schema: SCHEMA };
  await ask(firn, "POST", "/iceberg/v1/default/namespaces/a/tables", table, key);
}

async function locationIn(firn: Firn, catalog: string, key: string): Promise<string> {
  const path = `/iceberg/v1/${catalog}/namespaces/a/tables/t`;
  const loaded = await ask<{ metadata: { location: string } }>(firn, "GET", path, undefined, key);
  return loaded.metadata.location;
}

describe.each(["local", "bucket", "aws"] as const)("a restore beside on profile %s", (profile) => {
  it("goes into the account that the backup names, and no other one", SLOW, async () => {
    const place = await placeOf(profile);
    const { backups } = place;
    const key = await makeAccount(place);
    const firn = await serve(place);
    await makeTable(firn, key);
    await firn.backup(backups);
    const copy = { account: "acme", catalog: "default", as: "copy" };
    expect(await firn.restore(backups, copy)).toMatchObject({ tables: 1, leftOut: [] });
    await expect(firn.restore(backups, copy)).rejects.toMatchObject({
      code: "CATALOG_ALREADY_EXISTS",
    });
    expect(await catalogsOf(firn, key)).toEqual(["copy", "default"]);
    expect(await catalogsOf(firn, ADMIN_KEY)).toEqual(["default"]);
    const [was, is] = [await locationIn(firn, "default", key), await locationIn(firn, "copy", key)];
    expect(is).not.toBe(was);
    // The folder of the account, which no other one may use.
    const folder = (uri: string) => /^.*\/@accounts\/[0-9a-f-]{36}\//.exec(uri)?.[0];
    expect(folder(is)).toBe(folder(was));
    expect(folder(is)).toBeDefined();
    await firn.close();
    const closed = ["restore", backups, "--account", "acme", "--catalog", "default"];
    const line = [...closed, ...place.line, "--as", "two"];
    const told = await firnLine(line, place.env);
    expect(told.exitCode, told.errors).toBe(0);
    expect(told.out).toContain(" as catalog two: 1 namespaces, 1 tables");
    const missing = await firnLine(
      line.map((word) => (word === "acme" ? "nobody" : word)),
      place.env,
    );
    expect(missing.exitCode).toBe(1);
    expect(missing.errors).toContain("[ACCOUNT_NOT_FOUND]");
    const again = await serve(place);
    expect(await catalogsOf(again, key)).toEqual(["copy", "default", "two"]);
    expect(await catalogsOf(again, ADMIN_KEY)).toEqual(["default"]);
    expect(await locationIn(again, "two", key)).toContain("/two/");
    for await (const { level, code } of again.check()) expect(`${level} ${code}`).toBe("leftover");
    await again.close();
  });
});

describe("the account of a restore beside", () => {
  it("is that of the backup where none is named", SLOW, async () => {
    const place = await placeOf("local");
    const key = await makeAccount(place);
    const firn = await serve(place);
    await makeTable(firn, key);
    await firn.backup(place.backups, { account: "acme" });
    await firn.restore(place.backups, { catalog: "default", as: "copy" });
    expect(await catalogsOf(firn, key)).toEqual(["copy", "default"]);
    expect(await catalogsOf(firn, ADMIN_KEY)).toEqual(["default"]);
    await firn.close();
  });

  it("is the same one: another of its name gets nothing", SLOW, async () => {
    const place = await placeOf("local");
    await makeAccount(place);
    const firn = await Firn.open(place.options);
    await firn.backup(place.backups);
    const copy = { account: "acme", catalog: "default", as: "copy" };
    await ask(firn, "DELETE", "/api/v1/accounts/acme");
    const gone = { code: "ACCOUNT_NOT_FOUND" };
    await expect(firn.restore(place.backups, copy)).rejects.toMatchObject(gone);
    await ask(firn, "POST", "/api/v1/accounts", { name: "acme" });
    await expect(firn.restore(place.backups, copy)).rejects.toMatchObject(gone);
    await firn.close();
  });
});
