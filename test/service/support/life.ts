import type { Wrapping } from "./writers.ts";

/**
 * The life of a node, which ends at its call of that index to any store: before the store has it,
 * or after it was served. From then on no call is served and none is answered.
 */
export class Life {
  armed = false;
  isOver = false;
  readonly over: Promise<void>;
  readonly wrapping: Wrapping;
  readonly #end: () => void;
  readonly #at: number;
  readonly #side: "before" | "after";
  #calls = 0;

  constructor(at: number, side: "before" | "after") {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.over = promise;
    this.#end = resolve;
    this.#at = at;
    this.#side = side;
    this.wrapping = {
      pointers: (inner) => this.#mortal(inner),
      blobs: (inner) => this.#mortal(inner),
    };
  }

  #mortal<Store extends object>(inner: Store): Store {
    return new Proxy(inner, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as unknown;
        if (typeof method !== "function") return method;
        const call = (...args: unknown[]): unknown => method.apply(target, args);
        if (name === "sweep") {
          return (...args: unknown[]) => this.#swept(() => call(...args) as AsyncIterable<unknown>);
        }
        return (...args: unknown[]) => this.#pass(() => call(...args));
      },
    });
  }

  /** A sweep is a call, and each item of it another. */
  async *#swept(call: () => AsyncIterable<unknown>): AsyncGenerator<unknown> {
    await this.#pass(() => undefined);
    for await (const item of call()) yield await this.#pass(() => item);
  }

  async #pass(call: () => unknown): Promise<unknown> {
    const last = this.armed && this.#calls++ === this.#at;
    if (this.isOver || (last && this.#side === "before")) return this.#die();
    const answer = await call();
    // Whatever was under way when the end came is served, and not answered.
    return last || this.isOver ? this.#die() : answer;
  }

  #die(): Promise<never> {
    this.isOver = true;
    this.#end();
    return new Promise(() => undefined);
  }
}
