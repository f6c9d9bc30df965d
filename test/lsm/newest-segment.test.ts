import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../src/base/bytes.ts";
import { ManifestObjects } from "../../src/lsm/manifest/objects.ts";
import { walName } from "../../src/lsm/wal/names.ts";
import { openIn, PORTS, storeIn } from "./damage/directory.ts";

const made: string[] = [];

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "firn-newest-"));
  made.push(path);
  return path;
}

afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

/** What a process leaves that wrote durably so often, and ended. */
async function left(writes: number): Promise<string> {
  const [lived, copy] = [directory(), directory()];
  const engine = await openIn(lived);
  for (let i = 1; i <= writes; i++) {
    await engine.put(utf8("key"), Buffer.alloc(9_000, String(i % 10)), { durable: true });
  }
  // A manifest behind those that name what was begun.
  await engine.advertise("http://somewhere");
  cpSync(lived, copy, { recursive: true });
  await engine.close();
  return copy;
}

const newestOf = (path: string): string =>
  join(
    path,
    "wal",
    readdirSync(join(path, "wal"))
      .filter((name) => name.endsWith(".wal"))
      .sort()
      .at(-1)!,
  );

describe("the newest segment of the log", () => {
  it.each([
    [
      "cut below its header, before it was ever rolled",
      2,
      (path: string) => truncateSync(path, 40),
    ],
    ["cut below its header", 20, (path: string) => truncateSync(path, 63)],
    ["empty", 20, (path: string) => truncateSync(path, 0)],
    ["zeros", 20, (path: string) => writeFileSync(path, new Uint8Array(65_536))],
    ["gone", 20, (path: string) => rmSync(path)],
  ])("is missed where it is %s", async (_, writes, damage) => {
    const path = await left(writes);
    const newest = newestOf(path);
    damage(newest);
    const file = newest.slice(newest.lastIndexOf("/") + 1);
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(openIn(path)).rejects.toMatchObject({
        kind: "Corrupt",
        code: "WAL_CORRUPT",
        context: { file: expect.stringContaining(file) },
      });
    }
  });

  it("is named before anything is acknowledged in it", async () => {
    const path = directory();
    const engine = await openIn(path);
    const files = { store: storeIn(path), prefix: "", clock: PORTS.clock, gcMinAgeMs: 0 };
    const newest = await new ManifestObjects(files).latest();
    const id = Number(newestOf(path).slice(-".wal".length - 20, -".wal".length));
    expect(newest?.walBegun).toBe(id);
    await engine.close();
  });

  it("may be without a header where nobody named it: its writer ended as it began", async () => {
    const path = await left(20);
    const newest = newestOf(path);
    const id = Number(newest.slice(newest.lastIndexOf("/") + 1, -".wal".length));
    writeFileSync(join(path, "wal", walName(id + 1)), new Uint8Array(0));
    const engine = await openIn(path);
    expect(utf8Text((await engine.get(utf8("key")))!.slice(0, 1))).toBe("0");
    await engine.close();
  });
});

describe("openings that fail", () => {
  it("leave no file each, and the one that succeeds finds all that was acknowledged", async () => {
    const path = await left(20);
    const segments = (): readonly string[] =>
      readdirSync(join(path, "wal")).filter((name) => name.endsWith(".wal"));
    const [oldest = ""] = segments().filter((name) => statSync(join(path, "wal", name)).size > 0);
    const file = join(path, "wal", oldest);
    const whole = readFileSync(file);
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, 4_100, 4_200);
    writeFileSync(file, damaged);
    const before = segments().length;
    for (let attempt = 0; attempt < 5; attempt++) {
      await expect(openIn(path)).rejects.toMatchObject({ kind: "Corrupt", code: "WAL_CORRUPT" });
      // The first one cannot know that it fails.
      expect(segments().length).toBe(before + 1);
    }
    writeFileSync(file, whole);
    const engine = await openIn(path);
    expect(utf8Text((await engine.get(utf8("key")))!.slice(0, 1))).toBe("0");
    await engine.put(utf8("key"), utf8("new"), { durable: true });
    await engine.flush();
    expect(segments().length).toBeLessThan(before);
    await engine.close();
  });

  it("none is begun where the newest segment itself has lost its header", async () => {
    const path = await left(20);
    truncateSync(newestOf(path), 0);
    const before = readdirSync(join(path, "wal"));
    await expect(openIn(path)).rejects.toMatchObject({ code: "WAL_CORRUPT" });
    expect(readdirSync(join(path, "wal"))).toEqual(before);
  });
});
