import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "../support/chromium.ts";
import { ask, seed } from "./seed.ts";
import { type Opened, Stand, write } from "./stand.ts";

let stand: Stand;

const sql = (statement: string) =>
  ask(stand.url, "POST", "/api/v1/sql", { catalog: "lake", statement });

/** The page of SQL in the catalog `lake`; what it asks the API for from then on. */
async function open(options = {}): Promise<Opened & { readonly asked: string[] }> {
  const opened = await stand.open("/sql", options);
  await opened.page.getByLabel("Catalog").selectOption("lake");
  const asked: string[] = [];
  opened.page.on("request", (request) => {
    if (request.url().includes("/api/")) asked.push(request.postData() ?? request.url());
  });
  return { ...opened, asked };
}

const list = (page: Page) => page.getByRole("listbox", { name: "Names that fit" });

/** Types as people do, with the cursor some letters before the end at last. */
async function type(page: Page, text: string, back = 0): Promise<void> {
  await write(page, "");
  await page.keyboard.type(text);
  for (let i = 0; i < back; i++) await page.keyboard.press("ArrowLeft");
}

/** Names that are offered once one of them is, without what is told of each. */
async function offeredWith(page: Page, name: string): Promise<readonly string[]> {
  const labels = list(page).locator(".cm-completionLabel");
  await labels.getByText(name, { exact: true }).first().waitFor();
  return labels.allInnerTexts();
}

/** A list that has just come does not take Enter: it may have been meant for the line. */
async function take(page: Page): Promise<void> {
  await page.waitForTimeout(200);
  await page.keyboard.press("Enter");
}

describe.skipIf(CHROMIUM === undefined)("names that the editor of SQL offers", () => {
  beforeAll(async () => {
    stand = await Stand.start();
    await seed(stand.url);
    await sql(`CREATE TABLE glacier."<b>""x"" y" (id bigint PRIMARY KEY, "Ünï <i>" text)`);
    await sql("CREATE TABLE glacier.sites (id bigint PRIMARY KEY, name text, height real)");
    await sql("CREATE VIEW glacier.high AS SELECT * FROM glacier.sites WHERE height > 3000");
    await sql("CREATE TABLE people (id bigint PRIMARY KEY, first_name text)");
  });
  afterAll(() => stand?.stop());

  offersNames();
  followsStatement();
  asksLittle();
});

function offersNames(): void {
  test("a table is found, read out and taken by keys alone, and the statement runs", async () => {
    const { page, complaints } = await open();
    const editor = page.getByLabel("Statement");
    await type(page, "SELECT count(*) FROM sit");
    await offeredWith(page, "glacier.sites");
    const chosen = list(page).getByRole("option", { selected: true });
    await expect.poll(() => chosen.innerText()).toMatch(/^glacier\.sites\s+table$/);
    // What a screen reader follows: the field names its list, and what is chosen there.
    expect(await editor.getAttribute("aria-controls")).toBe(await list(page).getAttribute("id"));
    const active = await chosen.getAttribute("id");
    expect(await editor.getAttribute("aria-activedescendant")).toBe(active);
    await take(page);
    await expect.poll(() => editor.innerText()).toBe("SELECT count(*) FROM glacier.sites");
    await page.keyboard.press("Control+Enter");
    await page.getByText("SELECT 1 ·").waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("relations that have rows in SQL are offered, and no others", async () => {
    const { page } = await open();
    await type(page, "SELECT * FROM ");
    await page.keyboard.press("Control+Space");
    const names = await offeredWith(page, "people");
    expect(names).toEqual(expect.arrayContaining(["glacier.high", "glacier.sites", "people"]));
    // Of Iceberg, and in the same namespace: SQL refuses both.
    for (const other of ["cores", "melting"]) expect(names.join()).not.toContain(other);
    await page.context().close();
  });

  test("hostile names are text, quoted as SQL takes them", async () => {
    const { page, complaints } = await open();
    const editor = page.getByLabel("Statement");
    await type(page, 'SELECT  FROM glacier."<');
    const name = '"<b>""x"" y"';
    expect(await offeredWith(page, name)).toEqual([name]);
    expect(await list(page).locator("b, i, img").count()).toBe(0);
    await take(page);
    await page.keyboard.press("Home");
    for (let i = 0; i < "SELECT ".length; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.type("Ü");
    await offeredWith(page, '"Ünï <i>"');
    await take(page);
    await expect.poll(() => editor.innerText()).toBe(`SELECT "Ünï <i>" FROM glacier.${name}`);
    await page.keyboard.press("Control+Enter");
    await page.getByText("SELECT 0 ·").waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("the list stays within a narrow page, and axe is content", async () => {
    await stand.inspect("sql-names", "/sql", async (page) => {
      await page.getByLabel("Catalog").selectOption("lake");
      await type(page, "SELECT * FROM glacier.sites s JOIN people p ON p.id = s.");
      await offeredWith(page, "height");
      const box = await list(page).boundingBox();
      const width = page.viewportSize()?.width ?? 0;
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    });
  });
}

function followsStatement(): void {
  test("columns are those of the relations that the statement names, by alias or not", async () => {
    const { page } = await open();
    await type(
      page,
      "SELECT p. FROM glacier.sites s, people p",
      " FROM glacier.sites s, people p".length,
    );
    await page.keyboard.press("Control+Space");
    expect(await offeredWith(page, "first_name")).toEqual(["first_name", "id"]);
    await type(page, "SELECT 1 FROM glacier.sites WHERE he");
    const names = await offeredWith(page, "height");
    expect(names[0]).toBe("height");
    await type(page, "UPDATE glacier.sites SET na");
    expect((await offeredWith(page, "name"))[0]).toBe("name");
    await type(page, "SELECT * FROM information_schema.table_pr");
    expect(await offeredWith(page, "table_privileges")).toContain("table_privileges");
    await page.context().close();
  });

  test("words come in the case that was begun, functions are those of Firn", async () => {
    const { page } = await open();
    await type(page, "sel");
    expect((await offeredWith(page, "select"))[0]).toBe("select");
    await type(page, "SEL");
    expect((await offeredWith(page, "SELECT"))[0]).toBe("SELECT");
    await type(page, "SELECT date_t");
    expect(await offeredWith(page, "date_trunc")).toContain("date_trunc");
    await page.context().close();
  });

  test("nothing is offered in texts and comments; Escape closes, the tab key leaves", async () => {
    const { page } = await open();
    for (const text of ["SELECT 'sel", "-- sel", "/* sel", "SELECT $a$ sel"]) {
      await type(page, text);
      await page.waitForTimeout(400);
      expect([text, await list(page).count()]).toEqual([text, 0]);
    }
    await type(page, "sel");
    await offeredWith(page, "select");
    await page.keyboard.press("Escape");
    await list(page).waitFor({ state: "detached" });
    await expect.poll(() => page.getByLabel("Statement").innerText()).toBe("sel");
    await page.keyboard.press("Tab");
    expect(await page.getByLabel("Catalog").evaluate((one) => one.matches(":focus"))).toBe(true);
    await page.context().close();
  });
}

function asksLittle(): void {
  test("names are asked for once, columns once for each statement; nothing before", async () => {
    const { page, asked } = await open();
    expect(asked).toEqual([]);
    await type(page, "SELECT * FROM sit");
    await offeredWith(page, "glacier.sites");
    expect(asked).toHaveLength(1);
    await type(page, "SELECT * FROM glacier.hi");
    await offeredWith(page, "high");
    // Names of one namespace.
    expect(asked).toHaveLength(2);
    await type(page, "SELECT * FROM peo");
    await offeredWith(page, "people");
    expect(asked).toHaveLength(2);
    const elements = "document.querySelector('.editor').shadowRoot.querySelectorAll('*').length";
    expect(await page.evaluate<number>(elements)).toBeLessThan(500);
    await page.context().close();
  });

  test("what a statement made is offered behind it", async () => {
    const { page } = await open();
    await type(page, "CREATE TABLE glacier.later_made (id bigint PRIMARY KEY)");
    await page.keyboard.press("Control+Enter");
    await page.getByText("CREATE TABLE ·").waitFor();
    await type(page, "SELECT * FROM later");
    await offeredWith(page, "glacier.later_made");
    await page.context().close();
  });

  test("of more names than one answer has, the letters typed tell which to ask for", async () => {
    const { page, asked } = await open();
    await page.route("**/api/v1/sql", async (route) => {
      const { parameters } = route.request().postDataJSON() as { parameters: string[] };
      const beginning = parameters[0] ?? "";
      const all = Array.from({ length: 5_000 }, (_, i) => `t${i}`);
      const rows = all
        .filter((name) => name.startsWith(beginning))
        .slice(0, 1_001)
        .map((name) => ["public", name, "public", name, false]);
      await route.fulfill({ json: { command: "SELECT", rowCount: 0, columns: [], rows } });
    });
    await type(page, "SELECT * FROM t4321");
    await offeredWith(page, "t4321");
    expect(asked.length).toBeLessThanOrEqual(6);
    const elements = "document.querySelector('.editor').shadowRoot.querySelectorAll('*').length";
    expect(await page.evaluate<number>(elements)).toBeLessThan(500);
    await page.context().close();
  });

  test("without an answer the words of the language are offered", async () => {
    const { page } = await open();
    await page.route("**/api/v1/sql", (route) => route.fulfill({ status: 403, json: {} }));
    await type(page, "sel");
    await offeredWith(page, "select");
    await page.context().close();
  });
}
