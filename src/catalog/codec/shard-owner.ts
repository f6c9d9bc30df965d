import type Long from "long";
import { corrupt } from "../errors.ts";
import { bytesBy, corruptOnThrow, long, safe, v1 } from "./wire.ts";

type ShardState = "OPEN" | "DRAINING" | "FREE";

/** Which node owns a shard, as it is stored. */
export interface StoredShardOwner {
  /** Grows with each change of the owner. */
  readonly epoch: number;
  /** Id of the owner; of a free shard, the node that it is kept for, or empty. */
  readonly node: string;
  readonly host: string;
  /** Where other nodes reach it; empty where none can. */
  readonly url: string;
  /** With `bootId`, for other processes of the same host: they see whether it lives. */
  readonly pid: number;
  readonly bootId: string;
  readonly state: ShardState;
  readonly sinceMs: number;
}

const CODES: Readonly<Record<ShardState, number>> = {
  OPEN: v1.ShardState.SHARD_STATE_OPEN,
  DRAINING: v1.ShardState.SHARD_STATE_DRAINING,
  FREE: v1.ShardState.SHARD_STATE_FREE,
};

export function encodeShardOwner(owner: StoredShardOwner): Uint8Array {
  const { epoch, state, sinceMs, pid, ...texts } = owner;
  const message = {
    ...texts,
    epoch: long(epoch),
    state: CODES[state],
    sinceMs: long(sinceMs),
    pid: long(pid),
  };
  return bytesBy((writer) => v1.ShardSummary.encode(message, writer));
}

/** @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`. */
export function decodeShardOwner(bytes: Uint8Array): StoredShardOwner {
  return corruptOnThrow(() => {
    // What has its default is not the message's own: it cannot be spread.
    const m = v1.ShardSummary.decode(bytes);
    const { node, host, url, bootId } = m;
    const state = (["OPEN", "DRAINING", "FREE"] as const).find((one) => CODES[one] === m.state);
    if (state === undefined) throw corrupt("unknown state of a shard", { state: m.state });
    const [epoch, sinceMs] = [safe(m.epoch as Long), safe(m.sinceMs as Long)];
    return { epoch, node, host, url, pid: safe(m.pid as Long), bootId, state, sinceMs };
  });
}
