import { execFile, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import pg from "pg";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ServerProcess, startServer } from "../clients/server-process.ts";
import { CHROMIUM } from "../support/chromium.ts";
import { ask, seed } from "./seed.ts";
import { Stand, write } from "./stand.ts";

let stand: Stand;
/** Where tables are imported from. */
let other: ServerProcess | undefined;
const ITEMS = "/c/lake/shop/t/items";
/** No double holds it. */
const ID = "9007199254740993";

const sql = (statement: string) =>
  ask(stand.url, "POST", "/api/v1/sql", { statement, catalog: "lake" });

async function rowsOf(statement: string): Promise<readonly unknown[]> {
  const response = await fetch(`${stand.url}/api/v1/sql`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ statement, catalog: "lake" }),
  });
  return ((await response.json()) as { rows: readonly unknown[] }).rows;
}

describe.skipIf(CHROMIUM === undefined)("what people do in the console", () => {
  beforeAll(async () => {
    stand = await Stand.start(["--pg-port", "0"]);
    await seed(stand.url);
    await sql("CREATE SCHEMA shop");
    await sql(
      "CREATE TABLE shop.items (id int8 PRIMARY KEY, name text NOT NULL, " +
        "price numeric(8,2), note jsonb)",
    );
    await sql(
      `INSERT INTO shop.items VALUES (${ID}, 'ice', 1.50, '{"a": [1]}'), (2, 'snow', 2, NULL)`,
    );
  });
  afterAll(async () => {
    await other?.stop();
    await stand?.stop();
  });

  looksBack();
  editsRows();
  readsPlans();
  importsTables();
  watchesJobs();
  showsLevels();
});

const hasPsql = spawnSync("psql", ["--version"]).status === 0;
if (!hasPsql) console.log("psql is not installed: its line is run by another client");

/** Runs the line for psql; with `pg`, what it connects to and asks, where there is no psql. */
async function run(code: string): Promise<string> {
  if (hasPsql) return promisify(execFile)("bash", ["-c", code]).then(({ stdout }) => stdout);
  const [, url = "", statement = ""] = /^psql '(.*)' -c '(.*)'$/.exec(code) ?? [];
  const client = new pg.Client({ connectionString: url.replace("//", "//tester@") });
  await client.connect();
  try {
    return JSON.stringify((await client.query(statement)).rows);
  } finally {
    await client.end();
  }
}

function looksBack(): void {
  test("home names what was changed, and counts commits by the hour", async () => {
    const { page } = await stand.open("/");
    const link = page.getByRole("link", { name: "lake.shop.items" }).first();
    await link.waitFor();
    await page.getByRole("img", { name: "Commits an hour" }).waitFor();
    const commits = page.locator(".figure", { hasText: "commits, last 24 h" }).locator(".value");
    expect(Number((await commits.innerText()).replaceAll(",", ""))).toBeGreaterThan(15);
    await page.getByText("table lake.glacier.gone").waitFor();
    await link.click();
    await page.waitForURL(/\/c\/lake\/shop\/t\/items$/);
    await page.context().close();
  });

  test("a picture is saved as SVG with its colours, and told as a table", async () => {
    const { page } = await stand.open("/c/lake/glacier/t/cores");
    const picture = page.locator(".picture", { hasText: "Rows over snapshots" });
    const saved = page.waitForEvent("download");
    await picture.getByRole("button", { name: "Save as SVG" }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe("rows-over-snapshots.svg");
    const text = await readFile(await download.path(), "utf8");
    expect(text).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(text).toMatch(/<path [^>]*stroke="rgb\(/);
    await picture.getByText("Show the figures").click();
    const cells = () => picture.locator("table td").allInnerTexts();
    await expect.poll(cells).toEqual(["1,000", "1,300", "1,900", "1,790", "6,330"]);
    await page.context().close();
  });

  test("settings tell what was chosen, and where PostgreSQL clients connect", async () => {
    const { page } = await stand.open("/settings");
    const row = page.getByRole("row", { name: /^--pg-port 0/ });
    expect(await row.getByText("default", { exact: true }).count()).toBe(0);
    await page.getByRole("row", { name: /^--cache-memory-mib .*default/ }).waitFor();
    await page.goto(`${stand.url}/console${ITEMS}/connect`);
    const code = await page.locator(".code pre").innerText();
    expect(await run(code)).toContain(ID);
    expect(code).toMatch(/^psql 'postgresql:\/\/127\.0\.0\.1:\d+\/lake' -c 'SELECT \* FROM "shop"/);
    await page.context().close();
  });
}

async function edit(page: Page, name: string): Promise<void> {
  await page
    .getByRole("row", { name: new RegExp(name) })
    .getByRole("button", { name: "Edit" })
    .click();
}

function editsRows(): void {
  test("a row is added, changed and deleted; nothing that was not changed is written", async () => {
    const { page } = await stand.open(`${ITEMS}/rows`);
    await edit(page, "ice");
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByLabel("id", { exact: false }).first().isDisabled()).toBe(true);
    await dialog.getByLabel("price numeric").fill("9.25");
    const sent = page.waitForRequest(/rows:write$/);
    await dialog.getByRole("button", { name: "Save" }).click();
    expect((await sent).postDataJSON()).toEqual({
      writes: [
        {
          op: "update",
          key: { id: ID },
          set: { price: "9.25" },
          ifVersion: expect.stringMatching(/^[0-9a-f]{32}$/),
        },
      ],
    });
    await page.getByRole("row", { name: /ice 9\.25/ }).waitFor();

    await page.getByRole("button", { name: "Add a row" }).click();
    await dialog.getByLabel("id int8").fill("3");
    await dialog.getByLabel("name text").fill("<b>hail</b>");
    await dialog.getByLabel("note jsonb").fill("{");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").getByText("not a value of jsonb").waitFor();
    await dialog.getByLabel("note jsonb").fill('"3"');
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("<b>hail</b>").waitFor();
    const all = "SELECT id, name, price, note::text FROM shop.items ORDER BY name";
    expect(await rowsOf(all)).toEqual(
      [
        ["3", "<b>hail</b>", null, '"3"'],
        [ID, "ice", "9.25", '{"a": [1]}'],
        ["2", "snow", "2.00", null],
      ].map((row) => (row[0] === ID ? row : [expect.anything(), ...row.slice(1)])),
    );

    await edit(page, "snow");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete it for good" }).click();
    await page.getByText("snow").waitFor({ state: "detached" });
    expect((await rowsOf(all)).length).toBe(2);
    await page.context().close();
  });

  test("a row that another writer changed meanwhile is left as it is", async () => {
    const { page } = await stand.open(`${ITEMS}/rows`);
    await edit(page, "ice");
    await sql("UPDATE shop.items SET price = 7 WHERE name = 'ice'");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("name text").fill("water");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").getByText("was changed since it was read").waitFor();
    expect(await rowsOf("SELECT price FROM shop.items WHERE name = 'ice'")).toEqual([["7.00"]]);
    const both = dialog.getByRole("row", { name: "price" }).getByRole("cell");
    await expect.poll(() => both.allInnerTexts()).toEqual(["9.25", "7.00"]);
    // What was typed is still there, until the row is loaded as it is.
    await expect.poll(() => dialog.getByLabel("name text").inputValue()).toBe("water");
    await dialog.getByRole("button", { name: "Load the row as it is now" }).click();
    await expect.poll(() => dialog.getByLabel("name text").inputValue()).toBe("ice");
    await expect.poll(() => dialog.getByLabel("price numeric").inputValue()).toBe("7.00");
    await dialog.getByLabel("price numeric").fill("7.5");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row", { name: /ice 7\.50/ }).waitFor();

    await edit(page, "hail");
    await sql("DELETE FROM shop.items WHERE id = 3");
    await dialog.getByLabel("name text").fill("rain");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("There is no such row any more").waitFor();
    expect(await rowsOf("SELECT id FROM shop.items WHERE id = 3")).toEqual([]);
    await sql("INSERT INTO shop.items VALUES (3, 'hail')");
    await page.context().close();
  });

  test("of two editors who save at once, the later one overwrites nothing", async () => {
    const [{ page: first }, { page: second }] = await Promise.all([
      stand.open(`${ITEMS}/rows`),
      stand.open(`${ITEMS}/rows`),
    ]);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const arrived = new Promise<void>((resolve) => {
      void first.route(/rows:write$/, async (route) => {
        resolve();
        await held;
        await route.continue();
      });
    });
    await edit(first, "ice");
    await first.getByRole("dialog").getByLabel("price numeric").fill("1");
    await first.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    // Whatever the page looked at before it sent the write, it has looked at by now.
    await arrived;
    await edit(second, "ice");
    await second.getByRole("dialog").getByLabel("price numeric").fill("2");
    await second.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await second.getByRole("row", { name: /ice 2\.00/ }).waitFor();
    release();
    await first.getByRole("alert").getByText("was changed since it was read").waitFor();
    expect(await rowsOf("SELECT price FROM shop.items WHERE name = 'ice'")).toEqual([["2.00"]]);
    await first.context().close();
    await second.context().close();
  });

  test("row-changed: light and dark, wide and narrow", () =>
    stand.inspect(
      "row-changed",
      `${ITEMS}/rows`,
      async (page) => {
        await edit(page, "ice");
        await sql("UPDATE shop.items SET price = price + 1 WHERE name = 'ice'");
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("name text").fill("water");
        await dialog.getByRole("button", { name: "Save" }).click();
        await dialog.getByRole("button", { name: "Load the row as it is now" }).waitFor();
      },
      ["409"],
    ));

  test("row-edit: light and dark, wide and narrow", () =>
    stand.inspect("row-edit", `${ITEMS}/rows`, (page) => edit(page, "ice")));
}

async function explain(page: Page, statement: string): Promise<void> {
  await page.getByLabel("Catalog").selectOption("lake");
  await write(page, statement);
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByRole("list", { name: "Plan" }).waitFor();
}

const GROUPED = "SELECT name, count(*) FROM shop.items WHERE id > 1 GROUP BY name ORDER BY 2";

function readsPlans(): void {
  test("a plan is a tree, with rows and time where it ran", async () => {
    const { page } = await stand.open("/sql");
    await explain(page, GROUPED);
    const plan = page.getByRole("list", { name: "Plan" });
    const scan = plan.locator("li li li", { hasText: "Index Scan using items_pkey" });
    await scan.getByText("Index Cond: (id > 1)").waitFor();
    await explain(page, `EXPLAIN (ANALYZE) ${GROUPED}`);
    await plan.getByText("2 rows").first().waitFor();
    await expect.poll(() => plan.getByRole("meter").count()).toBeGreaterThan(2);
    await page.context().close();
  });

  test("explain: light and dark, wide and narrow", () =>
    stand.inspect("explain", "/sql", (page) => explain(page, `EXPLAIN (ANALYZE) ${GROUPED}`)));
}

function importsTables(): void {
  test("tables of another catalog are previewed, then imported", async () => {
    other = await startServer(`${stand.directory}/other`, ["--log-level", "error"]);
    await seed(other.url);
    await ask(stand.url, "POST", "/api/v1/catalogs", { name: "copy" });
    const { page } = await stand.open("/import");
    await page.getByLabel("Name", { exact: true }).fill("upstream");
    await page.getByLabel("URI").fill(`${other.url}/iceberg`);
    await page.getByLabel("Warehouse").fill("lake");
    await page.getByRole("button", { name: "Create the connector" }).click();
    await page.getByRole("button", { name: "Check the connection" }).click();
    await page.getByText(/It answers: \d+ namespaces/).waitFor();
    await page.getByLabel("Into catalog").selectOption("copy");
    await page.getByLabel("Only these namespaces").fill("glacier");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("Nothing was changed.").waitFor();
    const copied = `${stand.url}/api/v1/catalogs/copy/namespaces/glacier/tables/cores`;
    expect((await fetch(copied)).status).toBe(404);
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText("Done:").waitFor();
    await page.getByRole("row", { name: /glacier\.cores registered/ }).waitFor();
    expect((await fetch(copied)).status).toBe(200);
    await page.context().close();
  });

  test("import: light and dark, wide and narrow", () =>
    stand.inspect("import", "/import", async (page) => {
      await page.getByRole("button", { name: "upstream" }).click();
      await page.getByLabel("Into catalog").selectOption("copy");
      await page.getByRole("button", { name: "Preview" }).click();
      await page.getByText("Nothing was changed.").waitFor();
    }));
}

const JOB = {
  id: "j1",
  kind: "import",
  target: { type: "connector", id: "01890a5d-ac96-774b-bcce-b302099a8057" },
  state: "running",
  due: new Date(0).toISOString(),
  nextTry: new Date(0).toISOString(),
  tries: 1,
  leftUndone: 0,
  progress: { done: 612, total: 1_040, unit: "tables" },
};

function watchesJobs(): void {
  test("a job shows how far it is, and is asked to end", async () => {
    const { page } = await stand.open("/jobs");
    let job: object = JOB;
    await page.route("**/api/v1/jobs", (route) => route.fulfill({ json: { items: [job] } }));
    await page.route("**/api/v1/jobs/j1:cancel", (route) => {
      job = { ...JOB, cancelled: true };
      return route.fulfill({ status: 202, json: job });
    });
    await page.reload();
    await page.getByText("612 of 1,040 tables").waitFor();
    job = { ...JOB, progress: { ...JOB.progress, done: 700 } };
    // It is looked at again by upstream.
    await page.getByText("700 of 1,040 tables").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("is being cancelled").waitFor();
    expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(0);
    await page.context().close();
  });
}

function showsLevels(): void {
  test("engine: light and dark, with what a stop has written to tables", async () => {
    await sql("INSERT INTO shop.items SELECT g, 'n' || g, 1 FROM generate_series(10, 3000) g");
    await sql("DELETE FROM shop.items WHERE id > 2500");
    const { port } = new URL(stand.url);
    await stand.server.stop();
    await stand.serve(port);
    await stand.inspect("engine", "/engine", async (page) => {
      await page.getByText("share of tombstones").waitFor();
    });
    const { page } = await stand.open("/engine");
    const inTables = page.locator(".figure", { hasText: "in tables" }).locator(".value");
    await expect.poll(() => inTables.innerText()).not.toBe("0 B");
    await page.getByText("Show the figures").click();
    await expect
      .poll(() => page.locator(".picture td").nth(1).innerText())
      .toMatch(/ 1 table, [\d,]+ entries/);
    await page.context().close();
  });
}
