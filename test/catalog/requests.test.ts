import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import type { Batch, PointerStore } from "../../src/pointer/port.ts";
import { gatedBlobs, gatedPointers } from "./support/gate.ts";
import * as op from "./support/operations.ts";
import { imageOf, openWorld } from "./support/world.ts";

/** Requests by method; `items` of the batches, which is what a transaction costs twice over. */
interface Counted {
  readonly get: number;
  readonly getMany: number;
  readonly list: number;
  readonly commit: number;
  readonly items: number;
  readonly blobGet: number;
  readonly blobPut: number;
}

const NONE: Counted = {
  get: 0,
  getMany: 0,
  list: 0,
  commit: 0,
  items: 0,
  blobGet: 0,
  blobPut: 0,
};

class Counter {
  counted: { -readonly [K in keyof Counted]: number } = { ...NONE };
  readonly batches: Batch[] = [];

  readonly pointers = (inner: PointerStore): PointerStore => ({
    get: (key) => this.#count("get", () => inner.get(key)),
    getMany: (keys) => this.#count("getMany", () => inner.getMany(keys)),
    list: (directory, options) => this.#count("list", () => inner.list(directory, options)),
    commit: (batch) => {
      this.counted.items += batch.ops.length;
      this.batches.push(batch);
      return this.#count("commit", () => inner.commit(batch));
    },
    sweep: (...of) => inner.sweep(...of),
    forget: (key, version) => inner.forget(key, version),
  });

  readonly blobs = (inner: BlobStore): BlobStore => ({
    ...gatedBlobs(inner),
    get: (path) => this.#count("blobGet", () => inner.get(path)),
    put: (path, bytes, condition) =>
      this.#count("blobPut", () => inner.put(path, bytes, condition)),
  });

  #count<T>(method: keyof Counted, work: () => Promise<T>): Promise<T> {
    this.counted[method]++;
    return work();
  }
}

const TREE: readonly op.Operation[] = [
  op.createCatalog("c"),
  op.createCatalog("empty"),
  op.createNamespace("s"),
  op.createNamespace("n"),
  op.createTable("s.t"),
];
const READS: readonly op.Operation[] = [op.findTable("s.t"), op.listTables("n")];

async function count(
  operation: op.Operation,
  options: { readonly warm: boolean; readonly tree?: readonly op.Operation[] },
): Promise<{ readonly counted: Counted; readonly answer: string; readonly batches: Batch[] }> {
  const counter = new Counter();
  const image = await imageOf(options.tree ?? TREE);
  const { nodes } = await openWorld(image, 1, counter);
  const node = nodes[0]!;
  if (options.warm) for (const read of READS) await read.run(node);
  counter.counted = { ...NONE };
  counter.batches.length = 0;
  const answer = await op.answerOf(node, operation);
  return { counted: counter.counted, answer, batches: counter.batches };
}

/** What each operation may cost where the names are known. */
const WARM: readonly (readonly [op.Operation, Partial<Counted>])[] = [
  [op.findTable("s.t"), { getMany: 1 }],
  [op.listTables("s"), { getMany: 1, list: 1 }],
  [op.listNamespaces("s"), { getMany: 1, list: 1 }],
  // Payload beside metadata file; names, claim, guard, change and receipt in one transaction.
  [op.commitStaged("n.x"), { getMany: 1, commit: 1, items: 8, blobPut: 2 }],
  [op.createTable("n.x"), { getMany: 1, commit: 1, items: 8, blobPut: 1 }],
  // Others may have had its location: one read of the claim more.
  [op.registerTable("n.x"), { getMany: 2, commit: 1, items: 8, blobPut: 1 }],
  [op.commitTable("s.t", "A"), { getMany: 1, commit: 1, items: 3, blobPut: 1 }],
  // Payloads of table and snapshot beside the metadata file; two pointers; a transaction of three.
  [op.commitSnapshots("s.t", [7n]), { getMany: 1, commit: 3, items: 5, blobPut: 3 }],
  [op.moveTable("s.t", "file:///w/2"), { getMany: 2, commit: 1, items: 5, blobPut: 1 }],
  [op.dropTable("s.t"), { getMany: 2, commit: 1, items: 9, blobPut: 1 }],
  [op.renameTable("s.t", "n.x"), { getMany: 3, commit: 1, items: 9, blobPut: 1 }],
  [op.createNamespace("x"), { getMany: 1, commit: 1, items: 13, blobPut: 1 }],
  [op.updateNamespace("n", "A"), { getMany: 1, blobGet: 1, commit: 1, items: 3, blobPut: 1 }],
  [op.dropNamespace("n"), { getMany: 2, list: 3, blobGet: 1, commit: 1, items: 15, blobPut: 1 }],
  [
    op.renameNamespace("n", "v"),
    { getMany: 3, list: 1, blobGet: 1, commit: 1, items: 22, blobPut: 1 },
  ],
  [op.createCatalog("d"), { get: 1, commit: 1, items: 13, blobPut: 1 }],
];

describe("requests where names are known", () => {
  it.each(WARM)("$name", async (operation, cost) => {
    const { counted, answer } = await count(operation, { warm: true });
    expect(answer).not.toMatch(/^(?:NotFound|AlreadyExists|Conflict|Invalid)/);
    expect(counted).toEqual({ ...NONE, ...cost });
  });
});

describe("requests where nothing is known", () => {
  it("a load resolves each name, proves them all at once, then reads the payload", async () => {
    const { counted } = await count(op.findTable("s.t"), { warm: false });
    expect(counted).toEqual({ ...NONE, get: 3, getMany: 1, blobGet: 1 });
  });

  it("a name that is not there is proven by its parents", async () => {
    const { counted, answer } = await count(op.findTable("s.gone"), { warm: true });
    expect(answer).toBe("NotFound TABLE_NOT_FOUND");
    expect(counted).toEqual({ ...NONE, get: 1, getMany: 1 });
  });
});

it("a list of 1,000 tables reads no payload", async () => {
  const tables = Array.from({ length: LIMITS.pageSize }, (_, i) => op.createTable(`s.t${i}`));
  const tree = [op.createCatalog("c"), op.createNamespace("s"), ...tables];
  const { counted, answer } = await count(op.listTables("s"), { warm: false, tree });
  expect(JSON.parse(answer)).toHaveLength(LIMITS.pageSize);
  expect(counted).toEqual({ ...NONE, get: 2, getMany: 1, list: 2 });
});

it("all that stands before a commit is written at once", async () => {
  const image = await imageOf(TREE);
  let waiting = 0;
  let most = 0;
  // Nothing is answered before all that was sent beside it is there.
  const beside = async <T>(work: () => Promise<T>): Promise<T> => {
    most = Math.max(most, ++waiting);
    await new Promise((resolve) => setImmediate(resolve));
    waiting--;
    return work();
  };
  const { nodes } = await openWorld(image, 1, {
    pointers: (inner) => ({
      ...gatedPointers(inner),
      commit: (batch) => beside(() => inner.commit(batch)),
    }),
    blobs: (inner) => ({
      ...gatedBlobs(inner),
      put: (path, bytes, condition) => beside(() => inner.put(path, bytes, condition)),
    }),
  });
  const node = nodes[0]!;
  for (const read of READS) await read.run(node);
  await op.commitSnapshots("s.t", [7n]).run(node);
  expect(most).toBe(5);
});

it("the items of a commit with a snapshot fit one write unit each, its record too", async () => {
  const { batches } = await count(op.commitSnapshots("s.t", [7n]), { warm: true });
  expect(batches.map(({ ops }) => ops.length)).toEqual([1, 1, 3]);
  for (const put of batches.flatMap(({ ops }) => ops)) {
    if (put.op !== "put") throw new Error("not a put");
    const bytes = put.key.length + (put.blobPath?.length ?? 0) + (put.summary?.length ?? 0);
    expect(bytes).toBeLessThan(1_000);
  }
});

it("the items of a table commit fit one write unit each", async () => {
  const { batches } = await count(op.commitTable("s.t", "A"), { warm: true });
  const [batch] = batches;
  expect(batch?.ops.map(({ op }) => op)).toEqual(["put", "put", "put"]);
  for (const put of batch?.ops ?? []) {
    if (put.op !== "put") throw new Error("not a put");
    const bytes = put.key.length + (put.blobPath?.length ?? 0) + (put.summary?.length ?? 0);
    expect(bytes).toBeLessThan(900);
  }
});
