import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../../src/base/clock.ts";
import type { Prng } from "../../../src/base/prng.ts";
import { LocalBlobStore } from "../../../src/blob/local.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { LocalDisk, type SyncMode } from "../../../src/lsm/disk/local.ts";
import { Engine } from "../../../src/lsm/engine/engine.ts";
import type { OpenOptions } from "../../../src/lsm/engine/open.ts";
import type { Owner } from "../../../src/lsm/format/manifest-records.ts";
import type { NodeIdentity, Sighting } from "../../../src/lsm/ownership/owner.ts";
import { ObjectWalStore } from "../../../src/lsm/wal/objects.ts";
import type { WalReader, WalStore } from "../../../src/lsm/wal/port.ts";
import { ObjectReader, SegmentReader } from "../../../src/lsm/wal/reader.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { SystemPrng } from "../../../src/runtime/prng.ts";
import { InlineMerger } from "../../support/inline-merger.ts";
import { ModelledDisk } from "../../support/modelled-disk.ts";

export interface ProcessOptions {
  readonly sight?: (node: string) => Sighting;
  readonly url?: string;
  readonly answers?: (owner: Owner) => Promise<boolean>;
}

/** Processes as tests need them: each dies when it is told to. */
export class Processes {
  readonly #dead = new Set<string>();
  #made = 0;

  /** A process that sees every other one of this group. */
  start(options: ProcessOptions = {}): NodeIdentity {
    const node = `node-${++this.#made}`;
    const seen = (other: string): Sighting => (this.#dead.has(other) ? "dead" : "alive");
    const { sight = seen, ...rest } = options;
    return {
      node,
      host: "host",
      pid: this.#made,
      bootId: "boot",
      url: "",
      sight: (owner) => sight(owner.node),
      ...rest,
    };
  }

  /** Processes so far. */
  get count(): number {
    return this.#made;
  }

  kill({ node }: NodeIdentity): void {
    this.#dead.add(node);
  }
}

export interface Kind {
  readonly store: "memory" | "local";
  readonly wal: "objects" | "segments";
}

export const KINDS: readonly Kind[] = [
  { store: "memory", wal: "objects" },
  { store: "memory", wal: "segments" },
  { store: "local", wal: "objects" },
  { store: "local", wal: "segments" },
];

export interface World {
  readonly store: BlobStore;
  readonly wal: WalStore;
  /** The log, for those who only read it. */
  readonly log: WalReader;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly processes: Processes;
  /** Opens the shard as a new process, of which the one before is dead. */
  open(parts?: Partial<OpenOptions>): Promise<Engine>;
  end(): void;
}

export interface Ports {
  readonly clock?: Clock;
  readonly prng?: Prng;
  /** How a local log is synced; as a server's if absent. */
  readonly sync?: SyncMode;
}

/** A store and a log; in memory, or in a directory of their own until `end`. */
export function makeWorld(kind: Kind, ports: Ports = {}): World {
  const { clock = new SystemClock(), prng = new SystemPrng() } = ports;
  const directory = mkdtempSync(join(tmpdir(), "firn-lsm-"));
  const store =
    kind.store === "memory"
      ? new MemoryBlobStore(clock)
      : new LocalBlobStore(join(directory, "store"), { clock, prng, durable: false });
  const disk =
    kind.store === "memory"
      ? new ModelledDisk()
      : new LocalDisk(join(directory, "wal"), ports.sync);
  const wal =
    kind.wal === "objects"
      ? new ObjectWalStore(store, { clock, prng, prefix: "wal/" })
      : new SegmentWalStore(disk, { clock, prng, segmentBytes: 262_144, sliceBytes: 65_536 });
  const log = kind.wal === "objects" ? new ObjectReader(store, "wal/") : new SegmentReader(disk);
  const processes = new Processes();
  let last: NodeIdentity | undefined;
  return {
    store,
    wal,
    log,
    clock,
    prng,
    processes,
    async open(parts = {}) {
      if (last !== undefined) processes.kill(last);
      const node = processes.start();
      last = node;
      const merger = new InlineMerger(clock, 3);
      return await Engine.open({ store, wal, clock, prng, node, merger, ...parts });
    },
    end() {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
