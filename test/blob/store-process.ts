import { SeededPrng } from "../../src/base/prng.ts";
import { LocalBlobStore } from "../../src/blob/local.ts";
import { SystemClock } from "../../src/runtime/clock.ts";

/** One call of a store's method; answered with the same id. */
export interface Call {
  readonly id: number;
  readonly method: "get" | "getSuffix" | "head" | "put" | "delete" | "list";
  readonly args: readonly unknown[];
}

export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: { readonly kind?: string; readonly code?: string };
}

/** Serves a directory to the process that forked this one: another process on the same files. */
const [root = "", durable = "false"] = process.argv.slice(2);
const store = new LocalBlobStore(root, {
  clock: new SystemClock(),
  prng: new SeededPrng(process.pid),
  durable: durable === "true",
});

process.on("message", async ({ id, method, args }: Call) => {
  const answer = (rest: Omit<Answer, "id">) => process.send?.({ id, ...rest });
  try {
    const run = store[method] as (...args: unknown[]) => Promise<unknown>;
    answer({ value: await run.apply(store, [...args]) });
  } catch (error) {
    const { kind, code } = error as { kind?: string; code?: string };
    answer({ failure: { ...(kind && { kind }), ...(code && { code }) } });
  }
});
// With a handler, a write over the process's limit fails like one on a full disk.
process.on("SIGXFSZ", () => undefined);
process.on("disconnect", () => process.exit());
