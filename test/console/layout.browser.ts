import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "../support/chromium.ts";
import { plantTable } from "../support/planted-table.ts";
import { ask } from "./seed.ts";
import { Stand } from "./stand.ts";

let stand: Stand;
const EVENTS = "/c/lake/web/t/events";

/** The row of a table whose first cell has a text, as its cells. */
function cells(text: string): Promise<readonly string[]> {
  const cell = opened().getByText(text, { exact: true });
  const row = opened().locator("tr").filter({ has: cell }).first();
  return row.locator("th, td").allTextContents();
}

let page: Awaited<ReturnType<Stand["open"]>>["page"] | undefined;
function opened() {
  if (page === undefined) throw new Error("no page is open");
  return page;
}

/** A table whose totals tell of many files that are far too small. */
async function plantTiny(schema: object): Promise<void> {
  await ask(stand.url, "POST", "/iceberg/v1/lake/namespaces/web/tables", {
    name: "tiny",
    schema,
  });
  const summary = {
    operation: "append",
    "total-records": "5000",
    "total-data-files": "40",
    "total-files-size": "40000000",
  };
  const snapshot = {
    "snapshot-id": 1,
    "sequence-number": 1,
    "timestamp-ms": Date.now(),
    "manifest-list": "file:///nowhere/x.avro",
    summary,
  };
  const ref = { "ref-name": "main", type: "branch", "snapshot-id": 1 };
  await ask(stand.url, "POST", "/iceberg/v1/lake/namespaces/web/tables/tiny", {
    requirements: [],
    updates: [
      { action: "add-snapshot", snapshot },
      { action: "set-snapshot-ref", ...ref },
    ],
  });
}

describe.skipIf(CHROMIUM === undefined)("files and columns of a table that PyIceberg wrote", () => {
  beforeAll(async () => {
    stand = await Stand.start();
    await ask(stand.url, "POST", "/api/v1/catalogs", { name: "lake" });
    await ask(stand.url, "POST", "/iceberg/v1/lake/namespaces", { namespace: ["web"] });
    const location = plantTable("v2", `${stand.directory}/lake/events`);
    const body = { name: "events", "metadata-location": location };
    await ask(stand.url, "POST", "/iceberg/v1/lake/namespaces/web/register", body);
    const schema = {
      type: "struct",
      fields: [{ id: 1, name: "a", required: false, type: "long" }],
    };
    await ask(stand.url, "POST", "/iceberg/v1/lake/namespaces/web/tables", {
      name: "none",
      schema,
    });
    await plantTiny(schema);
    const other = { name: "delta", format: "DELTA", location: `file://${stand.directory}/lake/d` };
    await ask(stand.url, "POST", "/api/v1/catalogs/lake/namespaces/web/tables", other);
  });
  afterAll(() => stand?.stop());

  test.each(["files", "stats"])("%s: light and dark, wide and narrow", (tab) =>
    stand.inspect(tab, `${EVENTS}/${tab}`),
  );

  test("files lie in ranges of sizes and in partitions, as their manifests say", async () => {
    ({ page } = await stand.open(`${EVENTS}/files`));
    await page.getByText("Show the figures").click();
    const figures = (await page.locator(".figures").innerText()).replaceAll(/\s+/g, " ");
    expect(figures).toContain("2 Data files 1.7 KiB Size 889 B Mean file 2 Rows 4 Manifests");
    await expect.poll(() => cells("0–8 MiB")).toEqual(["0–8 MiB", "2, 1.7 KiB"]);
    await expect.poll(() => cells("512+ MiB")).toEqual(["512+ MiB", "0, 0 B"]);
    await expect.poll(() => cells("data")).toEqual(["data", "2", "1.7 KiB", "2"]);
    await expect.poll(() => cells("s=b")).toEqual(["s=b", "1", "889 B", "1", "0"]);
    await page.getByText("Nothing needs repair.").waitFor();
    await page.context().close();
  });

  findsCare();

  test("columns have their nulls and bounds", async () => {
    ({ page } = await stand.open(`${EVENTS}/stats`));
    await page.getByRole("table", { name: "Columns" }).waitFor();
    await expect.poll(async () => (await cells("s")).slice(-2)).toEqual(["b", "c"]);
    const at = "/api/v1/catalogs/lake/namespaces/web/tables/events";
    const { iceberg } = (await (await fetch(`${stand.url}${at}:page`)).json()) as {
      iceberg: { refs: readonly { readonly name: string; readonly snapshotId: string }[] };
    };
    const current = iceberg.refs.find(({ name }) => name === "main")?.snapshotId;
    await ask(stand.url, "PUT", `${at}/snapshots/${current}/constraints`, {
      constraints: [{ name: "small", kind: "CHECK", expression: "id < 10" }],
    });
    await page.reload();
    const told = page.getByRole("region", { name: "Constraints" }).getByRole("row");
    const constraint = expect.stringMatching(/small\s+check\s+id < 10/);
    await expect.poll(() => told.allInnerTexts()).toEqual([constraint]);
    await page.context().close();
  });

  test("tabs are those that the table's format has", async () => {
    const tabsOf = async (table: string) => {
      const { page: shown } = await stand.open(`/c/lake/web/t/${table}/properties`);
      const texts = await shown.locator(".tabs a").allInnerTexts();
      await shown.context().close();
      return texts;
    };
    expect(await tabsOf("delta")).toEqual(["Overview", "Schema", "Properties", "Connect"]);
    expect(await tabsOf("none")).toContain("Files");
    ({ page } = await stand.open("/c/lake/web/t/none/files"));
    await page.getByText("The table is empty").waitFor();
    await page.keyboard.press("]");
    await page.waitForURL(/\/t\/none\/stats$/);
    await page.context().close();
  });
});

function findsCare(): void {
  test("home and the namespace name the tables with small files", async () => {
    ({ page } = await stand.open("/c/lake/web"));
    await page.getByRole("row", { name: /^tiny .* small files/ }).waitFor();
    await expect.poll(() => opened().getByText("small files").count()).toBe(1);
    await page.context().close();
    ({ page } = await stand.open("/"));
    await page.locator("li", { hasText: "lake.web.tiny" }).getByText("small files").waitFor();
    await page.getByRole("region", { name: "Needs care" }).getByRole("link").first().click();
    await page.waitForURL(/\/web\/t\/tiny\/files$/);
    await page.context().close();
  });

  test("home looks at all tables, a page at a time, while it is in sight", async () => {
    await ask(stand.url, "POST", "/iceberg/v1/lake/namespaces", { namespace: ["early"] });
    for (let i = 0; i < 40; i++) {
      const body = { name: `t${i}`, format: "OTHER", location: `file://${stand.directory}/o${i}` };
      await ask(stand.url, "POST", "/api/v1/catalogs/lake/namespaces/early/tables", body);
    }
    ({ page } = await stand.open("/"));
    const care = page.getByRole("region", { name: "Needs care" });
    await care.getByText("Judged by their totals: all 44 tables.").waitFor();
    await care.locator("li", { hasText: "lake.web.tiny" }).getByText("small files").waitFor();
    await page.context().close();
  });

  test("of very many tables it looks at some unasked, at the rest when it is asked", async () => {
    ({ page } = await stand.open("/settings"));
    let asked = 0;
    const table = (name: string) => ({ type: "table", catalog: "lake", namespace: ["n"], name });
    await page.route("**/api/v1/advice*", (route) => {
      asked++;
      const item = { ...table(`t${asked}`), findings: ["SMALL_FILES"] };
      const next = asked < 14 ? { nextPageToken: String(asked) } : {};
      const counts = new URL(route.request().url()).searchParams.get("count") === "true";
      return route.fulfill({
        json: { items: [item], looked: 400, ...next, ...(counts && { tables: 5_600 }) },
      });
    });
    await page.getByRole("link", { name: "Home" }).first().click();
    const care = page.getByRole("region", { name: "Needs care" });
    await care.getByText(/Looked at 2,\d+ of 5,600 tables/).waitFor();
    await care.getByRole("button", { name: "Look at all" }).waitFor();
    expect(asked).toBe(5);
    // Away from it nothing is asked for.
    await page.getByRole("link", { name: "Jobs" }).click();
    await page.getByRole("heading", { name: "Jobs" }).waitFor();
    await page.waitForTimeout(500);
    expect(asked).toBe(5);
    await page.getByRole("link", { name: "Home" }).first().click();
    await care.getByRole("button", { name: "Look at all" }).click();
    await care.getByText("Judged by their totals: all 5,6").waitFor();
    expect(asked).toBe(14);
    expect(await care.locator("li").count()).toBeLessThan(12);
    await care.getByRole("button", { name: /^Show \d+ tables/ }).click();
    await care.getByRole("link", { name: "lake.n.t14" }).waitFor();
    await page.context().close();
  });
}
