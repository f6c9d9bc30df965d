import { expect } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import type { BlobStore, PutResult } from "../../src/blob/port.ts";
import type { BlobCapabilities, BlobCheck } from "./blob-store-checks.ts";
import { textOf, turn } from "./blob-store-checks.ts";

const RACERS = 24;

/**
 * Races through several handles of one store (`rivals`: others than the one given, if a test has
 * any), as several nodes would run them.
 */
export function raceChecks(
  capabilities: Pick<BlobCapabilities, "raceRounds">,
  rivals: (store: BlobStore) => readonly BlobStore[] = () => [],
): Readonly<Record<string, BlobCheck>> {
  const rounds = capabilities.raceRounds ?? 100;
  const race = async (
    store: BlobStore,
    run: (handle: BlobStore, racer: number) => Promise<PutResult>,
  ): Promise<readonly PutResult[]> => {
    const handles = [store, ...rivals(store)];
    return Promise.all(
      Array.from({ length: RACERS }, (_, i) => run(handles[i % handles.length] ?? store, i)),
    );
  };

  return {
    async "absent: exactly one of many racers wins, and its bytes stand"(store) {
      for (let round = 0; round < rounds; round++) {
        const path = `r/${round}`;
        const results = await race(store, (handle, racer) =>
          handle.put(path, utf8(`${round} ${racer}`), "absent"),
        );
        await assertOneWinner(store, path, results, (racer) => `${round} ${racer}`);
      }
    },

    async "{etag}: exactly one of many racers wins, and its bytes stand"(store) {
      let { etag } = await store.put("a", utf8("start"));
      for (let round = 0; round < rounds; round++) {
        const expected = etag ?? "";
        const results = await race(store, (handle, racer) =>
          handle.put("a", utf8(`${round} ${racer}`), { etag: expected }),
        );
        await assertOneWinner(store, "a", results, (racer) => `${round} ${racer}`);
        etag = (await store.head("a"))?.etag;
      }
    },

    async "{etag}: no increment of a counter is lost"(store) {
      await store.put("counter", utf8("0"), "absent");
      const increment = async (handle: BlobStore): Promise<void> => {
        // A store that never lets anybody win must fail here, not hang.
        for (let attempt = 0; attempt < 1_000; attempt++) {
          const blob = await handle.get("counter");
          const next = Number(Buffer.from(blob?.bytes ?? []).toString()) + 1;
          const put = await handle.put("counter", utf8(`${next}`), { etag: blob?.etag ?? "" });
          if (put.outcome === "stored") return;
        }
        throw new Error("no increment got through");
      };
      const handles = [store, ...rivals(store)];
      const workers = Array.from({ length: 6 }, async (_, i) => {
        for (let n = 0; n < 5; n++) await increment(handles[i % handles.length] ?? store);
      });
      await Promise.all(workers);
      expect(await textOf(store, "counter")).toBe("30");
    },

    // Whichever of the two comes first, the other undoes or refuses the conditional put.
    async "{etag} against a delete or a put: the condition held until the write"(store) {
      for (let round = 0; round < rounds; round++) {
        const rival = rivals(store)[0] ?? store;
        const conditional = async (etag: string | undefined) =>
          store.put("a", utf8(`mine ${round}`), { etag: etag ?? "" });
        const deleted = await store.put("a", utf8(`deleted ${round}`));
        await Promise.all([conditional(deleted.etag), later(round).then(() => rival.delete("a"))]);
        expect(await store.head("a")).toBeUndefined();

        const replaced = await store.put("a", utf8(`replaced ${round}`));
        const theirs = utf8(`theirs ${round}`);
        await Promise.all([
          conditional(replaced.etag),
          later(round).then(() => rival.put("a", theirs)),
        ]);
        expect(await textOf(store, "a")).toBe(`theirs ${round}`);
      }
    },

    async "readers see one whole blob or another, and each under its own etag"(store) {
      const sizes = [1_000, 90_000, 3_000, 150_000];
      const contentOf = (i: number) => new Uint8Array(sizes[i % sizes.length] ?? 0).fill(65 + i);
      await store.put("a", contentOf(0));
      let done = false;
      // Keyed by etag: the one content that was ever read under it.
      const etags = new Map<string, number>();
      const read = async (handle: BlobStore): Promise<void> => {
        while (!done) {
          const whole = await handle.get("a");
          const first = whole?.bytes[0] ?? 0;
          expect(whole?.bytes.length).toBe(sizes[(first - 65) % sizes.length]);
          expect(whole?.bytes.every((byte) => byte === first)).toBe(true);
          expect(etags.get(whole?.etag ?? "") ?? first).toBe(first);
          etags.set(whole?.etag ?? "", first);
          const part = await handle.getSuffix("a", 700);
          expect(part?.bytes.length).toBe(700);
          expect(new Set(part?.bytes).size).toBe(1);
          expect(etags.get(part?.etag ?? "") ?? part?.bytes[0]).toBe(part?.bytes[0]);
          await turn();
        }
      };
      const reading = Promise.allSettled([store, ...rivals(store), store].map(read));
      try {
        for (let i = 0; i < 40; i++) {
          await store.put("a", contentOf(i % 20));
          await turn();
        }
      } finally {
        done = true;
      }
      for (const reader of await reading) {
        if (reader.status === "rejected") throw reader.reason;
      }
      expect(etags.size).toBeGreaterThan(1);
    },
  };
}

/** A few steps into whatever else was begun: another depth each round. */
async function later(round: number): Promise<void> {
  for (let step = 0; step < round % 10; step++) await undefined;
}

async function assertOneWinner(
  store: BlobStore,
  path: string,
  results: readonly PutResult[],
  textOfRacer: (racer: number) => string,
): Promise<void> {
  const winners = results.flatMap((result, i) => (result.outcome === "stored" ? [i] : []));
  expect(winners).toHaveLength(1);
  const winner = winners[0] ?? -1;
  expect(await textOf(store, path)).toBe(textOfRacer(winner));
  const etag = (await store.head(path))?.etag;
  expect(new Set(results.map((result) => result.etag))).toEqual(new Set([etag]));
}
