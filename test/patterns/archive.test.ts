import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ARCHIVE_SHAPE,
  Archive,
  type ArchiveFiles,
  type ArchiveRequest,
  type ArchiveSource,
} from "../../src/patterns/archive.ts";
import type { PatternShape } from "../../src/patterns/pattern-table.ts";
import {
  type Datum,
  INT64_MAX,
  INT64_MIN,
  rowAt,
  type TableDescriptor,
} from "../../src/rows/index.ts";
import { codeOf, Dice, type PatternWorld, patternWorld } from "./support.ts";

const DAY = 86_400_000;
const REQUEST: ArchiveRequest = { keepMs: 2 * DAY, bucketMs: DAY };
const EVENTS: PatternShape = {
  columns: [
    { name: "at", type: { kind: "int8" } },
    { name: "id", type: { kind: "int4" } },
    { name: "what", type: { kind: "text" } },
  ],
  primaryKey: { parts: [{ column: "at" }, { column: "id" }] },
};

class Killed extends Error {}

/** Objects in memory, whose calls a test counts, or cuts off before or behind what they do. */
class Objects implements ArchiveFiles {
  readonly stored = new Map<string, Uint8Array>();
  calls = 0;
  /** The call that the process dies at, and whether it still takes effect. */
  dies: { readonly at: number; readonly isDone: boolean } | undefined;
  onWritten: () => Promise<unknown> = async () => undefined;
  damage = false;

  async #step<T>(work: () => T): Promise<T> {
    const isLast = this.calls++ === this.dies?.at;
    if (isLast && this.dies?.isDone === false) throw new Killed();
    const result = work();
    if (isLast) throw new Killed();
    return result;
  }

  async write(name: string, bytes: Uint8Array): Promise<string> {
    await this.#step(() => {
      expect(this.stored.has(name)).toBe(false);
      this.stored.set(name, bytes);
    });
    await this.onWritten();
    return name;
  }

  read(location: string): Promise<Uint8Array | undefined> {
    return this.#step(() => {
      const bytes = this.stored.get(location);
      return this.damage ? bytes?.slice(0, -9) : bytes;
    });
  }

  remove(location: string): Promise<void> {
    return this.#step(() => void this.stored.delete(location));
  }

  linesOf(location: string): readonly string[] {
    const text = gunzipSync(this.stored.get(location) ?? Buffer.alloc(0)).toString();
    return text === "" ? [] : text.trimEnd().split("\n");
  }
}

let world: PatternWorld;
let files: Objects;
let archiveId: Awaited<ReturnType<PatternWorld["table"]>>;
let eventsId: typeof archiveId;

beforeEach(async () => {
  world = await patternWorld();
  world.clock.ms = 100 * DAY;
  files = new Objects();
  archiveId = await world.table(ARCHIVE_SHAPE, "archive");
  eventsId = await world.table(EVENTS, "events");
});
afterEach(() => world.end());

const archive = (): Archive => new Archive(world.of(archiveId), files);

function source(id = eventsId): ArchiveSource {
  const text = (value: Datum): string => (typeof value === "bigint" ? String(value) : `${value}`);
  return { store: world.at.rows, id, printer: () => (row) => JSON.stringify(row.map(text)) };
}

async function insert(rows: readonly (readonly Datum[])[], id = eventsId): Promise<void> {
  await world.at.rows.run(async (tx) => void (await tx.insert(await tx.tables.get(id), rows)));
}

async function rowsOf(id = eventsId): Promise<readonly string[]> {
  return await world.at.rows.run(async (tx) => {
    const table: TableDescriptor = await tx.tables.get(id);
    const scan = tx.scan(table);
    const print = source().printer(table);
    const lines: string[] = [];
    for (let batch = await scan.nextBatch(); batch; batch = await scan.nextBatch()) {
      for (let i = 0; i < batch.count; i++) lines.push(print(rowAt(batch, i)));
    }
    return lines;
  });
}

/** Three rows a day, from the day 90 to the day 99. */
function tenDays(): (readonly Datum[])[] {
  const days = Array.from({ length: 10 }, (_, i) => 90 + i);
  return days.flatMap((day) => [0, 1, 2].map((id) => [BigInt(day * DAY + id), id, `on ${day}`]));
}

/** Lines of all noted objects, which are those that count. */
async function archivedLines(): Promise<readonly string[]> {
  const objects = await archive().objects();
  return objects.flatMap(({ location }) => files.linesOf(location));
}

describe("an archive", () => {
  it("takes whole buckets that are over for long enough, an object each", async () => {
    await insert(tenDays());
    const before = await rowsOf();
    const { objects, isDone } = await archive().run(source(), REQUEST);
    expect(isDone).toBe(true);
    // The day 97 ended two days ago.
    expect(objects.map(({ bucket, part, rows }) => [bucket, part, rows])).toEqual(
      Array.from({ length: 8 }, (_, i) => [BigInt((90 + i) * DAY), 1n, 3n]),
    );
    expect(objects[0]).toMatchObject({ atMs: world.clock.ms });
    expect(await rowsOf()).toEqual(before.slice(24));
    expect(await archivedLines()).toEqual(before.slice(0, 24));
    expect(await archive().objects()).toEqual(objects);
    const after = { bucket: BigInt(91 * DAY), part: 1n };
    expect(await archive().objects({ after, limit: 2 })).toEqual(objects.slice(2, 4));
    expect(await archive().run(source(), REQUEST)).toEqual({ objects: [], isDone: true });
  });

  it("goes on behind as many objects as one call may write", async () => {
    await insert(tenDays());
    const first = await archive().run(source(), { ...REQUEST, maxObjects: 3 });
    expect([first.objects.length, first.isDone]).toEqual([3, false]);
    const second = await archive().run(source(), { ...REQUEST, maxObjects: 9 });
    expect([second.objects.length, second.isDone]).toEqual([5, true]);
  });

  it("takes rows that came late as a further part of their bucket", async () => {
    await insert(tenDays());
    await archive().run(source(), REQUEST);
    await insert([[BigInt(92 * DAY + 7), 7, "late"]]);
    const { objects } = await archive().run(source(), REQUEST);
    expect(objects).toMatchObject([{ bucket: BigInt(92 * DAY), part: 2n, rows: 1n }]);
    expect(files.linesOf(objects[0]?.location ?? "")).toEqual([
      JSON.stringify([String(92 * DAY + 7), "7", "late"]),
    ]);
  });

  it("keeps rows whose object cannot be read back as it was written", async () => {
    await insert(tenDays());
    const before = await rowsOf();
    files.damage = true;
    expect(await codeOf(archive().run(source(), REQUEST))).toBe("ARCHIVE_UNVERIFIED");
    expect([await rowsOf(), await archive().objects()]).toEqual([before, []]);
  });

  it("takes what others write meanwhile along, or leaves it", async () => {
    await insert(tenDays());
    let turn = 0;
    files.onWritten = async () => {
      turn++;
      if (turn === 1) await insert([[BigInt(90 * DAY + 1), 9, "between"]]);
      if (turn === 3) await insert([[BigInt(91 * DAY + 50), 9, "behind"]]);
    };
    const { objects } = await archive().run(source(), REQUEST);
    // What lies behind the last row of an object is left to the next.
    expect(objects.slice(0, 3).map(({ rows, part }) => [rows, part])).toEqual([
      [4n, 1n],
      [3n, 1n],
      [1n, 2n],
    ]);
    // The object that was overtaken is gone.
    expect(files.stored.size).toBe(objects.length);
    expect((await archivedLines()).filter((line) => /between|behind/.test(line))).toHaveLength(2);
  });

  it("gives up where others never stop writing, and loses nothing", async () => {
    await insert(tenDays());
    let n = 0;
    files.onWritten = () => insert([[BigInt(90 * DAY), 100 + n++, "again"]]);
    expect(await codeOf(archive().run(source(), REQUEST))).toBe("ARCHIVE_CHANGING");
    expect(await rowsOf()).toHaveLength(30 + n);
    expect([await archive().objects(), files.stored.size]).toEqual([[], 0]);
  });
});

describe("a process that dies while it archives", () => {
  it.each([true, false])("has no row lost and none twice, effect: %s", async (isDone) => {
    await insert(tenDays());
    const before = await rowsOf();
    for (let at = 0; ; at += 3) {
      files.dies = { at, isDone };
      const ran = await archive()
        .run(source(), { ...REQUEST, maxObjects: 2 })
        .catch((error: unknown) => error);
      const isKilled = ran instanceof Killed;
      if (isKilled) await world.at.reopen();
      expect([at, await archivedLines(), await rowsOf()]).toEqual([
        at,
        before.slice(0, (await archivedLines()).length),
        before.slice((await archivedLines()).length),
      ]);
      if (!isKilled) break;
    }
    files.dies = undefined;
    await archive().run(source(), REQUEST);
    expect(await archivedLines()).toEqual(before.slice(0, 24));
  });

  it.each([1, 2, 3])("among writers agrees with a model: %i", async (seed) => {
    const dice = new Dice(seed);
    const written = new Set<string>();
    let next = 0;
    const write = async (): Promise<void> => {
      const row = [BigInt((90 + dice.below(10)) * DAY + dice.below(50)), next++, "x"] as const;
      await insert([row]);
      written.add(JSON.stringify(row.map(String)));
    };
    files.onWritten = async () => {
      if (dice.below(3) === 0) await write();
    };
    for (let round = 0; round < 25; round++) {
      for (let i = dice.below(6); i > 0; i--) await write();
      const isDone = dice.below(2) === 0;
      files.dies = dice.below(2) === 0 ? { at: files.calls + dice.below(8), isDone } : undefined;
      const runs = [archive(), archive()].map((one) =>
        one.run(source(), { ...REQUEST, maxObjects: 1 + dice.below(4) }).catch((error) => error),
      );
      const ended = await Promise.all(runs);
      if (ended.some((one) => one instanceof Killed)) await world.at.reopen();
      const lines = [...(await archivedLines()), ...(await rowsOf())];
      expect([round, lines.toSorted()]).toEqual([round, [...written].sort()]);
    }
    expect((await archive().objects()).length).toBeGreaterThan(10);
  });
});

describe("a table to archive", () => {
  it("may have indexes and keys in any order behind the time", async () => {
    const shape: PatternShape = {
      ...EVENTS,
      primaryKey: { parts: [{ column: "at" }, { column: "id", direction: "desc" }] },
      indexes: [{ name: "by_what", parts: [{ column: "what" }] }],
    };
    const id = await world.table(shape, "indexed");
    await insert(tenDays(), id);
    await insert([[BigInt(90 * DAY), 5, "more"]], id);
    const { objects } = await archive().run(source(id), REQUEST);
    expect(objects.map(({ rows }) => rows)).toEqual([4n, ...Array(7).fill(3n)]);
    expect(await rowsOf(id)).toHaveLength(6);
    const report = await world.at.rows.run(async (tx) => tx.checkIndex(await tx.tables.get(id), 1));
    expect(report).toMatchObject({ rows: 6 });
  });

  it.each([
    ["date", [-Infinity, 90, 97, 98, Infinity], [1n, 1n]],
    ["timestamp", [INT64_MIN, -1n, 90n * 86_400_000_000n, INT64_MAX], [1n, 1n]],
    ["timestamptz", [98n * 86_400_000_000n - 1n, 98n * 86_400_000_000n], [1n]],
  ] as const)("has a key of %s, whose infinite times stay", async (kind, times, rows) => {
    const shape: PatternShape = {
      columns: [{ name: "at", type: { kind } }],
      primaryKey: { parts: [{ column: "at" }] },
    };
    const id = await world.table(shape, "times");
    await insert(
      times.map((time) => [time]),
      id,
    );
    const { objects } = await archive().run(source(id), REQUEST);
    expect(objects.map((one) => one.rows)).toEqual(rows);
    expect(await rowsOf(id)).toHaveLength(times.length - rows.length);
  });

  it("is refused where its key begins with something else", async () => {
    const desc: PatternShape = {
      ...EVENTS,
      primaryKey: { parts: [{ column: "at", direction: "desc" }, { column: "id" }] },
    };
    const text: PatternShape = { ...EVENTS, primaryKey: { parts: [{ column: "what" }] } };
    for (const [name, shape] of Object.entries({ desc, text })) {
      const id = await world.table(shape, name);
      const ran = archive().run(source(id), REQUEST);
      expect(await codeOf(ran)).toBe("ARCHIVE_TABLE_UNSUPPORTED");
    }
    await insert([[INT64_MIN, 1, "x"]]);
    expect(await codeOf(archive().run(source(), REQUEST))).toBe("ARCHIVE_TABLE_UNSUPPORTED");
    const wrong = { ...REQUEST, bucketMs: 0 };
    expect(await codeOf(archive().run(source(), wrong))).toBe("PATTERN_VALUE_INVALID");
  });
});
