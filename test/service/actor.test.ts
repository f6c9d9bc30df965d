import { expect, test } from "vitest";
import { type Actor, actingAs } from "../../src/service/actor.ts";
import { ask, scripted, serving } from "../http/support.ts";
import { ACTOR } from "../support/open-catalog.ts";
import { openTestIceberg } from "../support/open-iceberg.ts";

const REF = { catalog: "c", namespace: ["a"] };

test("an actor of another account is refused by every operation, reads included", async () => {
  const { iceberg } = await openTestIceberg();
  const stranger: Actor = { ...ACTOR, account: "another" };
  const refused = /a request is of the account that serves it/;
  const calls = [
    () => iceberg.config(stranger, undefined),
    () => iceberg.listNamespaces(stranger, "c", [], {}),
    () => iceberg.createNamespace(stranger, REF, {}),
    () => iceberg.loadTable(stranger, { ...REF, table: "t" }, { snapshots: "all" }),
    () => iceberg.dropView(stranger, { ...REF, view: "v" }),
    () => iceberg.reportMetrics(stranger, { ...REF, table: "t" }, {}),
  ];
  for (const call of calls) await expect(async () => call()).rejects.toThrow(refused);
  expect(await iceberg.listNamespaces(ACTOR, "c", [], {})).toMatchObject({ items: [] });
});

test("a program that embeds a node always acts as itself", async () => {
  const node = await openTestIceberg();
  const catalogs = actingAs(ACTOR, node.catalogs);
  expect(await catalogs.create("d")).toMatchObject({ name: "d" });
  expect(await catalogs.list()).toEqual(["c", "d"]);
});

test("reads are told who asks, under which id, and from where", async () => {
  const seen: Actor[] = [];
  const { service } = scripted({
    loadNamespace: async (actor, { namespace }) => {
      seen.push(actor);
      return { namespace, properties: {} };
    },
  });
  await using running = await serving(service);
  await ask(running.port, "GET", "/iceberg/v1/namespaces/a", { "X-Request-Id": "mine" });
  expect(seen).toEqual([
    { requestId: "mine", principal: "anonymous", account: "default", address: "127.0.0.1" },
  ]);
});
