import { expect, onTestFinished, test } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { MemoryPointerStore } from "../../src/pointer/memory.ts";
import { type Actor, OWN_ACTOR } from "../../src/service/actor.ts";
import { ChangeStreams, type StreamedChanges } from "../../src/service/change-streams.ts";
import { SERVICE_LIMITS } from "../../src/service/limits.ts";
import { testStores } from "../support/open-catalog.ts";
import {
  openInMemory,
  openTestIceberg,
  scratchDirectory,
  type TestIceberg,
} from "../support/open-iceberg.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

type Node = Omit<TestIceberg, "directory">;

/** Two nodes over one store, whose time is the test's. */
async function twoNodes() {
  const clock = new VirtualClock();
  const stores = { ...testStores(), clock };
  const directory = scratchDirectory();
  const nodes = [
    await openTestIceberg(stores, directory),
    await openTestIceberg(stores, directory),
  ] as const;
  return { clock, nodes };
}

const RETENTION_MS = 7_200_000;

/** A node whose history goes back two hours. */
async function shortHistory() {
  const clock = new VirtualClock();
  const stores = { ...testStores(), clock };
  const gc = { historyRetentionMs: RETENTION_MS };
  return { clock, node: await openInMemory(stores, new MemoryBlobStore(clock), { gc }) };
}

/** What a stream has delivered, as it comes. */
class Reader {
  readonly pages: StreamedChanges[] = [];
  readonly #ended = new AbortController();
  #done: Promise<void> | undefined;
  token = "";

  static async on({ model }: Node, start: object = {}): Promise<Reader> {
    const reader = new Reader();
    const stream = await model.changeStreams.follow(OWN_ACTOR, start, reader.#ended.signal);
    reader.token = stream.token;
    reader.#done = reader.#read(stream.pages);
    onTestFinished(() => reader.end());
    return reader;
  }

  async #read(pages: AsyncIterable<StreamedChanges>): Promise<void> {
    for await (const page of pages) {
      this.pages.push(page);
      this.token = page.token;
    }
  }

  /** Ids of all changes, each as often as it came. */
  get ids(): readonly string[] {
    return this.pages.flatMap(({ changes }) => changes.map(({ id }) => id));
  }

  get beats(): number {
    return this.pages.filter(({ changes }) => changes.length === 0).length;
  }

  /** Resolves when the stream has ended by itself. */
  async over(): Promise<void> {
    await this.#done;
  }

  async end(): Promise<void> {
    this.#ended.abort();
    await this.#done;
  }
}

async function create({ iceberg }: Node, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await iceberg.createNamespace(OWN_ACTOR, { catalog: "c", namespace: [name] }, {});
  }
}

/** Ids of all changes of the store, as pages tell them. */
async function allIds({ history }: Node): Promise<readonly string[]> {
  const request = { sinceMs: Date.UTC(2026, 0, 1), limit: LIMITS.pageSize };
  const { changes, hasMore } = await history.changes(OWN_ACTOR, request);
  expect(hasMore).toBe(false);
  return changes.map(({ id }) => id).sort();
}

test("a stream delivers commits of its node at once, of others at the next look", async () => {
  const { clock, nodes } = await twoNodes();
  const [one, other] = nodes;
  const reader = await Reader.on(one);
  await clock.run(create(one, "a"));
  await clock.advance(SERVICE_LIMITS.changeGapMs);
  expect([...reader.ids].sort()).toEqual(await allIds(one));
  const before = reader.ids.length;
  await clock.run(create(other, "b"));
  await clock.advance(SERVICE_LIMITS.changePollMs + SERVICE_LIMITS.changeGapMs);
  expect(reader.ids.length).toBe(before + 1);
  // Each once, though the feed repeats the minute.
  expect([...reader.ids].sort()).toEqual(await allIds(one));
});

test("a stream that has nothing to tell beats, and its beats move the cursor on", async () => {
  const { clock, node } = await shortHistory();
  const reader = await Reader.on(node);
  await clock.advance(4 * SERVICE_LIMITS.changeBeatMs);
  expect(reader.beats).toBeGreaterThanOrEqual(3);
  for (let ms = 0; ms < 2 * RETENTION_MS; ms += RETENTION_MS / 6) {
    clock.skip(RETENTION_MS / 6);
    await clock.advance(SERVICE_LIMITS.changeBeatMs);
  }
  await reader.end();
  await clock.run(create(node, "a"));
  const again = await Reader.on(node, { token: reader.token });
  await clock.advance(SERVICE_LIMITS.changeGapMs);
  expect(again.ids.length).toBe(1);
  // The cursor that it began with is past the retention by now, the last beat's is not.
  const old = reader.pages[0]?.token ?? "";
  await expect(Reader.on(node, { token: old })).rejects.toMatchObject({ code: "HISTORY_GONE" });
});

test("a stream ends on a machine that slept for longer than the retention", async () => {
  const { clock, node } = await shortHistory();
  const reader = await Reader.on(node);
  await clock.advance(SERVICE_LIMITS.changePollMs);
  clock.skip(2 * RETENTION_MS);
  await clock.advance(2 * SERVICE_LIMITS.changePollMs);
  await reader.over();
  const { token } = reader;
  await expect(Reader.on(node, { token })).rejects.toMatchObject({ code: "HISTORY_GONE" });
});

test("who resumes at the cursor of any page has heard of everything", async () => {
  const { clock, nodes } = await twoNodes();
  const [one, other] = nodes;
  const reader = await Reader.on(one, { sinceMs: Date.UTC(2026, 0, 1) });
  for (const name of ["a", "b", "c", "d"]) {
    await clock.run(create(name < "c" ? one : other, name));
    await clock.advance(7_000);
  }
  const all = await allIds(one);
  expect([...new Set(reader.ids)].sort()).toEqual(all);
  for (const [i, { token }] of reader.pages.entries()) {
    const resumed = await Reader.on(other, { token });
    await clock.advance(SERVICE_LIMITS.changeGapMs);
    const heard = reader.pages.slice(0, i + 1).flatMap(({ changes }) => changes);
    const ids = new Set([...heard.map(({ id }) => id), ...resumed.ids]);
    expect([...ids].sort()).toEqual(all);
    await resumed.end();
  }
});

test("streams that begin at any moment of concurrent commits miss none", async () => {
  const { clock, nodes } = await twoNodes();
  const readers: Reader[] = [];
  const sinceMs = Date.UTC(2026, 0, 1);
  for (let i = 0; i < 40; i++) {
    const node = nodes[i % 2] ?? nodes[0];
    const made = create(node, `n${i}`);
    if (i % 4 === 0) {
      const begun = Reader.on(nodes[(i / 4) % 2] ?? nodes[0], { sinceMs });
      readers.push(await clock.run(begun));
    }
    await clock.run(made);
    await clock.advance((i * 7_919) % 9_000);
  }
  await clock.advance(2 * SERVICE_LIMITS.changePollMs);
  const all = await allIds(nodes[0]);
  for (const reader of readers) expect([...new Set(reader.ids)].sort()).toEqual(all);
});

/** A feed of numbered changes, of which a read answers a thousand. */
class NumberedFeed {
  count = 0;
  reads = 0;
  /** The next read takes what there is now, and answers when this resolves. */
  held: Promise<void> | undefined;

  startOf(_actor: Actor, { token = "0" }: { readonly token?: string } = {}): string {
    return token;
  }

  async changes(_actor: Actor, { token = "0" }: { readonly token?: string } = {}) {
    this.reads++;
    const from = Number(token);
    const to = Math.min(this.count, from + 1_000);
    const changes = Array.from({ length: to - from }, (_, i) => ({
      id: String(from + i),
      timeMs: 0,
      principal: "",
      requestId: "",
      operation: "",
      entities: [],
    }));
    const page = { changes, token: String(to), hasMore: to < this.count };
    const { held } = this;
    this.held = undefined;
    await held;
    return page;
  }
}

test("a reader that falls behind what is kept reads by itself, and misses nothing", async () => {
  const clock = new VirtualClock();
  const feed = new NumberedFeed();
  const pointers = new MemoryPointerStore({ families: [], clock });
  const streams = new ChangeStreams(pointers, { clock }, () => feed);
  const ended = new AbortController();
  const pagesOf = async () => {
    const { pages } = await streams.follow(OWN_ACTOR, {}, ended.signal);
    return pages[Symbol.asyncIterator]();
  };
  const [quick, slow] = [await pagesOf(), await pagesOf()];
  const taken = { quick: 0, slow: 0 };
  const take = async (which: "quick" | "slow", reader: AsyncIterator<StreamedChanges>) => {
    const { value } = await clock.run(reader.next());
    for (const { id } of (value as StreamedChanges).changes)
      expect(id).toBe(String(taken[which]++));
  };
  // Both have reached the end of the feed, and follow the tail.
  for (let i = 0; i < 2; i++) {
    await take("quick", quick);
    await take("slow", slow);
  }
  const most = 4 * SERVICE_LIMITS.changeTailKept;
  while (taken.quick < most) {
    feed.count = Math.min(most, taken.quick + 900);
    await take("quick", quick);
  }
  const { reads } = feed;
  while (taken.slow < most) await take("slow", slow);
  expect(feed.reads).toBeGreaterThan(reads);
  ended.abort();
  await Promise.all([quick.return?.(), slow.return?.()]);
  await streams.close();
});

test("a change that the tail reads while a stream joins it is not missed", async () => {
  const clock = new VirtualClock();
  const feed = new NumberedFeed();
  const pointers = new MemoryPointerStore({ families: [], clock });
  const streams = new ChangeStreams(pointers, { clock }, () => feed);
  const ended = new AbortController();
  const open = async () => {
    const { pages } = await streams.follow(OWN_ACTOR, { token: "0" }, ended.signal);
    return pages[Symbol.asyncIterator]();
  };
  const idsOf = (result: IteratorResult<StreamedChanges>) =>
    (result.value as StreamedChanges).changes.map(({ id }) => id);
  const first = await open();
  await first.next();
  feed.count = 1;
  expect(idsOf(await clock.run(first.next()))).toEqual(["0"]);
  const joining = await open();
  expect(idsOf(await joining.next())).toEqual(["0"]);
  // The tail goes on before the stream has joined it: that reads the feed once more.
  feed.count = 2;
  expect(idsOf(await clock.run(first.next()))).toEqual(["1"]);
  const gate = Promise.withResolvers<void>();
  feed.held = gate.promise;
  const joined = joining.next();
  feed.count = 3;
  expect(idsOf(await clock.run(first.next()))).toEqual(["2"]);
  gate.resolve();
  expect(idsOf(await joined)).toEqual(["1"]);
  expect(idsOf(await clock.run(joining.next()))).toEqual(["2"]);
  ended.abort();
  await Promise.all([first.return?.(), joining.return?.()]);
  await streams.close();
});

test("without streams the feed is not read", async () => {
  const { clock, nodes } = await twoNodes();
  const reader = await Reader.on(nodes[0]);
  await clock.advance(60_000);
  await reader.end();
  await clock.advance(SERVICE_LIMITS.changePollMs);
  expect(clock.sleeping).toBe(0);
});
