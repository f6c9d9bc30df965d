import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "../support/chromium.ts";
import { Stand, write } from "./stand.ts";

let stand: Stand;

async function run(page: Page, statement: string): Promise<void> {
  await write(page, statement);
  await page.getByRole("button", { name: "Run", exact: true }).click();
}

/** Rows that no table holds: digits, joined with themselves. */
const DIGITS = "(VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9))";
const many = (digits: number): string =>
  Array.from({ length: digits }, (_, i) => `${DIGITS} AS d${i}(n${i})`).join(", ");

describe.skipIf(CHROMIUM === undefined)("SQL in the console", () => {
  beforeAll(async () => {
    stand = await Stand.start();
  });
  afterAll(() => stand?.stop());

  showsResults();
  edits();
  staysInControl();
});

function showsResults(): void {
  test("sql: light and dark, wide and narrow, with a result and with an error", async () => {
    await stand.inspect("sql", "/sql", async (page) => {
      await run(page, "SELECT 9007199254740993 AS id, NULL AS nothing, 'a  <b>b</b>' AS text");
      await page.getByRole("cell", { name: "9007199254740993" }).waitFor();
      await page.waitForTimeout(300);
      expect(await page.locator(".cm-tooltip").count()).toBe(0);
    });
    await stand.inspect(
      "sql-error",
      "/sql",
      async (page) => {
        await run(page, "SELECT 1,\n  nope");
        await page.getByRole("alert").waitFor();
      },
      ["400"],
    );
  });

  test("values are exact text; an error has its place, which the editor goes to", async () => {
    const { page } = await stand.open("/sql");
    await run(page, "SELECT 9007199254740993 AS id, 9007199254740993 AS id, '<i>x</i>' AS text");
    const result = page.getByRole("table", { name: "Result" });
    await result.waitFor();
    const cells = () => result.locator("td").allInnerTexts();
    await expect.poll(cells).toEqual(["9007199254740993", "9007199254740993", "<i>x</i>"]);
    await run(page, "SELECT '🧊',\n  nope");
    await page.getByRole("button", { name: "Line 2, column 3" }).click();
    const editor = page.getByLabel("Statement");
    await expect.poll(() => editor.innerText()).toBe("SELECT '🧊',\n  nope");
    // What is typed there takes the place of what is selected: the first letter of the name.
    await page.keyboard.type("N");
    await expect.poll(() => editor.innerText()).toBe("SELECT '🧊',\n  Nope");
    await page.context().close();
  });

  test("of 12,000 rows the first 10,000 are kept, those in sight drawn", async () => {
    const { page } = await stand.open("/sql");
    await run(
      page,
      `SELECT n0 + 10 * n1 AS low, n2, n3, n4 FROM ${many(5)} WHERE n4 = 0 OR (n4 = 1 AND n3 < 2)`,
    );
    await page.getByText("SELECT 12000").waitFor();
    await page.getByText("The first 10,000 of 12,000 rows").waitFor();
    const result = page.getByRole("table", { name: "Result" });
    expect(await result.getAttribute("aria-rowcount")).toBe("10001");
    for (const to of [0.2, 0.5, 1]) {
      await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${to})`);
      await page.waitForTimeout(50);
      const elements = await page.evaluate<number>(`document.querySelectorAll("*").length`);
      expect(elements).toBeLessThan(2_000);
    }
    await result.locator("tr[aria-rowindex='10001']").waitFor();
    await page.context().close();
  });
}

/** What of a browser's globals is read in it. */
interface Styles {
  getComputedStyle(of: unknown): { readonly color: string };
}

function edits(): void {
  test("the editor colours SQL, keeps letters to itself, and lets the tab key go", async () => {
    const { page, complaints } = await stand.open("/sql");
    const editor = page.getByLabel("Statement");
    await editor.focus();
    // What is selected has colours, which what is typed over it does not take on.
    await page.keyboard.press("Control+a");
    await page.keyboard.type("FROM t");
    await expect.poll(() => editor.innerText()).toBe("FROM t");
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("x");
    await page.keyboard.press("Control+a");
    await editor.pressSequentially("SELECT 'ghj/?[]<b>' -- d");
    expect(page.url()).toBe(`${stand.url}/console/sql`);
    expect(await page.getByRole("dialog").count()).toBe(0);
    const colourOf = (text: string) =>
      editor
        .locator("span", { hasText: text })
        .last()
        .evaluate((one) => (globalThis as unknown as Styles).getComputedStyle(one).color);
    const colours = await Promise.all(["SELECT", "ghj", "-- d"].map(colourOf));
    expect(new Set(colours).size).toBe(3);
    await page.keyboard.press("Control+z");
    await expect.poll(() => editor.innerText()).not.toContain("-- d");
    await page.keyboard.press("Control+y");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("cell", { name: "ghj/?[]<b>" }).waitFor();
    await editor.focus();
    await page.keyboard.press("Tab");
    expect(await page.getByLabel("Catalog").evaluate((one) => one.matches(":focus"))).toBe(true);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
}

function staysInControl(): void {
  test("a statement that runs is cancelled, and another may run", async () => {
    const { page } = await stand.open("/sql");
    await run(page, `SELECT count(*) FROM ${many(9)}`);
    await page.getByText("Running:").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Cancelled.").waitFor();
    await run(page, "SELECT 42 AS answer");
    await page.getByText("SELECT 1 ·").waitFor();
    await page.context().close();
  });

  test("a failure that may come behind the commit is not called a refusal", async () => {
    const { page } = await stand.open("/sql");
    const refused = "Nothing of it has happened.";
    await run(page, "SELECT nope");
    await page.getByText(refused).waitFor();
    const code = "COMMIT_STATE_UNKNOWN";
    const body = JSON.stringify({ status: 503, code, detail: "no answer", context: {} });
    await page.route("**/api/v1/sql", (route) => route.fulfill({ status: 503, body }));
    await run(page, "SELECT 1");
    await page.getByText(code).waitFor();
    await page.getByText("It may have been done or not.").waitFor();
    expect(await page.getByText(refused).count()).toBe(0);
    await page.unroute("**/api/v1/sql");
    await page.route("**/api/v1/sql", (route) => route.fulfill({ body: '{"columns":[]}\n[1]\n' }));
    await run(page, "SELECT 2");
    await page.getByText("no answer, or not all of it").waitFor();
    await page.getByText("It may have been done or not.").waitFor();
    expect(await page.getByText(refused).count()).toBe(0);
    await page.context().close();
  });

  test("what was run is kept in the browser until it is forgotten", async () => {
    const { page } = await stand.open("/sql");
    for (const statement of ["SELECT 1 AS one", "SELECT 2 AS two"]) {
      await run(page, statement);
      await page.getByRole("columnheader", { name: statement.slice(-3) }).waitFor();
    }
    await page.reload();
    await page.getByText("Run before, in this browser (2)").click();
    await page.getByRole("button", { name: "SELECT 1 AS one" }).click();
    await expect.poll(() => page.getByLabel("Statement").innerText()).toBe("SELECT 1 AS one");
    await page.getByLabel("Statement").press("Control+Enter");
    await page.getByRole("columnheader", { name: "one" }).waitFor();
    await page.getByRole("button", { name: "Forget them" }).click();
    await page.reload();
    await page.getByLabel("Statement").waitFor();
    expect(await page.getByText("Run before").count()).toBe(0);
    await page.context().close();
  });
}
