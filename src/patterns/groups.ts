import { FirnError } from "../base/error.ts";

/** What becomes of each of a group: its result, or why it alone failed. */
export type Outcome<Out> = { readonly value: Out } | { readonly error: unknown };

interface Waiting<In, Out> {
  readonly input: In;
  readonly resolve: (value: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Calls that come while others are being written are written together: one durable commit serves
 * all of them. Each lane writes one group at a time.
 */
export class Groups<In, Out> {
  readonly #write: (inputs: readonly In[], lane: number) => Promise<readonly Outcome<Out>[]>;
  readonly #most: number;
  readonly #free: number[];
  #waiting: Waiting<In, Out>[] = [];

  /**
   * @param write writes a group; where it throws `Invalid`, each of the group is written alone, so
   *   that one that is wrong does not fail the others.
   * @param most the most calls of a group.
   */
  constructor(
    lanes: number,
    most: number,
    write: (inputs: readonly In[], lane: number) => Promise<readonly Outcome<Out>[]>,
  ) {
    this.#write = write;
    this.#most = most;
    this.#free = Array.from({ length: lanes }, (_, i) => lanes - 1 - i);
  }

  add(input: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject });
      // Those of the same turn of the event loop come along.
      queueMicrotask(() => this.#start());
    });
  }

  #start(): void {
    if (this.#waiting.length === 0) return;
    const lane = this.#free.pop();
    if (lane === undefined) return;
    const group = this.#waiting.slice(0, this.#most);
    this.#waiting = this.#waiting.slice(this.#most);
    void this.#run(group, lane).finally(() => {
      this.#free.push(lane);
      this.#start();
    });
  }

  /** Never rejects: each caller gets its result, or its error. */
  async #run(group: readonly Waiting<In, Out>[], lane: number): Promise<void> {
    try {
      const inputs = group.map(({ input }) => input);
      const outcomes = await this.#write(inputs, lane);
      for (const [i, outcome] of outcomes.entries()) {
        if ("error" in outcome) group[i]?.reject(outcome.error);
        else group[i]?.resolve(outcome.value);
      }
    } catch (error) {
      const isOurs = error instanceof FirnError && error.kind === "Invalid" && group.length > 1;
      if (isOurs) for (const one of group) await this.#run([one], lane);
      else for (const { reject } of group) reject(error);
    }
  }
}
