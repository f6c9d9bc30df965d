import { Stopwatch } from "../../../src/base/clock.ts";
import { FirnError } from "../../../src/base/error.ts";
import { type AnyId, IdSource } from "../../../src/base/ids.ts";
import { randomBelow, SeededPrng } from "../../../src/base/prng.ts";
import {
  type Attempt,
  type CertainDeps,
  commitCertain,
  putCertain,
} from "../../../src/pointer/certain.ts";
import type { PointerOp, PointerStore, Version } from "../../../src/pointer/port.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { EVERY_DYNAMO_FAULT, sparesTrouble, troublesOf } from "../dynamo/trouble.ts";
import type { Item } from "../dynamo/value-types.ts";
import { type DynamoWorld, openDynamoWorld, TABLE } from "../dynamo/world.ts";
import { type Faulty, faulty, seededPlan } from "../faults.ts";
import type { Campaign, CampaignOptions, Tally, Told } from "./campaign.ts";

const WORKERS = 24;
const FAULT_RATE = 0.1;
/** Pointers that are written over and over, by single writes and by batches apart. */
const HOT = 256;
const GUARDS = 8;
/** Of the attempts with a receipt, those that the one before has named too. */
const SHARED_RECEIPTS = 0.1;

const SPACE = "/test/campaign";
const key = (kind: string, n: number): string => `${SPACE}/entities/by-id/${kind}-${n}`;
const name = (n: number): string => `${SPACE}/entities/by-name/name-${n}`;
const guard = (n: number): string => `${SPACE}/guards/${n}`;
const receipt = (n: number): string => `${SPACE}/receipts/op/${n}`;

/**
 * Puts, compare-and-sets and batches through `certain.ts` and the adapter, raced by rivals, under
 * every fault. Every attempt has a writer id of its own, so the items that the service was made to
 * write tell whose attempt was applied.
 */
export const pointers: Campaign = { name: "pointers", run: (options) => campaign(options) };

/** The campaign over the adapter, or over one that `spoil` makes of it. */
export async function campaign(
  options: CampaignOptions,
  spoil: (store: PointerStore) => PointerStore = (store) => store,
): Promise<Tally> {
  let network: Faulty | undefined;
  let isBad = false;
  const world = await openDynamoWorld({
    connection: { timeouts: { connectMs: 1_000, idleMs: 1_000, wholeMs: 800 } },
    network: (handler, double) => {
      const refusals = Object.values(troublesOf(double));
      const faults = { rate: FAULT_RATE, weights: EVERY_DYNAMO_FAULT, refusals, maxDelayMs: 8 };
      const plan = seededPlan({ ...faults, spares: sparesTrouble });
      const prng = new SeededPrng(options.seed);
      network = faulty(handler, prng, (...of) => (isBad ? plan(...of) : undefined));
      return network.service;
    },
  });
  try {
    if (network === undefined) throw new Error("the double has no network");
    const run = new Run(world, spoil(world.store), network, options);
    await run.prepare();
    isBad = true;
    return await run.tally();
  } finally {
    await world.close();
  }
}

class Run {
  readonly #store: PointerStore;
  readonly #network: Faulty;
  readonly #requests: () => number;
  readonly #prng: SeededPrng;
  readonly #deps: CertainDeps;
  readonly #ops: number;
  /** For each writer, how often the service has written each key for it. */
  readonly #written = new Map<string, Map<string, number>>();
  readonly #told: Record<Told, number> = { applied: 0, refused: 0, unknown: 0 };
  readonly #refused: (readonly [string, string])[] = [];
  readonly #lies: string[] = [];
  #begun = 0;

  constructor(
    world: DynamoWorld,
    store: PointerStore,
    network: Faulty,
    { ops, seed }: CampaignOptions,
  ) {
    const clock = new SystemClock();
    this.#store = store;
    this.#network = network;
    this.#requests = () => world.serving.requests();
    this.#prng = new SeededPrng(seed + 1);
    this.#deps = { clock, prng: this.#prng, ids: new IdSource(clock, this.#prng) };
    this.#ops = ops;
    world.double.tables.ready(TABLE).onPut = (item) => this.#see(item);
  }

  async prepare(): Promise<void> {
    const ops = Array.from({ length: GUARDS }, (_, n) => newPut(guard(n)));
    await this.#store.commit({ writerId: "maker", ops });
  }

  async tally(): Promise<Tally> {
    await Promise.all(Array.from({ length: WORKERS }, () => this.#work()));
    this.#network.settle();
    for (const [what, writerId] of this.#refused) {
      if (this.#applications(writerId) > 0) this.#lies.push(`refused though applied: ${what}`);
    }
    const { counts: faults } = this.#network;
    return { told: this.#told, faults, requests: this.#requests(), lies: this.#lies };
  }

  async #work(): Promise<void> {
    while (this.#begun < this.#ops) {
      const op = this.#begun++;
      const kind = this.#prng.float();
      if (kind < 0.3) await this.#single(op);
      else if (kind < 0.6) await this.#commit(op, "cas");
      else await this.#commit(op, "batch");
    }
  }

  /** A derived pointer, put without a receipt. */
  async #single(op: number): Promise<void> {
    const at = key("derived", randomBelow(this.#prng, HOT));
    const stopwatch = new Stopwatch(this.#deps.clock);
    const put = { ...newPut(at), expected: await this.#versionOf(at) };
    // The writer id is minted inside, before anything else is.
    const ids = new NotedIds(this.#deps.clock, this.#prng);
    const verdict = putCertain(this.#store, { ...this.#deps, ids }, { stopwatch }, put);
    this.#judge(`single ${op} ${at}`, await toldBy(verdict), ids.minted[0]);
  }

  async #commit(op: number, kind: "cas" | "batch"): Promise<void> {
    const { clock, ids } = this.#deps;
    const attempt: Attempt = { writerId: ids.mint(), stopwatch: new Stopwatch(clock) };
    const isShared = op > 0 && this.#prng.float() < SHARED_RECEIPTS;
    const ops = kind === "cas" ? [await this.#casOf()] : await this.#batchOf(op);
    const request = { ops, receipt: { key: receipt(isShared ? op - 1 : op), expected: 0n } };
    const told = await toldBy(commitCertain(this.#store, this.#deps, attempt, request));
    this.#judge(`${kind} ${op}`, told, attempt.writerId);
  }

  async #casOf(): Promise<PointerOp> {
    const at = key("root", randomBelow(this.#prng, HOT));
    return { ...newPut(at), expected: await this.#versionOf(at) };
  }

  /** What a create or a drop is made of: a root, a name, a guard, and a look at another root. */
  async #batchOf(op: number): Promise<readonly PointerOp[]> {
    const cas = await this.#casOf();
    const seen = key("root", randomBelow(this.#prng, HOT));
    const leaf = name(randomBelow(this.#prng, HOT));
    const expected = await this.#versionOf(leaf);
    const named: PointerOp =
      op % 2 === 0 ? { ...newPut(leaf), expected } : { op: "delete", key: leaf, expected };
    const bump: PointerOp = { op: "bump", key: guard(randomBelow(this.#prng, GUARDS)) };
    const look: PointerOp = { op: "checkAbsent", key: key("never", op) };
    return seen === cas.key ? [cas, named, bump] : [cas, named, bump, look];
  }

  /** What stands there, or a guess where that cannot be read. */
  async #versionOf(at: string): Promise<Version> {
    return this.#store.get(at).then(
      ({ version }) => version,
      () => 0n,
    );
  }

  #judge(what: string, told: Told, writerId: string | undefined): void {
    if (writerId === undefined) throw new Error(`nobody wrote: ${what}`);
    this.#told[told]++;
    if (told === "refused") this.#refused.push([what, writerId]);
    const times = this.#applications(writerId);
    if (told === "applied" && times === 0) this.#lies.push(`applied though not: ${what}`);
    if (times > 1) this.#lies.push(`applied ${times} times: ${what}`);
  }

  /** How often the service has applied it so far. */
  #applications(writerId: string): number {
    return Math.max(0, ...(this.#written.get(writerId)?.values() ?? []));
  }

  #see(item: Item): void {
    const texts = item as Readonly<Record<"p" | "s" | "w", { readonly S: string }>>;
    const [partition, sort, writer] = [texts.p.S, texts.s.S, texts.w.S];
    // A bump writes the item anew under its maker's id.
    if (partition.startsWith(`${SPACE}/guards/`)) return;
    const keys = this.#written.get(writer) ?? new Map<string, number>();
    const at = `${partition} ${sort}`;
    keys.set(at, (keys.get(at) ?? 0) + 1);
    this.#written.set(writer, keys);
  }
}

function newPut(at: string): Extract<PointerOp, { op: "put" }> {
  return { op: "put", key: at, expected: 0n, blobPath: `blob${at}` };
}

/** Ids like any other, and a note of each. */
class NotedIds extends IdSource {
  readonly minted: AnyId[] = [];

  override mint<Id extends AnyId>(): Id {
    const id = super.mint<Id>();
    this.minted.push(id);
    return id;
  }
}

/** A failure says that nothing was done. */
async function toldBy(verdict: Promise<{ readonly verdict: string }>): Promise<Told> {
  try {
    const { verdict: said } = await verdict;
    if (said === "committed") return "applied";
    return said === "unknown" ? "unknown" : "refused";
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Unavailable") return "refused";
    throw error;
  }
}
