/** When a request that is under way reaches the store. */
export type Landing =
  /** Just before the call of that index (of this store, counted from 0) is handled. */
  | { readonly beforeCall: number }
  /** When `release` or `releaseAll` is called. */
  | "release";

/** What can happen to a call of any store; a store adds kinds of its own. */
export type NetworkFault =
  /** Never reaches the store; whether it did is not told. */
  | { readonly fault: "notSent" }
  /** Applied; whether it was is not told. */
  | { readonly fault: "answerLost" }
  /** Left in doubt at once; reaches the store later. */
  | { readonly fault: "late"; readonly lands: Landing }
  /** Applied and answered; a second copy reaches the store later. */
  | { readonly fault: "duplicated"; readonly lands: Landing }
  | Stall;

/** Hangs until `until` resolves (default: until released), before or after it is applied. */
export interface Stall {
  readonly fault: "stalled";
  readonly applied: "before" | "after";
  readonly until?: () => Promise<void>;
}

/** Says what happens to a call. May act on the inner store itself, as a rival would. */
export type FaultScript<Method, Fault> = (
  callIndex: number,
  method: Method,
  args: readonly unknown[],
) => Fault | undefined;

/** One call as a checker sees it; `landings` are the raw answers to its copies at the store. */
export interface RecordedCall<Method, Fault, Landed> {
  readonly index: number;
  readonly method: Method;
  readonly args: readonly unknown[];
  readonly fault: Fault | undefined;
  readonly landings: Landed[];
  /** What the caller was answered; absent while the call hangs, or where it threw. */
  answer?: unknown;
  error?: unknown;
}

interface Held {
  readonly index: number;
  readonly lands: Landing;
  readonly land: () => Promise<void>;
}

/** The calls of a store behind a bad network: what became of each, and what is under way still. */
export abstract class FaultyCalls<Method, Fault, Landed> {
  readonly history: RecordedCall<Method, Fault, Landed>[] = [];
  readonly #script: FaultScript<Method, Fault>;
  #held: Held[] = [];

  protected constructor(script: FaultScript<Method, Fault>) {
    this.#script = script;
  }

  /** How many requests are under way still, or hang. */
  get held(): number {
    return this.#held.length;
  }

  /** Lets what is left of one call reach the store, or lets it go on where it hangs. */
  async release(callIndex: number): Promise<void> {
    await this.#land((held) => held.index === callIndex);
  }

  /** Lets every request that is under way reach the store, in the order they were sent. */
  async releaseAll(): Promise<void> {
    await this.#land(() => true);
  }

  /** Records a call, lets what is due before it land, and asks what happens to it. */
  protected async begin(
    method: Method,
    args: readonly unknown[],
  ): Promise<RecordedCall<Method, Fault, Landed>> {
    const index = this.history.length;
    type Call = RecordedCall<Method, Fault, Landed>;
    // Recorded first: calls that come while this one waits get indices of their own.
    const call: { -readonly [K in keyof Call]: Call[K] } = {
      index,
      method,
      args,
      fault: undefined,
      landings: [],
    };
    this.history.push(call);
    await this.#land(({ lands }) => lands !== "release" && lands.beforeCall <= index);
    call.fault = this.#script(index, method, args);
    return call;
  }

  protected async stalled<T>(index: number, stall: Stall, apply: () => Promise<T>): Promise<T> {
    if (stall.applied === "after") {
      await (stall.until?.() ?? this.#released(index));
      return apply();
    }
    const answer = await apply();
    await (stall.until?.() ?? this.#released(index));
    return answer;
  }

  /** Keeps a request of that call under way. */
  protected hold(index: number, lands: Landing, apply: () => Promise<unknown>): void {
    const land = async (): Promise<void> => {
      await apply();
    };
    this.#held.push({ index, lands, land });
  }

  #released(index: number): Promise<void> {
    return new Promise((resolve) => {
      this.hold(index, "release", async () => resolve());
    });
  }

  async #land(due: (held: Held) => boolean): Promise<void> {
    const landing = this.#held.filter(due);
    if (landing.length === 0) return;
    this.#held = this.#held.filter((held) => !landing.includes(held));
    for (const held of landing) await held.land();
  }
}
