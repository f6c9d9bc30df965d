import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "../support/chromium.ts";
import { ask, FIRST_ID, seed } from "./seed.ts";
import { Stand } from "./stand.ts";

const BUILT = join(import.meta.dirname, "..", "..", "dist", "console", "assets");
const MOST_SCRIPT = 40_960;
const MOST_STYLE = 8_192;
/** What the page of SQL brings beside the first view: an editor. */
const MOST_SQL = 128_000;
const MOST_ELEMENTS = 2_000;
const TABLES = 100_000;
const SNAPSHOTS = 5_000;

/** Its pages end where those that wait end, and where those that are over do; it asks again. */
const MOST_OF_JOBS = 6;
/** What each view asks the API for when it is opened, as the most. */
const REQUESTS: Readonly<Record<string, number>> = {
  "/": 1,
  "/sql": 1,
  "/dropped": 1,
  "/access": 1,
  "/engine": 1,
  "/settings": 1,
  "/c/lake": 1,
  "/c/lake/glacier": 1,
  "/c/lake/glacier/v/melting": 1,
  "/c/lake/glacier/t/cores": 1,
  "/c/lake/glacier/t/cores/history": 1,
  "/c/lake/glacier/t/cores/schema": 1,
  "/c/lake/glacier/t/cores/properties": 1,
  "/c/lake/glacier/t/cores/connect": 1,
  // The feed, and the names of what was changed.
  "/changes": 2,
  // Connectors, and catalogs to import into.
  "/import": 2,
};

let stand: Stand;

async function drawn(page: Page): Promise<number> {
  return page.evaluate<number>(`document.querySelectorAll("*").length`);
}

/** Scrolls to the end again and again until something is there; never are too many drawn. */
async function scrollTo(page: Page, isThere: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 300; turn++) {
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    expect(await drawn(page)).toBeLessThan(MOST_ELEMENTS);
    if (await isThere()) return;
    await page.waitForTimeout(30);
  }
  throw new Error("the end never came");
}

/** As under a hurried hand: the page also hears of it between an answer and its drawing. */
async function scrollWithoutPause(page: Page): Promise<void> {
  await page.evaluate('setInterval(() => dispatchEvent(new Event("scroll")))');
}

describe.skipIf(CHROMIUM === undefined)("budgets of the console", () => {
  beforeAll(async () => {
    stand = await Stand.start();
    await seed(stand.url);
  });
  afterAll(() => stand?.stop());

  staysLight();
  drawsFew();
});

function staysLight(): void {
  test("the first view is small, and asks for nothing elsewhere", async () => {
    for (const path of ["/", "/c/lake/glacier", "/c/lake/glacier/t/cores/history"]) {
      const { page, complaints } = await stand.open("/settings");
      const loaded: string[] = [];
      page.on("response", (response) => loaded.push(new URL(response.url()).pathname));
      await page.goto(`${stand.url}/console${path}`, { waitUntil: "networkidle" });
      const sizeOf = async (kind: string) => {
        const files = loaded
          .filter((name) => name.endsWith(kind))
          .map((name) => name.split("/").at(-1));
        const sizes = files.map(async (name) => (await stat(join(BUILT, `${name}.gz`))).size);
        return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      };
      const [script, style] = [await sizeOf(".js"), await sizeOf(".css")];
      console.log(`${path}: ${script} bytes of script, ${style} of style, by gzip`);
      expect(script).toBeGreaterThan(10_000);
      expect(script).toBeLessThanOrEqual(MOST_SCRIPT);
      expect(style).toBeGreaterThan(1_000);
      expect(style).toBeLessThanOrEqual(MOST_STYLE);
      expect(complaints).toEqual([]);
      await page.context().close();
    }
  });

  test("the page of SQL brings an editor of a bounded size, once it is opened", async () => {
    const { page } = await stand.open("/settings");
    const loaded: string[] = [];
    page.on("response", (response) => loaded.push(new URL(response.url()).pathname));
    await page.getByRole("link", { name: "SQL" }).click();
    await page.getByLabel("Statement").waitFor();
    const files = loaded
      .filter((name) => name.endsWith(".js"))
      .map((name) => name.split("/").at(-1));
    const sizes = files.map(async (name) => (await stat(join(BUILT, `${name}.gz`))).size);
    const script = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    console.log(`/sql: ${script} bytes of script beside the first view, by gzip`);
    expect(script).toBeGreaterThan(50_000);
    expect(script).toBeLessThanOrEqual(MOST_SQL);
    await page.context().close();
  });

  test("a tab asks for its script and its table at once, in front of the first frame", async () => {
    const page = await stand.blank();
    const asked: string[] = [];
    const seen = (part: string) => asked.some((path) => path.includes(part));
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/tables/cores:page", async (route) => {
      await held;
      await route.continue();
    });
    // Frames never come: what waits for one is never asked for.
    await page.addInitScript("requestAnimationFrame = () => 0; globalThis.setTimeout = () => 0");
    await page.goto(`${stand.url}/console/c/lake/glacier/t/cores/history`);
    await expect
      .poll(() => seen("cores:page") && seen("history-tab"), { timeout: 20_000 })
      .toBe(true);
    answer();
    await page.context().close();
  });

  test("a view asks the API once", async () => {
    const { page } = await stand.open("/settings");
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/api/")) asked.push(pathname);
    });
    const counts: Record<string, number> = {};
    for (const path of Object.keys(REQUESTS)) {
      asked.length = 0;
      await page.goto(`${stand.url}/console${path}`);
      await page.locator("main h1").waitFor();
      await page.locator(".loading").first().waitFor({ state: "detached" });
      await page.waitForTimeout(path === "/changes" ? 1_000 : 100);
      counts[path] = asked.length;
    }
    const { "/jobs": jobs = 0, ...others } = counts;
    expect(jobs).toBeLessThanOrEqual(MOST_OF_JOBS);
    expect(others).toEqual(REQUESTS);
    await page.context().close();
  });
}

function drawsFew(): void {
  test("of 100,000 tables those in sight are drawn; a part of a name finds one", async () => {
    const { page } = await stand.open("/");
    const at = "/api/v1/catalogs/lake/namespaces/glacier:page";
    const real = (await (await fetch(`${stand.url}${at}`)).json()) as {
      readonly tables: readonly object[];
    };
    const size = 10_000;
    await page.route("**/namespaces/glacier:page*", (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get("pageToken") ?? 0);
      const tables = Array.from({ length: size }, (_, i) => {
        const id = String(from + i).padStart(12, "0");
        return { ...real.tables[0], id: `01890a5d-ac96-774b-bcce-${id}`, name: `t${id}` };
      });
      const next = from + size;
      const more = next < TABLES ? { nextPageToken: String(next) } : {};
      return route.fulfill({ json: { ...real, tables, ...more } });
    });
    await page.goto(`${stand.url}/console/c/lake/glacier`);
    await scrollWithoutPause(page);
    const last = page.getByRole("link", { name: `t${String(TABLES - 1).padStart(12, "0")}` });
    await scrollTo(page, async () => (await last.count()) > 0);
    await page.getByText("100,000 tables", { exact: true }).waitFor();
    await page.getByLabel("Filter").fill("99998");
    await page.getByText("1 of 100,000 tables").waitFor();
    await page.getByRole("link", { name: "t000000099998" }).waitFor();
    expect(await drawn(page)).toBeLessThan(MOST_ELEMENTS);
    await page.context().close();
  });

  test("of 5,000 snapshots those in sight are drawn, to the first", async () => {
    const TABLE = "/iceberg/v1/lake/namespaces/many/tables";
    const schema = {
      type: "struct",
      fields: [{ id: 1, name: "a", required: false, type: "long" }],
    };
    await ask(stand.url, "POST", TABLE, { name: "long", schema });
    const from = Date.now() - SNAPSHOTS * 1_000;
    const id = (at: number) => FIRST_ID + BigInt(at);
    for (let first = 0; first < SNAPSHOTS; first += 1_000) {
      const updates = Array.from({ length: 1_000 }, (_, i) => {
        const at = first + i;
        const parent = at === 0 ? "" : `"parent-snapshot-id":${id(at - 1)},`;
        return (
          `{"action":"add-snapshot","snapshot":{"snapshot-id":${id(at)},${parent}` +
          `"sequence-number":${at + 1},"timestamp-ms":${from + at * 1_000},"schema-id":0,` +
          `"manifest-list":"file:///nowhere/x.avro","summary":{"operation":"append"}}}`
        );
      });
      updates.push(
        `{"action":"set-snapshot-ref","ref-name":"main","type":"branch",` +
          `"snapshot-id":${id(first + 999)}}`,
      );
      const body = `{"requirements":[],"updates":[${updates.join(",")}]}`;
      await ask(stand.url, "POST", `${TABLE}/long`, body);
    }
    const { page } = await stand.open("/c/lake/many/t/long/history");
    await page.getByText("500 of 5,000 snapshots").waitFor();
    await scrollWithoutPause(page);
    const oldest = page.getByTitle(String(FIRST_ID), { exact: true });
    await scrollTo(page, async () => (await oldest.count()) > 0);
    const rows = await page.getByRole("table", { name: "Snapshots" }).getAttribute("aria-rowcount");
    expect(rows).toBe(String(SNAPSHOTS + 1));
    await page.context().close();
  });
}
