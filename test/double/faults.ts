import { type Prng, randomBelow } from "../../src/base/prng.ts";
import type { Delivery, Handler, Request, Response, Service } from "./server.ts";

/** An answer of trouble that a service gives of its own: `SlowDown`, `InternalError`, … */
export interface Refusal {
  readonly name: string;
  answer(request: Request): Response;
}

/** What happens to one request on its way to the service, there, or on its way back. */
export type Fault =
  /** The connection breaks before the service has read it: never applied. */
  | { readonly fault: "unsent" }
  /** Applied, and the connection breaks before the answer. */
  | { readonly fault: "lost" }
  /** No answer ever, over a connection that stays. */
  | { readonly fault: "silent"; readonly applied: boolean }
  /** Waits before or after it is applied, then is answered. */
  | { readonly fault: "delayed"; readonly ms: number; readonly applied: "before" | "after" }
  /** Overtaken by the next request; after `ms`, if none comes. */
  | { readonly fault: "reordered"; readonly ms: number }
  /** Applied and answered, and a copy is applied just before the `lag`-th request after it. */
  | { readonly fault: "duplicated"; readonly lag: number }
  /** Applied twice on the spot, as by a proxy that sends it again: answered as the copy was. */
  | { readonly fault: "resent" }
  /** The connection breaks at once; applied just before the `lag`-th request after it. */
  | { readonly fault: "late"; readonly lag: number }
  /** Applied; the connection breaks in the middle of the answer (see `Delivery`). */
  | { readonly fault: "torn"; readonly share: number }
  /** Answered with trouble, whether it was applied or not. */
  | { readonly fault: "refused"; readonly refusal: Refusal; readonly applied: boolean };

export type FaultKind = Fault["fault"];

/** Says what happens to the request of that index, counted from 0. */
export type Plan = (request: Request, prng: Prng, index: number) => Fault | undefined;

/** One request as a checker sees it, and the service's own answers to its copies, in order. */
export interface Witnessed {
  readonly request: Request;
  readonly fault: Fault | undefined;
  readonly landings: Response[];
}

export interface Faulty {
  readonly service: Service;
  /** Requests that suffered each kind so far. */
  readonly counts: ReadonlyMap<FaultKind, number>;
  /** Requests that are still to be applied. */
  readonly held: number;
  /** Sees every request once it is decided what happens to it; keeps nothing by itself. */
  onRequest: ((seen: Witnessed) => void) | undefined;
  /** Applies whatever is still held, in the order it was sent. */
  settle(): void;
}

/**
 * Puts a service behind a network that fails by plan: the same seed, the same decisions.
 *
 * @param wait lets the time of a delay pass; the machine's own if absent.
 */
export function faulty(
  handler: Handler,
  prng: Prng,
  plan: Plan,
  wait: (ms: number) => Promise<void> = pause,
): Faulty {
  return new FaultyNetwork(handler, prng, plan, wait);
}

class FaultyNetwork implements Faulty {
  readonly service: Service = (request) => this.#handle(request);
  readonly counts: Map<FaultKind, number> = new Map();
  onRequest: ((seen: Witnessed) => void) | undefined;
  readonly #handler: Handler;
  readonly #prng: Prng;
  readonly #plan: Plan;
  readonly #wait: (ms: number) => Promise<void>;
  #index = 0;
  #held: { readonly due: number; readonly apply: () => void }[] = [];
  #overtaken: (() => void)[] = [];

  constructor(handler: Handler, prng: Prng, plan: Plan, wait: (ms: number) => Promise<void>) {
    this.#handler = handler;
    this.#prng = prng;
    this.#plan = plan;
    this.#wait = wait;
  }

  get held(): number {
    return this.#held.length;
  }

  settle(): void {
    this.#land(Number.POSITIVE_INFINITY);
  }

  async #handle(request: Request): Promise<Delivery> {
    const index = this.#index++;
    this.#land(index);
    const fault = this.#plan(request, this.#prng, index);
    const seen: Witnessed = { request, fault, landings: [] };
    this.onRequest?.(seen);
    if (fault !== undefined) this.counts.set(fault.fault, (this.counts.get(fault.fault) ?? 0) + 1);
    const overtaken = this.#overtaken.splice(0);
    try {
      return await this.#suffer(seen, index);
    } finally {
      for (const go of overtaken) go();
    }
  }

  async #suffer(seen: Witnessed, index: number): Promise<Delivery> {
    const { request, fault } = seen;
    const apply = (): Response => {
      const response = this.#handler(request);
      seen.landings.push(response);
      return response;
    };
    const answered = (response: Response): Delivery => ({ delivery: "answered", response });
    switch (fault?.fault) {
      case undefined:
        return answered(apply());
      case "unsent":
        return { delivery: "closed" };
      case "lost":
        apply();
        return { delivery: "closed" };
      case "silent":
        if (fault.applied) apply();
        return { delivery: "silent" };
      case "delayed": {
        if (fault.applied === "after") {
          await this.#wait(fault.ms);
          return answered(apply());
        }
        const response = apply();
        await this.#wait(fault.ms);
        return answered(response);
      }
      case "reordered":
        await this.#overtake(fault.ms);
        return answered(apply());
      case "duplicated":
        this.#hold(index + fault.lag, apply);
        return answered(apply());
      case "resent":
        apply();
        return answered(apply());
      case "late":
        this.#hold(index + fault.lag, apply);
        return { delivery: "closed" };
      case "torn":
        return { delivery: "torn", response: apply(), share: fault.share };
      case "refused":
        if (fault.applied) apply();
        return answered(fault.refusal.answer(request));
    }
  }

  #hold(due: number, apply: () => void): void {
    this.#held.push({ due, apply });
  }

  #land(index: number): void {
    const landing = this.#held.filter(({ due }) => due <= index);
    if (landing.length === 0) return;
    this.#held = this.#held.filter(({ due }) => due > index);
    for (const { apply } of landing) apply();
  }

  async #overtake(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#overtaken.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

export interface SeededFaults {
  /** Share of requests that suffer a fault. */
  readonly rate: number;
  /** Kinds in the proportion they come in; what is not named does not come. */
  readonly weights: Partial<Record<FaultKind, number>>;
  readonly refusals: readonly Refusal[];
  /** Largest delay, and wait to be overtaken. */
  readonly maxDelayMs?: number;
  /** Copies and late ones land within so many requests. */
  readonly maxLag?: number;
  /** Faults that this service does not show for this request, whatever the dice say. */
  readonly spares?: (fault: Fault, request: Request) => boolean;
}

/** Faults by dice: every decision comes of the generator. */
export function seededPlan(options: SeededFaults): Plan {
  const { rate, weights, refusals, maxDelayMs = 20, maxLag = 8, spares } = options;
  const kinds = Object.entries(weights) as [FaultKind, number][];
  const total = kinds.reduce((sum, [, weight]) => sum + weight, 0);
  const pick = (prng: Prng): FaultKind => {
    let left = prng.float() * total;
    for (const [kind, weight] of kinds) {
      left -= weight;
      if (left < 0) return kind;
    }
    return kinds[0]?.[0] ?? "unsent";
  };
  const draw = (kind: FaultKind, prng: Prng): Fault => {
    const ms = prng.float() * maxDelayMs;
    const lag = 1 + randomBelow(prng, maxLag);
    const applied = prng.float() < 0.5;
    switch (kind) {
      case "unsent":
      case "lost":
      case "resent":
        return { fault: kind };
      case "silent":
        return { fault: kind, applied };
      case "delayed":
        return { fault: kind, ms, applied: applied ? "before" : "after" };
      case "reordered":
        return { fault: kind, ms };
      case "duplicated":
      case "late":
        return { fault: kind, lag };
      case "torn":
        return { fault: kind, share: prng.float() };
      case "refused": {
        const refusal = refusals[randomBelow(prng, refusals.length)];
        if (refusal === undefined) throw new Error("a plan that refuses names its refusals");
        return { fault: kind, refusal, applied };
      }
    }
  };
  return (request, prng) => {
    if (total === 0 || prng.float() >= rate) return undefined;
    const fault = draw(pick(prng), prng);
    return spares?.(fault, request) === true ? undefined : fault;
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
