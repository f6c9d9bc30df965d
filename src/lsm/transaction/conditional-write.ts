import { assert } from "../../base/assert.ts";
import { FirnError, invalid } from "../../base/error.ts";
import { bytesOfKey, type Key, keyOfBytes, type Sequence } from "../format/entry.ts";
import type { Maybe } from "../maybe.ts";
import type { ReadView } from "../read/read-view.ts";
import { gone } from "../states/resolve.ts";
import type { Prepared } from "../write/prepared.ts";
import type { Written } from "../write/write-path.ts";
import type { Claims } from "./claims.ts";
import { BEHIND, ConflictSearch, type WrittenPlaces } from "./conflict-search.ts";

/**
 * What has to hold of a key when a batch is written: that it has no value, that it has one, or that
 * nothing was written to it after a sequence, of which a view or a snapshot is open.
 */
export interface WriteCondition {
  readonly key: Uint8Array;
  readonly is: "absent" | "present" | Sequence;
}

/** What a conditional write needs of its engine. */
export interface ConditionHost {
  readonly written: WrittenPlaces;
  readonly get: (view: ReadView, key: Key, sequence: Sequence) => Maybe<Uint8Array | undefined>;
  readonly write: (batch: Prepared, check: () => void) => Maybe<Written>;
  readonly durable: (sequence: Sequence) => Maybe<void>;
  readonly isKept: (sequence: Sequence) => boolean;
}

/** One condition, and what is known of its key. */
interface Judged {
  readonly claims: Claims;
  readonly key: Key;
  readonly is: WriteCondition["is"];
  /** Of one that names a sequence. */
  readonly search: ConflictSearch | undefined;
  /** Blocks are being loaded that tell the value, as of a sequence. */
  loading?: { readonly value: Promise<Uint8Array | undefined>; readonly at: Sequence } | undefined;
  /** What these told: it holds while nothing is written to the key. */
  found?: { readonly hasValue: boolean; readonly at: Sequence } | undefined;
}

/**
 * A batch that is written if conditions hold, which are judged in the synchronous section of the
 * write: no snapshot, no transaction. Where blocks have to be loaded first, it begins again.
 */
export class ConditionalWrite {
  readonly #host: ConditionHost;
  readonly #conditions: readonly Judged[];
  #batch: Prepared;

  /**
   * @throws FirnError `Invalid`, code `LSM_CONDITION_INVALID`; `NotFound`, code
   *   `LSM_HISTORY_GONE`: no state of that sequence is kept.
   */
  constructor(host: ConditionHost, batch: Prepared, conditions: readonly WriteCondition[]) {
    this.#host = host;
    this.#batch = batch;
    this.#conditions = conditions.map((condition) => begun(host, condition));
  }

  /**
   * @throws FirnError `Conflict`, code `LSM_CONDITION_FAILED`, with `key` in hexadecimal, once what
   *   it saw is durable; as `Engine.write` and `Engine.get`.
   */
  run(): Maybe<Written> {
    try {
      const written = this.#host.write(this.#batch, this.#check);
      return written instanceof Promise ? written.catch(this.#failed) : written;
    } catch (error) {
      return this.#failed(error);
    }
  }

  readonly #failed = async (error: unknown): Promise<Written> => {
    if (error !== BEHIND) throw await this.#settled(error);
    // Its caller may change what it gave.
    this.#batch = this.#batch.kept();
    for (const one of this.#conditions) {
      try {
        await this.#load(one);
      } catch (refused) {
        throw await this.#settled(refused);
      }
    }
    return await this.run();
  };

  /** What is answered of an error: a refusal once all that it names is durable. */
  async #settled(error: unknown): Promise<unknown> {
    const isRefused = error instanceof FirnError && error.code === "LSM_CONDITION_FAILED";
    if (isRefused) await this.#host.durable(Number(error.context["sequence"]));
    return error;
  }

  readonly #check = (): void => {
    let isBehind = false;
    for (const one of this.#conditions) {
      const holds = one.search === undefined ? this.#hasValue(one) : this.#isUntouched(one.search);
      if (holds === undefined) isBehind = true;
      else if (holds === (one.is === "absent")) throw this.#refused(one);
    }
    if (isBehind) throw BEHIND;
  };

  /** Undefined where blocks are missing, which are being loaded then. */
  #hasValue(one: Judged): boolean | undefined {
    const { get, written } = this.#host;
    const { found } = one;
    if (found !== undefined && this.#isCurrent(one.claims, found.at)) return found.hasValue;
    const at = written.lastSequence();
    const value = get(written.views.current, one.key, at);
    if (!(value instanceof Promise)) return value !== undefined;
    // Another condition may fail first: then no caller waits for it.
    value.catch(() => undefined);
    one.loading = { value, at };
    return undefined;
  }

  #isCurrent(claims: Claims, at: Sequence): boolean {
    const { recent } = this.#host.written;
    return at >= recent.floor && recent.after(claims, at) === undefined;
  }

  #isUntouched(search: ConflictSearch): boolean | undefined {
    if (search.isBehind) return undefined;
    try {
      search.check();
      return true;
    } catch (error) {
      if (error instanceof FirnError && error.code === "LSM_CONFLICT") return false;
      throw error;
    }
  }

  async #load(one: Judged): Promise<void> {
    const { search, loading } = one;
    if (search?.isBehind === true) {
      await search.readTables().catch((error: unknown) => {
        const isClash = error instanceof FirnError && error.code === "LSM_CONFLICT";
        throw isClash ? this.#refused(one) : error;
      });
    }
    if (loading === undefined) return;
    assert(search === undefined, "a sequence is judged without the value");
    one.loading = undefined;
    one.found = { hasValue: (await loading.value) !== undefined, at: loading.at };
  }

  #refused({ key, is }: Judged): FirnError {
    const sequence = this.#host.written.lastSequence();
    const facts = { key: Buffer.from(bytesOfKey(key)).toString("hex"), is, sequence };
    const message = "a condition of the write does not hold: read the key again";
    return new FirnError("Conflict", "LSM_CONDITION_FAILED", message, facts);
  }
}

function begun({ written, isKept }: ConditionHost, { key, is }: WriteCondition): Judged {
  const name = keyOfBytes(key);
  const claims = { keys: () => [name], size: 1, holds: isKey(key), ranges: [] };
  if (is === "absent" || is === "present") return { key: name, claims, is, search: undefined };
  if (!Number.isSafeInteger(is) || is < 0 || is > written.lastSequence()) {
    const message = "a condition is absent, present, or a sequence so far";
    throw invalid("LSM_CONDITION_INVALID", message, { is: String(is) });
  }
  if (!isKept(is)) throw gone({ sequence: is });
  return { key: name, claims, is, search: new ConflictSearch(written, claims, is) };
}

function isKey(key: Uint8Array): Claims["holds"] {
  const bytes = Uint8Array.from(key);
  return (source, from, to) => Buffer.compare(bytes, source.subarray(from, to)) === 0;
}
