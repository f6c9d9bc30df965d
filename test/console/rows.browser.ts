import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "../support/chromium.ts";
import { ask } from "./seed.ts";
import { Stand } from "./stand.ts";

let stand: Stand;
const ITEMS = "/c/lake/shop/t/items";
/** More than two pages of the console's scan. */
const MANY = 1_300;
const FIRST_ID = 9_007_199_254_740_993n;

const sql = (statement: string) =>
  ask(stand.url, "POST", "/api/v1/sql", { statement, catalog: "lake" });

describe.skipIf(CHROMIUM === undefined)("row tables in the console", () => {
  beforeAll(async () => {
    stand = await Stand.start();
    await ask(stand.url, "POST", "/api/v1/catalogs", { name: "lake" });
    await sql("CREATE SCHEMA shop");
    await sql(
      "CREATE TABLE shop.items (id int8 PRIMARY KEY, name text NOT NULL UNIQUE, " +
        "price numeric(8,2) CHECK (price > 0), note jsonb)",
    );
    await sql("CREATE INDEX by_price ON shop.items (price)");
    const rows = Array.from(
      { length: MANY },
      (_, i) => `(${FIRST_ID + BigInt(i)}, 'n${i} <b>', ${MANY - i}.50, NULL)`,
    );
    await sql(`INSERT INTO shop.items VALUES ${rows.join(", ")}`);
  });
  afterAll(() => stand?.stop());

  test.each([
    ["rows", "rows"],
    ["row-schema", "schema"],
  ])("%s: light and dark, wide and narrow", (name, tab) =>
    stand.inspect(name, `${ITEMS}/${tab}`, (page) =>
      page
        .getByText(tab === "rows" ? "n0 <b>" : "items_name_key")
        .first()
        .waitFor(),
    ),
  );

  test("a query of its first rows is a click away, and waits to be run", async () => {
    const { page } = await stand.open(ITEMS);
    await page.getByRole("link", { name: "Query" }).click();
    const editor = page.getByLabel("Statement");
    await editor.waitFor();
    await expect.poll(() => editor.innerText()).toBe('SELECT * FROM "shop"."items" LIMIT 100');
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("SELECT 100 ·").waitFor();
    await page.context().close();
  });

  test("columns, indexes and constraints are those of the table", async () => {
    const { page } = await stand.open(`${ITEMS}/schema`);
    await page.getByText("CREATE INDEX by_price").waitFor();
    const text = await page.locator("main").innerText();
    for (const part of [
      "numeric(8,2)",
      "CREATE UNIQUE INDEX items_name_key",
      "PRIMARY KEY (id)",
      "CHECK ((price > 0))",
    ]) {
      expect(text).toContain(part);
    }
    await expect
      .poll(() => page.locator(".tabs a").allInnerTexts())
      .toEqual(["Overview", "Rows", "Schema", "Properties", "Connect"]);
    await page.context().close();
  });

  test("rows are exact, in the order of the key or an index, to the last one", async () => {
    const { page } = await stand.open(`${ITEMS}/rows`);
    const first = page.locator("tr[aria-rowindex='2'] td").first();
    await page.getByText("500 rows so far").waitFor();
    await expect.poll(() => first.innerText()).toBe(String(FIRST_ID));
    for (let turn = 0; turn < 60; turn++) {
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      expect(await page.evaluate(`document.querySelectorAll("*").length`)).toBeLessThan(2_000);
      if ((await page.getByText("1,300 rows", { exact: true }).count()) > 0) break;
      await page.waitForTimeout(100);
    }
    await page.getByText("1,300 rows", { exact: true }).waitFor();
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await page.getByText(`n${MANY - 1} <b>`).waitFor();
    await page.evaluate("scrollTo(0, 0)");
    await page.getByLabel("Order").selectOption("by_price");
    await first.getByText(String(FIRST_ID + BigInt(MANY - 1))).waitFor();
    await page.getByLabel("last first").check();
    await first.getByText(String(FIRST_ID), { exact: true }).waitFor();
    await sql(`DELETE FROM shop.items WHERE id = ${FIRST_ID}`);
    await page.getByRole("button", { name: "Refresh" }).click();
    await first.getByText(String(FIRST_ID + 1n)).waitFor();
    await page.context().close();
  });
});
