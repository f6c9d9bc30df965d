import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "../support/chromium.ts";
import { ask, FIRST_ID, seed } from "./seed.ts";
import { Stand } from "./stand.ts";

let stand: Stand;
const HISTORY = "/c/lake/glacier/t/cores/history";
const STEP = 100_000_000_000_007n;
const id = (at: number): string => String(FIRST_ID + BigInt(at) * STEP);

interface Ref {
  readonly name: string;
  readonly type: string;
  readonly snapshotId: string;
}

async function refs(): Promise<Readonly<Record<string, string>>> {
  const path = "/api/v1/catalogs/lake/namespaces/glacier/tables/cores:page";
  const { iceberg } = (await (await fetch(`${stand.url}${path}`)).json()) as {
    iceberg: { refs: readonly Ref[] };
  };
  return Object.fromEntries(
    iceberg.refs.map(({ name, type, snapshotId }) => [name, `${type} ${snapshotId}`]),
  );
}

async function choose(page: Page, at: number): Promise<void> {
  const row = page.locator("tr", { has: page.getByTitle(id(at), { exact: true }) });
  await row.getByRole("checkbox").check();
}

/** Types the name that a dialog asks for, and does what it says. */
async function confirm(page: Page, action: string, name: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  const button = dialog.getByRole("button", { name: action });
  expect(await button.isDisabled()).toBe(true);
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  await button.click();
}

describe.skipIf(CHROMIUM === undefined)("what the console changes", () => {
  beforeAll(async () => {
    stand = await Stand.start();
    await seed(stand.url);
  });
  afterAll(() => stand?.stop());

  changesRefs();
  changesTables();
  changesProperties();
});

function changesRefs(): void {
  test("a snapshot gets a tag and a branch, which are deleted by their names", async () => {
    const { page } = await stand.open(HISTORY);
    for (const [type, name] of [
      ["Tag", 'v"1'],
      ["Branch", "try"],
    ] as const) {
      await choose(page, 1);
      await page.getByLabel("New name").fill(name);
      await page.getByRole("button", { name: type, exact: true }).click();
      await page.locator(".grid .ref", { hasText: name }).waitFor();
    }
    expect(await refs()).toMatchObject({ 'v"1': `tag ${id(1)}`, try: `branch ${id(1)}` });
    await choose(page, 2);
    await page.getByLabel("New name").fill("try");
    await page.getByRole("button", { name: "Tag", exact: true }).click();
    await page.getByRole("alert").getByText("REQUIREMENT_FAILED").waitFor();
    await page.getByText("Branches and tags").click();
    await page.locator("li", { hasText: "try" }).getByRole("button", { name: "Delete" }).click();
    await confirm(page, "Delete", "try");
    await page.locator(".grid .ref", { hasText: "try" }).waitFor({ state: "detached" });
    expect(Object.keys(await refs())).not.toContain("try");
    await page.context().close();
  });

  test("main is rolled back to an ancestor, after what changes was shown", async () => {
    const { page } = await stand.open(HISTORY);
    await choose(page, 5);
    await page.getByText("did not grow out of this one").waitFor();
    await page
      .locator("tr", { has: page.getByTitle(id(5), { exact: true }) })
      .getByRole("checkbox")
      .uncheck();
    await choose(page, 2);
    const dryRun = page.waitForResponse((one) => one.url().endsWith("?dry-run=true"));
    await page.getByRole("button", { name: "Roll back" }).click();
    expect((await dryRun).status()).toBe(200);
    expect((await refs())["main"]).toBe(`branch ${id(7)}`);
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.innerText()).toMatch(/Rows\s+6,330\s+1,900\s+−4,430/);
    await confirm(page, "Roll back", "cores");
    const row = page.locator("tr", { has: page.getByTitle(id(2), { exact: true }) });
    await row.locator(".ref", { hasText: "main" }).waitFor();
    expect((await refs())["main"]).toBe(`branch ${id(2)}`);
    await page.context().close();
  });

  test("what another writer changed since is a conflict, not overwritten", async () => {
    const { page } = await stand.open(HISTORY);
    await choose(page, 0);
    await ask(
      stand.url,
      "POST",
      "/iceberg/v1/lake/namespaces/glacier/tables/cores",
      `{"requirements":[],"updates":[{"action":"set-snapshot-ref","ref-name":"main",` +
        `"type":"branch","snapshot-id":${id(4)}}]}`,
    );
    await page.getByRole("button", { name: "Roll back" }).click();
    await page.getByRole("alert").getByText("REQUIREMENT_FAILED").waitFor();
    expect((await refs())["main"]).toBe(`branch ${id(4)}`);
    await page.context().close();
  });
}

function changesTables(): void {
  test("a table is moved to another namespace, dropped with files, brought back", async () => {
    const { page } = await stand.open("/c/lake/glacier/t/empty");
    await page.getByRole("button", { name: "Rename" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("cores");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("alert").getByText("ALREADY_EXISTS").waitFor();
    await dialog.getByLabel("Name", { exact: true }).fill("a/b.c");
    await dialog.getByLabel("Namespace").fill("glacier.deep");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await page.waitForURL(/\/c\/lake\/glacier\.deep\/t\/a%2Fb%2Ec$/);
    await page.getByText("The table is empty").waitFor();
    await page.getByRole("button", { name: "Drop" }).click();
    await page.getByLabel("Delete its files too").check();
    await confirm(page, "Drop", "a/b.c");
    await page.waitForURL(/\/c\/lake\/glacier\.deep$/);
    await page.getByRole("link", { name: "Dropped" }).click();
    const row = page.locator("tr", { hasText: "lake.glacier.deep.a/b.c" });
    await row.getByText("deleted too").waitFor();
    await row.getByRole("button", { name: "Bring back" }).click();
    await row.waitFor({ state: "detached" });
    await page.goto(`${stand.url}/console/c/lake/glacier.deep/t/a%2Fb%2Ec`);
    await page.getByText("The table is empty").waitFor();
    await page.context().close();
  });

  test("the choice and the dialogs: light and dark, wide and narrow", async () => {
    await stand.inspect("rollback", HISTORY, async (page) => {
      await choose(page, 1);
      await page.getByRole("button", { name: "Roll back" }).click();
      await page.getByRole("dialog").waitFor();
    });
    await stand.inspect("rename", "/c/lake/glacier/t/cores", async (page) => {
      await page.getByRole("button", { name: "Rename" }).click();
    });
  });
}

async function propertiesOf(path: string): Promise<Readonly<Record<string, string>>> {
  const page = (await (await fetch(`${stand.url}/api/v1/catalogs/${path}`)).json()) as {
    readonly properties?: Readonly<Record<string, string>>;
    readonly iceberg?: { readonly properties: Readonly<Record<string, string>> };
  };
  return page.iceberg?.properties ?? page.properties ?? {};
}

/** Changes the value of the first property, adds one, saves. */
async function editProperties(page: Page, value: string): Promise<void> {
  await page.getByRole("button", { name: "Edit properties" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Value 1").fill(value);
  await dialog.getByRole("button", { name: "Add a property" }).click();
  await dialog.getByLabel("Name 2").fill("zz.mail");
  await dialog.getByLabel("Value 2").fill("<b>x</b>");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("row", { name: /zz\.mail <b>x<\/b>/ }).waitFor();
}

function changesProperties(): void {
  test.each([
    ["a table", "/c/lake/glacier/t/cores/properties", "lake/namespaces/glacier/tables/cores:page"],
    ["a namespace", "/c/lake/glacier.deep", "lake/namespaces/glacier.deep"],
    ["a catalog", "/c/lake", "lake"],
  ])("properties of %s are changed at once, added and removed", async (_, view, path) => {
    const { page } = await stand.open(view);
    const [first = ""] = Object.keys(await propertiesOf(path));
    await editProperties(page, "w");
    expect(await propertiesOf(path)).toEqual({ [first]: "w", "zz.mail": "<b>x</b>" });
    await page.getByRole("button", { name: "Edit properties" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name 1").fill("zz.mail");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").getByText("there twice").waitFor();
    await dialog.getByRole("button", { name: "Remove zz.mail" }).last().click();
    await dialog.getByLabel("Name 1").fill(first);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await propertiesOf(path)).toEqual({ [first]: "w" });
    await page.context().close();
  });

  test("what another writer did to a namespace meanwhile is a conflict", async () => {
    const { page } = await stand.open("/c/lake/many");
    await page.getByRole("button", { name: "Edit properties" }).click();
    await ask(stand.url, "POST", "/iceberg/v1/lake/namespaces/many/properties", {
      updates: { team: "snow" },
    });
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Value 1").fill("fire");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").waitFor();
    expect(await propertiesOf("lake/namespaces/many")).toEqual({ team: "snow" });
    await page.context().close();
  });

  test("properties-edit: light and dark, wide and narrow", () =>
    stand.inspect("properties-edit", "/c/lake/glacier/t/cores/properties", async (page) => {
      await page.getByRole("button", { name: "Edit properties" }).click();
      await page.getByRole("dialog").waitFor();
    }));
}
