import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, type Answered, Team, table } from "./support.ts";

const NS = "/iceberg/v1/default/namespaces";
const PRIVILEGES = [
  "see",
  "read-metadata",
  "read-data",
  "write-data",
  "alter",
  "create",
  "drop",
  "manage-grants",
  "admin",
];

let team: Team;
beforeAll(async () => {
  team = await Team.open();
});
afterAll(() => team.firn.close());

const setProperty = {
  requirements: [],
  updates: [{ action: "set-properties", updates: { k: "v" } }],
};
const dropRef = {
  requirements: [],
  updates: [{ action: "remove-snapshot-ref", "ref-name": "none" }],
};
const move = {
  requirements: [],
  updates: [{ action: "SET-LOCATION", location: "file:///elsewhere" }],
};

const deletion = { writes: [{ op: "delete", key: { a: 1 } }] };
/** The table `w.t` as one of a pattern. */
const beside = (collection: string) => t("w", "t").replace("/tables/", `/${collection}/`);
const lease = { name: "a", owner: "b", ttlMs: 1 };
const events = { stream: "a", events: [1] };
const command = { scope: "a", key: "b", hash: "c", leaseMs: 1 };
const archive = { table: "t", keepMs: 0, bucketMs: 1_000 };
const returned = { ...deletion, returning: true };
const conditional = { writes: [{ op: "delete", key: { a: 1 }, ifVersion: "v" }] };

/**
 * What the table of the privileges says, written down a second time: an operation on `w.t`, and the
 * sets of privileges of which one is needed in full.
 */
const MATRIX: readonly (readonly [string, string, string, object | undefined, string])[] = [
  ["load the namespace", "GET", `${NS}/w`, undefined, "read-metadata"],
  ["ask for the namespace", "HEAD", `${NS}/w`, undefined, "see"],
  ["list tables", "GET", `${NS}/w/tables`, undefined, "see"],
  ["list views", "GET", `${NS}/w/views`, undefined, "see"],
  ["load the table", "GET", `${NS}/w/tables/t`, undefined, "read-metadata"],
  ["ask for the table", "HEAD", `${NS}/w/tables/t`, undefined, "see"],
  ["change a property", "POST", `${NS}/w/tables/t?dry-run=true`, setProperty, "alter"],
  ["drop a ref", "POST", `${NS}/w/tables/t?dry-run=true`, dropRef, "write-data"],
  ["move the table", "POST", `${NS}/w/tables/t?dry-run=true`, move, "admin"],
  ["stage a table", "POST", `${NS}/w/tables`, { ...table("n"), "stage-create": true }, "create"],
  ["read the table's resource", "GET", t("w", "t"), undefined, "read-metadata"],
  ["read its history", "GET", `${t("w", "t")}/versions`, undefined, "read-metadata"],
  ["alter its resource", "PATCH", `${t("w", "t")}?dryRun=true`, { properties: {} }, "alter"],
  ["protect it", "PATCH", `${t("w", "t")}?dryRun=true`, { protected: true }, "alter admin"],
  ["drop it", "DELETE", `${t("w", "t")}?dryRun=true`, undefined, "drop"],
  ["purge it", "DELETE", `${t("w", "t")}?dryRun=true&purge=true`, undefined, "drop write-data"],
  ["get rows", "POST", `${t("w", "t")}/rows:get`, { keys: [{ a: 1 }] }, "read-data"],
  ["scan rows", "POST", `${t("w", "t")}/rows:scan`, {}, "read-data"],
  ["write rows", "POST", `${t("w", "t")}/rows:write`, deletion, "write-data"],
  ["write and read rows", "POST", `${t("w", "t")}/rows:write`, returned, "write-data read-data"],
  ["write if", "POST", `${t("w", "t")}/rows:write`, conditional, "write-data read-data"],
  ["acquire a lease", "POST", `${beside("leases")}:acquire`, lease, "write-data"],
  ["get a lease", "POST", `${beside("leases")}:get`, { name: "a" }, "read-data"],
  ["claim tasks", "POST", `${beside("queues")}:claim`, {}, "read-data write-data"],
  ["archive rows", "POST", `${beside("archives")}:run`, archive, "read-data write-data"],
  ["list archived rows", "GET", `${beside("archives")}/objects`, undefined, "read-data"],
  ["append events", "POST", `${beside("logs")}:append`, events, "write-data"],
  ["read events", "GET", `${beside("logs")}/events`, undefined, "read-data"],
  ["reserve it", "POST", `${beside("idempotency")}:reserve`, command, "read-data write-data"],
  ["drop the namespace's view", "DELETE", `${NS}/w/views/none`, undefined, "see"],
];

function t(namespace: string, name: string): string {
  return `/api/v1/catalogs/default/namespaces/${namespace}/tables/${name}`;
}

/** The second model of the rules: any privilege brings `see`, `admin` brings all. */
function allows(held: readonly string[], needed: string): boolean {
  if (held.includes("admin")) return true;
  const has = new Set(held.length > 0 ? [...held, "see"] : []);
  return needed.split(" ").every((each) => has.has(each));
}

describe("operations by privileges", () => {
  const keys = new Map<string, string>();
  beforeAll(async () => {
    await team.namespace("w");
    await team.table("w", "t");
    for (const privilege of PRIVILEGES) {
      keys.set(privilege, await team.principal(`only-${privilege}`));
      await team.grant(`only-${privilege}`, [privilege], { catalog: "default", namespace: ["w"] });
    }
    keys.set("", await team.principal("nothing"));
    const both = ["drop", "write-data"];
    keys.set(both.join(" "), await team.principal("drop-and-write"));
    await team.grant("drop-and-write", both, { catalog: "default", namespace: ["w"] });
  });

  it.each(MATRIX)("%s", async (_name, method, path, body, needed) => {
    for (const [privileges, key] of keys) {
      const held = privileges.split(" ").filter((each) => each !== "");
      const { status, body: answer } = await team.ask(key, method, path, body);
      const facts = { held: privileges, needed, status, answer };
      if (allows(held, needed)) expect(status, JSON.stringify(facts)).not.toBe(403);
      else if (held.length === 0) expect(status, JSON.stringify(facts)).toBe(404);
      else expect(status, JSON.stringify(facts)).toBe(403);
      if (status === 403 && path.startsWith("/iceberg")) {
        expect(answer["error"]).toMatchObject({ type: "ForbiddenException", code: 403 });
      }
    }
  });
});

/** What differs between two answers, but for what says when and under which id. */
function comparable({ status, headers, body }: Answered, name: string): object {
  const { "x-request-id": _id, date: _date, ...rest } = headers;
  return { status, headers: rest, body: JSON.parse(JSON.stringify(body).replaceAll(name, "NAME")) };
}

describe("rows of another table", () => {
  it("are not archived by who may write the archive alone", async () => {
    await team.namespace("desk");
    const archives = t("desk", "").replace("/tables/", "/archives");
    for (const name of ["archive", "ledger"]) await team.admin("POST", archives, { name });
    const key = await team.principal("archivist");
    const own = { catalog: "default", namespace: ["desk"], name: "archive" };
    await team.grant("archivist", ["read-data", "write-data"], own);
    const path = `${archives}/archive:run`;
    const ask = (table: string) => team.ask(key, "POST", path, { ...archive, table });
    const hidden = await ask("ledger");
    expect(hidden.status).toBe(404);
    expect(comparable(hidden, "ledger")).toEqual(comparable(await ask("absent"), "absent"));
    await team.grant("archivist", ["read-data", "see"], { ...own, name: "ledger" });
    expect((await ask("ledger")).status).toBe(403);
    expect((await ask("archive")).status).toBe(200);
  });
});

describe("what may not be known", () => {
  it("is answered as what is not there", async () => {
    await team.namespace("secret");
    await team.table("secret", "hidden");
    await team.namespace("shared");
    await team.table("shared", "seen");
    await team.table("shared", "hidden");
    const key = await team.principal("guest");
    const seen = { catalog: "default", namespace: ["shared"], name: "seen" };
    await team.grant("guest", ["read-metadata"], seen);
    const paths = (namespace: string, name: string) =>
      [
        ["GET", `${NS}/${namespace}/tables/${name}`],
        ["HEAD", `${NS}/${namespace}/tables/${name}`],
        ["DELETE", `${NS}/${namespace}/tables/${name}`],
        ["POST", `${NS}/${namespace}/tables/${name}`, setProperty],
        ["GET", t(namespace, name)],
        ["DELETE", t(namespace, name)],
        ["GET", `${t(namespace, name)}/versions`],
      ] as const;
    for (const [i, [method, path, body]] of paths("shared", "hidden").entries()) {
      const absent = paths("shared", "absent")[i]?.[1] ?? "";
      for (let again = 0; again < 2; again++) {
        const one = comparable(await team.ask(key, method, path, body), "hidden");
        const other = comparable(await team.ask(key, method, absent, body), "absent");
        expect(one).toEqual(other);
      }
    }
    for (const path of [`${NS}/secret`, `${NS}/secret/tables`, `${NS}/secret/tables/hidden`]) {
      const one = comparable(await team.ask(key, "GET", path), "secret");
      const other = await team.ask(key, "GET", path.replace("secret", "absent"));
      expect(one).toEqual(comparable(other, "absent"));
    }
    const { id } = (await team.admin("GET", t("shared", "hidden"))) as { id: string };
    const byId = await team.ask(key, "GET", t("shared", `id:${id}`));
    expect(byId.status).toBe(404);
    expect(JSON.stringify(byId.body)).not.toContain("hidden");
  });

  it("is answered as an id of nothing, below names and ids that are hidden, too", async () => {
    await team.namespace("vault");
    await team.table("vault", "gold");
    const key = await team.principal("visitor");
    await team.namespace("lobby");
    await team.table("lobby", "map");
    await team.table("lobby", "safe");
    const seen = { catalog: "default", namespace: ["lobby"], name: "map" };
    await team.grant("visitor", ["read-metadata"], seen);
    const idOf = async (path: string) => ((await team.admin("GET", path)) as { id: string }).id;
    const at = "/api/v1/catalogs/default/namespaces";
    const [vault, gold, safe] = await Promise.all(
      [`${at}/vault`, t("vault", "gold"), t("lobby", "safe")].map(idOf),
    );
    const none = "01890a5d-ac96-774b-bcce-b302099a8057";
    const paths = (id: string | undefined, namespace = id) => [
      `${at}/id:${namespace}`,
      `${at}/vault/tables/id:${id}`,
      `${at}/id:${namespace}/tables/id:${id}`,
      `${at}/lobby/tables/id:${id}`,
    ];
    const absent = paths(none);
    for (const hidden of [paths(gold, vault), paths(safe, vault)]) {
      for (const [i, path] of hidden.entries()) {
        const named = [vault, gold, safe, none];
        const told = async (asked: string) => {
          const { status, headers, body } = await team.ask(key, "GET", asked);
          let text = JSON.stringify(body);
          for (const id of named) text = text.replaceAll(id ?? "", "ID");
          return { status, code: headers["x-firn-error"], text };
        };
        expect([path, await told(path)]).toEqual([path, await told(absent[i] ?? "")]);
      }
    }
  });

  it("is in no list and no search", async () => {
    const key = await team.principal("reader");
    await team.namespace("lists");
    for (const name of ["a", "b", "c", "d"]) await team.table("lists", name);
    for (const name of ["b", "d"]) {
      await team.grant("reader", ["see"], { catalog: "default", namespace: ["lists"], name });
    }
    const namesOf = ({ body }: Answered) =>
      (body["identifiers"] as { name: string }[]).map(({ name }) => name);
    expect(namesOf(await team.ask(key, "GET", `${NS}/lists/tables`))).toEqual(["b", "d"]);
    const first = await team.ask(key, "GET", `${NS}/lists/tables?pageSize=1&pageToken=`);
    expect(namesOf(first)).toEqual(["b"]);
    const token = encodeURIComponent(String(first.body["next-page-token"]));
    const next = await team.ask(key, "GET", `${NS}/lists/tables?pageSize=1&pageToken=${token}`);
    expect(namesOf(next)).toEqual(["d"]);
    expect((await team.ask(key, "GET", NS)).body["namespaces"]).toEqual([["lists"]]);
    const found = await team.ask(key, "GET", "/api/v1/search?q=a");
    expect(JSON.stringify(found.body)).not.toContain('"a"');
    const tables = await team.ask(key, "GET", "/api/v1/catalogs/default/namespaces/lists/tables");
    expect((tables.body["items"] as { name: string }[]).map(({ name }) => name)).toEqual([
      "b",
      "d",
    ]);
  });
});

describe("grants", () => {
  it("hold below what they are on, by roles too, and end at once", async () => {
    const key = await team.principal("analyst");
    await team.namespace("deep");
    await team.namespace("deep", "er");
    await team.admin("POST", `${NS}/deep%1Fer/tables`, table("t"));
    await team.admin("POST", "/api/v1/roles", { name: "analysts" });
    await team.admin("POST", "/api/v1/roles/analysts/members", { principal: "analyst" });
    const load = () => team.ask(key, "GET", `${NS}/deep%1Fer/tables/t`);
    expect((await load()).status).toBe(404);
    await team.grant("analysts", ["read-metadata"], { catalog: "default", namespace: ["deep"] });
    expect((await load()).status).toBe(200);
    await team.admin("DELETE", "/api/v1/roles/analysts/members/analyst");
    expect((await load()).status).toBe(404);
    await team.grant("everyone", ["see"], { catalog: "default", namespace: ["deep"] });
    expect((await load()).status).toBe(403);
  });

  it("give nothing to a successor of the name", async () => {
    const key = await team.principal("heir");
    await team.namespace("reborn");
    await team.table("reborn", "t");
    const on = { catalog: "default", namespace: ["reborn"], name: "t" };
    await team.grant("heir", ["read-metadata"], on);
    expect((await team.ask(key, "GET", `${NS}/reborn/tables/t`)).status).toBe(200);
    await team.admin("DELETE", `${NS}/reborn/tables/t`);
    await team.table("reborn", "t");
    expect((await team.ask(key, "GET", `${NS}/reborn/tables/t`)).status).toBe(404);
  });

  it("make the creator an owner, who cannot give what is not his", async () => {
    const key = await team.principal("maker");
    await team.principal("friend");
    await team.namespace("workshop");
    await team.grant("maker", ["create"], { catalog: "default", namespace: ["workshop"] });
    const made = await team.ask(key, "POST", `${NS}/workshop/tables`, table("own"));
    expect(made.status).toBe(200);
    expect((await team.ask(key, "GET", `${NS}/workshop/tables/own`)).status).toBe(200);
    const own = { catalog: "default", namespace: ["workshop"], name: "own" };
    const give = (privileges: readonly string[], on: object) =>
      team.ask(key, "POST", "/api/v1/grants", { principal: "friend", privileges, ...on });
    expect((await give(["read-metadata"], own)).status).toBe(200);
    expect((await give(["admin"], own)).status).toBe(403);
    const around = { catalog: "default", namespace: ["workshop"] };
    expect((await give(["create"], around)).status).toBe(403);
    expect((await give(["admin"], {})).status).toBe(403);
    const self = { principal: "maker", privileges: ["admin"], ...around };
    expect((await team.ask(key, "POST", "/api/v1/grants", self)).status).toBe(403);
    for (const path of ["/api/v1/principals", "/api/v1/accounts", "/api/v1/jobs"]) {
      expect((await team.ask(key, "GET", path)).status).toBe(403);
    }
    expect((await team.ask(key, "DELETE", `${NS}/workshop/tables/own`)).status).toBe(204);
  });

  it("leave an administrator, and explain themselves", async () => {
    const last = await team.ask(ADMIN_KEY, "DELETE", "/api/v1/principals/admin");
    expect([last.status, last.body["code"]]).toEqual([409, "LAST_ADMIN"]);
    const suspended = { suspended: true };
    expect((await team.ask(ADMIN_KEY, "PATCH", "/api/v1/principals/admin", suspended)).status).toBe(
      409,
    );
    const asked = { principal: "only-alter", privilege: "alter", catalog: "default" };
    const on = { ...asked, namespace: ["w"], name: "t" };
    const found = await team.admin("POST", "/api/v1/access:explain", on);
    expect(found).toMatchObject({ allowed: true, held: ["see", "alter"] });
    const not = await team.admin("POST", "/api/v1/access:explain", { ...on, privilege: "drop" });
    expect(not).toMatchObject({ allowed: false });
  });

  it("end with the key, the principal's suspension and its end", async () => {
    const key = await team.principal("leaver");
    await team.grant("leaver", ["read-metadata"], { catalog: "default" });
    const load = () => team.ask(key, "GET", `${NS}/w`);
    expect((await load()).status).toBe(200);
    await team.admin("PATCH", "/api/v1/principals/leaver", { suspended: true });
    expect((await load()).status).toBe(401);
    await team.admin("PATCH", "/api/v1/principals/leaver", { suspended: false });
    expect((await load()).status).toBe(200);
    const { keys } = await team.admin("GET", "/api/v1/principals/leaver");
    const [{ id = "" } = {}] = keys as { id: string }[];
    await team.admin("DELETE", `/api/v1/principals/leaver/keys/${id}`);
    expect((await load()).status).toBe(401);
  });
});
