import { expect } from "vitest";
import { compareUtf8, utf8 } from "../../src/base/bytes.ts";
import type { BlobEntry, BlobStore } from "../../src/blob/port.ts";

/** One property of the port, checked on an empty store. Rejects when the store does not have it. */
export type BlobCheck = (store: BlobStore) => Promise<void>;

/** Where stores may honestly differ. */
export interface BlobCapabilities {
  /** Holds every path that the port allows, or these; others are `Invalid`, in files' manner. */
  readonly anyPath: boolean | ((path: string) => boolean);
  /** Rounds of each race; 100 unless a store is slow. */
  readonly raceRounds?: number;
  /** The server compares encoded names where a list goes on: the model keeps to names of ASCII. */
  readonly isOrderEncoded?: boolean;
  /** Checks that a server behind the store fails now and then by itself, each with what it does. */
  readonly serverFails?: Readonly<Record<string, string>>;
}

const INVALID = expect.objectContaining({ kind: "Invalid" });

export const readChecks: Readonly<Record<string, BlobCheck>> = {
  async "nothing is found where nothing was put"(store) {
    await store.put("a/b", utf8("x"));
    for (const path of ["a", "a/bc", "a/b/c", "b"]) {
      expect(await store.get(path)).toBeUndefined();
      expect(await store.getRange(path, 0, 1)).toBeUndefined();
      expect(await store.getSuffix(path, 1)).toBeUndefined();
      expect(await store.head(path)).toBeUndefined();
      await store.delete(path);
    }
    expect(await pathsOf(store)).toEqual(["a/b"]);
  },

  async "every byte comes back, with one etag everywhere"(store) {
    for (const bytes of [
      utf8(""),
      Uint8Array.from({ length: 256 }, (_, i) => i),
      patterned(70_000),
    ]) {
      const put = await store.put("some/path", bytes);
      const got = await store.get("some/path");
      expect(got && Buffer.from(got.bytes)).toEqual(Buffer.from(bytes));
      const info = await store.head("some/path");
      expect(info).toMatchObject({ size: bytes.length, etag: put.etag });
      expect(info?.modifiedAtMs).toBeGreaterThan(0);
      const etags = [got?.etag, info?.etag, (await store.getRange("some/path", 0, 9))?.etag];
      etags.push((await store.getSuffix("some/path", 9))?.etag);
      expect(new Set([...etags, put.etag]).size).toBe(1);
      expect(await store.list("some/")).toEqual([{ path: "some/path", ...info }]);
    }
  },

  async "what was put cannot be changed through the caller's array"(store) {
    // A buffer's own `slice` shares its memory, other than that of any other array.
    for (const mine of [utf8("mine"), Buffer.from("mine")]) {
      await store.put("a", mine);
      const source = async function* () {
        for (const text of ["mi", "ne"]) {
          mine.set(utf8(text));
          yield mine.subarray(0, 2);
        }
      };
      await store.putStream("b", source());
      mine.fill(0);
      expect([await textOf(store, "a"), await textOf(store, "b")]).toEqual(["mine", "mine"]);
    }
  },

  async "ranges and suffixes are what a slice is"(store) {
    const bytes = patterned(100_000);
    await store.put("a", bytes);
    const spans = [
      [0, 10],
      [99_990, 10],
      [99_990, 1_000],
      [100_000, 5],
      [200_000, 5],
      [10, 0],
      [1_234, 90_000],
      [0, Number.MAX_SAFE_INTEGER],
    ] as const;
    for (const [offset, length] of spans) {
      const got = await store.getRange("a", offset, length);
      expect(Buffer.from(got!.bytes)).toEqual(
        Buffer.from(bytes.subarray(offset, Math.min(bytes.length, offset + length))),
      );
    }
    for (const length of [0, 1, 99_999, 100_000, 100_001]) {
      const got = await store.getSuffix("a", length);
      expect(Buffer.from(got!.bytes)).toEqual(
        Buffer.from(bytes.subarray(Math.max(0, bytes.length - length))),
      );
    }
    for (const wrong of [-1, 0.5, Number.NaN]) {
      await expect(attempt(() => store.getRange("a", wrong, 1))).rejects.toEqual(INVALID);
      await expect(attempt(() => store.getSuffix("a", wrong))).rejects.toEqual(INVALID);
    }
  },

  async "paths that some store could not hold are refused by all"(store) {
    const long = "x/".repeat(512);
    for (const path of [
      "",
      "/a",
      "a/",
      "a//b",
      ".",
      "..",
      "a/../b",
      "a\0",
      "a\ud800",
      `${long}y`,
    ]) {
      await expect(attempt(() => store.put(path, utf8("x")))).rejects.toEqual(INVALID);
      await expect(attempt(() => store.get(path))).rejects.toEqual(INVALID);
      await expect(attempt(() => store.head(path))).rejects.toEqual(INVALID);
      await expect(attempt(() => store.delete(path))).rejects.toEqual(INVALID);
      await expect(attempt(() => store.deleteMany(["a", path]))).rejects.toEqual(INVALID);
      await expect(attempt(() => store.putStream(path, chunked("x")))).rejects.toEqual(INVALID);
    }
    expect(await pathsOf(store)).toEqual([]);
  },
};

export const writeChecks: Readonly<Record<string, BlobCheck>> = {
  async "other content has another etag, also after a delete"(store) {
    const seen = new Set<string | undefined>();
    for (const [i, text] of ["one", "two", "six", "ten"].entries()) {
      seen.add((await store.put("a", utf8(text))).etag);
      if (i % 2 === 0) await store.delete("a");
    }
    expect(seen.size).toBe(4);
  },

  async "absent: the first wins, a failure names what stands and changes nothing"(store) {
    const first = await store.put("a", utf8("first"), "absent");
    expect(first.outcome).toBe("stored");
    const second = await store.put("a", utf8("second"), "absent");
    expect(second).toEqual({ outcome: "failed", etag: first.etag });
    expect(await textOf(store, "a")).toBe("first");
    expect((await store.head("a"))?.etag).toBe(first.etag);
    await store.delete("a");
    expect((await store.put("a", utf8("third"), "absent")).outcome).toBe("stored");
    expect(await textOf(store, "a")).toBe("third");
  },

  async "{etag}: holds for the etag that stands and for no other"(store) {
    const none = await store.put("a", utf8("x"), { etag: "no-such-etag" });
    expect(none).toEqual({ outcome: "failed", etag: undefined });
    const one = await store.put("a", utf8("one"));
    const two = await store.put("a", utf8("two"), { etag: one.etag! });
    expect(two.outcome).toBe("stored");
    const stale = await store.put("a", utf8("three"), { etag: one.etag! });
    expect(stale).toEqual({ outcome: "failed", etag: two.etag });
    expect(await textOf(store, "a")).toBe("two");
    await store.delete("a");
    const gone = await store.put("a", utf8("four"), { etag: two.etag! });
    expect(gone).toEqual({ outcome: "failed", etag: undefined });
    expect(await pathsOf(store)).toEqual([]);
  },

  async "a stream is stored whole, and not before its end"(store) {
    const before = await store.put("a", utf8("before"));
    const seen: (string | undefined)[] = [];
    async function* source() {
      for (const letter of "abc") {
        yield utf8(letter.repeat(40_000));
        seen.push(await textOf(store, "a"));
      }
    }
    const put = await store.putStream("a", source());
    expect(put.outcome).toBe("stored");
    expect(put.etag).not.toBe(before.etag);
    expect(seen).toEqual(["before", "before", "before"]);
    const whole = "a".repeat(40_000) + "b".repeat(40_000) + "c".repeat(40_000);
    expect(await textOf(store, "a")).toBe(whole);
    expect(await store.head("a")).toMatchObject({ size: 120_000, etag: put.etag });
    expect((await store.putStream("b", chunked())).outcome).toBe("stored");
    expect((await store.get("b"))?.bytes.length).toBe(0);
  },

  async "a stream over the size of one part is stored whole"(store) {
    const part = patterned(1_048_577);
    await store.putStream(
      "a",
      (async function* () {
        for (let i = 0; i < 9; i++) yield part;
      })(),
    );
    expect((await store.head("a"))?.size).toBe(9 * part.length);
    const seam = await store.getRange("a", 4 * part.length - 3, 6);
    expect([...seam!.bytes]).toEqual([...part.subarray(-3), ...part.subarray(0, 3)]);
    const end = 9 * part.length;
    const tail = [...part.subarray(-3)];
    expect([...(await store.getRange("a", end - 3, 9))!.bytes]).toEqual(tail);
    expect([...(await store.getSuffix("a", 3))!.bytes]).toEqual(tail);
    expect((await store.getRange("a", end, 1))!.bytes.length).toBe(0);
    const over = await store.getSuffix("a", part.length + 1);
    expect([...over!.bytes.subarray(0, 2)]).toEqual([...part.subarray(-1), ...part.subarray(0, 1)]);
    expect(over!.bytes.length).toBe(part.length + 1);
  },

  async "a range that is its reader's own may change hands"(store) {
    const bytes = patterned(2_500_000);
    await store.put("a", bytes);
    for (let time = 0; time < 2; time++) {
      for (const [offset, length] of [[0, 2_500_000] as const, [1_000_000, 100_000] as const]) {
        const got = await store.getRange("a", offset, length);
        expect(Buffer.compare(got!.bytes, bytes.subarray(offset, offset + length))).toBe(0);
        const { buffer } = got!.bytes;
        if (got!.own === true) structuredClone(buffer, { transfer: [buffer as ArrayBuffer] });
      }
    }
    expect(Buffer.compare((await store.get("a"))!.bytes, bytes)).toBe(0);
  },

  async "a stream whose source fails leaves no trace"(store) {
    await store.put("old", utf8("old"));
    // As of a socket: it is the source's own, and says nothing of the store.
    const failure = Object.assign(new Error(), { code: "ECONNRESET", syscall: "read" });
    async function* source() {
      yield utf8("half");
      throw failure;
    }
    for (const path of ["old", "new"]) {
      await expect(attempt(() => store.putStream(path, source()))).rejects.toBe(failure);
    }
    expect(await textOf(store, "old")).toBe("old");
    expect(await store.get("new")).toBeUndefined();
    expect(await pathsOf(store)).toEqual(["old"]);
  },

  async "what is deleted is gone everywhere at once"(store) {
    const put = await store.put("a/b", utf8("x"));
    await store.delete("a/b");
    expect(await store.get("a/b")).toBeUndefined();
    expect(await store.head("a/b")).toBeUndefined();
    expect(await store.getRange("a/b", 0, 1)).toBeUndefined();
    expect(await pathsOf(store)).toEqual([]);
    const again = await store.put("a/b", utf8("y"), { etag: put.etag! });
    expect(again.outcome).toBe("failed");
  },

  async "many are deleted together, present or not, and no others"(store) {
    const names = Array.from({ length: 40 }, (_, i) => `d${i % 3}/${i}`);
    for (const name of names) await store.put(name, utf8(name));
    const dead = names.filter((_, i) => i % 2 === 0);
    await store.deleteMany([...dead, "d0/none", "none/at/all", dead[0]!]);
    const alive = names.filter((_, i) => i % 2 === 1).sort(compareUtf8);
    expect(await pathsOf(store)).toEqual(alive);
    await store.deleteMany([]);
    await store.deleteMany(Array.from({ length: 1_000 }, (_, i) => `none/${i}`));
    const tooMany = Array.from({ length: 1_001 }, () => "d0/3");
    await expect(attempt(() => store.deleteMany(tooMany))).rejects.toEqual(INVALID);
    expect(await pathsOf(store)).toEqual(alive);
  },
};

/** Names that UTF-16 order, locale order, or an order by directory would put elsewhere. */
const TRICKY = [
  "a",
  "a!",
  "a-/x",
  "a.b",
  "a/b/c",
  "a/b/d",
  "a/b-c",
  "a0",
  "A",
  "Z/z",
  "ab/c",
  "é",
  "z",
  "\u{e000}",
  "\u{ffee}/x",
  "\u{10000}",
  "\u{1f600}/y",
  "~",
  "%2F",
  " ",
];

/** Stores that race fewer rounds are slow. */
const SLOW = 3;
const ORDER = "lists are in the order of UTF-8 bytes, whole, by prefix and after any name";

/** A slow store tries a part of all bounds with each prefix, another part with the next. */
export function listChecks(
  capabilities: Pick<BlobCapabilities, "raceRounds">,
): Readonly<Record<string, BlobCheck>> {
  const thin = (capabilities.raceRounds ?? SLOW) < SLOW ? 4 : 1;
  return { [ORDER]: (store) => checkOrder(store, thin), ...pagingChecks };
}

async function checkOrder(store: BlobStore, thin: number): Promise<void> {
  // A store of files cannot hold `a` beside `a/b`: what it refuses takes no part.
  const held = new Map<string, BlobEntry>();
  for (const path of [...TRICKY].reverse()) {
    const put = await store.put(path, utf8(path)).catch(() => undefined);
    if (put !== undefined) held.set(path, { path, ...(await store.head(path))! });
  }
  const all = [...held.keys()].sort((a, b) => Buffer.compare(utf8(a), utf8(b)));
  expect(all.length).toBeGreaterThanOrEqual(TRICKY.length - 1);
  const probes = ["", "a", "a/", "a/b", "a/b/", "a-/", "A", "\u{10000}", "no", "a//", "../", "/"];
  const bounds = [undefined, ...all, ...probes, "a/b/cc", "a/b0", "\u{ffff}"];
  for (const [round, prefix] of probes.entries()) {
    for (const after of bounds.filter((_, i) => (i + round) % thin === 0)) {
      const expected = all
        .filter((path) => path.startsWith(prefix))
        .filter((path) => after === undefined || Buffer.compare(utf8(path), utf8(after)) > 0)
        .map((path) => held.get(path));
      const options = after === undefined ? {} : { after };
      expect(await store.list(prefix, options)).toEqual(expected);
    }
  }
}

const pagingChecks: Readonly<Record<string, BlobCheck>> = {
  async "pages of any size join to the whole list"(store) {
    for (const [i, path] of TRICKY.entries()) {
      if (path !== "a") await store.put(`${path}${i}`, utf8(""));
    }
    const whole = await pathsOf(store);
    expect(whole).toHaveLength(TRICKY.length - 1);
    for (const limit of [1, 2, 7, whole.length, 1_000]) {
      expect(await pathsOf(store, "", limit)).toEqual(whole);
    }
    for (const limit of [0, -1, 1.5, 1_001]) {
      await expect(attempt(() => store.list("", { limit }))).rejects.toEqual(INVALID);
    }
  },

  async "paging misses and repeats nothing while others write"(store) {
    const stable = Array.from({ length: 60 }, (_, i) => `p/${String(i).padStart(3, "0")}/s`);
    for (const path of stable) await store.put(path, utf8(path));
    let done = false;
    const churn = (async () => {
      for (let i = 0; !done; i = (i + 7) % 60) {
        const path = `p/${String(i).padStart(3, "0")}/t${i % 5}`;
        await store.put(path, utf8(path));
        await store.put(stable[i]!, utf8(`anew ${i}`));
        await store.delete(path);
        await turn();
      }
    })();
    try {
      for (let round = 0; round < 8; round++) {
        const seen = await pathsOf(store, "p/", 7);
        expect(seen).toEqual([...new Set(seen)].sort(compareUtf8));
        expect(seen.filter((path) => path.endsWith("/s"))).toEqual(stable);
      }
    } finally {
      done = true;
      await churn;
    }
  },
};

/** Checks of what only some stores hold, and of how the others say so. */
export function pathChecks(capabilities: BlobCapabilities): Readonly<Record<string, BlobCheck>> {
  const { anyPath } = capabilities;
  const fits = typeof anyPath === "function" ? anyPath : (): boolean => anyPath;
  const holds = async (store: BlobStore, path: string): Promise<void> => {
    if (!fits(path)) {
      await expect(attempt(() => store.put(path, utf8(path)))).rejects.toEqual(INVALID);
      return;
    }
    expect((await store.put(path, utf8(path), "absent")).outcome).toBe("stored");
    expect(await textOf(store, path)).toBe(path);
  };
  return {
    async "long segments and names that look like a store's own"(store) {
      const long = [
        `${"l".repeat(300)}/a`,
        `${"l".repeat(300)}/${"é".repeat(200)}`,
        `${"l".repeat(301)}`,
        ".firn-tmp-1-1",
        ".firn-lock-x/a",
      ];
      for (const path of long) await holds(store, path);
      for (const path of [
        "~",
        "~a/b",
        "a.blob/c",
        "m.blob",
        "a b/%",
        "CON",
        "x~",
        `${"a/".repeat(100)}b`,
      ]) {
        expect((await store.put(path, utf8(path), "absent")).outcome).toBe("stored");
        expect(await textOf(store, path)).toBe(path);
        if (anyPath === true) long.push(path);
      }
      if (anyPath !== true) return;
      long.sort(compareUtf8);
      expect(await pathsOf(store)).toEqual(long);
      expect(await pathsOf(store, "", 1)).toEqual(long);
      expect(await pathsOf(store, "lll")).toEqual(long.filter((path) => path.startsWith("lll")));
      await store.deleteMany(long);
      expect(await pathsOf(store)).toEqual([]);
    },

    async "a blob beside those below its name"(store) {
      await store.put("a", utf8("a"));
      await holds(store, "a/b");
      await store.put("c/d/e", utf8("e"));
      await holds(store, "c/d");
      await holds(store, "c");
      expect(await textOf(store, "a")).toBe("a");
      expect(await textOf(store, "c/d/e")).toBe("e");
      const paths = anyPath === true ? ["a", "a/b", "c", "c/d", "c/d/e"] : ["a", "c/d/e"];
      expect(await pathsOf(store)).toEqual(paths);
    },
  };
}

/** Every path below a prefix, page by page. */
export async function pathsOf(store: BlobStore, prefix = "", limit = 1_000): Promise<string[]> {
  const paths: string[] = [];
  for (;;) {
    const after = paths.at(-1);
    const page = await store.list(prefix, { limit, ...(after === undefined ? {} : { after }) });
    expect(page.length).toBeLessThanOrEqual(limit);
    paths.push(...page.map((entry) => entry.path));
    if (page.length < limit) return paths;
  }
}

export async function textOf(store: BlobStore, path: string): Promise<string | undefined> {
  const blob = await store.get(path);
  return blob && Buffer.from(blob.bytes).toString();
}

/** Lets everybody else act: a store that answers at once would keep the loop to itself. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A refusal may come as a throw or a rejection: callers await either way. */
async function attempt<T>(call: () => Promise<T>): Promise<T> {
  return call();
}

async function* chunked(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield utf8(text);
}

function patterned(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) & 0xff);
}
