import { afterAll, beforeAll, expect, test } from "vitest";
import type * as api from "../../../src/api/resources.ts";
import { Api } from "./api.ts";

const PLACE = "/catalogs/lake/namespaces/ice";
const LIST = `${PLACE}/tables`;

let served: Api;

beforeAll(async () => {
  served = await Api.open();
  await served.done("POST", "/catalogs", { name: "lake" });
  await served.done("POST", "/catalogs/lake/namespaces", { path: ["ice"] });
  for (const name of ["a", 'b"\\ß', "c"]) await served.done("POST", LIST, { name, format: "HUDI" });
});
afterAll(() => served.firn.close());

async function listed(query = ""): Promise<api.Page<api.Summary>> {
  return served.done("GET", `${LIST}${query}`);
}

test("a list says of each table what a look at it says, at every version", async () => {
  const same = async () => {
    const { items } = await listed();
    for (const item of items) {
      const path = `${LIST}/${encodeURIComponent(item.name)}`;
      const { id, name, etag, format, ...rest } = await served.done<api.Table>("GET", path);
      const summary = { type: "table", id, name, etag, format, protected: rest.protected };
      expect(item).toEqual(summary);
    }
    return items;
  };
  const before = await same();
  expect(before.map(({ name }) => name)).toEqual(["a", 'b"\\ß', "c"]);
  await served.done("PATCH", `${LIST}/a`, { protected: true });
  const after = await same();
  expect(after[0]).toMatchObject({ id: before[0]?.id, protected: true });
  expect(after[0]?.etag).not.toBe(before[0]?.etag);
  expect(after.slice(1)).toEqual(before.slice(1));
  await served.done("POST", `${LIST}/c:rename`, { name: "d" });
  const renamed = await same();
  expect(renamed.map(({ id, name }) => [id, name])).toEqual([
    [before[0]?.id, "a"],
    [before[1]?.id, 'b"\\ß'],
    [before[2]?.id, "d"],
  ]);
});

test("a page of tables leads to the next", async () => {
  const first = await listed("?pageSize=2");
  const token = encodeURIComponent(first.nextPageToken ?? "");
  const second = await listed(`?pageSize=2&pageToken=${token}`);
  expect([first.items.length, second.items.length, second.nextPageToken]).toEqual([
    2,
    1,
    undefined,
  ]);
  expect([...first.items, ...second.items]).toEqual((await listed()).items);
});
