import { SeededPrng } from "../../src/base/prng.ts";
import { type Fault, type Faulty, faulty, type Plan } from "../double/faults.ts";
import type { Handler, Request, Service, Serving } from "../double/server.ts";
import { serve } from "../double/server.ts";

/** What lies between a node and one service: nothing, until a test says otherwise. */
export class Network {
  /** Requests so far. */
  requests = 0;
  /** What happens to a request; see `faulty`. */
  plan: Plan = () => undefined;
  /** Holds a request back until it resolves. */
  gate: ((request: Request) => Promise<unknown> | undefined) | undefined;
  /** The service, or one that answers otherwise. */
  handler: Handler;
  readonly #handler: Handler;
  readonly #faulty: Faulty;

  constructor(handler: Handler, seed: number) {
    this.#handler = handler;
    this.handler = handler;
    this.#faulty = faulty(
      (request) => this.handler(request),
      new SeededPrng(seed),
      (...of) => this.plan(...of),
    );
  }

  readonly service: Service = async (request) => {
    this.requests++;
    await this.gate?.(request);
    return this.#faulty.service(request);
  };

  /** One request suffers: that of the index, counted from now. */
  strike(index: number, fault: Fault, comesTo: (request: Request) => boolean = () => true): void {
    let at = 0;
    this.plan = (request) => (comesTo(request) && at++ === index ? fault : undefined);
  }

  /** Applies whatever is under way still, and stands in nobody's way any more. */
  calm(): void {
    this.#faulty.settle();
    this.plan = () => undefined;
    this.gate = undefined;
    this.handler = this.#handler;
  }

  serve(): Promise<Serving> {
    return serve(this.service);
  }
}
