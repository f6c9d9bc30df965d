import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { LIMITS } from "../../src/base/limits.ts";
import type { AccountCatalog } from "../../src/catalog/catalog.ts";
import { FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { ACTOR, openTestCatalog, testStores } from "../support/open-catalog.ts";
import { SleepIsTime, VirtualClock } from "../support/virtual-clock.ts";
import { checkStore } from "./support/check-store.ts";
import { draft, FAULTS, heldCommit, keyed, mark, opened, pair, REF } from "./support/keyed.ts";

/*
 * A key belongs to one request of the account, whatever that is about: the same key for another
 * operation or another table is refused, on every node, and never carried out beside the first.
 */

const REUSED = { kind: "Invalid", code: "IDEMPOTENCY_KEY_REUSED" };
const OTHER = { catalog: "c", path: ["b"] } as const;

/** Another request than `keyed()`, under the same key. */
const another = () => keyed(undefined, 2);

const table = (name: string) => ({ ...REF, name });

test("a key is good for no other operation or table, on any node", async () => {
  const clock = new VirtualClock();
  const stores = testStores({ clock });
  const first = await opened(stores);
  await first.namespaces.create(ACTOR, REF, {});
  await first.tables.create(ACTOR, "create-table", table("t"), draft("file:///w/t"));
  await first.tables.create(keyed(), "create-table", table("u"), draft("file:///w/u"));
  const restarted = await openTestCatalog({ ...stores, prng: testStores({ seed: 2 }).prng });
  const before = await first.tables.list(REF, {});
  const reuses = ({ namespaces, tables }: AccountCatalog): readonly Promise<unknown>[] => [
    tables.create(another(), "create-table", table("v"), draft("file:///w/v")),
    tables.update(another(), "commit-table", table("t"), async () => undefined),
    tables.rename(another(), table("t"), table("v")),
    tables.drop(another(), table("t"), { purgeRequested: false }),
    namespaces.create(another(), OTHER, {}),
    namespaces.update(another(), REF, mark("x")),
    namespaces.drop(another(), REF),
    // What would be refused anyhow, and what would change nothing.
    namespaces.drop(another(), OTHER),
    namespaces.update(another(), REF, () => ({ properties: undefined, detail: "" })),
  ];
  for (const node of [first, restarted]) {
    const answers = await Promise.allSettled(reuses(node));
    expect(answers).toHaveLength(9);
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: "rejected", reason: REUSED });
    }
  }
  expect(await restarted.tables.list(REF, {})).toEqual(before);
  const again = keyed();
  await restarted.tables.create(again, "create-table", table("u"), draft("file:///w/u"));
  expect(again.idempotency.replayed).toBe(true);
  await checkStore(stores.pointers, stores.blobs);
  clock.skip(LIMITS.receiptLifeMs + 2 * LIMITS.clockSkewMs);
  await restarted.tables.drop(another(), table("t"), { purgeRequested: false });
});

test("a refusal takes its key too", async () => {
  const { namespaces } = await opened();
  await namespaces.create(ACTOR, REF, {});
  const taken = { code: "NAMESPACE_ALREADY_EXISTS" };
  await expect(namespaces.create(keyed(), REF, {})).rejects.toMatchObject(taken);
  await expect(namespaces.create(another(), OTHER, {})).rejects.toMatchObject(REUSED);
});

test("of two requests of one key for two tables at once exactly one is carried out", async () => {
  const stores = testStores({ clock: new SleepIsTime() });
  const first = await opened(stores);
  const second = await openTestCatalog({ ...stores, prng: testStores({ seed: 2 }).prng });
  await first.namespaces.create(ACTOR, REF, {});
  const made: string[] = [];
  for (let i = 0; i < 40; i++) {
    const key = `0199d8a0-0000-7000-8000-0000000002${String(i).padStart(2, "0")}`;
    const create = ({ tables }: AccountCatalog, name: string, hash: number) =>
      tables.create(keyed(key, hash), "create-table", table(name), draft(`file:///w/${name}`));
    const names = [`a${i}`, `b${i}`] as const;
    const answers = await Promise.allSettled([
      create(first, names[0], 1),
      create(second, names[1], 2),
    ]);
    const lost = answers.flatMap((answer) =>
      answer.status === "rejected" ? [answer.reason as unknown] : [],
    );
    expect(lost).toEqual([expect.objectContaining(REUSED)]);
    made.push(names[answers.findIndex(({ status }) => status === "fulfilled")] ?? "");
  }
  const { items } = await first.tables.list(REF, { limit: 100 });
  expect([...items].sort()).toEqual(made.sort());
  await checkStore(stores.pointers, stores.blobs);
});

test("who saw a free key is refused once it is another's, and leaves nothing", async () => {
  const early = heldCommit();
  const { stores, honest, node } = await pair(early.script);
  early.arm();
  const create = ({ tables }: AccountCatalog) =>
    tables.create(keyed(), "create-table", table("t"), draft("file:///w/t"));
  const slow = create(node);
  slow.catch(() => undefined);
  await early.reached;
  await honest.namespaces.update(another(), REF, mark("other"));
  early.go();
  await expect(slow).rejects.toMatchObject(REUSED);
  await expect(create(honest)).rejects.toMatchObject(REUSED);
  expect((await honest.tables.list(REF, {})).items).toEqual([]);
  const again = another();
  await node.namespaces.update(again, REF, mark("late"));
  expect(again.idempotency.replayed).toBe(true);
  await checkStore(stores.pointers, stores.blobs);
});

test("one of two requests of a key happens, once, whatever is lost on the way", async () => {
  let firsts = 0;
  let seconds = 0;
  for (const fault of FAULTS) {
    for (let at = 0; at < 10; at++) {
      const stores = testStores({ clock: new SleepIsTime() });
      const honest = await opened(stores);
      for (const ref of [REF, OTHER]) await honest.namespaces.create(ACTOR, ref, {});
      let call = 0;
      let broken = false;
      // The call of that index fails, and no commit is answered until the client asks again.
      const pointers = new FaultyPointerStore(stores.pointers, (_index, method) => {
        if (call++ === at) broken = true;
        return broken && method === "commit" ? fault : undefined;
      });
      const node = await openTestCatalog({ ...testStores({ seed: 4 }), ...stores, pointers });
      call = 0;
      broken = false;
      const ask = () => node.namespaces.update(keyed(), REF, mark("mine")).then(() => "mine", code);
      const rival = () =>
        honest.namespaces.update(another(), OTHER, mark("other")).then(() => "other", code);
      const heard = [await ask(), await rival()];
      broken = false;
      await pointers.releaseAll();
      const mine = await ask();
      const other = await rival();
      // The key is one request's for good, and who was told that it was theirs was told the truth.
      expect([mine, other].sort()).toEqual(
        mine === "mine" ? ["IDEMPOTENCY_KEY_REUSED", "mine"] : ["IDEMPOTENCY_KEY_REUSED", "other"],
      );
      const winner = mine === "mine" ? mine : other;
      for (const said of heard) {
        expect([winner, "IDEMPOTENCY_KEY_REUSED", "OUTCOME_UNKNOWN", "STORE_OVERLOADED"]).toContain(
          said,
        );
      }
      const of = async (ref: typeof REF | typeof OTHER) =>
        (await honest.namespaces.get(ref)).entity.properties;
      expect({ ...(await of(REF)), ...(await of(OTHER)) }).toEqual({ [winner]: "1" });
      if (winner === "mine") firsts++;
      else seconds++;
      await checkStore(stores.pointers, stores.blobs);
    }
  }
  expect(firsts + seconds).toBe(50);
  expect(firsts).toBeGreaterThan(5);
  expect(seconds).toBeGreaterThan(5);
});

function code(error: unknown): string {
  if (error instanceof FirnError) return error.code;
  throw error;
}

test("a key is good for as long as clients are told, by whichever node's clock", async () => {
  const { receiptLifeMs, clockSkewMs } = LIMITS;
  const { pointers, blobs } = testStores();
  // Each clock is as far off as a node may be that serves.
  const slow = new VirtualClock();
  const fast = new VirtualClock();
  fast.skip(2 * clockSkewMs);
  const nodes = [slow, fast].map((clock, i) => testStores({ clock, pointers, blobs, seed: i + 1 }));
  const writer = await opened(nodes[0]);
  const reader = await openTestCatalog(nodes[1]);
  await writer.namespaces.create(keyed(), REF, {});
  fast.skip(receiptLifeMs - 1);
  const again = keyed();
  await reader.namespaces.create(again, REF, {});
  expect(again.idempotency.replayed).toBe(true);
  await expect(reader.namespaces.create(another(), OTHER, {})).rejects.toMatchObject(REUSED);
});
