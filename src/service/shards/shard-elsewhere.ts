import { FirnError } from "../../base/error.ts";
import type { StoredShardOwner } from "../../catalog/codec/shard-owner.ts";
import type { ShardPointer } from "../../catalog/shard-owners.ts";

/** A pointer that names an owner. */
export interface OwnedPointer extends ShardPointer {
  readonly owner: StoredShardOwner;
}

/**
 * Another node owns the shard. Nothing of the call that throws this has happened: the server sends
 * the request to that node, if nothing else of the request has happened either.
 */
export class ShardElsewhere extends FirnError {
  readonly shard: string;
  readonly pointer: OwnedPointer;

  constructor(shard: string, pointer: OwnedPointer) {
    const { node, host } = pointer.owner;
    const message = "another node serves these rows: connect again, or try again";
    super("Unavailable", "SHARD_ELSEWHERE", message, {
      shard,
      node,
      host,
      sqlState: "57P01",
      fatal: true,
    });
    this.shard = shard;
    this.pointer = pointer;
  }
}

/** The same for a request that has done something already, so that it must not run again. */
export function shardMoved(cause: ShardElsewhere): FirnError {
  const message = "another node took over these rows while the request ran: read before a retry";
  const { shard } = cause;
  const context = { shard, sqlState: "57P01", fatal: true };
  return new FirnError("Unknown", "SHARD_MOVED", message, context, cause);
}

/** This node gives its shards away and takes none. */
export function shardClosing(shard: string): FirnError {
  const message = "this node is stopping: ask another node";
  return new FirnError("Unavailable", "SHARD_CLOSING", message, { shard, sqlState: "57P01" });
}
