import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { LocalDisk } from "../../src/lsm/disk/local.ts";
import type { Disk } from "../../src/lsm/disk/port.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import type { NodeIdentity } from "../../src/lsm/ownership/owner.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { SegmentWalStore } from "../../src/lsm/wal/segments.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import { fromFields, readSettings, requireSettings } from "../../src/runtime/read-settings.ts";
import type { Profile } from "../../src/runtime/settings.ts";
import { gatedPointers } from "../catalog/support/gate.ts";
import { InlineMerger } from "../support/inline-merger.ts";
import { SharedClock } from "./clock.ts";
import { Node, type Wrap } from "./node.ts";
import { NAME, openSite, type Site } from "./site.ts";

const SECRET = "the secret that all nodes of a world share";

export interface WorldOptions {
  readonly seed: number;
  /** How often what is left to chance is tried. */
  readonly rounds: number;
  /** Of the stores of the last node: what one node alone does wrong, nobody else makes up for. */
  readonly wrap?: Wrap;
}

/**
 * A profile, opened as its processes open it: one node, on `aws` two; behind them the doubles of
 * the services on `bucket` and `aws`, a directory on `local`.
 */
export class World {
  readonly profile: Profile;
  readonly seed: number;
  readonly rounds: number;
  readonly clock: SharedClock;
  readonly prng: SeededPrng;
  readonly dir: string;
  /** Those that serve: every claim holds on each, and between any two. */
  nodes: readonly Node[] = [];
  /** Whether what is broken is so by now: see `Breakable`. */
  readonly isArmed: () => boolean = () => this.nodes.length > 0;
  readonly #site: Site | undefined;
  readonly #opened: Node[] = [];
  readonly #engines: Engine[] = [];
  #names = 0;

  private constructor(
    profile: Profile,
    { seed, rounds }: WorldOptions,
    parts: { readonly clock: SharedClock; readonly dir: string; readonly site: Site | undefined },
  ) {
    this.profile = profile;
    this.seed = seed;
    this.rounds = rounds;
    this.prng = new SeededPrng(seed);
    this.clock = parts.clock;
    this.dir = parts.dir;
    this.#site = parts.site;
  }

  static async open(profile: Profile, options: WorldOptions): Promise<World> {
    const clock = new SharedClock();
    const remote = profile === "bucket" || profile === "aws";
    const site = remote ? await openSite(clock, options.seed) : undefined;
    const dir = await mkdtemp(join(tmpdir(), "firn-consistency-"));
    const world = new World(profile, options, { clock, dir, site });
    try {
      const nodes: Node[] = [];
      const count = profile === "aws" ? 2 : 1;
      while (nodes.length < count) {
        const isLast = nodes.length === count - 1;
        nodes.push(await world.openNode(isLast ? { wrap: options.wrap } : {}));
      }
      world.nodes = nodes;
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  /** The services of the profile. */
  get site(): Site {
    if (this.#site === undefined) throw new Error(`profile ${this.profile} has no services`);
    return this.#site;
  }

  /** The first node, and the one whose answers are held against it. */
  get pair(): readonly [Node, Node] {
    const [first, last] = [this.nodes[0], this.nodes.at(-1)];
    if (first === undefined || last === undefined) throw new Error("no node is open");
    return [first, last];
  }

  /** A node by turns. */
  node(turn: number): Node {
    return this.nodes[turn % this.nodes.length] as Node;
  }

  /** Another process of the profile, over the same stores. */
  async openNode(
    options: { readonly takeover?: boolean; readonly wrap?: Wrap | undefined } = {},
  ): Promise<Node> {
    this.#site?.enter();
    const { profile, dir } = this;
    const remote = profile === "bucket" || profile === "aws";
    const given = {
      profile,
      dir,
      logLevel: "silent" as const,
      ...(options.takeover === true && { takeover: true }),
      ...(remote && { s3Bucket: NAME, s3PathStyle: true, secret: SECRET }),
      ...(profile === "aws" && { dynamodbTable: NAME }),
    };
    const settings = requireSettings(readSettings([fromFields(given)], dir));
    const prng = new SeededPrng(this.seed * 1_000 + this.#opened.length);
    const node = await Node.open(settings, this, prng, options.wrap);
    this.#opened.push(node);
    return node;
  }

  /** A process takes over what the nodes had, which hear of it when they are next asked. */
  async succeed(): Promise<Node> {
    const next = await this.openNode({
      takeover: this.profile === "local" || this.profile === "bucket",
    });
    this.nodes = [next];
    return next;
  }

  /** A name that no other check of this world has. */
  name(): string {
    return `n${String(++this.#names).padStart(4, "0")}`;
  }

  /** An engine over a shard of its own, as the profile keeps one. */
  async engine(
    shard: string,
    options: Partial<LsmTuning> = {},
    disk: Disk = new LocalDisk(this.logOf(shard)),
  ): Promise<Engine> {
    this.#site?.enter();
    const { clock } = this;
    const prng = new SeededPrng(this.seed * 1_000 + 500 + this.#engines.length);
    const prefix = `shards/${shard}/`;
    const local = this.profile === "local";
    const store = this.profile === "memory" ? new MemoryBlobStore(clock) : this.pair[0].blobs;
    const wal = local
      ? new SegmentWalStore(disk, {
          clock,
          prng,
          segmentBytes: 1_048_576,
          sliceBytes: 1_048_576,
        })
      : new ObjectWalStore(store, { clock, prng, prefix: `${prefix}wal/` });
    const engine = await Engine.open({
      store,
      wal,
      clock,
      prng,
      prefix,
      forTests: options,
      takeOver: "takeover",
      merger: new InlineMerger(clock),
      node: this.#identity(),
    });
    this.#engines.push(engine);
    return engine;
  }

  /** Where the log of such a shard lies on profile `local`. */
  logOf(shard: string): string {
    return join(this.dir, "wal", shard);
  }

  #identity(): NodeIdentity {
    return {
      node: `engine-${this.#engines.length}`,
      host: "host",
      pid: 1,
      bootId: "boot",
      url: "",
      sight: () => "alive",
    };
  }

  /** Ends what is under way, and everything else. */
  async close(): Promise<void> {
    this.#site?.s3.calm();
    this.#site?.dynamo.calm();
    for (const engine of this.#engines) await engine.close().catch(() => undefined);
    for (const node of this.#opened) await node.close();
    await this.#site?.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}

/** The pointers without those that checks of the port have made. */
export function withoutSpaces(pointers: PointerStore): PointerStore {
  return {
    ...gatedPointers(pointers),
    sweep: async function* (prefix) {
      for await (const item of pointers.sweep(prefix)) {
        if (!item.key.startsWith("/accounts/space-")) yield item;
      }
    },
  };
}
