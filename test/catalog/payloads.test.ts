import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256Hex } from "../../src/base/hash.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { BatchBuilder, never } from "../../src/catalog/batch.ts";
import { encodeContent } from "../../src/catalog/codec/entities.ts";
import { encodeEnvelope } from "../../src/catalog/codec/envelope.ts";
import { decodeSummary } from "../../src/catalog/codec/summary.ts";
import { locationKey } from "../../src/catalog/keys.ts";
import type { Namespace, Table } from "../../src/catalog/model.ts";
import { byIdKey, payloadPath } from "../../src/catalog/paths.ts";
import { Payloads } from "../../src/catalog/payloads.ts";
import { nameSummary, summaryOf } from "../../src/catalog/summaries.ts";
import type { Live } from "../../src/pointer/port.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { gatedBlobs } from "./support/gate.ts";
import { legalName } from "./support/names.ts";
import * as op from "./support/operations.ts";
import * as sample from "./support/samples.ts";
import { imageOf, openWorld, type World } from "./support/world.ts";

const TREE = [op.createCatalog("c"), op.createNamespace("s"), op.createTable("s.t")] as const;
const REF = { catalog: "c", path: ["s"], name: "t" };

async function openTree(): Promise<World> {
  return openWorld(await imageOf([...TREE, op.createTable("s.u")]), 2);
}

async function pointerOf(world: World, name: string): Promise<Live> {
  return (await world.nodes[0]!.catalog.tables.find({ ...REF, name })).item;
}

/** Leads a canonical pointer to another payload, as a defect or a stranger would. */
async function lead(world: World, item: Live, blobPath: string, summary = item.summary) {
  const outcome = await world.pointers.commit({
    writerId: "stranger",
    ops: [
      {
        op: "put",
        key: item.key,
        expected: item.version,
        blobPath,
        ...(summary !== undefined && { summary }),
      },
    ],
  });
  expect(outcome.outcome).toBe("committed");
}

test("what a newer node wrote is read, and not updated where this one is too old", async () => {
  const world = await openTree();
  const { catalog } = world.nodes[0]!;
  const { item, entity, envelope } = await catalog.tables.get(REF);
  const newer = Buffer.concat([
    encodeEnvelope({ ...envelope, schemaVersion: 7, minWriterVersion: 2 }),
    encodeContent(entity),
  ]);
  const path = payloadPath("table", envelope.accountId, entity.id, sha256Hex(newer));
  await world.blobs.put(path, newer);
  await lead(world, item, path);
  const tooOld = { kind: "Unavailable", code: "WRITER_TOO_OLD" };
  expect((await catalog.tables.get(REF)).envelope.minWriterVersion).toBe(2);
  const changes = [
    catalog.tables.update(ACTOR, "commit-table", REF, async () => undefined),
    catalog.tables.drop(ACTOR, REF, { purgeRequested: false }),
    catalog.tables.rename(ACTOR, REF, { path: ["s"], name: "v" }),
  ];
  for (const change of changes) await expect(change).rejects.toMatchObject(tooOld);
  expect((await pointerOf(world, "t")).version).toBe(item.version + 1n);
});

test("a payload of another id is corrupt, cached or not", async () => {
  const world = await openTree();
  const [t, u] = [await pointerOf(world, "t"), await pointerOf(world, "u")];
  const [warm, cold] = world.nodes;
  await op.answerOf(warm!, op.findTable("s.t"));
  await op.answerOf(warm!, op.findTable("s.u"));
  await lead(world, t, u.blobPath ?? "");
  for (const node of [warm!, cold!]) {
    await expect(node.catalog.tables.get(REF)).rejects.toMatchObject({ kind: "Corrupt" });
  }
  // Bytes of another entity under the path of the right one.
  const foreign = await world.blobs.get(u.blobPath ?? "");
  const { account } = warm!.catalog.context;
  const id = decodeSummary(t.summary ?? new Uint8Array()).entityId;
  const bytes = foreign?.bytes ?? new Uint8Array();
  const path = payloadPath("table", account, id, sha256Hex(bytes));
  await world.blobs.put(path, bytes);
  await lead(world, { ...t, version: t.version + 1n }, path);
  for (const node of [warm!, cold!]) {
    await expect(node.catalog.tables.get(REF)).rejects.toMatchObject({
      kind: "Corrupt",
      code: "PAYLOAD_CORRUPT",
    });
  }
});

test("a payload of another account is corrupt", async () => {
  const blobs = new MemoryBlobStore(testStores().clock);
  const mine = new Payloads(blobs, sample.ACCOUNT_ID);
  const payload = mine.encode(sample.TABLE, {
    ...sample.ENVELOPE,
    revision: sample.REVISION,
  });
  await mine.put(payload);
  const theirs = new Payloads(
    blobs,
    sample.ENVELOPE.revision as unknown as typeof sample.ACCOUNT_ID,
  );
  await expect(theirs.get("table", sample.TABLE.id, payload.path)).rejects.toMatchObject({
    kind: "Corrupt",
    code: "PAYLOAD_CORRUPT",
  });
});

test("bytes that do not match the hash in their path are corrupt", async () => {
  const world = await openTree();
  const item = await pointerOf(world, "t");
  const path = item.blobPath ?? "";
  const bytes = Uint8Array.from((await world.blobs.get(path))?.bytes ?? []);
  bytes[bytes.length - 1]! ^= 1;
  await world.blobs.put(path, bytes);
  await expect(world.nodes[1]!.catalog.tables.get(REF)).rejects.toMatchObject({
    kind: "Corrupt",
    code: "PAYLOAD_CORRUPT",
  });
});

test("a payload that is gone is followed where its pointer moved, else corrupt", async () => {
  const image = await imageOf(TREE);
  let world: World | undefined;
  let moved = 0;
  const losing = (inner: BlobStore): BlobStore => ({
    ...gatedBlobs(inner),
    get: async (path) => {
      if (!path.includes("/table/") || moved > 0) return inner.get(path);
      moved++;
      await op.commitTable("s.t", "A").run(world!.nodes[1]!);
      return undefined;
    },
  });
  world = await openWorld(image, 2, { blobs: losing });
  expect(await op.answerOf(world.nodes[0]!, op.findTable("s.t"))).toBe("found t at s.t/0A");
  const fresh = await openWorld(image, 1);
  await fresh.blobs.delete((await pointerOf(fresh, "t")).blobPath ?? "");
  expect(await op.answerOf(fresh.nodes[0]!, op.findTable("s.t"))).toBe("Corrupt CATALOG_CORRUPT");
});

test("a pointer's summary is never over its limit, whatever the legal names", () => {
  const payloads = new Payloads(new MemoryBlobStore(testStores().clock), sample.ACCOUNT_ID);
  const { revision, updatedAtMs, updatedBy, requestId } = sample.ENVELOPE;
  const authorship = { revision, updatedAtMs, updatedBy, requestId };
  const location = fc.string({ unit: "grapheme", maxLength: 3_000 });
  fc.assert(
    fc.property(legalName, location, (name, metadataLocation) => {
      const table: Table = {
        ...sample.TABLE,
        name,
        iceberg: { ...sample.TABLE.iceberg, metadataLocation, purgeRequested: true },
        state: "DROPPED",
        purgeAfterMs: Number.MAX_SAFE_INTEGER,
        protected: true,
      };
      const namespace: Namespace = {
        ...sample.NAMESPACE,
        name,
        state: "DROPPED",
        purgeAfterMs: Number.MAX_SAFE_INTEGER,
      };
      const batch = new BatchBuilder(sample.ACCOUNT_ID);
      for (const entity of [table, namespace]) {
        const payload = payloads.encode(entity, authorship);
        const key = byIdKey(entity.type, sample.ACCOUNT_ID, entity.id);
        batch.put(never(key), { payload, summary: summaryOf(entity, payload) });
        batch.put(never(locationKey(sample.ACCOUNT_ID, `file:///${entity.type}`)), {
          summary: nameSummary(entity),
        });
      }
      for (const put of batch.ops) {
        if (put.op !== "put" || put.summary === undefined) throw new Error("not a put");
        expect(put.summary.length).toBeLessThanOrEqual(LIMITS.summaryBytes);
        const summary = decodeSummary(put.summary);
        expect(summary.name).toBe(name);
        expect([undefined, metadataLocation || undefined]).toContain(summary.metadataLocation);
      }
    }),
  );
});
