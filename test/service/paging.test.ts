import { expect, test } from "vitest";
import { CommitQueue } from "../../src/service/commit-queue.ts";
import { PageTokens } from "../../src/service/page-token.ts";
import { ACTOR } from "../support/open-catalog.ts";
import { openTestIceberg, SCHEMA } from "../support/open-iceberg.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;

test("pages together are the whole list, in key order, also while others write", async () => {
  const { iceberg } = await openTestIceberg();
  await iceberg.createNamespace(ACTOR, NS, {});
  const names = ["B", "a", "b", "ä", "z", "\u{1f600}", "\uffee"];
  for (const name of names) {
    await iceberg.createTable(ACTOR, NS, {
      name,
      schema: SCHEMA,
      properties: {},
      stageCreate: false,
    });
  }
  // Key order is the order of the encoded segments, so what is encoded comes first.
  const encoded = names.map((name) => encodeURIComponent(name)).sort();
  const byKey = encoded.map((segment) => decodeURIComponent(segment));
  expect(await iceberg.listTables(ACTOR, NS, {})).toEqual({ items: byKey, nextPageToken: null });
  const seen: string[] = [];
  let pageToken: string | null = "";
  while (pageToken !== null) {
    const page: { items: readonly string[]; nextPageToken: string | null } =
      await iceberg.listTables(ACTOR, NS, { pageToken, pageSize: 2 });
    seen.push(...page.items);
    pageToken = page.nextPageToken;
    // Dropped behind the cursor: what comes after it is unharmed.
    if (seen.length === 2) {
      const table = seen[0] ?? "";
      await iceberg.dropTable(ACTOR, { ...NS, table }, { purgeRequested: false });
    }
  }
  expect(seen).toEqual(byKey);
});

test("a token opens its own list alone", async () => {
  const { iceberg } = await openTestIceberg();
  for (const name of ["a", "b", "c"]) {
    await iceberg.createNamespace(ACTOR, { catalog: "c", namespace: [name] }, {});
  }
  const page = await iceberg.listNamespaces(ACTOR, "c", [], { pageToken: "", pageSize: 1 });
  const token = page.nextPageToken ?? "";
  const next = await iceberg.listNamespaces(ACTOR, "c", [], { pageToken: token, pageSize: 1 });
  expect(next.items).toEqual([["b"]]);
  const refused = { kind: "Invalid", code: "PAGE_TOKEN_INVALID" };
  await expect(iceberg.listTables(ACTOR, NS, { pageToken: token })).rejects.toMatchObject(refused);
  for (const forged of [`${token}A`, token.slice(1), "AAAA", "%", `A${token.slice(1)}`]) {
    await expect(
      iceberg.listNamespaces(ACTOR, "c", [], { pageToken: forged }),
    ).rejects.toMatchObject(refused);
  }
  const other = new PageTokens(new Uint8Array(32).fill(1));
  expect(() => other.open("q", new PageTokens(new Uint8Array(32)).seal("q", "x"))).toThrow();
});

test("work under one key is serial, work under two keys is concurrent", async () => {
  const turns = new CommitQueue();
  const log: string[] = [];
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = turns.take("k", async () => {
    await gate;
    log.push("first");
    throw new Error("fails");
  });
  const second = turns.take("k", async () => log.push("second"));
  await turns.take("other", async () => log.push("other"));
  release();
  await expect(first).rejects.toThrow("fails");
  await second;
  expect(log).toEqual(["other", "first", "second"]);
});

test("a token sealed again is the same, and another one for another list", () => {
  const tokens = new PageTokens(new Uint8Array(32));
  const fresh = (query: string, after: string) =>
    new PageTokens(new Uint8Array(32)).seal(query, after);
  for (const [query, after] of [
    ["q", "a"],
    ["q", "a"],
    ["r", "a"],
    ["q", "b"],
    ["q", "a"],
  ] as const) {
    const token = tokens.seal(query, after);
    expect(token).toBe(fresh(query, after));
    expect(tokens.open(query, token)).toBe(after);
  }
});
