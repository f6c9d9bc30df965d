import { expect, it } from "vitest";
import { parseTransform } from "../../src/iceberg/transform.ts";
import { Lanes } from "../../src/service/lanes.ts";
import { LayoutRead } from "../../src/service/layout-read.ts";
import { SERVICE_LIMITS } from "../../src/service/limits.ts";
import { inlineReading } from "../../src/service/reading.ts";
import { fixtureFiles } from "../support/planted-table.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const LIST = "snap-5850721853984279161-0-ad0bd345-65af-4be4-bdf3-139271628108.avro";
const source = {
  manifestList: `file:///fixture/v2/metadata/${LIST}`,
  manifests: [],
  specs: new Map([
    [0, [{ transform: parseTransform("identity", "PARTITION_SPEC_INVALID"), source: undefined }]],
  ]),
};

/** Reads of the fixture, each of which takes so long, and how many there were. */
function readOf(msEach: number, missing: readonly string[] = []) {
  const files = fixtureFiles("v2");
  const clock = new VirtualClock();
  const gone = new Set(missing);
  const asked: string[] = [];
  const locations = {
    read: async (location: string) => {
      const name = location.split("/").at(-1) ?? "";
      asked.push(name);
      await clock.sleep(msEach);
      const bytes = gone.has(name) ? undefined : files.get(name);
      return bytes === undefined ? undefined : { bytes, etag: name };
    },
  };
  const parts = { locations, reading: inlineReading(), clock, lanes: new Lanes(2) };
  const read = new LayoutRead(parts, source);
  const advance = async () => {
    const done = read.advance().then(
      () => undefined,
      (error: unknown) => error,
    );
    await clock.run(done);
    return done;
  };
  return { read, advance, asked, gone };
}

it("reads on from where the time of the request before was over", async () => {
  const { read, advance, asked } = readOf(SERVICE_LIMITS.layoutMs * 0.7);
  const steps: (readonly [number, boolean])[] = [];
  while (!read.isComplete && steps.length < 10) {
    expect(await advance()).toBeUndefined();
    steps.push([read.read, read.isComplete]);
  }
  // The list and one manifest; then two manifests a request.
  expect(steps).toEqual([
    [1, false],
    [3, false],
    [4, true],
  ]);
  expect(asked).toHaveLength(5);
  expect(read.figures.data).toEqual({ files: 2, bytes: 1_778n, rows: 2n });
  await advance();
  expect(asked).toHaveLength(5);
});

it("those who ask at once share the reads", async () => {
  const { read, advance, asked } = readOf(10);
  await Promise.all([advance(), read.advance(), read.advance()]);
  expect([read.isComplete, asked.length]).toEqual([true, 5]);
});

it("goes on once a file that was missing is there again, and counts none twice", async () => {
  const { read, advance, gone } = readOf(1);
  const third = [...fixtureFiles("v2").keys()].filter((name) => name.endsWith("-m0.avro"));
  for (const name of third) gone.add(name);
  expect(await advance()).toMatchObject({ kind: "NotFound", code: "MANIFEST_MISSING" });
  expect(read.isComplete).toBe(false);
  gone.clear();
  expect(await advance()).toBeUndefined();
  expect(read.figures.data).toEqual({ files: 2, bytes: 1_778n, rows: 2n });
});

it("a lane is free again after work that failed", async () => {
  const lanes = new Lanes(1);
  const order: string[] = [];
  const failing = lanes.run(async () => {
    order.push("first");
    throw new Error("broken");
  });
  const next = lanes.run(async () => {
    order.push("second");
  });
  await expect(failing).rejects.toThrow("broken");
  await next;
  expect(order).toEqual(["first", "second"]);
});
