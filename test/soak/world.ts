import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { DynamoDBClient, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { IdSource } from "../../src/base/ids.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { LocalBlobStore } from "../../src/blob/local.ts";
import { type LocationScheme, Locations } from "../../src/blob/locations.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { S3BlobStore } from "../../src/blob/s3/store.ts";
import { KEY_FAMILIES } from "../../src/catalog/keys.ts";
import { DynamoPointerStore } from "../../src/pointer/dynamo/store.ts";
import { type Actor, OWN_ACTOR } from "../../src/service/actor.ts";
import { findBackup } from "../../src/service/backup/format.ts";
import type { RestoreReport } from "../../src/service/backup/restore.ts";
import { restoreStoreBackup, takeStoreBackup } from "../../src/service/backup/store.ts";
import type { BackupReport } from "../../src/service/backup/take.ts";
import type { FsckFinding } from "../../src/service/fsck/fsck.ts";
import { SERVICE_LIMITS } from "../../src/service/limits.ts";
import { type CatalogNode, type NodeParts, openNode } from "../../src/service/node.ts";
import { ANY_CREDENTIALS } from "../double/dynamo/world.ts";
import { NetworkClock } from "../support/dynamo-pointers.ts";
import { type EntityHash, entityHash } from "../support/entity-hash.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";
import { openServices, type SoakBucket, type SoakTable, type Stored, TABLES } from "./services.ts";

const ROOT = "sim://w";
/** Who asks in the other account. */
export const OTHER: Actor = { ...OWN_ACTOR, account: "acme", principal: "ann" };
/** Lists are timed so often, and the quickest counts: others may have the processor meanwhile. */
const LIST_LOOKS = 5;

/** How much is stored, and how long a look at it takes. */
export interface Size extends Stored {
  /** Of the nodes alone, once what is garbage in it is collected. */
  readonly heapMib: number;
  readonly listMs: number;
}

/** What a backup and its restore into empty stores came to. */
export interface Restored {
  readonly backup: BackupReport;
  readonly restore: RestoreReport;
  readonly before: EntityHash;
  readonly after: EntityHash;
  readonly found: readonly FsckFinding[];
}

/** Two nodes of profile `aws` over doubles of S3 and DynamoDB, and time that passes by sleeping. */
export interface World {
  readonly clock: SleepIsTime;
  readonly nodes: readonly CatalogNode[];
  /** Serves account `acme`, which `OTHER` may use. */
  readonly other: CatalogNode;
  /** Deletes what the service's own expiry would. */
  expire(): Promise<void>;
  /** @param leftAt locations of tables that were dropped for good without a purge. */
  size(leftAt: readonly string[]): Promise<Size>;
  check(): Promise<readonly FsckFinding[]>;
  /** Takes a backup, restores it into empty stores, and checks those. */
  backUpAndRestore(): Promise<Restored>;
  readonly stops: readonly string[];
  close(): Promise<void>;
}

/** Time that the services in the other thread read too. */
class SharedTime extends SleepIsTime {
  readonly cell = new SharedArrayBuffer(8);
  readonly #ms = new BigInt64Array(this.cell);

  override async sleep(ms: number): Promise<void> {
    await super.sleep(ms);
    Atomics.store(this.#ms, 0, BigInt(this.nowMs()));
  }
}

/** What a node needs of the services. */
interface Stores {
  readonly pointers: DynamoPointerStore;
  bucket(name: SoakBucket): S3BlobStore;
}

export async function openWorld(): Promise<World> {
  const clock = new SharedTime();
  await clock.sleep(Date.UTC(2026, 0, 1));
  const services = await openServices(clock.cell);
  const { itemsUrl: endpoint, objectsUrl } = services;
  const connection = { endpoint, region: "us-east-1", credentials: ANY_CREDENTIALS };
  for (const name of TABLES) await enableExpiry(name, connection);
  const directory = mkdtempSync(join(tmpdir(), "firn-soak-"));
  const stops: string[] = [];
  const closing: (() => unknown)[] = [];
  const network = new NetworkClock(clock);
  const openStores = (seed: number, table: SoakTable = "firn"): Stores => {
    const prng = new SeededPrng(seed);
    const families = KEY_FAMILIES;
    const pointers = new DynamoPointerStore({ table, connection, families, clock: network, prng });
    closing.push(() => pointers.close());
    const bucket = (name: SoakBucket) => {
      const opened = openBucket(name, objectsUrl, network, seed);
      closing.push(() => opened.close());
      return opened;
    };
    return { pointers, bucket };
  };
  let scratches = 0;
  const scratch = (): BlobStore => {
    const options = { clock: network, prng: new SeededPrng(1), durable: false };
    return new LocalBlobStore(join(directory, `s${scratches++}`), options);
  };
  const open = async (
    seed: number,
    table: SoakTable = "firn",
    account?: NodeParts["account"],
  ): Promise<CatalogNode> => {
    const stores = openStores(seed, table);
    const { pointers } = stores;
    const blobs = stores.bucket(table === "firn" ? "payloads" : "restored");
    const files = stores.bucket("warehouse");
    const prng = new SeededPrng(seed);
    const scheme: LocationScheme = {
      normalize: (uri) => uri.replace(/\/+$/, ""),
      open: (root) => ({
        store: files,
        pathOf: (uri) => (uri === root ? "" : pathOf(uri)),
        unwatched: true,
      }),
    };
    const schemes = new Map([["sim", scheme]]);
    const warehouse = account === undefined ? ROOT : `${ROOT}/@accounts/${account.id}`;
    const locations = new Locations({ allowedRoots: [warehouse], clock, prng, schemes });
    return openNode({
      account,
      stores: { clock, prng, ids: new IdSource(clock, prng), blobs, pointers },
      locations,
      metrics: createMetrics(),
      secret: new Uint8Array(32),
      warehouse,
      sharedRoots: [],
      pointersExpire: true,
      gc: {
        scratch: async () => ({ store: scratch(), close: async () => {} }),
        onStopped: ({ code, message }) => void stops.push(`${code}: ${message}`),
      },
    });
  };
  const nodes = [await open(1), await open(2)];
  for (const node of nodes) {
    await node.catalogs.ensure(OWN_ACTOR, "c", ROOT);
    node.collector.start();
  }
  const other = await openOther(nodes[0], (account) => open(3, "firn", account));
  const looking = openStores(9);
  const payloads = looking.bucket("payloads");
  return {
    clock,
    nodes,
    other,
    stops,
    expire: () => services.expire(),
    size: async (leftAt) => {
      let listMs = Number.POSITIVE_INFINITY;
      for (let look = 0; look < LIST_LOOKS; look++) {
        const startedMs = performance.now();
        await nodes[0]?.iceberg.listTables(OWN_ACTOR, { catalog: "c", namespace: ["n"] }, {});
        await payloads.list("accounts/");
        listMs = Math.min(listMs, performance.now() - startedMs);
      }
      return {
        ...(await services.stored(leftAt.map(pathOf))),
        heapMib: Math.round(liveHeapBytes() / 1_048_576),
        listMs: Math.round(listMs * 10) / 10,
      };
    },
    check: () => findings(nodes[0], scratch(), payloads),
    backUpAndRestore: async () => {
      await deleteAccount(nodes[0]);
      const target = looking.bucket("backups");
      const prng = new SeededPrng(9);
      const ids = new IdSource(clock, prng);
      const { pointers } = looking;
      const before = await entityHash(pointers);
      const { historyRetentionMs } = SERVICE_LIMITS;
      const openScratch = async () => ({ store: scratch(), close: async () => {} });
      const own = { clock, prng, ids, openScratch };
      const parts = { ...own, pointers, blobs: payloads, target, historyRetentionMs };
      const backup = await takeStoreBackup(parts);
      const into = openStores(10, "restored");
      const restore = await restoreStoreBackup(
        { ...own, pointers: into.pointers, blobs: into.bucket("restored"), source: target },
        await findBackup(target),
      );
      const after = await entityHash(into.pointers);
      const node = await open(11, "restored");
      const found = await findings(node, scratch(), into.bucket("restored"));
      await node.close();
      return { backup, restore, before, after, found };
    },
    close: async () => {
      for (const node of [...nodes, other]) await node.close();
      for (const close of closing) await close();
      await services.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Makes an account and deletes it: it may be brought back, so that the backup has it. */
async function deleteAccount(node: CatalogNode | undefined): Promise<void> {
  await node?.model.accounts.create(OWN_ACTOR, { name: "gone" });
  await node?.model.accounts.drop(OWN_ACTOR, { account: { name: "gone" } });
}

/** Makes the other account, and what serves it. */
async function openOther(
  node: CatalogNode | undefined,
  open: (account: NonNullable<NodeParts["account"]>) => Promise<CatalogNode>,
): Promise<CatalogNode> {
  if (node === undefined) throw new Error("no node");
  const { entity } = await node.model.accounts.create(OWN_ACTOR, { name: OTHER.account });
  const other = await open({ name: OTHER.account, id: entity.id });
  await other.catalogs.ensure(OTHER, "c");
  other.collector.start();
  return other;
}

/** Where something of the warehouse lies in its bucket. */
function pathOf(uri: string): string {
  return uri.slice(ROOT.length + 1);
}

async function findings(
  node: CatalogNode | undefined,
  scratch: BlobStore,
  payloads: BlobStore,
): Promise<readonly FsckFinding[]> {
  if (node === undefined) throw new Error("no node");
  const found: FsckFinding[] = [];
  for await (const finding of node.fsck(scratch, payloads).run(false)) found.push(finding);
  return found;
}

/** What is live: how much garbage lies in the heap says nothing. */
function liveHeapBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

async function enableExpiry(
  TableName: SoakTable,
  connection: ConstructorParameters<typeof DynamoDBClient>[0],
): Promise<void> {
  const client = new DynamoDBClient(connection as object);
  const TimeToLiveSpecification = { AttributeName: "t", Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  client.destroy();
}

function openBucket(
  bucket: SoakBucket,
  endpoint: string,
  clock: NetworkClock,
  seed: number,
): S3BlobStore {
  const credentials = { accessKeyId: "soak", secretAccessKey: "double" };
  const options = { bucket, endpoint, credentials, region: "us-east-1" };
  return new S3BlobStore(options, { clock, prng: new SeededPrng(seed) });
}
