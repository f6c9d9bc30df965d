import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { IdSource } from "../../src/base/ids.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { LocalBlobStore } from "../../src/blob/local.ts";
import { type LocationScheme, Locations } from "../../src/blob/locations.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { S3BlobStore } from "../../src/blob/s3/store.ts";
import { KEY_FAMILIES } from "../../src/catalog/keys.ts";
import { DynamoPointerStore } from "../../src/pointer/dynamo/store.ts";
import { OWN_ACTOR } from "../../src/service/actor.ts";
import { Fsck, type FsckFinding } from "../../src/service/fsck/fsck.ts";
import { type CatalogNode, openNode } from "../../src/service/node.ts";
import { DynamoDouble } from "../double/dynamo/service.ts";
import { ANY_CREDENTIALS } from "../double/dynamo/world.ts";
import { Bucket } from "../double/s3/model.ts";
import { S3Service } from "../double/s3/service.ts";
import { serve } from "../double/server.ts";
import { NetworkClock } from "../support/dynamo-pointers.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const TABLE = "firn-soak";
const ROOT = "sim://w";

/** How much is stored, and how long a look at it takes. */
export interface Size {
  readonly pointers: number;
  readonly objects: number;
  readonly bytes: number;
  readonly files: number;
  readonly heapMib: number;
  readonly listMs: number;
}

/** Two nodes of profile `aws` over doubles of S3 and DynamoDB, and time that passes by sleeping. */
export interface World {
  readonly clock: SleepIsTime;
  readonly nodes: readonly CatalogNode[];
  /** Deletes what the service's own expiry would. */
  expire(): void;
  size(): Promise<Size>;
  check(): Promise<readonly FsckFinding[]>;
  readonly stops: readonly string[];
  close(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const clock = new SleepIsTime();
  await clock.sleep(Date.UTC(2026, 0, 1));
  const nowMs = () => clock.nowMs();
  const dynamo = new DynamoDouble({ nowMs });
  const s3 = new S3Service({ now: nowMs });
  const buckets = ["payloads", "warehouse"].map((name) => {
    const bucket = new Bucket(s3.region);
    s3.model.buckets.set(name, bucket);
    return bucket;
  });
  const [items, objects] = [await serve(dynamo.handler), await serve(s3.handler)];
  dynamo.tables.createReady(TABLE, { partition: "p", sort: "s" });
  const connection = { endpoint: items.url, region: "us-east-1", credentials: ANY_CREDENTIALS };
  await enableExpiry(connection);
  const directory = mkdtempSync(join(tmpdir(), "firn-soak-"));
  const stops: string[] = [];
  const closing: (() => unknown)[] = [];
  const network = new NetworkClock(clock);
  const openStores = (seed: number) => {
    const pointers = new DynamoPointerStore({
      table: TABLE,
      connection,
      families: KEY_FAMILIES,
      clock: network,
      prng: new SeededPrng(seed),
    });
    const open = (bucket: string) => openBucket(bucket, objects.url, network, seed);
    const [blobs, files] = [open("payloads"), open("warehouse")];
    closing.push(
      () => pointers.close(),
      () => blobs.close(),
      () => files.close(),
    );
    return { pointers, blobs, files };
  };
  let scratches = 0;
  const open = async (seed: number): Promise<CatalogNode> => {
    const { pointers, blobs, files } = openStores(seed);
    const prng = new SeededPrng(seed);
    const scheme: LocationScheme = {
      normalize: (uri) => uri.replace(/\/+$/, ""),
      open: (root) => ({
        store: files,
        pathOf: (uri) => (uri === root ? "" : uri.slice(ROOT.length + 1)),
        unwatched: true,
      }),
    };
    const schemes = new Map([["sim", scheme]]);
    const locations = new Locations({ allowedRoots: [ROOT], clock, prng, schemes });
    const node = await openNode({
      stores: { clock, prng, ids: new IdSource(clock, prng), blobs, pointers },
      locations,
      metrics: createMetrics(),
      secret: new Uint8Array(32),
      warehouse: ROOT,
      sharedRoots: [],
      pointersExpire: true,
      gc: {
        scratch: async () => ({
          store: new LocalBlobStore(join(directory, `s${scratches++}`), {
            clock: network,
            prng,
            durable: false,
          }),
          close: async () => {},
        }),
        onStopped: ({ code, message }) => void stops.push(`${code}: ${message}`),
      },
    });
    await node.catalogs.ensure(OWN_ACTOR, "c", ROOT);
    node.collector.start();
    return node;
  };
  const nodes = [await open(1), await open(2)];
  const looking = openStores(9);
  return {
    clock,
    nodes,
    stops,
    expire: () => dynamo.tables.expire(),
    size: async () => {
      const [payloads, warehouse] = buckets;
      if (payloads === undefined || warehouse === undefined) throw new Error("no buckets");
      const startedMs = performance.now();
      await nodes[0]?.iceberg.listTables(OWN_ACTOR, { catalog: "c", namespace: ["n"] }, {});
      await looking.blobs.list("accounts/");
      const listMs = performance.now() - startedMs;
      const keys = payloads.keys();
      return {
        pointers: dynamo.tables.ready(TABLE).all().length,
        objects: keys.length,
        bytes: keys.reduce((sum, key) => sum + (payloads.get(key)?.body.length ?? 0), 0),
        files: warehouse.keys().length,
        heapMib: Math.round(process.memoryUsage().heapUsed / 1_048_576),
        listMs: Math.round(listMs * 10) / 10,
      };
    },
    check: async () => {
      const prng = new SeededPrng(9);
      const { pointers, blobs } = looking;
      const ids = new IdSource(clock, prng);
      const scratch = new MemoryBlobStore(clock);
      const run = new Fsck({ pointers, blobs, clock, prng, ids, scratch }).run(false);
      const found: FsckFinding[] = [];
      for await (const finding of run) found.push(finding);
      return found;
    },
    close: async () => {
      for (const node of nodes) await node.close();
      for (const close of closing) await close();
      await items.close();
      await objects.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function enableExpiry(connection: ConstructorParameters<typeof DynamoDBClient>[0]) {
  const client = new DynamoDBClient(connection as object);
  const TimeToLiveSpecification = { AttributeName: "t", Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: TABLE, TimeToLiveSpecification }));
  client.destroy();
}

function openBucket(bucket: string, endpoint: string, clock: NetworkClock, seed: number) {
  const credentials = { accessKeyId: "soak", secretAccessKey: "double" };
  const options = { bucket, endpoint, credentials, region: "us-east-1" };
  return new S3BlobStore(options, { clock, prng: new SeededPrng(seed) });
}
