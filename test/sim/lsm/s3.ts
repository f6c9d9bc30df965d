import { utf8Text } from "../../../src/base/bytes.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { S3BlobStore } from "../../../src/blob/s3/store.ts";
import { type Fault, type Faulty, faulty, type Plan, seededPlan } from "../../double/faults.ts";
import { Bucket } from "../../double/s3/model.ts";
import { S3Service } from "../../double/s3/service.ts";
import { EVERY_FAULT, TROUBLE } from "../../double/s3/trouble.ts";
import { failure } from "../../double/s3/xml.ts";
import {
  type Delivery,
  type Request,
  type Response,
  type Serving,
  serve,
} from "../../double/server.ts";
import { WireClock } from "../../support/wire-clock.ts";
import { FAIR, type Weather } from "../harness/faults.ts";
import type { Host } from "../harness/host.ts";
import { never, type Sim, type Suite } from "../harness/sim.ts";
import { LSM_SITES, lsmPlaces } from "./places.ts";
import { type Objects, Shard } from "./shard.ts";
import { runShard } from "./suite.ts";
import { Watch } from "./watch.ts";

const BUCKET = "firn-sim";
/** No request is carried out that was signed longer ago. */
const SIGNATURE_MS = 840_000;
/** The adapter gets over most of what strikes it, so more has to. */
const RATE_FACTOR = 3;
/** Longer than a request is waited for. */
const MAX_DELAY_MS = 60_000;
/** What needs the machine's own timers is left out: a request that another overtakes. */
const { reordered: _, ...WEIGHTS } = EVERY_FAULT;
const KINDS = Object.keys(WEIGHTS).filter((kind) => kind !== "refused");
const FAULTS: readonly string[] = [...KINDS, ...TROUBLE.map(({ name }) => name)];
const FOLDERS = ["wal", "manifest", "gc", "sst"] as const;

/**
 * The engine's suite over objects in S3's double, through the adapter and a socket: the faults are
 * those of the double, below the adapter, which gets over most of them. What each process suffers
 * itself (its end, its clocks) is the harness's.
 */
export const LSM_S3_SUITE: Suite = {
  name: "lsm-s3",
  sites: {
    ...Object.fromEntries(FOLDERS.flatMap((folder) => sitesOf(folder))),
    process: LSM_SITES["process"] ?? [],
  },
  operations: {
    requests: FOLDERS.flatMap((folder) => sitesOf(folder).map(([site]) => site)),
    housekeeping: ["process"],
  },
  fullSeeds: Number.MAX_SAFE_INTEGER,
  run: async (sim) => {
    ports ??= await sim.clock.outside(Ports.open());
    return runShard(sim, new Shard(sim, ports.begin(sim), 0));
  },
};

function sitesOf(folder: string): readonly (readonly [string, readonly string[]])[] {
  return ["read", "list", "write", "delete"].map((verb) => [`${folder} ${verb}`, FAULTS]);
}

let ports: Ports | undefined;

/** A port for one seed after the other; nobody closes it, and the process ends all the same. */
class Ports {
  #serving: Serving | undefined;
  #run: S3Objects | undefined;

  static async open(): Promise<Ports> {
    const opened = new Ports();
    const none = (): Delivery => ({ delivery: "closed" });
    opened.#serving = await serve(async (request) => opened.#run?.handle(request) ?? none());
    opened.#serving.unref();
    return opened;
  }

  begin(sim: Sim): Objects {
    this.#run?.close();
    this.#run = new S3Objects(sim, this.#serving?.url ?? "");
    return this.#run;
  }
}

/** The objects of one seed. */
class S3Objects implements Objects {
  readonly watch: Watch;
  readonly costly = true;
  readonly #sim: Sim;
  readonly #url: string;
  readonly #bucket: Bucket;
  readonly #network: Faulty;
  readonly #time: WireClock;
  readonly #stores: S3BlobStore[] = [];
  #weather: Weather = FAIR;

  constructor(sim: Sim, url: string) {
    this.#sim = sim;
    this.#url = url;
    this.#time = new WireClock(sim.clock);
    const service = new S3Service({ now: () => sim.clock.nowMs() });
    this.#bucket = new Bucket(service.region);
    service.model.buckets.set(BUCKET, this.#bucket);
    this.watch = new Watch(sim, async (path) => this.#bucket.get(path)?.body.length);
    const handler = (request: Request): Response => this.#apply(service, request);
    const wait = (ms: number): Promise<void> => this.#time.delay(ms);
    this.#network = faulty(handler, sim.fork(), this.#plan(), wait);
  }

  of(host: Host, name: string): BlobStore {
    const credentials = { accessKeyId: host.name, secretAccessKey: "double" };
    const store = new S3BlobStore(
      {
        bucket: BUCKET,
        endpoint: this.#url,
        region: "us-east-1",
        credentials,
      },
      { clock: clockOf(host, this.#time), prng: this.#sim.fork() },
    );
    this.#stores.push(store);
    // The way there takes its time, and ends with the process; what else happens is the double's.
    return host.blobs(store, name, (...call) => ({ ...lsmPlaces(...call), faults: [] }));
  }

  async all(): Promise<BlobStore> {
    const blobs = new MemoryBlobStore(this.#sim.clock);
    for (const key of this.#bucket.keys()) {
      const object = this.#bucket.get(key);
      if (object !== undefined) await blobs.put(key, object.body);
    }
    return blobs;
  }

  weather(weather: Weather): void {
    this.#weather = weather;
  }

  async handle(request: Request): Promise<Delivery> {
    this.#signedAt.set(request, this.#sim.clock.monotonicMs());
    const delivery = await this.#network.service(request);
    if (delivery.delivery === "silent") this.#time.pause();
    return delivery;
  }

  close(): void {
    for (const store of this.#stores) store.close();
  }

  readonly #signedAt = new WeakMap<Request, number>();

  /** One request, or a copy of it, gets to the service. */
  #apply(service: S3Service, request: Request): Response {
    const ageMs = this.#sim.clock.monotonicMs() - (this.#signedAt.get(request) ?? 0);
    if (ageMs > SIGNATURE_MS) return failure(403, "RequestTimeTooSkewed");
    const { path, verb } = askedOf(request);
    if (verb === "write") {
      const { "if-none-match": condition } = request.headers;
      if (!path.startsWith("sst/")) this.watch.putting(path, condition === "*");
    }
    if (verb === "delete") for (const each of deletedBy(request)) this.watch.deleted(each);
    const response = service.handler(request);
    if (verb === "write" && response.status === 200) {
      void this.#sim.spawn(() => this.watch.stored(path, request.body));
    }
    return response;
  }

  #plan(): Plan {
    let seeded: { readonly weather: Weather; readonly plan: Plan } | undefined;
    return (request, prng, index) => {
      const weather = this.#weather;
      if (seeded?.weather !== weather) seeded = { weather, plan: planOf(weather) };
      const { path, verb } = askedOf(request);
      const site = `${path.split("/")[0]} ${verb}`;
      this.#sim.coverage.call("requests", site);
      const fault = seeded.plan(request, prng, index);
      if (fault === undefined) return undefined;
      const kind = fault.fault === "refused" ? fault.refusal.name : fault.fault;
      this.#sim.coverage.inject("requests", site, kind);
      this.#sim.log(`${site} ${path} ${kind}`);
      return fault;
    };
  }
}

function planOf({ rate, absent }: Weather): Plan {
  const weights = Object.entries(WEIGHTS).filter(([kind]) => !absent.has(kind));
  return seededPlan({
    rate: rate * RATE_FACTOR,
    weights: Object.fromEntries(weights),
    refusals: TROUBLE,
    maxDelayMs: MAX_DELAY_MS,
    spares: (fault, request) => fault.fault === "refused" && !mayRefuse(fault, request),
  });
}

/** Only who sets a condition hears that another one was at it. */
function mayRefuse({ refusal }: Extract<Fault, { fault: "refused" }>, request: Request): boolean {
  return !refusal.name.startsWith("409") || request.headers["if-none-match"] !== undefined;
}

interface Asked {
  /** The key; of a list its prefix. */
  readonly path: string;
  readonly verb: "read" | "list" | "write" | "delete";
}

function askedOf({ method, path, query, body }: Request): Asked {
  const key = path.split("/").slice(2).map(decodeURIComponent).join("/");
  if (query["list-type"] !== undefined) return { path: query["prefix"] ?? "", verb: "list" };
  if (query["delete"] !== undefined) return { path: keysIn(body)[0] ?? "", verb: "delete" };
  if (method === "DELETE") return { path: key, verb: "delete" };
  return { path: key, verb: method === "PUT" ? "write" : "read" };
}

function deletedBy(request: Request): readonly string[] {
  return request.query["delete"] === undefined ? [askedOf(request).path] : keysIn(request.body);
}

function keysIn(body: Uint8Array): readonly string[] {
  return [...utf8Text(body).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key ?? "");
}

/** The time of a process, whose requests end by the time that really passes for them. */
function clockOf(host: Host, time: WireClock): Clock {
  return {
    nowMs: () => host.clock.nowMs(),
    monotonicMs: () => host.clock.monotonicMs(),
    sleep: (ms, ended) => {
      if (ended !== undefined) return time.sleep(ms, ended);
      // Whoever has ended sends nothing again.
      return host.alive ? host.clock.sleep(ms) : never();
    },
  };
}
