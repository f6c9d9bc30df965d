import type { SeededPrng } from "../../../src/base/prng.ts";
import type { Fault as BlobFault, Method as BlobMethod } from "../../support/faulty-blob-store.ts";
import type {
  Fault as PointerFault,
  Method as PointerMethod,
} from "../../support/faulty-pointer-store.ts";
import type { Sites } from "./coverage.ts";
import type { Sim } from "./sim.ts";

/** Everything that can happen to a call. Beyond: longer than any attempt or client lasts. */
export type StoreFault =
  | "notSent"
  | "answerLost"
  | "late"
  | "duplicated"
  | "refused"
  | "conflicting"
  | "stalled"
  | "stalledBeyond"
  | "torn"
  | "stale"
  | "full";

/** The calls that faults strike at. */
type StoreSite =
  | "pointer read"
  | "pointer list"
  | "pointer commit"
  | "blob read"
  | "blob list"
  | "blob write";

const READ: readonly StoreFault[] = ["refused", "stalled", "stalledBeyond"];
const WRITE: readonly StoreFault[] = ["notSent", "answerLost", "late", "duplicated", ...READ];

const STORE_FAULTS: Readonly<Record<StoreSite, readonly StoreFault[]>> = {
  "pointer read": READ,
  "pointer list": READ,
  "pointer commit": [...WRITE, "conflicting"],
  "blob read": READ,
  "blob list": [...READ, "stale"],
  "blob write": [...WRITE, "torn"],
};

/** Every place that a fault can strike at, and what can happen there. */
export const SITES: Sites = { ...STORE_FAULTS, node: ["crash", "clockJump"] };

/** A request lives at most as long as its signature does: it lands before that or never. */
const MAX_LATE_MS = 840_000;
const STALL_MS: readonly [number, number] = [50, 20_000];
/** Longer than an attempt may take, and than a client waits. */
const BEYOND_MS: readonly [number, number] = [46_000, 120_000];

/** How hard the calls of one node are struck, and by what: other seeds, other weather. */
export interface Weather {
  readonly rate: number;
  /** Kinds that do not occur. Leaving some out lets the others interact. */
  readonly absent: ReadonlySet<string>;
  /** How long the longest stalls last, where they are not those of the catalog's attempts. */
  readonly beyondMs?: readonly [number, number];
}

/** A place that calls come by, and what can happen to them there. */
export interface Place {
  readonly site: string;
  readonly faults: readonly StoreFault[];
  /** How much more often faults strike here than elsewhere; 1 if absent. */
  readonly weight?: number;
}

/** Tells the places of a blob store's calls apart. `path`: the first, where there are many. */
export type BlobPlaces = (method: BlobMethod, path: string) => Place;

export const FAIR: Weather = { rate: 0, absent: new Set() };

const RATES = [0.01, 0.03, 0.08, 0.15] as const;
const KINDS = new Set(Object.values(STORE_FAULTS).flat());

export function weatherOf(sim: Sim): Weather {
  const rate = sim.pick(RATES);
  return { rate, absent: new Set([...KINDS].filter(() => sim.chance(0.25))) };
}

export function pointerSite(method: PointerMethod): StoreSite {
  switch (method) {
    case "get":
    case "getMany":
    case "sweep":
      return "pointer read";
    case "list":
      return "pointer list";
    case "commit":
    case "forget":
      return "pointer commit";
  }
}

export function blobSite(method: BlobMethod): StoreSite {
  switch (method) {
    case "get":
    case "getRange":
    case "getSuffix":
    case "head":
      return "blob read";
    case "list":
      return "blob list";
    case "put":
    case "putStream":
    case "delete":
    case "deleteMany":
      return "blob write";
  }
}

/** Places by the kind of call alone. */
export const byMethod: BlobPlaces = (method) => {
  const site = blobSite(method);
  return { site, faults: STORE_FAULTS[site] };
};

/** Draws faults for the calls of one store, and lets what is late land in time. */
export class Injector {
  readonly #sim: Sim;
  readonly #prng: SeededPrng;
  readonly #where: string;
  #weather: Weather = FAIR;

  /** `where`: named in the trace. */
  constructor(sim: Sim, where: string) {
    this.#sim = sim;
    this.#prng = sim.fork();
    this.#where = where;
  }

  set weather(weather: Weather) {
    this.#weather = weather;
  }

  /** `release` lets the call of that index land. */
  pointer(
    index: number,
    method: PointerMethod,
    release: (index: number) => Promise<void>,
  ): PointerFault | undefined {
    const site = pointerSite(method);
    const kind = this.draw({ site, faults: STORE_FAULTS[site] }, `${method}#${index}`);
    switch (kind) {
      case undefined:
      case "torn":
      case "stale":
      case "full":
        return undefined;
      case "conflicting":
        return { fault: "conflicting" };
      default:
        return this.#common(kind, () => release(index));
    }
  }

  blob(
    index: number,
    call: string,
    place: Place,
    release: (index: number) => Promise<void>,
  ): BlobFault | undefined {
    const kind = this.draw(place, call);
    switch (kind) {
      case undefined:
      case "conflicting":
      case "full":
        return undefined;
      case "torn":
        return { fault: "torn", bytes: this.#below(64) };
      case "stale":
        return { fault: "stale", lag: 1 + this.#below(4) };
      default:
        return this.#common(kind, () => release(index));
    }
  }

  /** What happens to a call; undefined: it fares well. */
  draw({ site, faults, weight = 1 }: Place, call: string): StoreFault | undefined {
    const { coverage, operation } = this.#sim;
    coverage.call(operation, site);
    if (this.#prng.float() >= this.#weather.rate * weight) return undefined;
    const possible = faults.filter((kind) => !this.#weather.absent.has(kind));
    const kind = possible[this.#below(possible.length)];
    if (kind === undefined) return undefined;
    coverage.inject(operation, site, kind);
    this.#sim.log(`${this.#where} ${call} ${kind} (${operation})`);
    return kind;
  }

  #common(
    kind: Exclude<StoreFault, "conflicting" | "torn" | "stale" | "full">,
    release: () => Promise<void>,
  ) {
    switch (kind) {
      case "notSent":
      case "answerLost":
      case "refused":
        return { fault: kind } as const;
      case "late":
      case "duplicated": {
        const latestMs = this.#prng.float() < 0.1 ? MAX_LATE_MS : 2_000;
        const delayMs = this.#sim.spanMs(1, latestMs);
        void this.#sim.spawn(async () => {
          await this.#sim.sleep(delayMs);
          await release();
        });
        return { fault: kind, lands: "release" } as const;
      }
      case "stalled":
      case "stalledBeyond": {
        const applied = this.#prng.float() < 0.5 ? "before" : "after";
        return { fault: "stalled", applied, until: () => this.stall(kind) } as const;
      }
    }
  }

  /** Lets the time of a stall pass. */
  stall(kind: "stalled" | "stalledBeyond"): Promise<void> {
    const beyondMs = this.#weather.beyondMs ?? BEYOND_MS;
    const [fromMs, toMs] = kind === "stalled" ? STALL_MS : beyondMs;
    return this.#sim.sleep(this.#sim.spanMs(fromMs, toMs));
  }

  #below(bound: number): number {
    return Math.floor(this.#prng.float() * bound);
  }
}
