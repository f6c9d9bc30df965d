import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import { casesOf } from "./cases.ts";
import { writeDirectory } from "./directory.ts";
import { Judge } from "./judge.ts";
import { runDamages } from "./sample.ts";
import { headerOf, structureOf } from "./structure.ts";
import { Wrong } from "./wrong.ts";

const SEED = Number(process.env["PROPERTY_SEED"] ?? Date.now()) % 1_000_000;

describe("a directory of a shard that is damaged", () => {
  it(`is read right, or refused, naming the file (seed ${SEED}; run.ts does more)`, async () => {
    const { wrong, judged, outcomes } = await runDamages(SEED, 60);
    expect(wrong).toEqual([]);
    expect(judged).toBe(60);
    expect(outcomes.get("whole")).toBeGreaterThan(0);
    expect(outcomes.get("corrupt")).toBeGreaterThan(0);
  }, 120_000);

  it.each([false, true])(
    "without any one of its files (another has opened it: %s)",
    async (heir) => {
      const written = await writeDirectory(heir);
      const judge = new Judge(written);
      expect(judge.liveSegments).toBeGreaterThan(1);
      const outcomes: Record<string, number> = {};
      for (const damage of casesOf(written.files, new SeededPrng(1))) {
        if (!damage.name.endsWith(": gone")) continue;
        const outcome = await judge.judge(damage);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
      judge.end();
      // Three tables, and the segments that replay needs.
      expect(outcomes["corrupt"]).toBeGreaterThanOrEqual(5);
      expect(outcomes["tail"]).toBeUndefined();
      expect(outcomes["whole"]).toBeGreaterThan(0);
    },
    120_000,
  );

  it("is known part by part", async () => {
    const written = await writeDirectory(false);
    for (const [path, bytes] of written.files) {
      const { regions, lengths } = structureOf(path, bytes);
      for (const { start, end } of [...regions, ...lengths]) {
        expect(start).toBeLessThan(end);
        expect(end).toBeLessThanOrEqual(bytes.length);
      }
      const written = path.endsWith(".wal") ? headerOf(path, bytes) !== undefined : true;
      const covered = regions.reduce((sum, { start, end }) => sum + end - start, 0);
      if (written) expect(covered).toBeGreaterThanOrEqual(bytes.length);
      // A field that is sealed again as it was leaves the file as it was.
      for (const field of lengths) {
        const same = Buffer.from(bytes);
        field.reseal(same);
        expect(same.equals(bytes), `${path}: ${field.name}`).toBe(true);
      }
    }
  });
});

describe("the judge of it", () => {
  it("sees what is lost, and what is refused without need", async () => {
    const written = await writeDirectory(false);
    const wal = [...written.files].filter(([path]) => path.endsWith(".wal"));
    const [path, bytes] = wal.at(-1)!;
    const groups = structureOf(path, bytes).regions.filter(({ name }) => name.endsWith("payload"));
    const torn = Buffer.from(bytes);
    torn.fill(0, groups.at(-1)!.start, groups.at(-1)!.end);
    const judge = new Judge(written);
    expect(await judge.judge({ name: "torn", path, bytes: torn })).toBe("tail");
    judge.end();
    // The same files, said to hold a batch more, and one that was lost before.
    const liar = new Judge({ ...written, last: written.last + 1 });
    await expect(liar.judge({ name: "as it is", path, bytes })).rejects.toThrow(Wrong);
    liar.end();
    const files = new Map([...written.files, [path, torn]]);
    const blind = new Judge({ ...written, files });
    await expect(blind.judge({ name: "as it is", path, bytes: torn })).rejects.toThrow(Wrong);
    blind.end();
  });
});
