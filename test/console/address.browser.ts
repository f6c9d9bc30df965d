import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "../support/chromium.ts";
import { ask, FIRST_ID, seed } from "./seed.ts";
import { Stand } from "./stand.ts";

let stand: Stand;
const TABLE = "/c/lake/glacier/t/cores";

describe.skipIf(CHROMIUM === undefined)("the address of the console", () => {
  beforeAll(async () => {
    stand = await Stand.start();
    await seed(stand.url);
    const sql = (statement: string) =>
      ask(stand.url, "POST", "/api/v1/sql", { statement, catalog: "lake" });
    await sql("CREATE SCHEMA shop");
    await sql("CREATE TABLE shop.items (id int8 PRIMARY KEY, price int4)");
    await sql("CREATE INDEX by_price ON shop.items (price)");
    await sql("INSERT INTO shop.items VALUES (1, 30), (2, 20), (3, 10)");
  });
  afterAll(() => stand?.stop());

  chooses();
  links();
});

function chooses(): void {
  test("a filter and an order are in it, and come back with it", async () => {
    const { page } = await stand.open("/c/lake/glacier");
    await page.getByLabel("Filter").fill("e");
    await page.getByRole("button", { name: "Name" }).last().click();
    await page.getByRole("button", { name: "Name" }).last().click();
    await page.waitForURL(/\/glacier\?q=e&sort=-Name$/);
    const names = () => page.getByRole("table", { name: "Tables" }).locator("a").allInnerTexts();
    const shown = ["weather", "melt_rates", "empty", "cores"];
    await expect.poll(names).toEqual(shown);
    await page.reload();
    await page.getByText("4 of 4 tables").waitFor();
    await expect.poll(names).toEqual(shown);
    await page.getByRole("link", { name: "cores" }).click();
    await page.waitForURL(/\/t\/cores$/);
    await page.goBack();
    await page.waitForURL(/\?q=e&sort=-Name$/);
    await expect.poll(() => page.getByLabel("Filter").inputValue()).toBe("e");
    await page.getByLabel("Filter").fill("");
    await page.waitForURL(/\/glacier\?sort=-Name$/);
    await page.context().close();
  });

  test("chosen snapshots are in it by their exact ids", async () => {
    const { page } = await stand.open(`${TABLE}/history`);
    const row = page.locator("tr", { has: page.getByTitle(String(FIRST_ID), { exact: true }) });
    await row.getByRole("checkbox").check();
    await page.locator(".grid input[type=checkbox]").first().check();
    expect(new URL(page.url()).searchParams.get("at")).toMatch(new RegExp(`^${FIRST_ID},\\d+$`));
    await page.reload();
    await page.locator(".compared").getByText("6,330").waitFor();
    await page.context().close();
  });

  test("schemas, clients and the order of rows are in it", async () => {
    const { page } = await stand.open(`${TABLE}/schema?from=1&to=0`);
    await page.getByRole("row", { name: /dropped 4 note string/ }).waitFor();
    await page.getByLabel("to schema").selectOption("1");
    await page.waitForURL(/\/schema\?from=1&to=1$/);
    await page.goto(`${stand.url}/console${TABLE}/connect?client=Trino`);
    await page.locator(".code", { hasText: "connector.name=iceberg" }).waitFor();
    await page.goto(`${stand.url}/console/c/lake/shop/t/items/rows?order=by_price`);
    await page.getByRole("row", { name: /^3 10/ }).waitFor();
    const first = page.locator("tr[aria-rowindex='2'] td").first();
    await expect.poll(() => first.innerText()).toBe("3");
    await page.getByLabel("last first").check();
    await page.waitForURL(/\?order=by_price&last=first$/);
    await page.context().close();
  });
}

function links(): void {
  test("a link with a statement opens it, and does not run it", async () => {
    const { page } = await stand.open("/sql?catalog=lake&sql=SELECT+41%2B1");
    const editor = page.getByLabel("Statement");
    await editor.waitFor();
    await expect.poll(() => editor.innerText()).toBe("SELECT 41+1");
    await expect.poll(() => page.getByLabel("Catalog").inputValue()).toBe("lake");
    expect(await page.getByRole("region", { name: "Result" }).count()).toBe(0);
    await page.getByRole("button", { name: "Copy the link" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      `${stand.url}/console/sql?catalog=lake&sql=SELECT+41%2B1`,
    );
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("cell", { name: "42" }).waitFor();
    await page.context().close();
  });
}
