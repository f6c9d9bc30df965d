import fc from "fast-check";
import { expect, test } from "vitest";
import type { Item } from "../../src/pointer/port.ts";
import { countOf, pointerKind } from "../support/pointer-kind.ts";
import { checkStore } from "./support/check-store.ts";
import { Model } from "./support/model.ts";
import { anyStep, outcomeOf, START, type Step } from "./support/random-operations.ts";
import { fullKey, parsedKey, readStore } from "./support/read-store.ts";
import { replay } from "./support/replay.ts";
import { imageOf, openWorld, type World } from "./support/world.ts";

/** Follows from recorded keys, or from the tree; everything else is a source. */
const NOT_RECORDED = new Set([
  "receipt",
  "change",
  "accountGuard",
  "catalogGuard",
  "namespaceGuard",
  "tableByName",
  "viewByName",
  "jobById",
  "jobDue",
  "tableByUuid",
  "tableByMetadata",
  "tableIndex",
]);

/** Steps with the node that takes each: what one node has cached, the other one changes. */
const history = fc
  .array(fc.tuple(anyStep, fc.nat({ max: 1 })), { maxLength: 60, size: "max" })
  .map((steps) => [...START.map((step) => [step, 0] as const), ...steps]);

async function runBoth(
  world: World,
  steps: readonly (readonly [Step, number])[],
  tally: Map<string, number>,
): Promise<void> {
  const model = new Model();
  for (const [step, node] of steps) {
    const expected = await outcomeOf(() => step.model(model));
    const { catalog } = world.nodes[node]!;
    expect(await outcomeOf(() => step.real(catalog)), step.name).toEqual(expected);
    const words = typeof expected === "string" ? expected.split(" ") : ["listed"];
    const kind =
      words.find((word) => /^[A-Z]+_[A-Z_]+$/.test(word)) ??
      (words[0] === "listed" ? "listed" : "done");
    tally.set(kind, (tally.get(kind) ?? 0) + 1);
  }
}

test("a random history answers as a plain tree does, and its records rebuild it", async () => {
  const image = await imageOf([]);
  const tally = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const world = await openWorld(image, 2);
      await runBoth(world, steps, tally);
      await checkStore(world.pointers, world.blobs);
      const content = await readStore(world.pointers, world.blobs);
      const stored = new Map(
        [...content.items.values()].flatMap((item) => {
          if (item.state === "absent" || NOT_RECORDED.has(parsedKey(item.key).family)) return [];
          const { version, blobPath, summary } = item;
          const hex = Buffer.from(summary ?? new Uint8Array()).toString("hex");
          return [[item.key, { version, blobPath, summary: hex }] as const];
        }),
      );
      expect(await replay(content, world.blobs)).toEqual(stored);
    }),
    { numRuns: countOf(250, 50) },
  );
  console.log(`answers: ${JSON.stringify(Object.fromEntries(tally))}`);
  // So few as run over other pointers need not meet every refusal; that the draw can is shown here.
  if (pointerKind() !== "memory") return;
  // A history that is all refusals would prove little.
  for (const answer of [
    "done",
    "listed",
    "TABLE_ALREADY_EXISTS",
    "LOCATION_TAKEN",
    "LOCATION_OVERLAPS",
    "TABLE_NOT_FOUND",
    "VIEW_ALREADY_EXISTS",
    "VIEW_NOT_FOUND",
    "NAMESPACE_ALREADY_EXISTS",
    "NAMESPACE_HAS_CHILDREN",
    "NAMESPACE_NOT_EMPTY",
    "CATALOG_NOT_EMPTY",
  ]) {
    expect(tally.get(answer) ?? 0, answer).toBeGreaterThan(0);
  }
});

test("each mutation writes one receipt and one change record, and records the rest", async () => {
  const image = await imageOf([]);
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const world = await openWorld(image, 1);
      const { catalog } = world.nodes[0]!;
      let before = await readStore(world.pointers, world.blobs);
      for (const [step] of steps) {
        await outcomeOf(() => step.real(catalog));
        const after = await readStore(world.pointers, world.blobs);
        const moved = [...after.items.values()].filter(
          (item) => before.items.get(item.key)?.version !== item.version,
        );
        // A fence leaves a tombstone where the receipt of a refused batch would be.
        const isFence = (item: Item) =>
          item.state === "absent" && parsedKey(item.key).family === "receipt";
        // What was held and refused is let go of.
        const changes = [...after.changes].filter(([id]) => !before.changes.has(id));
        const keys = changes.flatMap(([, { record }]) => record.keys.map(({ key }) => key));
        const { account } = catalog.context;
        const told = new Set(keys.map((key) => fullKey(account, key)));
        const isLetGo = (item: Item) =>
          item.state === "absent" &&
          !told.has(item.key) &&
          before.items.get(item.key)?.state !== "live" &&
          parsedKey(item.key).family === "location";
        const written = moved.filter((item) => !isFence(item) && !isLetGo(item));
        const families = written.map((item) => parsedKey(item.key).family);
        const batches = step.many === true ? changes.length : 1;
        const expected = written.length === 0 ? 0 : batches;
        expect(changes, step.name).toHaveLength(expected);
        expect(families.filter((family) => family === "receipt")).toHaveLength(expected);
        const recorded = step.many === true ? [...new Set(keys)] : keys;
        const sources = written.filter((item) => !NOT_RECORDED.has(parsedKey(item.key).family));
        expect(recorded.map((key) => fullKey(account, key)).sort()).toEqual(
          sources.map(({ key }) => key).sort(),
        );
        before = after;
      }
    }),
    { numRuns: countOf(60, 10) },
  );
});
