import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TableId } from "../../src/base/ids.ts";
import { LINK_SHAPE, Links } from "../../src/patterns/links.ts";
import { codeOf, Dice, type PatternWorld, patternWorld } from "./support.ts";

let world: PatternWorld;
let id: TableId;

beforeEach(async () => {
  world = await patternWorld();
  id = await world.table(LINK_SHAPE);
});
afterEach(() => world.end());

const open = (): Links => new Links(world.of(id));

async function add(links: Links, ...nodes: readonly string[]): Promise<void> {
  for (const node of nodes) expect(await links.addNode(node)).toBe(true);
}

describe("links", () => {
  it("are found from both ends, over a restart", async () => {
    const links = open();
    await add(links, "a", "b", "c");
    expect(await links.link("a", "b")).toBe(true);
    expect(await links.link("a", "c")).toBe(true);
    expect(await links.link("a", "b")).toBe(false);
    expect(await links.link("b", "b")).toBe(true);
    await world.at.reopen();
    const again = open();
    expect(await again.linked("a", { direction: "from" })).toEqual(["b", "c"]);
    expect(await again.linked("a", { direction: "to" })).toEqual([]);
    expect(await again.linked("b", { direction: "to" })).toEqual(["a", "b"]);
    expect(await again.linked("a", { direction: "from", limit: 1 })).toEqual(["b"]);
    expect(await again.linked("a", { direction: "from", after: "b" })).toEqual(["c"]);
    expect(await again.unlink("a", "b")).toBe(true);
    expect(await again.unlink("a", "b")).toBe(false);
    expect(await again.linked("b", { direction: "to" })).toEqual(["b"]);
    expect(await again.unlink("c", "a")).toBe(false);
  });

  it("keep their nodes, and need them", async () => {
    const links = open();
    await add(links, "a", "b");
    expect(await links.addNode("a")).toBe(false);
    expect(await codeOf(links.link("a", "none"))).toBe("LINK_NODE_NOT_FOUND");
    expect(await codeOf(links.link("none", "a"))).toBe("LINK_NODE_NOT_FOUND");
    await links.link("a", "b");
    expect(await codeOf(links.removeNode("a"))).toBe("LINKS_OPEN");
    expect(await codeOf(links.removeNode("b"))).toBe("LINKS_OPEN");
    await links.unlink("a", "b");
    expect(await links.removeNode("a")).toBe(true);
    expect(await links.removeNode("a")).toBe(false);
    expect([await links.hasNode("a"), await links.hasNode("b")]).toEqual([false, true]);
    expect(await codeOf(links.link("b", "a"))).toBe("LINK_NODE_NOT_FOUND");
  });

  it("stand in the transaction of their caller", async () => {
    const links = open();
    await add(links, "a", "b");
    const work = world.at.rows.run(async (tx) => {
      const own = links.in(tx);
      await own.link("a", "b");
      expect(await own.linked("b", { direction: "to" })).toEqual(["a"]);
      await own.removeNode("b");
    });
    expect(await codeOf(work)).toBe("LINKS_OPEN");
    expect(await links.linked("a", { direction: "from" })).toEqual([]);
  });

  it("refuse what is not a name", async () => {
    const links = open();
    const wrong = "PATTERN_VALUE_INVALID";
    for (const name of ["", "a\0", "x".repeat(1_025)]) {
      expect(await codeOf(links.addNode(name))).toBe(wrong);
      expect(await codeOf(links.link(name, "a"))).toBe(wrong);
      expect(await codeOf(links.unlink("a", name))).toBe(wrong);
      expect(await codeOf(links.linked(name, { direction: "to" }))).toBe(wrong);
    }
    expect(await codeOf(links.linked("a", { direction: "to", limit: 1_001 }))).toBe(wrong);
  });
});

describe("links under seeds", () => {
  it.each([1, 2, 3, 4])(
    "agree in both directions, none leads to a removed node: %i",
    async (seed) => {
      const dice = new Dice(seed);
      const both = [open(), open()];
      const names = ["a", "b", "c", "d"];
      const one = (): string => names[dice.below(names.length)] as string;
      const told = new Set<unknown>();
      const worker = async (): Promise<void> => {
        for (let i = 0; i < 30; i++) {
          const links = both[dice.below(2)] as Links;
          const what = dice.below(6);
          if (what === 0) told.add(`remove ${await codeOf(links.removeNode(one()))}`);
          else if (what === 1) await links.addNode(one());
          else if (what === 2) await links.unlink(one(), one());
          else told.add(`link ${await codeOf(links.link(one(), one()))}`);
          await dice.pause();
        }
      };
      await Promise.all(Array.from({ length: 12 }, worker));
      // All of it was met: otherwise the test shows nothing.
      expect([...told].sort()).toEqual([
        "link LINK_NODE_NOT_FOUND",
        "link done",
        "remove LINKS_OPEN",
        "remove done",
      ]);
      await world.at.reopen();
      const links = open();
      for (const from of names) {
        for (const to of await links.linked(from, { direction: "from" })) {
          expect([await links.hasNode(from), await links.hasNode(to)]).toEqual([true, true]);
          expect(await links.linked(to, { direction: "to" })).toContain(from);
        }
        for (const source of await links.linked(from, { direction: "to" })) {
          expect(await links.linked(source, { direction: "from" })).toContain(from);
        }
      }
      await world.at.rows.run(async (tx) => {
        const table = await tx.tables.get(id);
        const { missing, extra, wrong } = await tx.checkIndex(table, 1);
        expect([missing, extra, wrong]).toEqual([0, 0, 0]);
      });
      expect(world.at.rows.locked).toBe(0);
    },
  );
});
