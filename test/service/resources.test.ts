import { describe, expect, it } from "vitest";
import { OWN_ACTOR } from "../../src/service/actor.ts";
import { PageTokens } from "../../src/service/page-token.ts";
import { ReservedProperties } from "../../src/service/reserved-properties.ts";
import { ResourceNames } from "../../src/service/resources/names.ts";
import { tableResources } from "../../src/service/resources/relations.ts";
import { openTestIceberg } from "../support/open-iceberg.ts";

const SCHEMA = { type: "struct", fields: [] };
const NAMESPACE = { catalog: "c", namespace: ["ns"] };

/** Two tables, and the use cases of tables where something happens behind each look-up by id. */
async function openMeddled() {
  const { iceberg, catalog } = await openTestIceberg();
  await iceberg.createNamespace(OWN_ACTOR, NAMESPACE, {});
  const create = (name: string) =>
    iceberg.createTable(OWN_ACTOR, NAMESPACE, {
      name,
      schema: SCHEMA,
      properties: {},
      stageCreate: false,
    });
  const rename = (from: string, to: string) => {
    const at = (table: string) => ({ namespace: ["ns"], table });
    return iceberg.renameTable(OWN_ACTOR, { catalog: "c", from: at(from), to: at(to) });
  };
  await create("first");
  await create("second");
  const meddling = { run: async (): Promise<void> => {} };
  class Names extends ResourceNames {
    override async relation(...asked: Parameters<ResourceNames["relation"]>) {
      const pinned = await super.relation(...asked);
      await meddling.run();
      return pinned;
    }
  }
  const tokens = new PageTokens(new Uint8Array(32));
  const tables = tableResources({
    catalog,
    names: new Names(catalog),
    tokens,
    reserved: new ReservedProperties(),
  });
  const idOf = async (name: string): Promise<string> =>
    (await catalog.tables.get({ catalog: "c", path: ["ns"], name })).entity.id;
  const id = await idOf("first");
  const place = {
    catalog: { name: "c" },
    namespace: { path: ["ns"] },
    relation: { id },
  };
  return { tables, place, rename, meddling, idOf, id };
}

describe("a table by its id", () => {
  it("is never another one that has its name by then", async () => {
    const { tables, place, rename, meddling, idOf, id } = await openMeddled();
    const other = await idOf("second");
    meddling.run = async () => {
      await rename("first", "kept");
      await rename("second", "first");
    };
    await expect(tables.drop(OWN_ACTOR, place)).rejects.toMatchObject({ code: "TABLE_NOT_FOUND" });
    expect([await idOf("first"), await idOf("kept")]).toEqual([other, id]);
    meddling.run = async () => {};
    await tables.drop(OWN_ACTOR, place);
    expect(await idOf("first")).toBe(other);
    await expect(idOf("kept")).rejects.toMatchObject({ code: "TABLE_NOT_FOUND" });
  });

  it("is not the one that a read, an update or a rename meets in its place", async () => {
    const gone = { code: "TABLE_NOT_FOUND" };
    const acts = [
      ({ tables, place }: Awaited<ReturnType<typeof openMeddled>>) => tables.get(OWN_ACTOR, place),
      ({ tables, place }: Awaited<ReturnType<typeof openMeddled>>) =>
        tables.update(OWN_ACTOR, place, { patch: { description: "mine" } }),
      ({ tables, place }: Awaited<ReturnType<typeof openMeddled>>) =>
        tables.rename(OWN_ACTOR, place, { name: "mine" }),
    ];
    for (const act of acts) {
      const world = await openMeddled();
      world.meddling.run = async () => {
        await world.rename("first", "kept");
        await world.rename("second", "first");
      };
      await expect(act(world)).rejects.toMatchObject(gone);
    }
  });

  it("is the version that was meant, at every look", async () => {
    const { tables, place, meddling } = await openMeddled();
    const { version, revision } = await tables.get(OWN_ACTOR, place);
    const ifMatch = [`"${version}-${revision}"`];
    meddling.run = async () => {
      meddling.run = async () => {};
      await tables.update(OWN_ACTOR, place, { patch: { description: "others'" } });
    };
    const mine = { patch: { description: "mine" }, ifMatch };
    await expect(tables.update(OWN_ACTOR, place, mine)).rejects.toMatchObject({
      code: "PRECONDITION_FAILED",
    });
    expect((await tables.get(OWN_ACTOR, place)).entity.description).toBe("others'");
  });
});
