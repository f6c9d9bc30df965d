import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { DeferredBlobStore } from "../../src/blob/deferred.ts";
import { type LocationScheme, Locations } from "../../src/blob/locations.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { S3_SCHEMES } from "../../src/blob/s3/location.ts";
import { s3Scheme } from "../../src/blob/s3/scheme.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

const ports = { clock: new VirtualClock(), prng: new SeededPrng(1), durable: false };
let folder: string;
let locations: Locations;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "firn-locations-"));
  made.push(folder);
  locations = new Locations({ ...ports, allowedRoots: [`file://${folder}/warehouse`] });
});

const refusal = (code: string) => expect.objectContaining({ kind: "Invalid", code });

describe("normalize", () => {
  it.each([
    ["file:/a/b", "file:///a/b"],
    ["file:///a/b", "file:///a/b"],
    ["file:////a//b///", "file:///a/b"],
    ["file://localhost/a/b/", "file:///a/b"],
    ["FILE://LOCALHOST/a", "file:///a"],
    ["file:/", "file:///"],
    ["file:///a b/c%20d", "file:///a b/c%20d"],
    ["file:///a/…/..b/c.", "file:///a/…/..b/c."],
    ["file:///localhost/a", "file:///localhost/a"],
  ])("%s is %s", (uri, normal) => {
    expect(locations.normalize(uri)).toBe(normal);
    expect(locations.normalize(normal)).toBe(normal);
  });

  it.each([
    "file:a/b",
    "file:",
    "file://",
    "file://host/a",
    "file://localhost",
    "file:///a/../b",
    "file:///a/./b",
    "file:///..",
    "file:///a?b",
    "file:///a#b",
    "file:///a\0b",
    "file:///a\nb",
    "file:///a\ud800",
  ])("refuses %j", (uri) => {
    expect(() => locations.normalize(uri)).toThrow(refusal("LOCATION_INVALID"));
  });

  it.each([
    "",
    "/a/b",
    "a/b",
    ":",
    "s3://bucket/a",
    "http://localhost/a",
    "file2:///a",
    "__proto__:a",
  ])("knows no scheme of %j", (uri) => {
    expect(() => locations.normalize(uri)).toThrow(refusal("LOCATION_UNSUPPORTED"));
  });

  it("answers only what it answers itself again, below an absolute path without dots", () => {
    const piece = fc.constantFrom("/", "//", ".", "..", "a", "%2e%2e", "é", "localhost", "?", " ");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const uri = `file:${pieces.join("")}`;
        let normal: string;
        try {
          normal = locations.normalize(uri);
        } catch {
          return;
        }
        expect(locations.normalize(normal)).toBe(normal);
        const segments = normal.slice("file:///".length).split("/");
        expect(segments).not.toContain("..");
        expect(segments).not.toContain(".");
        if (normal !== "file:///") expect(segments).not.toContain("");
      }),
      { numRuns: 500 },
    );
  });
});

describe("allowed roots", () => {
  it("match whole segments only", () => {
    const root = `file://${folder}/warehouse`;
    expect(locations.assertAllowed(`${root}/db/t/`)).toBe(`${root}/db/t`);
    expect(locations.assertAllowed(root)).toBe(root);
    for (const outside of [`${root}2`, `${root}2/t`, `file://${folder}`, "file:///"]) {
      expect(() => locations.assertAllowed(outside)).toThrow(refusal("LOCATION_NOT_ALLOWED"));
    }
    expect(() => locations.assertAllowed(`${root}/../x`)).toThrow(refusal("LOCATION_INVALID"));
  });

  it("can be added, the file system's own root included", () => {
    expect(locations.addRoot(`file:${folder}/second/`)).toBe(`file://${folder}/second`);
    expect(locations.assertAllowed(`file:${folder}/second/x`)).toBe(`file://${folder}/second/x`);
    locations.addRoot("file:///");
    expect(locations.assertAllowed("file:/etc")).toBe("file:///etc");
  });

  it("bound every operation", async () => {
    const uri = `file://${folder}/elsewhere/x`;
    writeFileSync(join(folder, "elsewhere"), "");
    const refused = refusal("LOCATION_NOT_ALLOWED");
    expect(() => locations.watch(uri)).toThrow(refused);
    await expect(locations.read(uri)).rejects.toEqual(refused);
    await expect(locations.exists(uri)).rejects.toEqual(refused);
    await expect(locations.write(uri, utf8("x"))).rejects.toEqual(refused);
    await expect(locations.delete(uri)).rejects.toEqual(refused);
    await expect(locations.makeDirectory(uri)).rejects.toEqual(refused);
  });

  it("are not left through a symbolic link", async () => {
    await locations.makeDirectory(`file:${folder}/warehouse`);
    writeFileSync(join(folder, "secret"), "secret");
    symlinkSync(folder, join(folder, "warehouse", "out"));
    symlinkSync(join(folder, "secret"), join(folder, "warehouse", "leaf"));
    const refused = refusal("BLOB_PATH_UNSUPPORTED");
    for (const name of ["out/secret", "leaf"]) {
      const uri = `file:${folder}/warehouse/${name}`;
      await expect(locations.read(uri)).rejects.toEqual(refused);
      await expect(locations.exists(uri)).rejects.toEqual(refused);
    }
    await expect(
      locations.write(`file:${folder}/warehouse/out/new/file`, utf8("x")),
    ).rejects.toEqual(refused);
    await expect(locations.delete(`file:${folder}/warehouse/out/secret`)).rejects.toEqual(refused);
    await expect(locations.makeDirectory(`file:${folder}/warehouse/out/d`)).rejects.toEqual(
      refused,
    );
    expect(existsSync(join(folder, "new"))).toBe(false);
    expect(readFileSync(join(folder, "secret"), "utf8")).toBe("secret");
  });
});

describe("files", () => {
  it("stand where other programs look for them, byte for byte", async () => {
    const uri = `file:${folder}/warehouse/a b/c%20d/v1.metadata.json`;
    expect(await locations.exists(uri)).toBe(false);
    expect(await locations.read(uri)).toBeUndefined();
    await locations.write(uri, utf8("{}"));
    const file = join(folder, "warehouse", "a b", "c%20d", "v1.metadata.json");
    expect(readFileSync(file, "utf8")).toBe("{}");
    expect(await locations.exists(uri)).toBe(true);
    writeFileSync(join(folder, "warehouse", "theirs"), "written elsewhere");
    const theirs = await locations.read(`file://${folder}/warehouse/theirs`);
    expect(theirs && utf8Text(theirs.bytes)).toBe("written elsewhere");
    await locations.delete(uri);
    await locations.delete(uri);
    expect(existsSync(file)).toBe(false);
  });

  it("are looked after: a look sees a file go, come back and give way to others", async () => {
    const directory = `file:${folder}/warehouse/t`;
    await locations.write(`${directory}/v1`, utf8("{}"));
    const stands = locations.watch(`${directory}/v1`);
    expect(await stands()).toBe(true);
    await locations.delete(`${directory}/v1`);
    expect(await stands()).toBe(false);
    await locations.write(`${directory}/v1/below`, utf8("{}"));
    expect(await stands()).toBe(false);
    rmSync(join(folder, "warehouse", "t"), { recursive: true });
    expect(await stands()).toBe(false);
    writeFileSync(join(folder, "warehouse", "t"), "a file where the directory was");
    expect(await stands()).toBe(false);
    rmSync(join(folder, "warehouse", "t"));
    await locations.write(`${directory}/v1`, utf8("{}"));
    expect(await stands()).toBe(true);
  });

  it("are never overwritten", async () => {
    const uri = `file:${folder}/warehouse/t/one`;
    await locations.write(uri, utf8("first"));
    await expect(locations.write(uri, utf8("second"))).rejects.toEqual(
      expect.objectContaining({ kind: "Conflict", code: "LOCATION_TAKEN" }),
    );
    expect(utf8Text((await locations.read(uri))?.bytes ?? utf8(""))).toBe("first");
  });

  it("keep clear of directories", async () => {
    const directory = `file:${folder}/warehouse/t/metadata`;
    await locations.makeDirectory(directory);
    await locations.makeDirectory(directory);
    expect(await locations.exists(directory)).toBe(false);
    expect(await locations.read(directory)).toBeUndefined();
    await locations.delete(directory);
    expect(existsSync(join(folder, "warehouse", "t", "metadata"))).toBe(true);
    const refused = refusal("BLOB_PATH_UNSUPPORTED");
    await expect(locations.write(directory, utf8("x"))).rejects.toEqual(refused);
    await locations.write(`${directory}/v1`, utf8("x"));
    await expect(locations.write(`${directory}/v1/below`, utf8("x"))).rejects.toEqual(refused);
    await expect(locations.makeDirectory(`${directory}/v1`)).rejects.toEqual(refused);
    expect(await locations.read(`${directory}/v1/below`)).toBeUndefined();
  });

  it("whose names no file system holds are refused as the request's fault", async () => {
    const long = `file:${folder}/warehouse/${"x".repeat(256)}`;
    await expect(locations.write(long, utf8("x"))).rejects.toEqual(
      refusal("BLOB_PATH_UNSUPPORTED"),
    );
    const root = `file:${folder}/warehouse`;
    await expect(locations.write(root, utf8("x"))).rejects.toEqual(refusal("LOCATION_INVALID"));
  });
});

describe("other schemes", () => {
  it("plug in beside file", async () => {
    const store = new MemoryBlobStore(ports.clock);
    const mem: LocationScheme = {
      normalize: (uri) => uri.replace(/\/+$/, ""),
      open: (root) => ({ store, pathOf: (location) => location.slice(root.length + 1) }),
    };
    const both = new Locations({
      ...ports,
      allowedRoots: ["mem://bucket", `file://${folder}`],
      schemes: new Map([["mem", mem]]),
    });
    await both.write("mem://bucket/a/b", utf8("x"));
    expect(await both.exists("mem://bucket/a/b")).toBe(true);
    expect(await both.watch("mem://bucket/a/b")()).toBe(true);
    expect(await store.head("a/b")).toBeDefined();
    await both.makeDirectory("mem://bucket/a");
    await expect(both.read("mem://other/a")).rejects.toEqual(refusal("LOCATION_NOT_ALLOWED"));
  });
});

describe("s3", () => {
  const buckets = new Map<string, MemoryBlobStore>();
  const asked: string[] = [];
  const counting = (bucket: string): MemoryBlobStore => {
    const store = new MemoryBlobStore(ports.clock);
    const head = store.head.bind(store);
    store.head = (path) => {
      asked.push(path);
      return head(path);
    };
    buckets.set(bucket, store);
    return store;
  };
  const lake = (watched: boolean) =>
    new Locations({
      ...ports,
      allowedRoots: ["s3://lake", "s3://lake/w/inner", "s3://other/w"],
      reserved: ["s3://lake/firn/"],
      schemes: new Map([["s3", s3Scheme({ open: counting, watched })]]),
    });

  it.each([
    ["s3://lake", "s3://lake"],
    ["S3://lake/", "s3://lake"],
    ["s3://lake/a/b/", "s3://lake/a/b"],
    ["s3://lake/a b/c%20d/é", "s3://lake/a b/c%20d/é"],
    ["s3://lake/…/..b/c.", "s3://lake/…/..b/c."],
  ])("%s is %s", (uri, normal) => {
    expect(lake(true).normalize(uri)).toBe(normal);
    expect(lake(true).normalize(normal)).toBe(normal);
  });

  it.each([
    ...["s3:", "s3:lake/a", "s3:/lake/a", "s3://", "s3:///a", "s3://la_ke/a", "s3://Lake/a"],
    ...["s3://l/a", "s3://user@lake/a", "s3://lake:80/a", "s3://lake/a//b", "s3://lake/a//"],
    ...["s3://lake/./a", "s3://lake/a/..", "s3://lake/a?versionId=1", "s3://lake/a#b"],
    ...["s3://lake/a\0b", "s3://lake/a\nb", "s3://lake/a\ud800", "s3://lake?/a"],
  ])("refuses %j", (uri) => {
    expect(() => lake(true).normalize(uri)).toThrow(refusal("LOCATION_INVALID"));
  });

  it.each(["s3a://lake/a", "s3n://lake/a", "gs://lake/a"])("knows no scheme of %j", (uri) => {
    expect(() => lake(true).normalize(uri)).toThrow(refusal("LOCATION_UNSUPPORTED"));
  });

  it("has exact keys, in one store for all roots of a bucket", async () => {
    const locations = lake(true);
    await locations.write("s3://lake/a b/c%20d/v1.json", utf8("x"));
    await locations.write("s3://lake/w/inner/t/v1.json", utf8("x"));
    await locations.write("s3://other/w/é", utf8("x"));
    const keysOf = async (bucket: string) =>
      (await buckets.get(bucket)?.list(""))?.map(({ path }) => path);
    expect(await keysOf("lake")).toEqual(["a b/c%20d/v1.json", "w/inner/t/v1.json"]);
    expect(await keysOf("other")).toEqual(["w/é"]);
    await locations.deleteMany(["s3://lake/w/inner/t/v1.json", "s3://other/w/é"]);
    expect(await keysOf("lake")).toEqual(["a b/c%20d/v1.json"]);
    expect(await keysOf("other")).toEqual([]);
    for (const root of ["s3://lake", "s3://lake/w/inner", "s3://other/w"]) {
      expect(await locations.exists(root)).toBe(false);
      const write = locations.write(root, utf8("x"));
      await expect(write).rejects.toEqual(refusal("LOCATION_INVALID"));
    }
    const outside = locations.read("s3://other/x");
    await expect(outside).rejects.toEqual(refusal("LOCATION_NOT_ALLOWED"));
  });

  it("keeps what is reserved from everybody, whatever is allowed", async () => {
    const locations = lake(true);
    locations.addRoot("s3://lake/firn/x");
    const refused = refusal("LOCATION_NOT_ALLOWED");
    for (const uri of ["s3://lake/firn", "s3://lake/firn/", "s3://lake/firn/x/y"]) {
      expect(() => locations.assertAllowed(uri)).toThrow(refused);
      await expect(locations.read(uri)).rejects.toEqual(refused);
      await expect(locations.write(uri, utf8("x"))).rejects.toEqual(refused);
      await expect(locations.delete(uri)).rejects.toEqual(refused);
    }
    expect(locations.assertAllowed("s3://lake/firnx")).toBe("s3://lake/firnx");
  });

  it("asks after kept files only where it is told to", async () => {
    const uri = "s3://lake/t/v1";
    for (const watched of [true, false]) {
      const locations = lake(watched);
      await locations.write(uri, utf8("x"));
      const stands = locations.watch(uri);
      await locations.delete(uri);
      asked.length = 0;
      expect([await stands(), await locations.stands(uri)]).toEqual([!watched, !watched]);
      expect(asked).toHaveLength(watched ? 2 : 0);
      expect(await locations.exists(uri)).toBe(false);
      expect(() => locations.watch("s3://lake/firn/x")).toThrow(refusal("LOCATION_NOT_ALLOWED"));
    }
  });
});

describe("a deferred store", () => {
  it("is opened when it is first used, once, and again where that failed", async () => {
    let opened = 0;
    const store = new DeferredBlobStore(async () => {
      if (opened++ === 0) throw new Error("not yet");
      return new MemoryBlobStore(ports.clock);
    });
    expect(opened).toBe(0);
    await expect(store.get("a")).rejects.toThrow("not yet");
    await Promise.all([store.put("a", utf8("x")), store.head("a"), store.list("")]);
    expect(opened).toBe(2);
    expect(utf8Text((await store.get("a"))?.bytes ?? utf8(""))).toBe("x");
  });
});

it("s3a: and s3n: mean what s3: means, and are answered as they were given", () => {
  const open = () => {
    throw new Error("asks for nothing");
  };
  const scheme = s3Scheme({ open, watched: false });
  const schemes = new Map(S3_SCHEMES.map((name) => [name, scheme]));
  const { clock, prng } = ports;
  const both = new Locations({ clock, prng, allowedRoots: ["s3a://lake/w"], schemes });
  for (const given of ["s3", "s3a", "s3n", "S3A"]) {
    expect(both.assertAllowed(`${given}://lake/w/t/`)).toBe("s3://lake/w/t");
    expect(both.spelled(`${given}://lake/w/t/`)).toBe(`${given.toLowerCase()}://lake/w/t`);
  }
  expect(() => both.assertAllowed("s3a://lake/v")).toThrow();
  expect(() => both.assertAllowed("s3b://lake/w/t")).toThrow();
});
