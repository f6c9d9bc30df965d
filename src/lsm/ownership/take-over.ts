import { assert } from "../../base/assert.ts";
import { type Clock, Stopwatch } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { Manifest } from "../format/manifest.ts";
import type { Owner } from "../format/manifest-records.ts";
import type { ManifestState, ManifestStore } from "../manifest/store.ts";
import { withRegistered } from "../read/operators.ts";
import {
  DRAIN_INTERVAL_MS,
  DRAIN_MS,
  isVacant,
  mayAnswer,
  type NodeIdentity,
  owned,
  PROBE_INTERVAL_MS,
  PROBES,
  SILENCE_INTERVAL_MS,
  type TakeOver,
} from "./owner.ts";

/** The shard is ours from here on, as far as the manifest goes. */
export interface Taken {
  readonly manifest: Manifest;
  /** The owner before may still answer reads: its lease has to run out first. */
  readonly outwait: boolean;
  /** Begun before the shard was known to be ours. */
  readonly known: Stopwatch;
}

/** Of a shard that no process has opened yet. */
export const EMPTY: ManifestState = {
  writerEpoch: 0,
  compactorEpoch: 0,
  walFrom: 0,
  lastSequence: 0,
  level0: [],
  runs: [],
  checkpoints: [],
  samples: [],
  operators: [],
  owner: undefined,
  optionalFeatures: 0,
  unknown: [],
};

/**
 * Makes `self` the owner in the manifest, under the next epoch. Safety rests on the fences that
 * follow from it, never on what is found out about the owner before.
 *
 * @param onWaiting told of the owner before each wait for it.
 * @param admit asked before a state is taken over: what it throws keeps the shard as it is.
 * @throws FirnError `Unavailable`, codes `LSM_OWNED`, naming the owner, `LSM_OPERATOR_UNKNOWN`,
 *   before anything has changed; what `admit` throws, and the store.
 */
export async function takeOver(
  store: ManifestStore,
  clock: Clock,
  self: NodeIdentity,
  mode: TakeOver,
  onWaiting: (owner: Owner) => void = () => {},
  admit: (before: Manifest) => Promise<void> = async () => {},
): Promise<Taken> {
  const policy = new TakeoverPolicy(clock, self, mode, onWaiting);
  let attempted: number | undefined;
  for (;;) {
    const known = new Stopwatch(clock);
    const before = await store.latest();
    const owner = before?.owner;
    const operators = withRegistered(before?.operators ?? []);
    // The answer to our own attempt was lost.
    if (before !== undefined && before.writerEpoch === attempted && owner?.node === self.node) {
      return { manifest: before, outwait: policy.outwait, known };
    }
    if (before !== undefined && owner !== undefined && !(await policy.mayTake(before, owner))) {
      continue;
    }
    if (before !== undefined) await admit(before);
    attempted = (before?.writerEpoch ?? 0) + 1;
    const taker = ownerOf(self, policy.outwait);
    const state = { ...(before ?? EMPTY), writerEpoch: attempted, owner: taker, operators };
    const manifest = await publishOnce(store, state, before?.id ?? 0);
    if (manifest !== undefined) {
      assert(manifest.writerEpoch === attempted, "a taker owns the epoch that it published");
      return { manifest, outwait: policy.outwait, known };
    }
  }
}

/** This process, as an owner that has the shard open, or will once it has waited. */
export function ownerOf(self: NodeIdentity, outwaits: boolean): Owner {
  const { node, host, pid, bootId, url } = self;
  return { node, host, pid, bootId, url, state: "OPEN", outwaits, unknown: [] };
}

/** Undefined where another process was faster or the outcome is unknown: the manifest tells. */
async function publishOnce(
  store: ManifestStore,
  state: ManifestState,
  previous: number,
): Promise<Manifest | undefined> {
  try {
    return await store.publish(state, previous);
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Unknown") return undefined;
    throw error;
  }
}

/** How long to wait for the present owner. */
class TakeoverPolicy {
  readonly #clock: Clock;
  readonly #self: NodeIdentity;
  readonly #mode: TakeOver;
  readonly #onWaiting: (owner: Owner) => void;
  /** Whose silence is counted, and how often it was silent. */
  #epoch = 0;
  #silent = 0;
  #draining: Stopwatch | undefined;
  /** Whether an earlier owner may still answer reads, as far as the last look told. */
  outwait = false;

  constructor(clock: Clock, self: NodeIdentity, mode: TakeOver, onWaiting: (owner: Owner) => void) {
    this.#clock = clock;
    this.#self = self;
    this.#mode = mode;
    this.#onWaiting = onWaiting;
  }

  /** False after a while of waiting: look at the manifest again. @throws as `takeOver`. */
  async mayTake(manifest: Manifest, owner: Owner): Promise<boolean> {
    this.outwait = mayAnswer(owner, this.#self);
    if (isVacant(owner, this.#self) || this.#mode === "takeover") return true;
    if (manifest.writerEpoch !== this.#epoch) {
      this.#silent = 0;
      this.#draining = undefined;
    }
    this.#epoch = manifest.writerEpoch;
    if (owner.state === "DRAINING" && this.#mayDrain()) return this.#wait(owner, DRAIN_INTERVAL_MS);
    const answer = await this.#ask(owner);
    this.#silent = answer === "silent" ? this.#silent + 1 : 0;
    if (this.#silent >= PROBES) return true;
    if (this.#mode === "refuse" && answer !== "silent") {
      throw owned(owner, this.#clock.nowMs() - manifest.writtenAtMs);
    }
    return this.#wait(owner, this.#silent > 0 ? SILENCE_INTERVAL_MS : PROBE_INTERVAL_MS);
  }

  async #wait(owner: Owner, ms: number): Promise<false> {
    this.#onWaiting(owner);
    await this.#clock.sleep(ms);
    return false;
  }

  /**
   * Any process that says that it goes is waited for, also where one that stays would be a refusal.
   */
  #mayDrain(): boolean {
    this.#draining ??= new Stopwatch(this.#clock);
    return this.#draining.elapsedMs() < DRAIN_MS;
  }

  /**
   * Only who can be asked can be found silent. A process that runs is a refusal without a question;
   * any caller that waits for it asks all the same, since it may stand still for ever.
   */
  async #ask(owner: Owner): Promise<"here" | "silent"> {
    const { answers } = this.#self;
    const runs = this.#mode === "refuse" && this.#self.sight(owner) === "alive";
    if (runs || answers === undefined || owner.url === "") return "here";
    return (await answers(owner)) ? "here" : "silent";
  }
}
