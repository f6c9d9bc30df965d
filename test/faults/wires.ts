import { SeededPrng } from "../../src/base/prng.ts";
import { type Faulty, faulty, type Plan } from "../double/faults.ts";
import type { Delivery, Request } from "../double/server.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { WireClock } from "../support/wire-clock.ts";
import type { Kind, Services } from "./kinds.ts";
import { type ServiceName, type Step, stepOf } from "./steps.ts";

/** What strikes a request of the subject. */
export interface Strike {
  /** Its step, and which request of that step it is, counted from 1. */
  readonly step: string;
  readonly kind?: Kind;
  /** What somebody else does just before the request is looked at. */
  readonly rival?: () => Promise<void>;
}

/** A request of the subject, as it came in. */
export interface Seen extends Step {
  /** The label, and which of that label it is. */
  readonly name: string;
  readonly struck: boolean;
}

/** Name of the only process whose requests are struck. */
export const SUBJECT = "subject";

/**
 * One run behind both services: its time, and what happens to the requests of its subject. Nothing
 * of it is left for the next run.
 */
export class Wires {
  readonly clock: VirtualClock;
  readonly clocks: Readonly<Record<ServiceName, WireClock>>;
  /** Requests of the subject since it was armed, in the order they came in. */
  readonly seen: Seen[] = [];
  readonly #networks: Readonly<Record<ServiceName, Faulty>>;
  readonly #services: Services;
  readonly #strikes: Map<string, Strike>;
  readonly #counts = new Map<string, number>();
  /** What is to happen to the request that a network is asked about. */
  readonly #due = new WeakMap<Request, Kind>();
  #armed = false;
  readonly #death = Promise.withResolvers<void>();
  #ended = false;

  constructor(services: Services, startMs: number, strikes: readonly Strike[]) {
    this.clock = new VirtualClock(startMs);
    this.clocks = { s3: new WireClock(this.clock), dynamo: new WireClock(this.clock) };
    this.#services = services;
    this.#strikes = new Map(strikes.map((strike) => [strike.step, strike]));
    this.#networks = { s3: this.#network("s3"), dynamo: this.#network("dynamo") };
  }

  /** From here on the subject's requests count, and are struck. */
  arm(): void {
    this.#armed = true;
  }

  /** From here on nothing more is counted or struck; what is under way lands. */
  disarm(): void {
    this.#armed = false;
    this.#networks.s3.settle();
    this.#networks.dynamo.settle();
  }

  /** Whether the subject has ended: nobody hears what it says. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Resolves when the subject ends. */
  get death(): Promise<void> {
    return this.#death.promise;
  }

  async handle(service: ServiceName, request: Request): Promise<Delivery> {
    const network = this.#networks[service];
    if (!isOfSubject(request)) return network.service(request);
    if (this.#ended) return { delivery: "closed" };
    if (this.#armed) await this.#strike(service, request);
    const delivery = await network.service(request);
    // Nobody ends the pause: whoever waits gives up.
    if (delivery.delivery === "silent") this.clocks[service].pause();
    return delivery;
  }

  /** Notes the request, and decides what happens to it. */
  async #strike(service: ServiceName, request: Request): Promise<void> {
    const step = stepOf(service, request);
    const count = (this.#counts.get(step.label) ?? 0) + 1;
    this.#counts.set(step.label, count);
    const name = `${step.label} #${count}`;
    const strike = this.#strikes.get(name);
    const strikes = strike !== undefined && (strike.kind?.comesTo(step) ?? true);
    this.seen.push({ ...step, name, struck: strikes });
    if (!strikes) return;
    if (strike.rival !== undefined) {
      const pause = this.clocks[service].pause();
      await this.#unarmed(strike.rival);
      pause.over();
    }
    if (strike.kind === undefined) return;
    this.#due.set(request, strike.kind);
    if (strike.kind.ends !== true) return;
    this.#ended = true;
    this.#death.resolve();
  }

  /** A rival may share the subject's process: what it sends meanwhile is its own. */
  async #unarmed(rival: () => Promise<void>): Promise<void> {
    this.#armed = false;
    await rival();
    this.#armed = true;
  }

  #network(service: ServiceName): Faulty {
    const plan: Plan = (request) => {
      const kind = this.#due.get(request);
      return kind?.fault(this.#services, stepOf(service, request));
    };
    const { handler } = this.#services[service];
    const wait = (ms: number) => this.clocks[service].delay(ms);
    return faulty(handler, new SeededPrng(1), plan, wait);
  }
}

/** Adapters sign with the name of their process. */
function isOfSubject({ headers }: Request): boolean {
  return headers["authorization"]?.includes(`Credential=${SUBJECT}/`) === true;
}
