import { compareUtf8 } from "../../src/base/bytes.ts";
import { FirnError } from "../../src/base/error.ts";
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
import {
  type FaultScript,
  FaultyCalls,
  type NetworkFault,
  type RecordedCall,
} from "./faulty-calls.ts";

/**
 * What happens to one call. A read knows `notSent`, `answerLost` and `refused` (all of them: it
 * throws `Unavailable`), `stalled`, and a list `stale`; other faults leave it alone.
 */
export type Fault =
  | NetworkFault
  /** Certainly not applied: a 503. Throws `Unavailable`. */
  | { readonly fault: "refused" }
  /** Stores the first `bytes` of a put, deletes the first half of many; throws `Unknown`. */
  | { readonly fault: "torn"; readonly bytes: number }
  /** Lists what stood before the last `lag` writes and deletes of this store. */
  | { readonly fault: "stale"; readonly lag: number };

export type Method = keyof BlobStore;

export type Script = FaultScript<Method, Fault>;
export type Recorded = RecordedCall<Method, Fault, unknown>;

/** A write as it goes over the wire: sent again, it is the same bytes. */
interface Write<T> {
  readonly paths: readonly string[];
  readonly apply: () => Promise<T>;
  /** What a store leaves behind that dies in the middle of it. */
  readonly tear: (bytes: number) => Promise<unknown>;
}

/** A blob store behind a bad network. */
export class FaultyBlobStore extends FaultyCalls<Method, Fault, unknown> implements BlobStore {
  readonly #inner: BlobStore;
  /** What stood at a path before each write that reached the store, in their order. */
  readonly #journal: { readonly path: string; readonly before: BlobEntry | undefined }[] = [];

  constructor(inner: BlobStore, script: Script) {
    super(script);
    this.#inner = inner;
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
    const call = await this.begin(method, args);
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
        this.hold(index, fault.lands, apply);
        throw unknown(method);
      case "duplicated":
        this.hold(index, fault.lands, apply);
        return apply();
      case "refused":
        throw unavailable(method);
      case "stalled":
        return this.stalled(index, fault, apply);
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
    const call = await this.begin(method, args);
    const { fault } = call;
    switch (fault?.fault) {
      case "notSent":
      case "answerLost":
      case "refused":
        call.error = unavailable(method);
        throw call.error;
      case "stalled":
        call.answer = await this.stalled(call.index, fault, () => read(undefined));
        break;
      default:
        call.answer = await read(fault);
    }
    return call.answer as T;
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

function unknown(method: Method): FirnError {
  return new FirnError("Unknown", "BLOB_WRITE_UNKNOWN", `no answer to ${method}`);
}

function unavailable(method: Method): FirnError {
  return new FirnError("Unavailable", "BLOB_STORE_UNAVAILABLE", `no answer to ${method}`);
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
