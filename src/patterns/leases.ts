import { FirnError } from "../base/error.ts";
import type { Datum, RowTransaction, TableDescriptor } from "../rows/index.ts";
import {
  checkedFence,
  checkedName,
  checkedNumber,
  MOST_MS,
  type PatternShape,
  type PatternTable,
  patternTable,
} from "./pattern-table.ts";

export const LEASE_SHAPE: PatternShape = {
  columns: [
    { name: "name", type: { kind: "text" } },
    /** NULL: it was released. The row stays, so that its fence only grows. */
    { name: "owner", type: { kind: "text" } },
    { name: "fence", type: { kind: "int8" }, nullable: false },
    { name: "expires_at", type: { kind: "int8" }, nullable: false },
  ],
  primaryKey: { parts: [{ column: "name" }] },
};

export interface Lease {
  readonly name: string;
  readonly owner: string;
  /** Grows with each acquisition, also over releases, expiries and restarts. */
  readonly fence: bigint;
  /** By the clock of the shard's owner. */
  readonly expiresAtMs: number;
}

interface Stored {
  readonly owner: string | null;
  readonly fence: bigint;
  readonly expiresAtMs: number;
}

/**
 * Leases with fencing tokens. The time to live decides only when another may acquire; what keeps a
 * stale holder from writing is the fence, which no clock moves.
 */
export class Leases {
  readonly #table: PatternTable;

  constructor(table: PatternTable) {
    this.#table = table;
  }

  /**
   * Takes a lease that is free, that has expired, or that this owner has: one that asks again gets
   * a newer fence, and its older one is lost.
   *
   * @throws FirnError `Conflict`, code `LEASE_HELD`, with `retryAfterMs`.
   */
  async acquire(
    name: string,
    { owner, ttlMs }: { readonly owner: string; readonly ttlMs: number },
  ): Promise<Lease> {
    checkedName("name", name);
    checkedName("owner", owner);
    checkedNumber("ttlMs", ttlMs, 1, MOST_MS);
    return await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, LEASE_SHAPE);
      const held = await read(tx, table, name, "update");
      const nowMs = this.#table.clock.nowMs();
      if (held?.owner != null && held.owner !== owner && held.expiresAtMs > nowMs) {
        const retryAfterMs = held.expiresAtMs - nowMs;
        const message = `the lease is held by ${held.owner}: try again when it has expired`;
        throw new FirnError("Conflict", "LEASE_HELD", message, { owner: held.owner, retryAfterMs });
      }
      const fence = (held?.fence ?? 0n) + 1n;
      return await write(tx, table, { name, owner, fence, expiresAtMs: nowMs + ttlMs });
    });
  }

  /**
   * Sets when it expires. One that has expired and that no other has taken is renewed too.
   *
   * @throws FirnError `Conflict`, code `LEASE_LOST`; `Invalid`, code `PATTERN_FENCE_INVALID`.
   */
  async renew(
    name: string,
    { fence, ttlMs }: { readonly fence: bigint; readonly ttlMs: number },
  ): Promise<Lease> {
    checkedNumber("ttlMs", ttlMs, 1, MOST_MS);
    return await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, LEASE_SHAPE);
      const { owner } = current(name, fence, await read(tx, table, name, "update"));
      const expiresAtMs = this.#table.clock.nowMs() + ttlMs;
      return await write(tx, table, { name, owner, fence, expiresAtMs });
    });
  }

  /** Gives it back. @returns false where it was lost or given back before. */
  async release(name: string, fence: bigint): Promise<boolean> {
    return await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, LEASE_SHAPE);
      const held = await read(tx, table, name, "update");
      checkedFence(fence, held?.fence ?? 0n);
      if (held === undefined || held.fence !== fence || held.owner === null) return false;
      await tx.put(table, [name, null, fence, BigInt(held.expiresAtMs)]);
      return true;
    });
  }

  /** Who holds it; undefined where it is free or expired. */
  async get(name: string): Promise<Lease | undefined> {
    return await this.#table.store.run(
      async (tx) => {
        const table = await patternTable(tx, this.#table, LEASE_SHAPE);
        const held = await read(tx, table, name);
        if (held?.owner == null || held.expiresAtMs <= this.#table.clock.nowMs()) return undefined;
        return { name, owner: held.owner, fence: held.fence, expiresAtMs: held.expiresAtMs };
      },
      { isolation: "repeatable read", readOnly: true },
    );
  }

  /**
   * Lets a transaction of the same catalog commit only while the fence is the newest: who acquires
   * the lease meanwhile waits for it. Call it in each transaction of a holder, at any place.
   *
   * @throws FirnError as `renew`.
   */
  async requireFence(tx: RowTransaction, name: string, fence: bigint): Promise<void> {
    await requireFence(tx, this.#table, name, fence);
  }
}

/** As `Leases.requireFence`, of the leases in a table. */
export async function requireFence(
  tx: RowTransaction,
  leases: Pick<PatternTable, "id">,
  name: string,
  fence: bigint,
): Promise<void> {
  const table = await patternTable(tx, leases, LEASE_SHAPE);
  current(name, fence, await read(tx, table, name, "share"));
}

async function read(
  tx: RowTransaction,
  table: TableDescriptor,
  name: string,
  mode?: "share" | "update",
): Promise<Stored | undefined> {
  const row = await tx.get(table, [name], mode === undefined ? {} : { lock: { mode } });
  if (row === undefined) return undefined;
  const [, owner, fence, expires] = row as readonly [Datum, string | null, bigint, bigint];
  return { owner, fence, expiresAtMs: Number(expires) };
}

async function write(tx: RowTransaction, table: TableDescriptor, lease: Lease): Promise<Lease> {
  const { name, owner, fence, expiresAtMs } = lease;
  await tx.put(table, [name, owner, fence, BigInt(expiresAtMs)]);
  return lease;
}

function current(
  name: string,
  fence: bigint,
  held: Stored | undefined,
): Stored & { readonly owner: string } {
  checkedFence(fence, held?.fence ?? 0n);
  if (held !== undefined && held.fence === fence && held.owner !== null) {
    return { ...held, owner: held.owner };
  }
  const message = "the lease was released, or another has taken it: acquire it again";
  const context = { lease: name, fence, newest: held?.fence ?? 0n };
  throw new FirnError("Conflict", "LEASE_LOST", message, context);
}
