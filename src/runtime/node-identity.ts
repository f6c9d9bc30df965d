import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Prng } from "../base/prng.ts";
import { bootId, identityOf } from "../blob/local-process.ts";
import type { NodeIdentity, Owner, Sighting } from "../lsm/index.ts";
import { answersAt } from "./probe.ts";

export interface NodeIdentityOptions {
  readonly prng: Prng;
  /** Used by no other process, and not by this one after a restart; a new one if absent. */
  readonly nodeId?: string;
  /** Where others may ask for it; empty until it listens. */
  readonly url?: string;
  /** The shard lies in a directory of this machine: an owner of an earlier boot is dead. */
  readonly oneHost: boolean;
}

/** An id for this process. */
export function mintNodeId(prng: Prng): string {
  return Buffer.from(prng.bytes(16)).toString("hex");
}

/**
 * This process as the owner of shards. Its boot id is `{boot}:{process-id space}:{identity}`: who
 * has the same first two can see each other's processes, and the last tells a process from a later
 * one of the same id.
 */
export function nodeIdentity(options: NodeIdentityOptions): NodeIdentity {
  const { prng, nodeId = mintNodeId(prng), url = "", oneHost } = options;
  const space = processSpace();
  return {
    node: nodeId,
    host: hostname(),
    pid: process.pid,
    bootId: `${space}:${identityOf(process.pid) ?? ""}`,
    url,
    sight: (owner) => sight(owner, space, oneHost),
    answers: (owner) => answersAt(owner, sight(owner, space, oneHost) !== "unseen"),
  };
}

function sight({ pid, bootId: theirs }: Owner, space: string, oneHost: boolean): Sighting {
  const [boot, namespace, identity] = theirs.split(":");
  if (`${boot}:${namespace}` === space) return identityOf(pid) === identity ? "alive" : "dead";
  return oneHost && boot !== bootId() ? "dead" : "unseen";
}

/** Containers of one machine share its boot and not their process ids. */
function processSpace(): string {
  try {
    return `${bootId()}:${readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "")}`;
  } catch {
    return `${bootId()}:`;
  }
}
