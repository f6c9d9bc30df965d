import { bytesEqual, utf8 } from "../../base/bytes.ts";
import { Stopwatch } from "../../base/clock.ts";
import { FirnError, invalid } from "../../base/error.ts";
import { LIMITS } from "../../base/limits.ts";
import type { BlobStore, PutResult } from "../port.ts";
import { failureOf } from "./failure.ts";
import { putParts } from "./multipart.ts";
import type { S3Options } from "./options.ts";
import { lookAt } from "./put-verdict.ts";
import { bucketExists, missingBucket, setupError, withWire } from "./setup.ts";
import { S3BlobStore } from "./store.ts";
import type { S3Components, S3Wire } from "./wire.ts";

/** What an operator should know of a bucket that can be used. */
export interface BucketReport {
  /** How far this machine's clock is ahead of the store's; 0 within what an answer can tell. */
  readonly clockSkewMs: number;
  readonly warnings: readonly string[];
}

const RACERS = 32;
const SKEW_WARN_MS = 5_000;
/** Times that a bucket which answers is probed, pause between, and when none begins any more. */
const ROUNDS = 4;
const PAUSE_MS = 50;
const ROUNDS_MS = 15_000;
/** Times that a condition must be ignored: a copy that lands late can make it seem so once. */
const PROOFS = 3;
/** What the store's times are told in. */
const SECOND_MS = 1_000;

/**
 * Tries whether the bucket does what the store rests on: it is there, in our region; we may put,
 * get, list and delete below the prefix; what was put comes back, with its metadata; of many
 * writers under one condition exactly one wins, and a condition holds for an upload in parts too;
 * its clock is near ours. A store that ignores conditions answers all of those writers alike.
 *
 * About 140 requests, at once where that shows more. What it puts below `{prefix}.firn-probe/` is
 * removed again, unless the process ends midway.
 *
 * @throws FirnError as `setupError`; `Invalid`: `BUCKET_MISSING`, `BUCKET_CONDITIONS_IGNORED`,
 *   `BUCKET_UNFAITHFUL`, `CLOCK_SKEWED`. Each names the setting, and what to do.
 */
export function probeBucket(options: S3Options, components: S3Components): Promise<BucketReport> {
  const { clock, prng } = components;
  return withWire(options, components, async (wire) => {
    if (!(await bucketExists(wire))) throw missingBucket(wire.settings.bucket);
    const stopwatch = new Stopwatch(clock);
    for (let rounds = 1; ; rounds++) {
      try {
        return await probeOnce(wire, options, components);
      } catch (error) {
        // It answered a moment ago, so a passing failure must not refuse the start.
        const silent = error instanceof FirnError && error.code === "BUCKET_UNREACHABLE";
        if (!silent || rounds >= ROUNDS || stopwatch.elapsedMs() > ROUNDS_MS) throw error;
      }
      await clock.sleep(prng.float() * PAUSE_MS * 2 ** rounds);
    }
  });
}

async function probeOnce(
  wire: S3Wire,
  options: S3Options,
  components: S3Components,
): Promise<BucketReport> {
  const store = new S3BlobStore(options, components);
  const probe = new S3Probe(wire, store, components);
  try {
    const clockSkewMs = await probe.use();
    await probe.conditions();
    await probe.races();
    await probe.parts();
    await probe.clear();
    const isOff = Math.abs(clockSkewMs) > SKEW_WARN_MS;
    return { clockSkewMs, warnings: isOff ? ["this machine's clock is off"] : [] };
  } catch (error) {
    // What stopped the probe matters more than what it leaves.
    await probe.clear().catch(() => undefined);
    throw error;
  } finally {
    store.close();
  }
}

class S3Probe {
  readonly #wire: S3Wire;
  readonly #store: BlobStore;
  readonly #components: S3Components;
  readonly #home: string;

  constructor(wire: S3Wire, store: BlobStore, components: S3Components) {
    this.#wire = wire;
    this.#store = store;
    this.#components = components;
    const id = Buffer.from(components.prng.bytes(16)).toString("hex");
    this.#home = `.firn-probe/${id}/`;
  }

  /** Every operation once, by the permission it needs. @returns the skew of the clocks. */
  async use(): Promise<number> {
    const { clock } = this.#components;
    const path = `${this.#home}use`;
    const content = utf8("what was put");
    const fromMs = clock.nowMs();
    await this.#needing("s3:PutObject", () => this.#store.put(path, content));
    const toMs = clock.nowMs();
    const [got, info, listed] = await Promise.all([
      this.#needing("s3:GetObject", () => this.#store.get(path)),
      this.#needing("s3:GetObject", () => this.#store.head(path)),
      this.#needing("s3:ListBucket", () => this.#store.list(this.#home)),
    ]);
    const look = await lookAt(this.#wire, this.#key(path));
    await this.#needing("s3:DeleteObject", () => this.#store.delete(path));
    const isWhole = got !== undefined && bytesEqual(got.bytes, content);
    if (!isWhole || listed[0]?.path !== path) throw this.#unfaithful("what was put");
    if (!look.ok || look.value?.origin.put === undefined) throw this.#unfaithful("user metadata");
    const clockSkewMs = skewOf(fromMs, toMs, info?.modifiedAtMs ?? fromMs);
    if (Math.abs(clockSkewMs) > LIMITS.clockSkewMs) {
      const message = "this machine's clock is too far from S3's: set it by NTP";
      throw invalid("CLOCK_SKEWED", message, { clockSkewMs });
    }
    return clockSkewMs;
  }

  /** One writer at a time. */
  async conditions(): Promise<void> {
    for (let proof = 1; proof <= PROOFS; proof++) {
      if (await this.#conditionsHold(`${this.#home}conditions-${proof}`)) return;
    }
    throw this.#ignored("a condition");
  }

  async #conditionsHold(path: string): Promise<boolean> {
    const put = (text: string, condition?: "absent" | { etag: string }): Promise<PutResult> =>
      this.#needing("s3:PutObject", () => this.#store.put(path, utf8(text), condition));
    const one = await put("one", "absent");
    const outcomes = [
      one,
      await put("two", "absent"),
      await put("three", { etag: one.etag ?? "" }),
      await put("four", { etag: one.etag ?? "" }),
    ].map(({ outcome }) => outcome);
    await this.#needing("s3:DeleteObject", () => this.#store.delete(path));
    outcomes.push((await put("five", { etag: one.etag ?? "" })).outcome);
    return outcomes.join() === "stored,failed,stored,failed,failed";
  }

  /** Of many creators one, and of many who replace the same content one. */
  async races(): Promise<void> {
    const path = `${this.#home}race`;
    for (const first of [true, false]) {
      const found = await this.#needing("s3:GetObject", () => this.#store.head(path));
      const etag = found?.etag ?? "";
      const racers = Array.from({ length: RACERS }, (_, racer) =>
        this.#needing("s3:PutObject", () =>
          this.#store.put(path, utf8(`${first} ${racer}`), first ? "absent" : { etag }),
        ),
      );
      const results = await Promise.all(racers);
      const winners = results.filter(({ outcome }) => outcome === "stored");
      if (winners.length !== 1) throw this.#ignored(`${winners.length} racers won`);
    }
  }

  /** An upload in parts that would replace what is there, and may not. */
  async parts(): Promise<void> {
    const path = `${this.#home}race`;
    const upload = { path, key: this.#key(path), id: this.#home, sha256: undefined };
    const result = await this.#needing("s3:PutObject", () =>
      putParts(this.#wire, { ...upload, condition: "absent" }, only(utf8("a part"))),
    );
    if (result.outcome !== "failed") throw this.#ignored("the condition of an upload in parts");
  }

  /** Removes what is left. */
  async clear(): Promise<void> {
    const listed = await this.#needing("s3:ListBucket", () => this.#store.list(this.#home));
    const paths = listed.map(({ path }) => path);
    await this.#needing("s3:DeleteObject", () => this.#store.deleteMany(paths));
  }

  #key(path: string): string {
    return `${this.#wire.settings.prefix}${path}`;
  }

  /** Turns what the store answers into what an operator has to change. */
  async #needing<T>(permission: string, operation: () => Promise<T>): Promise<T> {
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof FirnError) || error.cause === undefined) throw error;
      throw await setupError(this.#wire, failureOf(error.cause), permission);
    }
  }

  #ignored(what: string): FirnError {
    const { bucket } = this.#wire.settings;
    return invalid(
      "BUCKET_CONDITIONS_IGNORED",
      `the store of bucket ${bucket} ignores conditional writes (${what}), so commits would get ` +
        "lost: use a store with conditional writes (--s3-bucket, AWS_ENDPOINT_URL)",
      { bucket, what },
    );
  }

  #unfaithful(what: string): FirnError {
    const { bucket } = this.#wire.settings;
    return invalid(
      "BUCKET_UNFAITHFUL",
      `the store of bucket ${bucket} does not return ${what} as written: use another store ` +
        "(--s3-bucket, AWS_ENDPOINT_URL)",
      { bucket, what },
    );
  }
}

/** Ours ahead of a time that was told in whole seconds of the store's, between two of ours. */
function skewOf(fromMs: number, toMs: number, toldMs: number): number {
  if (fromMs > toldMs + SECOND_MS) return fromMs - toldMs - SECOND_MS;
  return Math.min(0, toMs - toldMs);
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
