import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../src/api/operations.ts";
import { CHROMIUM } from "../support/chromium.ts";
import { ask, FIRST_ID, HOSTILE, seed, seedMany } from "./seed.ts";
import { type Opened, Stand } from "./stand.ts";

const MANY = 1_200;
const MOST_ELEMENTS = 2_000;

const VIEWS = {
  home: "/",
  catalog: "/c/lake",
  namespace: "/c/lake/glacier",
  table: "/c/lake/glacier/t/cores",
  history: "/c/lake/glacier/t/cores/history",
  schema: "/c/lake/glacier/t/cores/schema",
  properties: "/c/lake/glacier/t/cores/properties",
  connect: "/c/lake/glacier/t/cores/connect",
  view: "/c/lake/glacier/v/melting",
  changes: "/changes",
  jobs: "/jobs",
  dropped: "/dropped",
  settings: "/settings",
} as const;

let stand: Stand;
const open = (path: string): Promise<Opened> => stand.open(path);

describe.skipIf(CHROMIUM === undefined)("the console", () => {
  beforeAll(async () => {
    stand = await Stand.start();
    await seed(stand.url);
  });
  afterAll(() => stand?.stop());

  shows();
  staysSafe();
  answersKeys();
  staysSmall();
  documents();
  outlivesTheServer();
});

function shows(): void {
  test.each(Object.entries(VIEWS))("%s: light and dark, wide and narrow", (name, path) =>
    stand.inspect(name, path, async (page) => {
      // The feed has names a moment later.
      if (name === "changes") await page.locator(".grid a").first().waitFor();
    }),
  );

  test("a change is told on the open page as it happens", async () => {
    const { page } = await open(VIEWS.changes);
    await page.locator(".grid a").first().waitFor();
    await ask(stand.url, "POST", "/api/v1/catalogs/lake/namespaces", { path: ["later"] });
    await page.getByRole("link", { name: "lake.later" }).waitFor();
    await page.context().close();
  });

  test("two chosen snapshots are compared, and their ids are exact", async () => {
    const { page } = await open(VIEWS.history);
    await page.getByTitle(String(FIRST_ID), { exact: true }).waitFor();
    const boxes = page.locator(".grid input[type=checkbox]");
    await expect.poll(() => boxes.count()).toBe(8);
    await boxes.nth(0).check();
    await boxes.nth(7).check();
    const compared = await page.locator(".compared").innerText();
    expect(compared).toMatch(/Rows\s+1,000\s+6,330\s+\+5,330/);
    expect(compared).toMatch(/Size\s+134 KiB\s+847 KiB\s+\+713 KiB/);
    await page.context().close();
  });

  test("an age has its time under the pointer", async () => {
    for (const path of ["/", "/c/lake", "/c/lake/glacier", VIEWS.table, VIEWS.history, "/jobs"]) {
      const { page } = await open(path);
      const ages = page.getByText(/^(?:in )?\d+ (?:s|min|h|d)(?: ago)?$/);
      await ages.first().waitFor();
      for (const age of await ages.all()) {
        expect(await age.getAttribute("title")).toMatch(/^\d{4}-\d\d-\d\d [\d:]{8} UTC$/);
      }
      await page.context().close();
    }
  });

  test("rows of a history are as high as the window of it takes them to be", async () => {
    const { page } = await open(VIEWS.history);
    const row = page.locator(".grid tbody tr").nth(2);
    expect((await row.boundingBox())?.height).toBe(36);
    await page.context().close();
  });

  test("a table is protected, and dropped only by its name; then it comes back", async () => {
    const { page } = await open("/c/lake/glacier/t/empty");
    await page.getByRole("button", { name: "Protect" }).click();
    await page.getByRole("button", { name: "Stop protecting" }).click();
    await page.getByRole("button", { name: "Protect" }).waitFor();
    await page.getByRole("button", { name: "Drop" }).first().click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("button", { name: "Drop" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Name").fill("empty");
    await dialog.getByRole("button", { name: "Drop" }).click();
    await page.waitForURL(`${stand.url}/console/c/lake/glacier`);
    await page.goto(`${stand.url}/console/dropped`);
    const row = page.locator("tr", { hasText: "lake.glacier.empty" });
    await row.getByRole("button", { name: "Bring back" }).click();
    await row.waitFor({ state: "detached" });
    await page.goto(`${stand.url}/console/c/lake/glacier/t/empty`);
    await page.getByText("The table is empty").waitFor();
    await page.context().close();
  });

  test("what is not there is refused with its code", async () => {
    const { page } = await open("/c/lake/glacier/t/nothing");
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("TABLE_NOT_FOUND");
    await page.context().close();
  });
}

/** Plants an inline style and a text as HTML; answers what the policy said of them. */
const PLANTED = `(async () => {
  const found = [];
  document.addEventListener("securitypolicyviolation", (event) => {
    found.push(event.violatedDirective);
  });
  const div = document.createElement("div");
  div.setAttribute("style", "color: red");
  document.body.append(div);
  try {
    div.innerHTML = "<b>text</b>";
  } catch {
    found.push("refused");
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  return found;
})()`;

function staysSafe(): void {
  test("where nobody signs in the page says what that means", async () => {
    const { page } = await open("/");
    await page.getByText("everyone who reaches this server may do everything").waitFor();
    await page.context().close();
  });

  test("hostile names are text", async () => {
    const { page, complaints } = await open("/c/lake/glacier.deep");
    await page.getByRole("link", { name: HOSTILE }).click();
    await page.locator("main h1", { hasText: HOSTILE }).waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("a name of nothing but dots stays the name, and is refused", async () => {
    const { page } = await open("/c/lake/glacier/t/:%2E%2E");
    await page.locator("main h1", { hasText: ".." }).waitFor();
    await page.getByText("NAME_INVALID").waitFor();
    await page.getByRole("link", { name: "History" }).click();
    await page.waitForURL(/\/glacier\/t\/:%2E%2E\/history$/);
    await page.context().close();
  });

  test("the policy reports a planted style, and refuses a text as HTML", async () => {
    const { page } = await open("/");
    const reports = await page.evaluate(PLANTED);
    expect(reports).toContain("style-src-attr");
    expect(reports).toContain("refused");
    await page.context().close();
  });
}

function documents(): void {
  test("the page of the native API shows every group of operations", async () => {
    const { page, complaints } = await open("/");
    await page.goto(`${stand.url}/api/docs`);
    for (const tag of new Set(Object.values(OPERATIONS).map((operation) => operation.tag))) {
      await page.locator(`[data-tag="${tag}"]`).first().waitFor();
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });
}

function answersKeys(): void {
  test("everything is reached by the keyboard alone", async () => {
    const { page } = await open("/c/lake/glacier");
    await page.locator("[data-row]").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/c\/lake\/glacier%2Edeep|\/glacier\.deep$/);
    await page.keyboard.press("/");
    await page.getByRole("combobox").fill("core");
    await page.getByRole("option", { name: /lake\.glacier\.cores/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/t\/cores$/);
    await page.getByRole("combobox").waitFor({ state: "hidden" });
    await page.locator(".tabs a").first().waitFor();
    await page.keyboard.press("]");
    await page.waitForURL(/\/t\/cores\/history$/);
    await page.getByRole("table", { name: "Snapshots" }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Snapshot" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("Choose one snapshot").waitFor();
    await page.keyboard.press("d");
    await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.locator(".compared").waitFor();
    await page.keyboard.press("d");
    expect(await page.evaluate("document.activeElement.closest('.compared') !== null")).toBe(true);
    await page.keyboard.press("]");
    await page.waitForURL(/\/t\/cores\/schema$/);
    await page.keyboard.press("[");
    await page.waitForURL(/\/t\/cores\/history$/);
    await page.keyboard.press("y");
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("lake.glacier.cores");
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("jump to a name").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.waitForURL(/\/console\/$/);
    // What is hidden behind the menu of a narrow page is reached by Tab and Enter.
    await page.setViewportSize({ width: 360, height: 800 });
    await page.getByRole("button", { name: "Sections" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Engine" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/console\/engine$/);
    await page.getByRole("link", { name: "Engine" }).waitFor({ state: "hidden" });
    // Tabs lie in one line, with the shown one in sight.
    await page.goto(`${stand.url}/console${VIEWS.connect}`);
    await page.getByRole("button", { name: "Spark" }).click();
    await page.locator(".code", { hasText: "spark-sql" }).waitFor();
    const tab = await page.getByRole("link", { name: "Connect" }).boundingBox();
    expect((tab?.x ?? 0) + (tab?.width ?? 0)).toBeLessThan(360);
    await page.context().close();
  });
}

function staysSmall(): void {
  test("of many tables those in sight alone are drawn, to the last one", async () => {
    await seedMany(stand.url, `file://${stand.directory}/lake`, MANY);
    const { page } = await open("/c/lake/many");
    const last = `t${String(MANY - 1).padStart(5, "0")}`;
    for (let turn = 0; turn < 100; turn++) {
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      const elements = await page.evaluate<number>(`document.querySelectorAll("*").length`);
      expect(elements).toBeLessThan(MOST_ELEMENTS);
      if ((await page.getByRole("link", { name: last }).count()) > 0) break;
      await page.waitForTimeout(50);
    }
    await page.getByRole("link", { name: last }).waitFor();
    await page.context().close();
  });
}

function outlivesTheServer(): void {
  test("a killed server leaves the data in sight, and may come back", async () => {
    const { page } = await open("/c/lake/glacier/t/cores");
    await page.getByText("6,330").first().waitFor();
    const { port } = new URL(stand.url);
    await stand.server.kill();
    await page.getByRole("link", { name: "glacier" }).click();
    await page.getByRole("alert").waitFor();
    await page.goBack();
    await page.getByText("6,330").first().waitFor();
    await stand.serve(port);
    await page.getByRole("alert").waitFor({ state: "detached", timeout: 30_000 });
    await page.getByRole("link", { name: "glacier" }).click();
    await page.getByRole("link", { name: "empty" }).waitFor();
    await page.context().close();
  });
}
