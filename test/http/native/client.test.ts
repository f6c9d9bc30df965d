import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiError, FirnClient, namespaceName } from "../../../src/client/client.ts";
import { Firn } from "../../../src/index.ts";

let firn: Firn;
let client: FirnClient;

beforeAll(async () => {
  firn = await Firn.open({ profile: "memory", logLevel: "silent" });
  client = new FirnClient({ url: "http://firn", fetch: (request) => firn.fetch(request) });
});
afterAll(async () => {
  await firn.close();
});

describe("the typed client", () => {
  it("calls operations by name, whatever the names hold", async () => {
    const catalog = "a b/c:d?e";
    await client.call("createCatalog", { body: { name: catalog } });
    const path = ["x.y", "z:rename"];
    for (const depth of [1, 2]) {
      await client.call("createNamespace", {
        path: { catalog },
        body: { path: path.slice(0, depth) },
      });
    }
    const at = { catalog, namespace: namespaceName(path) };
    const found = await client.call("getNamespace", { path: at });
    expect(found.path).toEqual(path);
    const byId = await client.call("getNamespace", {
      path: { catalog, namespace: `id:${found.id}` },
    });
    expect(byId).toEqual(found);
    const below = await client.call("listNamespaces", {
      path: { catalog },
      query: { parent: namespaceName(path.slice(0, 1)), pageSize: 5 },
    });
    expect(below.items.map(({ id }) => id)).toEqual([found.id]);
  });

  it("refuses a dot segment as a name, which a URL would lose", async () => {
    await client.call("createCatalog", { body: { name: "dots" } });
    await client.call("createNamespace", { path: { catalog: "dots" }, body: { path: ["a"] } });
    for (const dots of [".", ".."]) {
      const at = { catalog: "dots", namespace: "a", table: dots };
      const within = { catalog: "dots", namespace: namespaceName([dots]) };
      for (const lost of [
        client.call("dropTable", { path: at }),
        client.call("dropNamespace", { path: within }),
        client.call("dropCatalog", { path: { catalog: dots } }),
      ]) {
        await expect(lost).rejects.toMatchObject({ problem: { code: "NAME_INVALID" } });
      }
    }
    const left = { catalog: "dots", namespace: "a" };
    expect((await client.call("getNamespace", { path: left })).path).toEqual(["a"]);
  });

  it("passes tags, keys and dry runs on", async () => {
    const made = await client.call("createCatalog", { body: { name: "b" } }, { dryRun: true });
    expect(made.name).toBe("b");
    const asked = { body: { name: "b" } };
    const first = await client.call("createCatalog", asked, { idempotencyKey: "one" });
    expect(await client.call("createCatalog", asked, { idempotencyKey: "one" })).toEqual(first);
    const at = { path: { catalog: "b" } };
    const stale = client.call("dropCatalog", at, { ifMatch: '"1-old"' });
    await expect(stale).rejects.toMatchObject({
      problem: { status: 412, code: "PRECONDITION_FAILED" },
    });
    await client.call("dropCatalog", at, { ifMatch: first.etag });
    const gone: unknown = await client.call("getCatalog", at).catch((error: unknown) => error);
    expect(gone).toBeInstanceOf(ApiError);
  });

  it("tells an answer that is not Firn's", async () => {
    const elsewhere = new FirnClient({
      url: "http://proxy",
      fetch: async () => new Response("<html>", { status: 502 }),
    });
    await expect(elsewhere.call("getInfo", {})).rejects.toMatchObject({
      problem: { status: 502, code: "ANSWER_UNKNOWN" },
    });
  });
});
