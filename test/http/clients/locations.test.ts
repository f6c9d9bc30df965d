import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildUpdates, metadataText, Node, type Reply, SCHEMA } from "./support.ts";

let node: Node;

beforeAll(async () => {
  node = await Node.open();
});
afterAll(() => node.close());

/** Every `file:` location of an answer; all of them have an empty authority. */
function fileLocations(reply: Reply): string[] {
  return [...reply.body.matchAll(/"(file:[^"]*)"/g)].map(([, location]) => `${location}`);
}

function expectCanonical(reply: Reply): void {
  expect(reply.status).toBe(200);
  const locations = fileLocations(reply);
  expect(locations.length).toBeGreaterThan(0);
  for (const location of locations) expect(location).toMatch(/^file:\/\/\/[^/]/);
}

/** The spelling of Java's `File.toURI`, which Hadoop and Spark send. */
function short(location: string): string {
  return location.replace("file://", "file:");
}

describe("a client that spells locations file:/", () => {
  it("hears file:/// of the tables it creates, staged or not", async () => {
    const ns = await node.namespace("short");
    for (const stage of [true, false]) {
      const location = node.locationOf("short");
      const request = { name: "t", schema: SCHEMA, location: short(location) };
      const made = await node.post(`${ns}/tables`, { ...request, "stage-create": stage });
      expectCanonical(made);
      expect(made.json().metadata.location).toBe(location);
    }
    expectCanonical(await node.get(`${ns}/tables/t`));
  });

  it("hears file:/// after a commit that sets the location", async () => {
    const ns = await node.namespace("moved");
    const table = await node.table(ns, "t");
    const location = node.locationOf("moved");
    const move = { action: "set-location", location: short(location) };
    const moved = await node.post(table, { requirements: [], updates: [move] });
    expectCanonical(moved);
    expect(moved.json().metadata.location).toBe(location);
    expect(existsSync(join(location.slice("file://".length), "metadata"))).toBe(true);
    const staged = short(node.locationOf("staged"));
    const create = { requirements: [{ type: "assert-create" }], updates: buildUpdates(staged) };
    expectCanonical(await node.post(`${ns}/tables/u`, create));
  });

  it("hears file:/// of metadata that lies where a property sent it", async () => {
    const ns = await node.namespace("apart");
    const path = short(node.locationOf("apart"));
    const properties = { "write.metadata.path": path };
    const made = await node.post(`${ns}/tables`, { name: "t", schema: SCHEMA, properties });
    const location: string = made.json()["metadata-location"];
    expect(location.startsWith(`${node.locationOf("apart")}/`)).toBe(true);
    expect(existsSync(location.slice("file://".length))).toBe(true);
  });

  it("hears file:/// of a file it registers, though the file says otherwise", async () => {
    const ns = await node.namespace("registered");
    const table = await node.table(ns, "t");
    const loaded = await node.get(table);
    const { location } = loaded.json().metadata;
    const directory = join(node.directory, "foreign");
    mkdirSync(directory);
    const path = join(directory, "1.metadata.json");
    const text = metadataText(loaded.body)
      .replaceAll(location, `file:${directory}`)
      .replace("{", '{"x-kept":1.0,');
    writeFileSync(path, text);
    await node.must(node.delete(table));
    const request = { name: "r", "metadata-location": `file:${path}` };
    const registered = await node.post(`${ns}/register`, request);
    expectCanonical(registered);
    expect(registered.json()["metadata-location"]).toBe(`file://${path}`);
    expect(registered.json().metadata.location).toBe(`file://${directory}`);
    expect(registered.body).toContain('"x-kept":1.0');
    for (const query of ["", "?snapshots=refs"]) {
      expectCanonical(await node.get(`${ns}/tables/r${query}`));
    }
    expect(readFileSync(path, "utf8")).toBe(text);
    const update = { action: "set-properties", updates: { a: "1" } };
    expectCanonical(await node.post(`${ns}/tables/r`, { requirements: [], updates: [update] }));
  });
});

const OUTSIDE: readonly [string, (inside: string) => string][] = [
  ["another directory", () => "file:///etc/firn"],
  ["the short spelling of one", () => "file:/etc/firn"],
  ["an escape by dots", (inside) => `${inside}/../../../../etc`],
  ["an encoded escape", (inside) => `${inside}/%2e%2e/../x`],
  ["a remote host", () => "file://10.0.0.1/tmp/x"],
  ["a web address", () => "http://169.254.169.254/latest/meta-data"],
  ["another store", () => "s3://somebody/else"],
  ["no scheme", () => "/etc/firn"],
  ["a root that only begins alike", (inside) => `file:///etc${inside.slice("file://".length)}`],
  ["a query", (inside) => `${inside}?x=1`],
  ["nothing", () => ""],
];

const WRITE_PATHS = [
  "write.data.path",
  "write.metadata.path",
  "write.object-storage.path",
  "write.folder-storage.path",
];

describe.each(OUTSIDE)("a location outside the roots: %s", (what, of) => {
  const refusedBy = async (sent: Promise<Reply>): Promise<void> => {
    const refused = await sent;
    expect(refused.status).toBe(400);
    expect(refused.error().type).toBe("BadRequestException");
    expect(refused.header("X-Firn-Error")).toMatch(/^(?:LOCATION_|TABLE_LOCATION_)/);
  };

  it("is refused where a table is made, staged, built, moved and registered", async () => {
    const ns = await node.namespace(what);
    const location = of(node.locationOf("t"));
    const request = { name: "t", schema: SCHEMA, location };
    await refusedBy(node.post(`${ns}/tables`, request));
    await refusedBy(node.post(`${ns}/tables`, { ...request, "stage-create": true }));
    const build = { requirements: [{ type: "assert-create" }], updates: buildUpdates(location) };
    await refusedBy(node.post(`${ns}/tables/t`, build));
    const file = location === "" ? "" : `${location}/1.metadata.json`;
    await refusedBy(node.post(`${ns}/register`, { name: "t", "metadata-location": file }));
    expect((await node.get(`${ns}/tables`)).json().identifiers).toEqual([]);

    const table = await node.table(ns, "other");
    const before = (await node.get(table)).body;
    const move = { action: "set-location", location };
    await refusedBy(node.post(table, { requirements: [], updates: [move] }));
    expect((await node.get(table)).body).toBe(before);
  });

  it.each(WRITE_PATHS)(
    "is refused as %s of a new table, and by a commit of that alone",
    async (property) => {
      const ns = await node.namespace(`${what} ${property}`);
      const properties = { [property]: of(node.locationOf("t")) };
      const request = { name: "t", schema: SCHEMA, properties };
      await refusedBy(node.post(`${ns}/tables`, request));
      await refusedBy(node.post(`${ns}/tables`, { ...request, "stage-create": true }));
      const set = { action: "set-properties", updates: properties };
      const updates = [...buildUpdates(node.locationOf("t")), set];
      const build = { requirements: [{ type: "assert-create" }], updates };
      await refusedBy(node.post(`${ns}/tables/t`, build));
      const table = await node.table(ns, "other");
      const before = (await node.get(table)).body;
      await refusedBy(node.post(table, { requirements: [], updates: [set] }));
      expect((await node.get(table)).body).toBe(before);
    },
  );
});

describe("a place that leads outside the roots", () => {
  const refused = { type: "BadRequestException", code: 400 };

  /** A metadata file inside the roots that says what it should not. */
  async function planted(ns: string, change: (text: string, location: string) => string) {
    const table = await node.table(ns, "source");
    const loaded = await node.get(table);
    const { location } = loaded.json().metadata;
    await node.must(node.delete(table));
    const path = join(location.slice("file://".length), "metadata", "planted.metadata.json");
    writeFileSync(path, change(metadataText(loaded.body), location));
    return path;
  }

  it.each([
    ["lies outside", (text: string, at: string) => text.replace(at, "file:///etc/firn")],
    [
      "writes outside",
      (text: string) => text.replace('"properties":{', '"properties":{"write.data.path":"s3://b",'),
    ],
  ])("is refused as a registered file whose table %s", async (what, change) => {
    const ns = await node.namespace(what);
    const path = await planted(ns, change);
    const request = { name: "t", "metadata-location": `file://${path}` };
    expect((await node.post(`${ns}/register`, request)).error()).toMatchObject(refused);
    expect((await node.get(`${ns}/tables`)).json().identifiers).toEqual([]);
  });

  it("is refused as a namespace's own location, and nothing is made", async () => {
    const properties = { location: "file:///etc/firn" };
    const made = await node.post("/namespaces", { namespace: ["elsewhere"], properties });
    expect(made.error()).toMatchObject(refused);
    expect((await node.get("/namespaces/elsewhere")).status).toBe(404);
    const ns = await node.namespace("home");
    const moved = await node.post(`${ns}/properties`, { removals: [], updates: properties });
    expect(moved.error()).toMatchObject(refused);
  });

  it("is refused as a symbolic link, for reading and for writing", async () => {
    const ns = await node.namespace("linked");
    const path = await planted(ns, (text) => text);
    const outside = mkdtempSync(join(tmpdir(), "firn-outside-"));
    try {
      const link = join(node.directory, "link");
      symlinkSync(outside, link);
      writeFileSync(join(outside, "planted.metadata.json"), readFileSync(path));
      const file = `file://${link}/planted.metadata.json`;
      const registered = await node.post(`${ns}/register`, {
        name: "t",
        "metadata-location": file,
      });
      expect([400, 404]).toContain(registered.status);
      for (const stage of [true, false]) {
        const location = `file://${link}/t`;
        const request = { name: "t", schema: SCHEMA, location, "stage-create": stage };
        expect((await node.post(`${ns}/tables`, request)).status).toBe(400);
      }
      expect(readdirSync(outside)).toEqual(["planted.metadata.json"]);
    } finally {
      rmSync(outside, { recursive: true, force: true });
    }
  });
});
