import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as api from "../../../src/api/resources.ts";
import { Api } from "./api.ts";

let served: Api;

/** Names with everything above them. */
const full = ({ type, catalog, namespace = [], name }: api.Found): string =>
  [type, ...(catalog ? [catalog] : []), ...namespace, ...(type === "namespace" ? [] : [name])].join(
    " ",
  );

async function found(q: string, pageSize: number): Promise<readonly string[]> {
  const names: string[] = [];
  for (let token = ""; ; ) {
    const path = `/search?q=${q}&pageSize=${pageSize}${token}`;
    const page = await served.done<api.Page<api.Found>>("GET", path);
    expect(page.items.length).toBeLessThanOrEqual(pageSize);
    names.push(...page.items.map(full));
    if (page.nextPageToken === undefined) return names;
    token = `&pageToken=${page.nextPageToken}`;
  }
}

beforeAll(async () => {
  served = await Api.open();
  for (const name of ["ice", "rock"]) await served.done("POST", "/catalogs", { name });
  for (const path of [["Ice"], ["Ice", "deep ice"], ["a"], ["a", "b"], ["slice"]]) {
    await served.done("POST", "/catalogs/ice/namespaces", { path });
  }
  for (const [namespace, name] of [
    ["Ice", "ice-1"],
    ["Ice", "other"],
    ["a", "ICE-2"],
    ["a\u001fb", "nice"],
    ["slice", "dice"],
  ] as const) {
    const response = await served.firn.fetch(
      new Request(`http://firn/iceberg/v1/ice/namespaces/${encodeURIComponent(namespace)}/tables`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ name, schema: { type: "struct", fields: [] } }),
      }),
    );
    expect(response.status).toBe(200);
  }
});
afterAll(async () => {
  await served.firn.close();
});

describe("search", () => {
  const ALL = [
    "catalog ice",
    "namespace ice Ice",
    "table ice Ice ice-1",
    "namespace ice Ice deep ice",
    "table ice a ICE-2",
    "table ice a b nice",
    "namespace ice slice",
    "table ice slice dice",
  ];

  it("finds parts of names of every kind, in any case", async () => {
    expect(await found("ice", 100)).toEqual(ALL);
    expect(await found("ROCK", 100)).toEqual(["catalog rock"]);
    expect(await found("nothing", 100)).toEqual([]);
  });

  it.each([1, 2, 3, 5])("goes on where a page of %s ended", async (pageSize) => {
    expect(await found("ice", pageSize)).toEqual(ALL);
  });

  it("refuses the token of another search", async () => {
    const { nextPageToken } = await served.done<api.Page<api.Found>>(
      "GET",
      "/search?q=ice&pageSize=1",
    );
    const path = `/search?q=other&pageToken=${nextPageToken}`;
    expect((await served.refused("GET", path)).code).toBe("PAGE_TOKEN_INVALID");
  });
});
