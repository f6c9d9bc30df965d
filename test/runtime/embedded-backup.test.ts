import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Firn } from "../../src/index.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

const DOCUMENT = join(import.meta.dirname, "..", "..", "docs", "backup.md");

test("the example of docs/backup.md backs up and restores", { timeout: 60_000 }, async () => {
  const [, example = ""] = /```ts\n([\s\S]*?)```/.exec(readFileSync(DOCUMENT, "utf8")) ?? [];
  expect(example).toContain("firn.restore(");
  const [dir, backups, other] = [scratchDirectory(), scratchDirectory(), scratchDirectory()];
  const found = "return { id, payloads, copy };";
  const names = ["Firn", "dir", "backups", "other"];
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const run = AsyncFunction(...names, example + found);
  const { id, payloads, copy } = await run(Firn, dir, backups, other);
  expect(payloads).toBe(2);
  expect(copy).toMatchObject({ id, catalog: "sales-copy", tables: 0, leftOut: [] });
  const first = await Firn.open({ profile: "local", dir });
  expect(await first.catalogs.list()).toEqual(["default", "sales", "sales-copy"]);
  await first.close();
  const second = await Firn.open({ profile: "local", dir: other });
  expect(await second.catalogs.list()).toContain("sales");
  expect(await second.catalogs.list()).not.toContain("sales-copy");
  await second.close();
});

test("a Firn in memory is backed up, and restored beside itself as of a time", async () => {
  const backups = scratchDirectory();
  const firn = await Firn.open();
  const ask = (path: string, body: object) =>
    firn.fetch(
      new Request(`http://firn/iceberg/v1/${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  expect((await ask("namespaces", { namespace: ["a"] })).status).toBe(200);
  const at = new Date();
  // The next change is of a later millisecond.
  while (Date.now() <= at.getTime()) await new Promise((resolve) => setTimeout(resolve, 1));
  expect((await ask("namespaces", { namespace: ["b"] })).status).toBe(200);
  await firn.backup(backups);
  const scope = { catalog: "default", as: "then", at } as const;
  expect(await firn.restore(backups, scope)).toMatchObject({ namespaces: 1 });
  expect(await firn.restore(backups, { catalog: "default", as: "now" })).toMatchObject({
    namespaces: 2,
  });
  const again = firn.restore(backups, scope);
  await expect(again).rejects.toMatchObject({ code: "CATALOG_ALREADY_EXISTS" });
  const inside = Firn.restore(backups, { profile: "local", dir: join(backups, "x") });
  await expect(inside).rejects.toMatchObject({ code: "BACKUP_URI_INVALID" });
  await expect(Firn.restore(backups, {})).rejects.toMatchObject({ code: "NO_STORE" });
  await firn.close();
});
