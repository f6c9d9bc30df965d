import { expect } from "vitest";
import { FirnError } from "../../../src/base/error.ts";
import { randomBelow, SeededPrng } from "../../../src/base/prng.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { decodeSnapshotSummary } from "../../../src/catalog/codec/snapshot.ts";
import { parseKey } from "../../../src/catalog/keys.ts";
import { snapshotKeys } from "../../../src/catalog/snapshot-puts.ts";
import type { PointerStore } from "../../../src/pointer/port.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { MetadataFiles, TABLE_FORMAT } from "../../../src/service/metadata-files.ts";
import { inlineReading } from "../../../src/service/reading.ts";
import type { CommitOfTable, CommitTable } from "../../../src/service/requests.ts";
import { TableSnapshots } from "../../../src/service/table-snapshots.ts";
import { checkStore } from "../../catalog/support/check-store.ts";
import { ACTOR, testStores } from "../../support/open-catalog.ts";
import { commitOf, openInMemory, SCHEMA } from "../../support/open-iceberg.ts";
import { addSnapshot, type ClientMetadata, metadataOf, setRef } from "../../support/snapshots.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** No table here is a Delta table. */
const NO_LOGS = { read: async () => undefined };

export const NS = { catalog: "c", namespace: ["a"] } as const;
const ALL = { snapshots: "all" } as const;
/** Far more than 16 writers of one table need, so that giving up is a defect. */
const MAX_TRIES = 400;

type Iceberg = Awaited<ReturnType<typeof openInMemory>>;

/** How one node sees the stores. */
export interface Wrapping {
  readonly pointers?: (inner: PointerStore) => PointerStore;
  readonly blobs?: (inner: BlobStore) => BlobStore;
}

/** One commit that was sent: the snapshot that it adds to each of its tables, and its answer. */
export interface Try {
  readonly snapshotId: bigint;
  readonly tables: readonly string[];
  /** "pending": never answered, since its node has ended. */
  answer: "committed" | "refused" | "unknown" | "pending";
}

/** Several nodes over one store of each kind, on virtual time; nothing touches a disk. */
export class Shop {
  readonly clock: VirtualClock = new VirtualClock();
  readonly tries: Try[] = [];
  readonly #payloads = new MemoryBlobStore(this.clock);
  readonly #files = new MemoryBlobStore(this.clock);
  readonly #pointers: PointerStore;
  #nodes = 0;
  #snapshots = 0n;

  constructor() {
    this.#pointers = testStores({ clock: this.clock }).pointers;
  }

  /** A shop with these tables, whose nodes see the stores as they are. */
  static async open(tables: readonly string[]): Promise<Shop> {
    const shop = new Shop();
    await shop.clock.run(shop.#make(tables));
    return shop;
  }

  async #make(tables: readonly string[]): Promise<void> {
    const { iceberg } = await this.node();
    await iceberg.createNamespace(ACTOR, NS, {});
    for (const name of tables) {
      const request = { name, schema: SCHEMA, properties: {}, stageCreate: false };
      await iceberg.createTable(ACTOR, NS, request);
    }
  }

  async node(wrapping: Wrapping = {}): Promise<Iceberg> {
    const blobs = wrapping.blobs ?? ((inner) => inner);
    const stores = testStores({
      clock: this.clock,
      seed: ++this.#nodes,
      blobs: blobs(this.#payloads),
      pointers: wrapping.pointers?.(this.#pointers) ?? this.#pointers,
    });
    return openInMemory(stores, blobs(this.#files));
  }

  /**
   * A client that appends one snapshot to each of some tables, as one commit. It looks and sends
   * again, with another snapshot, as long as it is told that nothing has happened.
   */
  async append({ iceberg }: Iceberg, tables: readonly string[]): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const snapshotId = ++this.#snapshots;
      const one: Try = { snapshotId, tables, answer: "pending" };
      try {
        const changes = await Promise.all(
          tables.map(async (table): Promise<CommitOfTable> => {
            const base = metadataOf(await iceberg.loadTable(ACTOR, { ...NS, table }, ALL));
            return { namespace: NS.namespace, table, ...appendTo(base, snapshotId) };
          }),
        );
        this.tries.push(one);
        const [first] = changes;
        if (changes.length > 1) await iceberg.commitTransaction(ACTOR, "c", changes);
        else if (first !== undefined) {
          await iceberg.commitTable(ACTOR, { ...NS, table: first.table }, first);
        }
        one.answer = "committed";
        return;
      } catch (error) {
        if (!(error instanceof FirnError)) throw error;
        one.answer = error.kind === "Unknown" ? "unknown" : "refused";
        expect(["Conflict", "Overloaded", "Unavailable", "Unknown"]).toContain(error.kind);
        // The protocol's clients stop here too: trying again could do it twice.
        if (error.kind === "Unknown") return;
      }
    }
    expect.unreachable("a writer starves");
  }

  /**
   * Judges what stands by what was answered: of each table the snapshots that were acknowledged and
   * maybe those of unknown fate, each once; no commit in some of its tables alone; one line of
   * parents without a fork; no pointer that is not of some try; and all pointers that there should
   * be, after a read or even as they were left.
   */
  async judge(tables: readonly string[], pointers: "as left" | "as read"): Promise<void> {
    await this.clock.run(this.#judge(tables, pointers === "as read"));
  }

  async #judge(tables: readonly string[], read: boolean): Promise<void> {
    await checkStore(this.#pointers, this.#payloads);
    const honest = await this.node();
    const landed = new Map<string, ReadonlySet<bigint>>();
    for (const table of tables) {
      const loaded = metadataOf(await honest.iceberg.loadTable(ACTOR, { ...NS, table }, ALL));
      landed.set(table, new Set(lineOf(loaded)));
    }
    for (const { snapshotId, tables: own, answer } of this.tries) {
      const hits = own.filter((table) => landed.get(table)?.has(snapshotId) === true).length;
      const label = `${answer} ${snapshotId} in ${hits} of ${own.length} tables`;
      if (answer === "committed") expect(hits, label).toBe(own.length);
      else if (answer === "refused") expect(hits, label).toBe(0);
      else expect([0, own.length], label).toContain(hits);
    }
    const known = this.tries.flatMap(({ snapshotId, tables: own }) =>
      own.map((table) => `${table} ${snapshotId}`),
    );
    for (const [table, ids] of landed) {
      for (const id of ids) expect(known).toContain(`${table} ${id}`);
    }
    await this.#judgePointers(honest, landed, read);
  }

  async #judgePointers(
    honest: Iceberg,
    landed: ReadonlyMap<string, ReadonlySet<bigint>>,
    read: boolean,
  ): Promise<void> {
    const { catalog, locations } = honest;
    const files = new MetadataFiles(new SystemClock(), locations, TABLE_FORMAT, inlineReading());
    const snapshots = new TableSnapshots(catalog, files, NO_LOGS);
    const tried = new Set(this.tries.map(({ snapshotId }) => snapshotId));
    const ids = new Map<string, string>();
    for (const [table, its] of landed) {
      const { entity } = await catalog.tables.get({ catalog: "c", path: ["a"], name: table });
      ids.set(entity.id, table);
      if (read) await snapshots.list(ACTOR, { ...NS, table }, { limit: 1_000 });
      await catalog.context.background.settled();
      for (const snapshotId of its) {
        const key = { snapshotId, timestampMs: Number(snapshotId) };
        const keys = snapshotKeys(catalog.context.account, entity.id, key);
        for (const item of await this.#pointers.getMany(keys)) {
          if (item.state === "absent") return expect.unreachable(`${item.key} is missing`);
          expect(await this.#payloads.head(item.blobPath ?? "")).toBeDefined();
        }
      }
    }
    for await (const item of this.#pointers.sweep("/")) {
      if (item.state === "absent" || !item.key.includes("/snapshots/")) continue;
      const said = decodeSnapshotSummary(item.summary ?? new Uint8Array());
      expect(ids.has(parseKey(item.key).values[1] ?? "")).toBe(true);
      expect(tried).toContain(said.snapshotId);
    }
  }

  /** Metadata files that no table names, now or in its log. */
  async strayFiles(tables: readonly string[]): Promise<number> {
    const { iceberg } = await this.node();
    let named = 0;
    for (const table of tables) {
      const loaded = metadataOf(await iceberg.loadTable(ACTOR, { ...NS, table }, ALL));
      named += 1 + loaded["metadata-log"].length;
    }
    return (await this.#files.list("")).length - named;
  }
}

/** An append as an engine sends it: on top of what it has seen of main. */
export function appendTo(base: ClientMetadata, snapshotId: bigint): CommitTable {
  const current = base["current-snapshot-id"] ?? -1;
  const seen = current < 0 ? null : BigInt(current);
  const requirements = [
    { type: "assert-table-uuid", uuid: base["table-uuid"] },
    { type: "assert-ref-snapshot-id", ref: "main", "snapshot-id": seen },
  ];
  const time = { "timestamp-ms": Number(snapshotId) };
  return commitOf([addSnapshot(base, snapshotId, time), setRef("main", snapshotId)], requirements);
}

/** The snapshots of a table, which must be one line: each on top of the one before. */
function lineOf({ snapshots }: ClientMetadata): readonly bigint[] {
  for (const [i, snapshot] of snapshots.entries()) {
    expect(snapshot["parent-snapshot-id"]).toBe(snapshots[i - 1]?.["snapshot-id"]);
  }
  return snapshots.map((snapshot) => BigInt(snapshot["snapshot-id"]));
}

/** Some of the tables, by seed, in no order. */
export function someOf(tables: readonly string[], count: number, seed: number): readonly string[] {
  const prng = new SeededPrng(seed);
  const rest = [...tables];
  return Array.from(
    { length: count },
    () => rest.splice(randomBelow(prng, rest.length), 1)[0] ?? "",
  );
}
