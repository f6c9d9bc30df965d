import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "../support/chromium.ts";
import { ask, HOSTILE, MELTING, seed } from "./seed.ts";
import { Stand } from "./stand.ts";

let stand: Stand;
const VIEW = "/c/lake/glacier/v/melting";
const TRINO = `SELECT '${HOSTILE}' AS name\nFROM cores`;

const sql = (statement: string) =>
  ask(stand.url, "POST", "/api/v1/sql", { statement, catalog: "lake" });

describe.skipIf(CHROMIUM === undefined)("views in the console", () => {
  beforeAll(async () => {
    stand = await Stand.start();
    await seed(stand.url);
    const version = {
      "version-id": 2,
      "timestamp-ms": Date.now(),
      "schema-id": 0,
      summary: { "engine-name": "trino" },
      "default-catalog": "lake",
      "default-namespace": ["glacier"],
      representations: [
        { type: "sql", sql: "SELECT 2", dialect: "spark" },
        { type: "sql", sql: TRINO, dialect: "trino" },
      ],
    };
    await ask(stand.url, "POST", "/iceberg/v1/lake/namespaces/glacier/views/melting", {
      updates: [
        { action: "add-view-version", "view-version": version },
        { action: "set-current-view-version", "view-version-id": -1 },
      ],
    });
    await sql("CREATE SCHEMA shop");
    await sql("CREATE TABLE shop.items (id int8 PRIMARY KEY, name text)");
    await sql("CREATE VIEW shop.cold AS SELECT id FROM shop.items WHERE name <> '<b>warm</b>'");
  });
  afterAll(() => stand?.stop());

  test("queries are shown by dialect, of each version, as text", async () => {
    const { page, complaints } = await stand.open(VIEW);
    const textOf = (dialect: string) =>
      page.getByRole("region", { name: dialect }).locator("pre").innerText();
    expect(await textOf("trino")).toBe(TRINO);
    expect(await textOf("spark")).toBe("SELECT 2");
    await page.getByText("lake.glacier", { exact: true }).waitFor();
    await page.getByText("engine-name").waitFor();
    await page.getByRole("region", { name: "trino" }).getByRole("button", { name: "Copy" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(TRINO);

    const version = page.getByLabel("Version");
    const choices = await version.locator("option").allInnerTexts();
    expect(choices.map((one) => one.split(",")[0])).toEqual(["2", "1"]);
    expect(choices[0]).toContain("current");
    await version.selectOption("1");
    await page.getByRole("region", { name: "trino" }).waitFor({ state: "detached" });
    expect(await textOf("spark")).toBe(MELTING);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("a view of SQL is found from its namespace, and shows its text", async () => {
    const { page } = await stand.open("/c/lake/shop");
    await page.getByText("Views of SQL").click();
    await page.getByRole("link", { name: "cold" }).click();
    await page.waitForURL(/\/c\/lake\/shop\/v\/cold$/);
    const text = page.getByRole("region", { name: "postgres" }).locator("pre");
    await expect.poll(() => text.innerText()).toContain("name <> '<b>warm</b>'");
    await page.context().close();
  });

  test("a view that is in neither catalog is not found", async () => {
    const { page } = await stand.open("/c/lake/shop/v/none");
    await page.getByRole("alert").getByText("VIEW_NOT_FOUND").waitFor();
    await page.context().close();
  });

  test("view-sql: light and dark, wide and narrow", () =>
    stand.inspect(
      "view-sql",
      "/c/lake/shop/v/cold",
      (page) => page.getByRole("region", { name: "postgres" }).waitFor(),
      ["404"],
    ));

  test("view-queries: light and dark, wide and narrow", () =>
    stand.inspect("view-queries", VIEW, (page) =>
      page.getByRole("region", { name: "trino" }).waitFor(),
    ));
});
