import { FirnError } from "../../base/error.ts";
import { settleAll } from "../../base/settle-all.ts";
import type { ShardPointer } from "../../catalog/shard-owners.ts";
import type { Engine } from "../../lsm/index.ts";
import type { OwnedPointer } from "./shard-elsewhere.ts";
import {
  type Doubted,
  NO_NODE,
  type ShardNode,
  SharedShard,
  type SharedShardParts,
} from "./shared-shard.ts";

/** A shard, as an operator is shown it. */
export interface ShardOwnership extends ShardPointer {
  readonly shard: string;
  /** Absent where this node does not have it open. */
  readonly engine: Engine | undefined;
}

/** The shards of a deployment of several nodes, as one of them sees them. */
export class SharedShards {
  readonly #parts: Omit<SharedShardParts, "self">;
  readonly #shards = new Map<string, SharedShard>();
  #self: ShardNode;
  #isClosed = false;

  constructor({ self, ...parts }: SharedShardParts) {
    this.#self = self;
    this.#parts = parts;
  }

  /** This node. */
  get self(): ShardNode {
    return this.#self;
  }

  /** Names the address of this node, once it is known: before the first shard is used. */
  listens(url: string): void {
    this.#self = { ...this.#self, url };
  }

  /** A shard, whichever node owns it. No request. */
  of(shard: string): SharedShard {
    let known = this.#shards.get(shard);
    if (known === undefined) {
      const self = () => this.#self;
      const parts = {
        ...this.#parts,
        get self() {
          return self();
        },
      };
      known = new SharedShard(shard, parts);
      this.#shards.set(shard, known);
      if (this.#isClosed) void known.close();
    }
    return known;
  }

  /** @throws as `SharedShard.doubt`. */
  doubt(shard: string, pointer: OwnedPointer): Promise<Doubted> {
    return this.of(shard).doubt(pointer);
  }

  /** Who owns shards, those that none has owned included. One read for all. */
  async list(shards: readonly string[]): Promise<readonly ShardOwnership[]> {
    const found = await this.#parts.owners.getMany(shards);
    return found.map((pointer, i) => {
      const shard = shards[i] ?? "";
      return { shard, ...pointer, engine: this.#shards.get(shard)?.engineHeld };
    });
  }

  /**
   * Frees a shard whose owner is gone and cannot be found dead, because no other node can ask it.
   * The next owner fences it all the same.
   *
   * @throws FirnError `Conflict`, codes `SHARD_OWNER_ALIVE`, `SHARD_CHANGED`.
   */
  async release(shard: string): Promise<void> {
    const { owners, answers, clock } = this.#parts;
    const seen = await owners.get(shard);
    const { owner } = seen;
    this.of(shard).forget();
    if (owner === undefined || (owner.state === "FREE" && owner.node === "")) return;
    const { node, host, url } = owner;
    if (url !== "" && (await answers(owner))) {
      const message = "the owner of the shard answers: move or drain it";
      throw new FirnError("Conflict", "SHARD_OWNER_ALIVE", message, { node, host, url });
    }
    const free = { ...NO_NODE, epoch: owner.epoch, state: "FREE", sinceMs: clock.nowMs() } as const;
    if ((await owners.replace(shard, seen, free)) !== undefined) return;
    const message = "the shard has changed its owner meanwhile: look again";
    throw new FirnError("Conflict", "SHARD_CHANGED", message, { shard });
  }

  /**
   * Deletes a shard that is free, or this node's: `clear` deletes its files, when no node has it
   * open. It may be called again.
   *
   * @throws ShardElsewhere; what `clear` throws.
   */
  async remove(shard: string, clear: () => Promise<void>): Promise<void> {
    const shared = this.of(shard);
    shared.forget();
    try {
      await shared.engine();
    } catch (error) {
      const isDeleted = error instanceof FirnError && error.code === "LSM_SHARD_DELETED";
      if (!isDeleted) throw error;
    }
    await shared.drain();
    await clear();
    const { owners } = this.#parts;
    await owners.forget(shard, await owners.get(shard));
  }

  /** Drains every shard that this node owns, and takes none any more. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await settleAll([...this.#shards.values()].map((shard) => shard.close()));
  }
}
