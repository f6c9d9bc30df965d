import type { Clock } from "../../src/base/clock.ts";
import { IdSource } from "../../src/base/ids.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { S3BlobStore } from "../../src/blob/s3/store.ts";
import { AccountCatalog } from "../../src/catalog/catalog.ts";
import { KEY_FAMILIES } from "../../src/catalog/keys.ts";
import { LsmMetrics } from "../../src/lsm/engine/metrics.ts";
import type { NodeIdentity } from "../../src/lsm/ownership/owner.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import { DynamoPointerStore } from "../../src/pointer/dynamo/store.ts";
import { LsmPointerStore } from "../../src/pointer/lsm.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import { openBucketShard } from "../../src/runtime/bucket-shard.ts";
import type { Node } from "../catalog/support/operations.ts";
import { BUCKET, type Content, type Doubles, TABLE } from "./doubles.ts";
import { type Direct, readAws, readBucket } from "./read-doubles.ts";
import { SUBJECT, type Wires } from "./wires.ts";

/** Where a process finds the services, and as whom it asks them. */
export interface Host {
  readonly doubles: Doubles;
  readonly wires: Wires;
  readonly name: string;
  readonly seed: number;
}

/** A process over the adapters. */
export interface Process extends Node {
  /** Another catalog of the same process, where only one process may write. */
  readonly beside: (() => Promise<Node>) | undefined;
  /** Ends in good order. */
  release(): Promise<void>;
  /** Ends its connections. What it sent may still land. */
  close(): void;
}

/** How a profile keeps what the catalog knows. */
export interface Site {
  readonly name: string;
  open(host: Host): Promise<Process>;
  /** What the services hold, read without any adapter. */
  read(content: Content): Promise<Direct>;
}

function credentialsOf(name: string): { accessKeyId: string; secretAccessKey: string } {
  return { accessKeyId: name, secretAccessKey: "double" };
}

/** A process that has ended waits for ever. */
function mortal({ wires, name }: Host, clock: Clock): Clock {
  if (name !== SUBJECT) return clock;
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: (ms, ended) => {
      const forEver = wires.ended && ended === undefined;
      return forEver ? new Promise(() => undefined) : clock.sleep(ms, ended);
    },
  };
}

function blobsOf(host: Host): S3BlobStore {
  const { doubles, wires, name, seed } = host;
  return new S3BlobStore(
    {
      bucket: BUCKET,
      endpoint: doubles.urlOf("s3"),
      region: "us-east-1",
      credentials: credentialsOf(name),
    },
    { clock: mortal(host, wires.clocks.s3), prng: new SeededPrng(seed + 1) },
  );
}

async function nodeOver(host: Host, pointers: PointerStore, blobs: BlobStore): Promise<Node> {
  const { wires, seed } = host;
  const clock = mortal(host, wires.clock);
  const prng = new SeededPrng(seed);
  const ids = new IdSource(clock, prng);
  return {
    catalog: await AccountCatalog.open({ clock, prng, ids, blobs, pointers }, "default"),
    blobs,
  };
}

/**
 * Objects in S3, pointers in DynamoDB: any number of processes. `spoil`: what the subject has in
 * place of its pointers, where a defect is put in on purpose.
 */
export function awsSite(spoil: (store: PointerStore) => PointerStore = (store) => store): Site {
  return { name: "aws", read: readAws, open: (host) => openAws(host, spoil) };
}

async function openAws(host: Host, spoil: (store: PointerStore) => PointerStore): Promise<Process> {
  const { doubles, wires, name, seed } = host;
  const blobs = blobsOf(host);
  const store = new DynamoPointerStore({
    table: TABLE,
    families: KEY_FAMILIES,
    clock: mortal(host, wires.clocks.dynamo),
    prng: new SeededPrng(seed + 2),
    connection: {
      endpoint: doubles.urlOf("dynamo"),
      region: "us-east-1",
      credentials: credentialsOf(name),
    },
  });
  const pointers = name === SUBJECT ? spoil(store) : store;
  const close = (): void => {
    blobs.close();
    store.close();
  };
  const node = await nodeOver(host, pointers, blobs);
  return { ...node, beside: undefined, release: async () => undefined, close };
}

/** Everything in S3, the pointers in an engine that one process owns: whoever opens it fences. */
const IN_BUCKET: Site = {
  name: "bucket",
  read: readBucket,
  open: async (host) => {
    const { wires, seed } = host;
    const blobs = blobsOf(host);
    const clock = mortal(host, wires.clocks.s3);
    const budget = new MemoryBudget();
    const shard = await openBucketShard(blobs, {
      clock,
      prng: new SeededPrng(seed + 2),
      node: identityOf(host.name),
      takeOver: "takeover",
      onWaiting: () => undefined,
      budget,
      metrics: new LsmMetrics(createMetrics(), budget),
    });
    const { engine, reader } = shard;
    const pointers = new LsmPointerStore({ families: KEY_FAMILIES, clock, engine, reader });
    return {
      ...(await nodeOver(host, pointers, blobs)),
      beside: () => nodeOver({ ...host, seed: seed + 10 }, pointers, blobs),
      release: () => shard.close(),
      close: () => blobs.close(),
    };
  },
};

/** On a machine of its own, so that nobody knows whether another one lives. */
function identityOf(name: string): NodeIdentity {
  return { node: name, host: name, pid: 1, bootId: name, url: "", sight: () => "unseen" };
}

export const SITES: readonly Site[] = [awsSite(), IN_BUCKET];
