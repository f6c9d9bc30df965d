import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { FirnError } from "../../../src/base/error.ts";
import { randomBelow, SeededPrng } from "../../../src/base/prng.ts";
import type { BlobStore, PutCondition, PutResult } from "../../../src/blob/port.ts";
import { type Fault, type Faulty, faulty, seededPlan } from "../faults.ts";
import { type OpenedS3, openS3 } from "../s3/open.ts";
import { EVERY_FAULT, LAST_WORDS, TROUBLE } from "../s3/trouble.ts";
import type { Request, Response } from "../server.ts";
import type { Campaign, CampaignOptions, Tally, Told } from "./campaign.ts";

const WORKERS = 24;
const STORES = 4;
const FAULT_RATE = 0.1;
/** Racers of one path that is created. */
const RIVALS = 3;
/** Paths that are written over and over. */
const HOT_PATHS = 128;
const HOT = "hot/";
/** Content above it goes up in parts; the double asks for no more. */
const PART_BYTES = 512;
const LARGE_SHARE = 0.03;

/**
 * Puts `absent` and `{etag}`, small ones and some in parts, raced by rivals, under every fault. The
 * content of each put is unlike that of any other, so what the service was made to do tells whose
 * put was applied.
 */
export const blobs: Campaign = {
  name: "blobs",
  async run(options) {
    let network: Faulty | undefined;
    const s3 = await openS3({ minPartBytes: 1 }, ({ handler }) => {
      const refusals = [...TROUBLE, ...LAST_WORDS];
      const faults = { rate: FAULT_RATE, weights: EVERY_FAULT, refusals, maxDelayMs: 8, spares };
      network = faulty(handler, new SeededPrng(options.seed), seededPlan(faults));
      return network.service;
    });
    try {
      if (network === undefined) throw new Error("the double has no network");
      return await new Run(s3, network, options).tally();
    } finally {
      await s3.close();
    }
  },
};

const LIES_OF_STATE = new Set(["404 NoSuchKey", "412 PreconditionFailed"]);

/**
 * What no client could see through: a plain refusal, answered to the only request that was sent, of
 * a condition that held, with what was applied written over by others since. No service answers so;
 * where nobody may write over it (paths that are created once), even that is seen through.
 */
function spares(fault: Fault, { method, path }: Request): boolean {
  // Nor does any say of what stands that it does not.
  if (method === "HEAD") return fault.fault === "refused" && LIES_OF_STATE.has(fault.refusal.name);
  if (!path.includes(HOT)) return false;
  if (fault.fault === "resent") return true;
  return fault.fault === "refused" && fault.applied && LAST_WORDS.includes(fault.refusal);
}

/** One put, as its content names it, and what the service answered to each copy of its requests. */
interface Witness {
  readonly landings: Response[][];
}

class Run {
  readonly #s3: OpenedS3;
  readonly #network: Faulty;
  readonly #prng: SeededPrng;
  readonly #stores: readonly BlobStore[];
  readonly #ops: number;
  readonly #witnesses = new Map<string, Witness>();
  /** Put of each upload in parts: what completes it does not carry its content. */
  readonly #uploads = new Map<string, string>();
  readonly #told: Record<Told, number> = { applied: 0, refused: 0, unknown: 0 };
  readonly #refused: string[] = [];
  readonly #lies: string[] = [];
  #begun = 0;

  constructor(s3: OpenedS3, network: Faulty, { ops, seed }: CampaignOptions) {
    this.#s3 = s3;
    this.#network = network;
    this.#prng = new SeededPrng(seed + 1);
    this.#ops = ops;
    this.#stores = Array.from({ length: STORES }, () =>
      s3.store({
        partBytes: PART_BYTES,
        timeouts: { idleMs: 500, wholeMs: 3_000, callMs: 20_000 },
      }),
    );
    network.onRequest = ({ request, landings }) => this.#see(request, landings);
  }

  async tally(): Promise<Tally> {
    const workers = Array.from({ length: WORKERS }, (_, worker) => this.#work(worker));
    await Promise.all(workers);
    this.#network.settle();
    for (const put of this.#refused) {
      if (this.#applications(put) > 0) this.#lies.push(`refused though applied: ${put}`);
    }
    for (const [put] of this.#witnesses) {
      const times = this.#applications(put);
      if (times > 1) this.#lies.push(`applied ${times} times: ${put}`);
    }
    const { counts: faults } = this.#network;
    const requests = this.#s3.serving.requests();
    return { told: this.#told, faults, requests, lies: this.#lies };
  }

  async #work(worker: number): Promise<void> {
    const store = this.#stores[worker % this.#stores.length];
    while (store !== undefined && this.#begun < this.#ops) {
      const op = this.#begun++;
      if (this.#prng.float() < 0.5) await this.#create(store, op);
      else await this.#replace(store, op);
    }
  }

  /** Races those that were begun just before and after it. */
  async #create(store: BlobStore, op: number): Promise<void> {
    await this.#put(store, `created/${Math.floor(op / RIVALS)}`, op, "absent");
  }

  async #replace(store: BlobStore, op: number): Promise<void> {
    const path = `${HOT}${randomBelow(this.#prng, HOT_PATHS)}`;
    const etag = await store.head(path).then(
      (info) => info?.etag,
      () => undefined,
    );
    await this.#put(store, path, op, etag === undefined ? "absent" : { etag });
  }

  async #put(store: BlobStore, path: string, op: number, condition: PutCondition): Promise<void> {
    const put = `put-${op} ${typeof condition === "string" ? condition : "etag"} ${path}`;
    const large = this.#prng.float() < LARGE_SHARE;
    const content = utf8(`${put}\n${large ? "x".repeat(2 * PART_BYTES) : ""}`);
    const told = await store.put(path, content, condition).then(toldBy, toldByError);
    this.#told[told]++;
    if (told === "refused") this.#refused.push(put);
    if (told === "applied" && this.#applications(put) === 0) {
      this.#lies.push(`applied though not: ${put}`);
    }
  }

  /** How often the service has applied it so far. */
  #applications(put: string): number {
    const landings = this.#witnesses.get(put)?.landings.flat() ?? [];
    return landings.filter(({ status }) => status === 200).length;
  }

  #see(request: Request, landings: Response[]): void {
    const put = this.#putOf(request);
    if (put === undefined) return;
    const witness = this.#witnesses.get(put) ?? { landings: [] };
    this.#witnesses.set(put, witness);
    witness.landings.push(landings);
  }

  /** The put that a request would apply, if it is one that applies anything. */
  #putOf({ method, query, body }: Request): string | undefined {
    const uploadId = query["uploadId"];
    if (method === "PUT" && uploadId === undefined) return firstLine(body);
    if (uploadId === undefined) return undefined;
    if (method === "PUT" && query["partNumber"] === "1") {
      this.#uploads.set(uploadId, firstLine(body));
    }
    return method === "POST" ? this.#uploads.get(uploadId) : undefined;
  }
}

function firstLine(body: Uint8Array): string {
  return utf8Text(body).split("\n")[0] ?? "";
}

function toldBy({ outcome }: PutResult): Told {
  return outcome === "stored" ? "applied" : "refused";
}

/** A failure says that nothing was done, unless it says that it does not know. */
function toldByError(error: unknown): Told {
  if (!(error instanceof FirnError)) throw error;
  if (error.kind === "Unknown") return "unknown";
  if (error.kind === "Unavailable" || error.kind === "Overloaded") return "refused";
  throw error;
}
