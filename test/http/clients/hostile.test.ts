import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Node, SCHEMA } from "./support.ts";

let node: Node;

beforeAll(async () => {
  node = await Node.open();
});
afterAll(() => node.close());

/** Characters that mean something to access policies, shells, file systems and URLs. */
const ODD_NAMES = [
  "*",
  "?",
  "$",
  "'",
  "a*b?c",
  ["$", "{aws:username}"].join(""),
  "it's",
  "$(id)",
  "%",
  "a\\b",
  "#",
];

describe("names that mean something elsewhere", () => {
  it.each(ODD_NAMES)("%s is a name like any other, and no part of a location", async (name) => {
    await node.must(node.post("/namespaces", { namespace: [`odd ${name}`] }));
    const ns = `/namespaces/${encodeURIComponent(`odd ${name}`)}`;
    const table = `${ns}/tables/${encodeURIComponent(name)}`;
    const made = await node.must(node.post(`${ns}/tables`, { name, schema: SCHEMA }));
    const { location } = made.json().metadata;
    expect(location.slice("file://".length)).toMatch(/^[A-Za-z0-9/_.-]+$/);
    expect((await node.get(`${ns}/tables`)).json().identifiers).toEqual([
      { namespace: [`odd ${name}`], name },
    ]);
    // A pattern finds what is spelled like it, and nothing else.
    await node.table(ns, "axbyc");
    expect((await node.delete(table)).status).toBe(204);
    expect((await node.get(table)).status).toBe(404);
    expect((await node.head(`${ns}/tables/axbyc`)).status).toBe(204);
  });

  it("lie in the warehouse and nowhere else", () => {
    const beside = readdirSync(node.directory).filter((name) => name !== "warehouse");
    expect(beside).toEqual([]);
  });
});

describe("keys of JavaScript's own", () => {
  it("are refused where they are dangerous, at any depth and escaped too", async () => {
    for (const key of ["__proto__", "\\u005f_proto__"]) {
      for (const body of [
        `{"namespace":["p"],"properties":{"${key}":"x"}}`,
        `{"namespace":["p"],"${key}":{"namespace":["q"]}}`,
      ]) {
        expect((await node.post("/namespaces", body)).status).toBe(400);
      }
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it("are plain names and properties elsewhere", async () => {
    const properties = { constructor: "a", toString: "b", hasOwnProperty: "c", prototype: "d" };
    await node.must(node.post("/namespaces", { namespace: ["constructor"], properties }));
    const loaded = (await node.get("/namespaces/constructor")).json();
    const { location: _home, ...own } = loaded.properties;
    expect(own).toEqual(properties);
    const table = await node.table("/namespaces/constructor", "__proto__", { properties });
    expect((await node.get(table)).json().metadata.properties).toMatchObject(properties);
    const gone = { removals: Object.keys(properties), updates: {} };
    const updated = await node.post("/namespaces/constructor/properties", gone);
    expect(updated.json().removed.sort()).toEqual(Object.keys(properties).sort());
    const again = await node.post("/namespaces/constructor/properties", gone);
    expect(again.json().missing.sort()).toEqual(Object.keys(properties).sort());
  });
});

describe("JSON that is not a request", () => {
  const OPEN = '{"type":"list","element-id":1,"element-required":true,"element":';
  const deep = (levels: number): string => `${OPEN.repeat(levels)}"int"${"}".repeat(levels)}`;

  it("too deep or too wide is refused before anything walks it", async () => {
    const ns = await node.namespace("walked");
    const schema = (type: string): string =>
      `{"type":"struct","fields":[{"id":1,"name":"a","required":false,"type":${type}}]}`;
    for (const body of [
      `{"name":"t","schema":${schema(deep(5_000))}}`,
      `{"name":"t","schema":${schema(`[${"0,".repeat(100_001)}0]`)}}`,
      `{"name":"t","schema":${schema('"long"')},"x":${"[".repeat(200)}${"]".repeat(200)}}`,
    ]) {
      expect((await node.post(`${ns}/tables`, body)).status).toBe(400);
    }
    expect((await node.get(`${ns}/tables`)).json().identifiers).toEqual([]);
  });

  it("under another content type is refused, whatever it holds", async () => {
    const body = JSON.stringify({ namespace: ["typed"] });
    for (const type of [
      ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
      ...["application/jsonp", "application/json-patch+json", "text/plain; application/json"],
      ...["application/json, text/plain", "application/xml"],
    ]) {
      const refused = await node.post("/namespaces", body, { "Content-Type": type });
      expect([type, refused.status]).toEqual([type, 415]);
    }
    expect((await node.head("/namespaces/typed")).status).toBe(404);
  });
});
