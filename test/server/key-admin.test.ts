import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { operatorTokenFile } from "../../src/runtime/operator-place.ts";
import { ADMIN_KEY, Team } from "../service/access/support.ts";
import { firnLine } from "../support/firn-lsm.ts";

let home: string;
let dir: string;
let team: Team | undefined;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "firn-keys-"));
  dir = join(home, "store");
});
afterEach(async () => {
  await team?.firn.close();
  team = undefined;
  await rm(home, { recursive: true, force: true });
});

async function start(): Promise<Team> {
  team = await Team.open({
    profile: "local",
    dir,
    warehouse: join(home, "lake"),
    listen: { port: 0 },
    accessStaleness: "1h",
  });
  return team;
}

async function stop(): Promise<void> {
  await team?.firn.close();
  team = undefined;
}

const ME = "/api/v1/principals";
const statusOf = async (key: string) => (await team?.ask(key, "GET", ME))?.status;

/** An access token of the administrator's. */
async function token(): Promise<string> {
  const form = { grant_type: "client_credentials", client_secret: ADMIN_KEY };
  const path = "http://firn/iceberg/v1/oauth/tokens";
  const asked = new Request(path, { method: "POST", body: new URLSearchParams(form) });
  const answer = await team?.firn.fetch(asked);
  const { access_token: text = "" } = ((await answer?.json()) ?? {}) as Record<string, string>;
  return text;
}

async function reset(...args: readonly string[]) {
  const said = await firnLine(["access", "reset-admin", "--json", ...args]);
  expect(said.errors).toBe("");
  expect(said.exitCode).toBe(0);
  return JSON.parse(said.out) as { principal: string; key: string; ended: readonly string[] };
}

describe("firn access reset-admin", () => {
  it("beside the server: the lost key ends at once, others go on", async () => {
    const { firn } = await start();
    const other = await team?.principal("other");
    await team?.grant("other", ["admin"]);
    const made = await reset("--server", dir);
    expect(made).toMatchObject({ principal: "admin", ended: ["a1".repeat(10)] });
    expect(firn.url).toBeDefined();
    expect(await Promise.all([made.key, ADMIN_KEY, other ?? ""].map(statusOf))).toEqual([
      200, 401, 200,
    ]);
    // By URL, with the token of the directory; this time no key ends.
    const again = await reset("--server", firn.url ?? "", "--dir", dir, "--keep-keys");
    expect(again.ended).toEqual([]);
    expect(await Promise.all([made.key, again.key].map(statusOf))).toEqual([200, 200]);
  });

  it("on a closed store: a suspended administrator, and one that is not there yet", async () => {
    await start();
    await team?.principal("second");
    await team?.grant("second", ["admin"]);
    await team?.admin("PATCH", `${ME}/second`, { suspended: true });
    await team?.admin("POST", "/api/v1/roles", { name: "crew" });
    await stop();
    const made = [await reset("--dir", dir), await reset("second", "--dir", dir)];
    made.push(await reset("rescue", "--dir", dir));
    const role = await firnLine(["access", "reset-admin", "crew", "--dir", dir]);
    expect([role.exitCode, role.out]).toEqual([2, ""]);
    expect(role.errors).toContain("PRINCIPAL_KEYLESS");
    await start();
    for (const { key } of made) expect(await statusOf(key)).toBe(200);
    expect(await statusOf(ADMIN_KEY)).toBe(401);
    const plain = await firnLine(["access", "reset-admin", "--server", dir]);
    expect(plain.out).toMatch(/^key of admin, shown once: firn_\w+_[\w-]+\nended: \w+\n$/);
  });

  it("with another secret than the deployment's: nothing, and no signing key", async () => {
    await start();
    await token();
    await stop();
    await writeFile(join(dir, "secret"), new Uint8Array(32).fill(7));
    for (const args of [
      ["access", "reset-admin"],
      ["keys", "rotate"],
    ]) {
      const said = await firnLine([...args, "--dir", dir]);
      expect([args, said.exitCode, said.out]).toEqual([args, 4, ""]);
      expect(said.errors).toContain("SECRET_WRONG");
    }
    await start();
    expect(await statusOf(ADMIN_KEY)).toBe(200);
    const listed = await firnLine(["keys", "list", "--server", dir]);
    expect(listed.out).toMatch(/^\w+ {2}UNREADABLE .*\n$/);
  });

  it("makes nothing of a directory without a store", async () => {
    const said = await firnLine(["access", "reset-admin", "--dir", join(home, "absent")]);
    expect(said.exitCode).not.toBe(0);
    expect(said.errors).toContain("LSM_NO_SHARD");
  });
});

describe("keys of the deployment over HTTP", () => {
  const routes = [
    ["GET", "/admin/v1/signing-keys", undefined],
    ["POST", "/admin/v1/signing-keys", {}],
    ["POST", "/admin/v1/administrators", { name: "admin" }],
  ] as const;

  it("are for operators alone: no key of any account opens them", async () => {
    const { firn } = await start();
    const plain = await team?.principal("plain");
    const socket = ["--server", dir] as const;
    const list = async () => (await firnLine(["keys", "list", "--json", ...socket])).out;
    const before = await list();
    const secret = await readFile(operatorTokenFile(dir), "utf8");
    const wrong = [undefined, ADMIN_KEY, plain, `${secret}x`, secret.slice(1), "None"];
    for (const [method, path, body] of routes) {
      for (const key of wrong) {
        const headers = {
          "content-type": "application/json",
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
        };
        const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
        const { status } = await fetch(firn.url + path, init);
        expect([path, key, status]).toEqual([path, key, 401]);
      }
    }
    expect(await list()).toBe(before);
    expect(await statusOf(ADMIN_KEY)).toBe(200);
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const bad = [{}, { name: 1 }, { name: "admin", keepsKeys: "no" }, { name: "../x" }];
    for (const body of bad) {
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      expect((await fetch(`${firn.url}/admin/v1/administrators`, init)).status).toBe(400);
    }
    expect(await statusOf(ADMIN_KEY)).toBe(200);
  });

  it("are rotated beside the server, and shown without a secret", async () => {
    await start();
    const got = await token();
    const rotated = await firnLine(["keys", "rotate", "--server", dir]);
    expect([rotated.exitCode, rotated.errors]).toEqual([0, ""]);
    const listed = await firnLine(["keys", "list", "--json", "--server", dir]);
    const all = listed.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(all).toMatchObject([{ state: "NEXT" }, { state: "SIGNS" }]);
    const members = ["kid", "createdAtMs", "signsFromMs", "state"];
    for (const each of all) expect(Object.keys(each)).toEqual(members);
    expect(await statusOf(got)).toBe(200);
    await stop();
    const again = await firnLine(["keys", "rotate", "--json", "--dir", dir]);
    expect(JSON.parse(again.out)).toEqual(all[0]);
  });
});
