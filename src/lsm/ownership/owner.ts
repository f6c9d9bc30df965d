import { FirnError } from "../../base/error.ts";
import type { Owner } from "../format/manifest-records.ts";

/**
 * What is known of an owner without asking it: `dead` or `alive` for certain, or it runs where this
 * process cannot see.
 */
export type Sighting = "alive" | "dead" | "unseen";

/** This process, as others see it in the manifest, and what it can tell of theirs. */
export interface NodeIdentity {
  /** Used by no other process, and not by this one after a restart. */
  readonly node: string;
  readonly host: string;
  readonly pid: number;
  /** Names boot and process-id space: two owners with the same one can see each other. */
  readonly bootId: string;
  /** Where others reach it; empty where no process can. */
  readonly url: string;
  sight(owner: Owner): Sighting;
  /**
   * Whether the owner answers at its URL under its own node id. Absent where no process can ask:
   * then an owner that is not seen counts as alive.
   */
  readonly answers?: (owner: Owner) => Promise<boolean>;
}

/** What to do where another owns the shard: give up, wait for it to go, or fence it now. */
export type TakeOver = "refuse" | "standby" | "takeover";

/**
 * Between two questions to an owner, and after one that it left unanswered; how many it may leave
 * so. An owner that stands still is overtaken within 10 s, the wait for its lease included.
 */
export const PROBE_INTERVAL_MS = 1_500;
export const SILENCE_INTERVAL_MS = 500;
export const PROBES = 3;

/** Between two looks at an owner that is about to go, and how long it is trusted to go. */
export const DRAIN_INTERVAL_MS = 500;
export const DRAIN_MS = 15_000;

/** Whether the shard can be taken at once: it is free, or its owner is known to be dead. */
export function isVacant(owner: Owner | undefined, self: NodeIdentity): boolean {
  return owner === undefined || owner.state === "FREE" || self.sight(owner) === "dead";
}

/**
 * Whether a process may still answer reads on its own word: the owner, or, where it ended before it
 * had waited for that, one before it.
 */
export function mayAnswer(owner: Owner, self: NodeIdentity): boolean {
  return !isVacant(owner, self) || (owner.state !== "FREE" && owner.outwaits);
}

/** Names who is in the way, so that its user can find it. */
export function owned(owner: Owner, sinceMs: number): FirnError {
  const { node, host, pid, url } = owner;
  const facts = { node, host, pid, url, sinceMs };
  return new FirnError("Unavailable", "LSM_OWNED", `shard is open on ${host}`, facts);
}
