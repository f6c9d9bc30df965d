import { afterAll, beforeAll, expect, test } from "vitest";
import type * as api from "../../../src/api/resources.ts";
import { Api } from "./api.ts";

let served: Api;
const NAMESPACES = "/catalogs/lake/namespaces";

beforeAll(async () => {
  served = await Api.open();
  for (const name of ["lake", "other"]) await served.done("POST", "/catalogs", { name });
  for (const path of [["a"], ["a", "deep"], ["a", "gone"], ["b"], ["c"]]) {
    await served.done("POST", NAMESPACES, { path });
  }
  for (const [namespace, name] of [
    ["a", "one"],
    ["a", "two"],
    ["a", "three"],
    ["a", "kept"],
    ["b", "one"],
  ] as const) {
    const path = `${NAMESPACES}/${namespace}/tables`;
    await served.done("POST", path, { name, format: "HUDI" });
    if (name !== "kept") await served.done("DELETE", `${path}/${name}`);
  }
  await served.done("DELETE", `${NAMESPACES}/a.gone`);
  await served.done("DELETE", `${NAMESPACES}/c`);
  await served.done("DELETE", "/catalogs/other");
});
afterAll(() => served.firn.close());

async function names(path: string): Promise<readonly string[]> {
  const { items } = await served.done<api.Page<api.Summary>>("GET", path);
  return items.map(({ name }) => name);
}

test("a list of what was dropped has what was there, and nothing of another place", async () => {
  const of = (path: string) => names(`${path}${path.includes("?") ? "&" : "?"}state=DROPPED`);
  expect(await of(`${NAMESPACES}/a/tables`)).toEqual(["one", "two", "three"]);
  expect(await of(`${NAMESPACES}/b/tables`)).toEqual(["one"]);
  expect(await of(`${NAMESPACES}/a/views`)).toEqual([]);
  expect(await of(NAMESPACES)).toEqual(["c"]);
  expect(await of(`${NAMESPACES}?parent=a`)).toEqual(["gone"]);
  expect(await of("/catalogs")).toEqual(["other"]);
  expect(await names(`${NAMESPACES}/a/tables?state=ACTIVE`)).toEqual(["kept"]);
});

test("its pages lead through all of it, and its tokens to no other list", async () => {
  const path = `${NAMESPACES}/a/tables?state=DROPPED&pageSize=1`;
  const found: string[] = [];
  let token: string | undefined;
  do {
    const next = token === undefined ? "" : `&pageToken=${encodeURIComponent(token)}`;
    const page = await served.done<api.Page<api.Summary>>("GET", `${path}${next}`);
    found.push(...page.items.map(({ name }) => name));
    token = page.nextPageToken;
    if (token === undefined) continue;
    const foreign = `pageToken=${encodeURIComponent(token)}`;
    for (const other of ["a/tables?", "b/tables?state=DROPPED&", "a/views?state=DROPPED&"]) {
      const { code } = await served.refused("GET", `${NAMESPACES}/${other}${foreign}`);
      expect(code).toBe("PAGE_TOKEN_INVALID");
    }
  } while (token !== undefined);
  expect(found).toEqual(["one", "two", "three"]);
});

test("what comes back leaves the list, and its tag is the one of its pointer", async () => {
  const path = `${NAMESPACES}/b/tables`;
  const list = () => served.done<api.Page<api.Summary>>("GET", `${path}?state=DROPPED`);
  const { items } = await list();
  await served.done("POST", `/dropped/${items[0]?.id}:undrop`, {});
  expect((await list()).items).toEqual([]);
  const back = await served.done<api.Table>("GET", `${path}/one`);
  expect(back.id).toBe(items[0]?.id);
  expect(back.etag).not.toBe(items[0]?.etag);
});

test("bad lists are refused", async () => {
  for (const [path, code] of [
    [`${NAMESPACES}?state=PURGING`, "REQUEST_INVALID"],
    [`${NAMESPACES}?state=dropped`, "REQUEST_INVALID"],
    [`${NAMESPACES}/none/tables?state=DROPPED`, "NAMESPACE_NOT_FOUND"],
    [`${NAMESPACES}/c/tables?state=DROPPED`, "NAMESPACE_NOT_FOUND"],
    ["/catalogs/other/namespaces?state=DROPPED", "CATALOG_NOT_FOUND"],
    ["/connectors?state=DROPPED", "REQUEST_INVALID"],
  ] as const) {
    expect((await served.refused("GET", path)).code).toBe(code);
  }
});
