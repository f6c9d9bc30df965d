import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type * as api from "../../../src/api/resources.ts";
import type { Revision, TableId } from "../../../src/base/ids.ts";
import type { Listed } from "../../../src/catalog/listed.ts";
import type { Summary, Table } from "../../../src/catalog/model.ts";
import { JsonBytes, JsonText } from "../../../src/http/native/json-text.ts";
import { renderSummary, renderTable } from "../../../src/http/native/render.ts";
import { ResourceTexts } from "../../../src/http/native/resource-text.ts";
import { summaryPage } from "../../../src/http/native/summary-page.ts";
import type { Resource } from "../../../src/service/resources/resource.ts";
import { Api } from "./api.ts";

/*
 * Answers that are kept as text: byte for byte what they would be without, whatever is in them, and
 * never those of another version.
 */

const HOSTILE = [
  '"',
  "\\",
  "\u0000",
  "\u2028",
  "\u{1f600}",
  "\ud800",
  "__proto__",
  "</script>",
  "",
];

const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary", maxLength: 12 }));
const ms = fc.oneof(fc.integer(), fc.constantFrom(0, 8.64e15, 8.64e15 + 1, Number.MAX_VALUE));
const version = fc.bigInt({ min: 1n, max: 2n ** 63n });
const path = fc.array(text, { maxLength: 3 });

const table: fc.Arbitrary<Table> = fc
  .record({
    name: text,
    description: text,
    properties: fc.dictionary(text, text, { maxKeys: 4 }),
    createdAtMs: ms,
    location: text,
    snapshot: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { nil: undefined }),
  })
  .map(({ snapshot, ...common }) => ({
    ...common,
    type: "table",
    id: "t" as TableId,
    state: "ACTIVE",
    format: "ICEBERG",
    protected: false,
    iceberg: {
      metadataLocation: common.location,
      ...(snapshot !== undefined && { currentSnapshotId: snapshot }),
    },
  })) as unknown as fc.Arbitrary<Table>;

const resource: fc.Arbitrary<Resource<Table>> = fc.record({
  entity: table,
  version,
  revision: text as fc.Arbitrary<Revision>,
  updatedAtMs: ms,
  updatedBy: text,
  above: fc.record({ catalog: text, namespace: path }),
});

test("a kept text is what rendering makes of a resource, whichever of its parts is new", () => {
  fc.assert(
    fc.property(resource, resource, (one, other) => {
      const texts = new ResourceTexts();
      const changes = Object.keys(one) as (keyof Resource)[];
      const all = [one, one, { ...one }, ...changes.map((key) => ({ ...one, [key]: other[key] }))];
      const { catalog } = other.above;
      all.push(one, { ...one, above: { ...one.above, catalog: catalog ?? "" } }, other, one);
      for (const each of all) {
        const answer = texts.of(each, renderTable);
        const plain = renderTable(each);
        expect(answer.text).toBe(JSON.stringify(plain));
        expect(answer.etag).toBe(plain.etag);
      }
      expect(texts.of({ ...one }, renderTable)).toBe(texts.of(one, renderTable));
    }),
  );
});

const listed: fc.Arbitrary<Listed> = fc.record({
  version,
  summary: fc.record({
    entityType: fc.constant("table"),
    entityId: text,
    name: text,
    revision: text,
    format: fc.constantFrom(undefined, "ICEBERG"),
    metadataLocation: fc.option(text, { nil: undefined }),
    protected: fc.boolean(),
  }) as unknown as fc.Arbitrary<Summary>,
});

/** The bytes of an answer that is text already. */
function bytesOf(answer: unknown): Buffer {
  if (answer instanceof JsonBytes) return Buffer.from(answer.bytes);
  return Buffer.from((answer as JsonText).text);
}

test("a kept page is what rendering makes of it, with each token, small and large", () => {
  const kinds = new Set<unknown>();
  fc.assert(
    fc.property(fc.array(listed, { maxLength: 60, size: "max" }), text, (items, token) => {
      for (const nextPageToken of [undefined, token, token, `${token}+`, undefined]) {
        const page = { items, ...(nextPageToken !== undefined && { nextPageToken }) };
        const answer: unknown = summaryPage(page);
        kinds.add(answer?.constructor);
        const plain = { ...page, items: items.map((item) => renderSummary(item)) };
        expect(bytesOf(answer)).toEqual(Buffer.from(JSON.stringify(plain)));
      }
    }),
  );
  expect(kinds).toEqual(new Set([JsonText, JsonBytes]));
});

const PLACE = "/catalogs/lake/namespaces/ice";
const LIST = `${PLACE}/tables`;
const NAMES = ["a", 'b"\\ß', "c\u{1f600}", ...Array.from({ length: 40 }, (_, i) => `t${i}`)];

let served: Api;

beforeAll(async () => {
  served = await Api.open();
  await served.done("POST", "/catalogs", { name: "lake" });
  await served.done("POST", "/catalogs/lake/namespaces", { path: ["ice"] });
  for (const name of NAMES) await served.done("POST", LIST, { name, format: "HUDI" });
});
afterAll(() => served.firn.close());

/** The text of a resource, asked for twice, and as its history has it, which keeps nothing. */
async function same(path: string): Promise<string> {
  const { text: first, body } = await served.ask("GET", path);
  const { text: second } = await served.ask("GET", path);
  const { version: at } = body as api.Table;
  const { text: plain } = await served.ask("GET", `${path}?at=${at}`);
  expect([first, second]).toEqual([plain, plain]);
  return plain;
}

test("a resource is answered as its history tells it, at each version and name", async () => {
  const one = `${LIST}/${encodeURIComponent(NAMES[1] ?? "")}`;
  const seen = new Set<string>([await same(one)]);
  const properties = Object.fromEntries(HOSTILE.slice(0, 5).map((value, i) => [`p${i}`, value]));
  await served.done("PATCH", one, { description: '"\\\u2028\u{1f600}', properties });
  seen.add(await same(one));
  await served.done("PATCH", PLACE, { description: "other" });
  seen.add(await same(PLACE));
  await served.done("POST", `${one}:rename`, { name: "renamed" });
  seen.add(await same(`${LIST}/renamed`));
  const { id } = await served.done<api.Table>("GET", `${LIST}/renamed`);
  expect(seen).toContain(await same(`${LIST}/id:${id}`));
  // Another name above it: nothing of the table itself was written.
  await served.done("POST", `${PLACE}:rename`, { path: ["fire"] });
  seen.add(await same("/catalogs/lake/namespaces/fire/tables/renamed"));
  await served.done("POST", "/catalogs/lake/namespaces/fire:rename", { path: ["ice"] });
  expect(seen).toContain(await same(`${LIST}/renamed`));
  expect(seen.size).toBe(5);
});

test("a list asked for again is the same bytes until something in it is written", async () => {
  const listed = async () => (await served.ask("GET", `${LIST}?pageSize=100`)).text;
  const writes = [
    () => served.done("PATCH", `${LIST}/t7`, { protected: true }),
    () => served.done("PATCH", `${LIST}/t7`, { protected: false }),
    () => served.done("POST", LIST, { name: "zz", format: "DELTA" }),
    () => served.done("POST", `${LIST}/t8:rename`, { name: "t8b" }),
    () => served.ask("DELETE", `${LIST}/t9`),
  ];
  const seen = new Set([await listed()]);
  for (const write of writes) {
    const before = await listed();
    expect(await listed()).toBe(before);
    await write();
    seen.add(await listed());
  }
  expect(seen.size).toBe(writes.length + 1);
  const { items } = JSON.parse(await listed()) as api.Page<api.Summary>;
  for (const { name, etag } of items) {
    const found = await served.done<api.Table>("GET", `${LIST}/${encodeURIComponent(name)}`);
    expect([name, etag]).toEqual([found.name, found.etag]);
  }
});
