import { expect, test } from "vitest";
import type { NamespaceRef } from "../../src/service/requests.ts";
import { ACTOR } from "../support/open-catalog.ts";
import { openTestIceberg, SCHEMA } from "../support/open-iceberg.ts";
import { metadataOf } from "../support/snapshots.ts";

const NS: NamespaceRef = { catalog: "c", namespace: ["a"] };
const BELOW: NamespaceRef = { catalog: "c", namespace: ["a", "b c"] };

async function open() {
  const node = await openTestIceberg();
  const { iceberg } = node;
  return {
    ...node,
    root: `file://${node.directory}`,
    create: (ref: NamespaceRef, properties = {}) => iceberg.createNamespace(ACTOR, ref, properties),
    propertiesOf: async (ref: NamespaceRef) => (await iceberg.loadNamespace(ACTOR, ref)).properties,
    update: (removals: readonly string[], updates = {}) =>
      iceberg.updateNamespace(ACTOR, NS, { removals, updates }),
  };
}

test("a namespace answers where its tables go, and keeps no word of it", async () => {
  const { catalog, create, propertiesOf, root } = await open();
  const made = await create(NS, { owner: "ice" });
  expect(made.properties).toEqual({ owner: "ice", location: `${root}/a` });
  expect(await propertiesOf(NS)).toEqual(made.properties);
  const { entity } = await catalog.namespaces.get({ catalog: "c", path: ["a"] });
  expect(entity.properties).toEqual({ owner: "ice" });
  expect((await create(BELOW)).properties).toEqual({ location: `${root}/a/b_c` });
});

test("a location of its own wins, there and below it; an empty one says nothing", async () => {
  const { create, propertiesOf, root } = await open();
  const own = `${root}/own/`;
  expect((await create(NS, { location: own })).properties).toEqual({ location: own });
  await create(BELOW, { location: "" });
  expect(await propertiesOf(BELOW)).toEqual({ location: `${root}/own/b_c` });
});

test("the default can be replaced and comes back, but cannot be removed", async () => {
  const { create, propertiesOf, update, root } = await open();
  await create(NS);
  expect(await update(["location"])).toEqual({ updated: [], removed: [], missing: ["location"] });
  const own = `${root}/own`;
  expect(await update([], { location: own })).toMatchObject({ updated: ["location"] });
  expect(await propertiesOf(NS)).toEqual({ location: own });
  expect(await update(["location"])).toMatchObject({ removed: ["location"], missing: [] });
  expect(await propertiesOf(NS)).toEqual({ location: `${root}/a` });
});

test("a table may lie where a client puts it below the answered location", async () => {
  const { iceberg, create, propertiesOf } = await open();
  await create(NS);
  const { location } = await propertiesOf(NS);
  const at = `${location}/cores-0123456789abcdef`;
  const request = { name: "cores", location: at, schema: SCHEMA, properties: {} };
  const table = await iceberg.createTable(ACTOR, NS, { ...request, stageCreate: false });
  expect(metadataOf(table)["location"]).toBe(at);
});
