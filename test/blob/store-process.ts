import { existsSync, writeFileSync } from "node:fs";
import { utf8 } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { LocalBlobStore } from "../../src/blob/local.ts";
import { DirectoryLocks } from "../../src/blob/local-lock.ts";
import { SystemClock } from "../../src/runtime/clock.ts";

type Served = "get" | "getSuffix" | "head" | "put" | "create" | "delete";

/** One call of a store's method, or of those below; answered with the same id. */
export interface Call {
  readonly id: number;
  readonly method: Served | "hold" | "race" | "stage";
  readonly args: readonly unknown[];
}

export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: { readonly kind?: string; readonly code?: string };
}

/** Serves a directory to the process that forked this one: another process on the same files. */
const [root = "", durable = "false"] = process.argv.slice(2);
const ports = { clock: new SystemClock(), prng: new SeededPrng(process.pid) };
const store = new LocalBlobStore(root, { ...ports, durable: durable === "true" });

/** Takes the lock of the root for as long as this process lives; answers once it holds. */
function hold(): Promise<void> {
  return new Promise((held, failed) => {
    const forEver = () => new Promise<void>(() => held());
    new DirectoryLocks(ports.clock, ports.prng).run(root, forEver).catch(failed);
  });
}

/** Begins a write that never ends; answers when some of it is in a file. */
function stage(path: string): Promise<void> {
  return new Promise((staged, failed) => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield utf8("half");
      staged();
      await new Promise<never>(() => undefined);
    }
    store.putStream(path, source()).catch(failed);
  });
}

/**
 * Creates one path after another against a rival that does the same, each round begun by both at
 * once: they meet at markers, since messages take longer than the moment that is raced for.
 *
 * @returns the rounds that this process won.
 */
async function race(markers: string, me: string, rival: string, rounds: number): Promise<number[]> {
  const won: number[] = [];
  for (let round = 0; round < rounds; round++) {
    writeFileSync(`${markers}/${me}-${round}`, "");
    while (!existsSync(`${markers}/${rival}-${round}`)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const put = await store.put(`race/${round}`, utf8(me), "absent");
    if (put.outcome === "stored") won.push(round);
  }
  return won;
}

const methods: Record<Call["method"], (...args: never[]) => Promise<unknown>> = {
  get: (path: string) => store.get(path),
  getSuffix: (path: string, length: number) => store.getSuffix(path, length),
  head: (path: string) => store.head(path),
  put: (...args: Parameters<LocalBlobStore["put"]>) => store.put(...args),
  create: (...args: Parameters<LocalBlobStore["create"]>) => store.create(...args),
  delete: (path: string) => store.delete(path),
  hold,
  race,
  stage,
};

process.on("message", async ({ id, method, args }: Call) => {
  const answer = (rest: Omit<Answer, "id">) => process.send?.({ id, ...rest });
  try {
    answer({ value: await methods[method](...(args as never[])) });
  } catch (error) {
    const { kind, code } = error as { kind?: string; code?: string };
    answer({ failure: { ...(kind && { kind }), ...(code && { code }) } });
  }
});
// With a handler, a write over the process's limit fails like one on a full disk.
process.on("SIGXFSZ", () => undefined);
process.on("disconnect", () => process.exit());
