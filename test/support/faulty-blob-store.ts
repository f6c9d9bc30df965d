import { compareUtf8 } from "../../src/base/bytes.ts";
import { CatalogError } from "../../src/base/error.ts";
import { type Prng, randomBelow } from "../../src/base/prng.ts";
import type {
  Blob,
  BlobEntry,
  BlobInfo,
  BlobStore,
  ListOptions,
  PutCondition,
  PutResult,
} from "../../src/blob/port.ts";

/** When a request that is under way reaches the store. */
export type Landing =
  /** Just before the call of that index (of this store, counted from 0) is handled. */
  | { readonly beforeCall: number }
  /** When `release` or `releaseAll` is called. */
  | "release";

/**
 * What happens to one call. A read knows `notSent`, `answerLost` and `refused` (all of them: it
 * throws `Unavailable`), `stalled`, and a list `stale`; other faults leave it alone.
 */
export type Fault =
  /** Never reaches the store; throws `Unknown`. */
  | { readonly fault: "notSent" }
  /** Applied; throws `Unknown`. */
  | { readonly fault: "answerLost" }
  /** Throws `Unknown` at once; reaches the store later. */
  | { readonly fault: "late"; readonly lands: Landing }
  /** Applied and answered; a second copy reaches the store later. */
  | { readonly fault: "duplicated"; readonly lands: Landing }
  /** Certainly not applied: a 503. Throws `Unavailable`. */
  | { readonly fault: "refused" }
  /** Hangs until `until` resolves (default: until released), before or after it is applied. */
  | {
      readonly fault: "stalled";
      readonly applied: "before" | "after";
      readonly until?: () => Promise<void>;
    }
  /** Stores the first `bytes` of a put, deletes the first half of many; throws `Unknown`. */
  | { readonly fault: "torn"; readonly bytes: number }
  /** Lists what stood before the last `lag` writes and deletes of this store. */
  | { readonly fault: "stale"; readonly lag: number };

export type Method = keyof BlobStore;

/** Says what happens to a call. May act on the inner store itself, as a rival would. */
export type Script = (
  callIndex: number,
  method: Method,
  args: readonly unknown[],
) => Fault | undefined;

/** One call as a checker sees it; `landings` are the raw answers to its copies at the store. */
export interface Recorded {
  readonly index: number;
  readonly method: Method;
  readonly args: readonly unknown[];
  readonly fault: Fault | undefined;
  readonly landings: unknown[];
  /** What the caller was answered; absent while the call hangs, or where it threw. */
  answer?: unknown;
  error?: unknown;
}

interface Held {
  readonly index: number;
  readonly lands: Landing;
  readonly land: () => Promise<void>;
}

/** A write as it goes over the wire: sent again, it is the same bytes. */
interface Write<T> {
  readonly paths: readonly string[];
  readonly apply: () => Promise<T>;
  /** What a store leaves behind that dies in the middle of it. */
  readonly tear: (bytes: number) => Promise<unknown>;
}

/** A blob store behind a bad network. */
export class FaultyBlobStore implements BlobStore {
  readonly history: Recorded[] = [];
  readonly #inner: BlobStore;
  readonly #script: Script;
  /** What stood at a path before each write that reached the store, in their order. */
  readonly #journal: { readonly path: string; readonly before: BlobEntry | undefined }[] = [];
  #held: Held[] = [];

  constructor(inner: BlobStore, script: Script) {
    this.#inner = inner;
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

  get(path: string): Promise<Blob | undefined> {
    return this.#read("get", [path], () => this.#inner.get(path));
  }

  getRange(path: string, offset: number, length: number): Promise<Blob | undefined> {
    const read = () => this.#inner.getRange(path, offset, length);
    return this.#read("getRange", [path, offset, length], read);
  }

  getSuffix(path: string, length: number): Promise<Blob | undefined> {
    return this.#read("getSuffix", [path, length], () => this.#inner.getSuffix(path, length));
  }

  head(path: string): Promise<BlobInfo | undefined> {
    return this.#read("head", [path], () => this.#inner.head(path));
  }

  list(prefix: string, options: ListOptions = {}): Promise<readonly BlobEntry[]> {
    return this.#read("list", [prefix, options], (fault) =>
      fault?.fault === "stale"
        ? this.#staleList(prefix, options, fault.lag)
        : this.#inner.list(prefix, options),
    );
  }

  put(path: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult> {
    const sent = Uint8Array.from(bytes);
    return this.#write("put", [path, sent, condition], {
      paths: [path],
      apply: () => this.#inner.put(path, sent, condition),
      tear: (count) => this.#inner.put(path, sent.subarray(0, count), condition),
    });
  }

  async putStream(path: string, source: AsyncIterable<Uint8Array>): Promise<PutResult> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of source) chunks.push(Uint8Array.from(chunk));
    const sent = Buffer.concat(chunks);
    return this.#write("putStream", [path, sent], {
      paths: [path],
      apply: () => this.#inner.putStream(path, only(sent)),
      tear: (count) => this.#inner.putStream(path, only(sent.subarray(0, count))),
    });
  }

  delete(path: string): Promise<void> {
    const apply = () => this.#inner.delete(path);
    return this.#write("delete", [path], { paths: [path], apply, tear: apply });
  }

  deleteMany(paths: readonly string[]): Promise<void> {
    return this.#write("deleteMany", [paths], {
      paths,
      apply: () => this.#inner.deleteMany(paths),
      tear: () => this.#inner.deleteMany(paths.slice(0, Math.ceil(paths.length / 2))),
    });
  }

  async #write<T>(method: Method, args: readonly unknown[], write: Write<T>): Promise<T> {
    const call = await this.#begin(method, args);
    const land = async <R>(run: () => Promise<R>): Promise<R> => {
      for (const path of write.paths) await this.#note(path);
      const answer = await run();
      call.landings.push(answer);
      return answer;
    };
    try {
      const answer = await this.#send(call, write, land);
      call.answer = answer;
      return answer;
    } catch (error) {
      call.error = error;
      throw error;
    }
  }

  async #send<T>(
    { index, method, fault }: Recorded,
    write: Write<T>,
    land: <R>(run: () => Promise<R>) => Promise<R>,
  ): Promise<T> {
    const apply = () => land(write.apply);
    switch (fault?.fault) {
      case undefined:
      case "stale":
        return apply();
      case "notSent":
        throw unknown(method);
      case "answerLost":
        await apply();
        throw unknown(method);
      case "late":
        this.#hold(index, fault.lands, apply);
        throw unknown(method);
      case "duplicated":
        this.#hold(index, fault.lands, apply);
        return apply();
      case "refused":
        throw unavailable(method);
      case "stalled":
        return this.#stalled(index, fault, apply);
      case "torn":
        await land(() => write.tear(fault.bytes));
        throw unknown(method);
    }
  }

  async #read<T>(
    method: Method,
    args: readonly unknown[],
    read: (fault: Fault | undefined) => Promise<T>,
  ): Promise<T> {
    const call = await this.#begin(method, args);
    const { fault } = call;
    switch (fault?.fault) {
      case "notSent":
      case "answerLost":
      case "refused":
        call.error = unavailable(method);
        throw call.error;
      case "stalled":
        call.answer = await this.#stalled(call.index, fault, () => read(undefined));
        break;
      default:
        call.answer = await read(fault);
    }
    return call.answer as T;
  }

  async #begin(method: Method, args: readonly unknown[]): Promise<Recorded> {
    const index = this.history.length;
    // Recorded first: calls that come while this one waits get indices of their own.
    const call: { -readonly [K in keyof Recorded]: Recorded[K] } = {
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

  async #stalled<T>(
    index: number,
    fault: Extract<Fault, { fault: "stalled" }>,
    apply: () => Promise<T>,
  ): Promise<T> {
    if (fault.applied === "after") {
      await (fault.until?.() ?? this.#released(index));
      return apply();
    }
    const answer = await apply();
    await (fault.until?.() ?? this.#released(index));
    return answer;
  }

  #released(index: number): Promise<void> {
    return new Promise((resolve) => {
      this.#hold(index, "release", async () => resolve());
    });
  }

  #hold(index: number, lands: Landing, apply: () => Promise<unknown>): void {
    const land = async (): Promise<void> => {
      await apply();
    };
    this.#held.push({ index, lands, land });
  }

  async #land(due: (held: Held) => boolean): Promise<void> {
    const landing = this.#held.filter(due);
    if (landing.length === 0) return;
    this.#held = this.#held.filter((held) => !landing.includes(held));
    for (const held of landing) await held.land();
  }

  async #note(path: string): Promise<void> {
    const info = await this.#inner.head(path);
    this.#journal.push({ path, before: info && { path, ...info } });
  }

  async #staleList(
    prefix: string,
    { after, limit = 1_000 }: ListOptions,
    lag: number,
  ): Promise<readonly BlobEntry[]> {
    const entries = new Map<string, BlobEntry>();
    for await (const entry of everyEntry(this.#inner)) entries.set(entry.path, entry);
    const undone = lag > 0 ? this.#journal.slice(-lag).reverse() : [];
    for (const { path, before } of undone) {
      if (before === undefined) entries.delete(path);
      else entries.set(path, before);
    }
    return [...entries.values()]
      .filter(({ path }) => path.startsWith(prefix))
      .filter(({ path }) => after === undefined || compareUtf8(path, after) > 0)
      .sort((a, b) => compareUtf8(a.path, b.path))
      .slice(0, limit);
  }
}

/**
 * Faults by seed: each call suffers one with probability `rate`. Late and second copies land within
 * `maxDelayCalls` calls. Never stalls, so that no call needs a release; tears and stale lists only
 * where they are asked for, since a store that keeps the port's contract shows neither.
 */
export function seededFaults(
  prng: Prng,
  options: {
    readonly rate: number;
    readonly maxDelayCalls?: number;
    readonly torn?: boolean;
    readonly stale?: boolean;
  },
): Script {
  const { rate, maxDelayCalls = 8, torn = false, stale = false } = options;
  return (index) => {
    if (prng.float() >= rate) return undefined;
    const lands = { beforeCall: index + 1 + randomBelow(prng, maxDelayCalls) };
    const faults: Fault[] = [
      { fault: "notSent" },
      { fault: "answerLost" },
      { fault: "late", lands },
      { fault: "duplicated", lands },
      { fault: "refused" },
    ];
    if (torn) faults.push({ fault: "torn", bytes: randomBelow(prng, 64) });
    if (stale) faults.push({ fault: "stale", lag: 1 + randomBelow(prng, 4) });
    return faults[randomBelow(prng, faults.length)];
  };
}

function unknown(method: Method): CatalogError {
  return new CatalogError("Unknown", "BLOB_WRITE_UNKNOWN", `no answer to ${method}`);
}

function unavailable(method: Method): CatalogError {
  return new CatalogError("Unavailable", "BLOB_STORE_UNAVAILABLE", `no answer to ${method}`);
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* everyEntry(store: BlobStore): AsyncGenerator<BlobEntry> {
  for (let after: string | undefined; ; ) {
    const page = await store.list("", after === undefined ? {} : { after });
    yield* page;
    after = page.at(-1)?.path;
    if (page.length < 1_000) return;
  }
}
