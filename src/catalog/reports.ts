import { assert } from "../base/assert.ts";
import { backoff } from "../base/backoff.ts";
import { Stopwatch } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { sha256Hex } from "../base/hash.ts";
import type { Revision, TableId } from "../base/ids.ts";
import { LruMap } from "../base/lru.ts";
import { putCertain } from "../pointer/certain.ts";
import type { Item } from "../pointer/port.ts";
import { encodeEnvelope, MIN_WRITER_VERSION, SCHEMA_VERSION } from "./codec/envelope.ts";
import { decodeReport, encodeReportContent } from "./codec/report.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { storeOverloaded } from "./errors.ts";
import { digits19, directoryOf, FAMILIES, keyOf } from "./keys.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import { blobPathOf } from "./paths.ts";

/*
 * The newest reports of a table lie in a ring of slots. Report number n goes to slot n modulo the
 * size of the ring, over the one that is as many numbers older: so there never are more, on however
 * many nodes, and nothing has to be cleared away. A slot's version counts how often the ring came
 * round, so that slot and version together are the number, and a compare-and-set on the version
 * keeps two nodes from taking the same one.
 */

const SLOTS = BigInt(CATALOG_LIMITS.reportsPerTable);
/** Tables of which this node knows where their ring goes on. */
const KNOWN_RINGS = 10_000;
/**
 * Numbers that other nodes may have taken meanwhile, before a report is given up. Any process that
 * has lost one lists the ring before it tries again and is slower than who has won; who loses again
 * waits a little, else it would lose for as long as the other has more to store.
 */
const TRIES = 24;

/** A client's report, and when and through whom it came. */
export interface MetricsReport {
  readonly receivedAtMs: number;
  readonly principal: string;
  readonly requestId: string;
  /** JSON text of an object, as the client sent it but for white space. */
  readonly report: string;
}

/** Metrics reports of tables, the newest of each. */
export class Reports {
  readonly #context: CatalogContext;
  readonly #next: LruMap<TableId, bigint> = new LruMap(KNOWN_RINGS);

  constructor(context: CatalogContext) {
    this.#context = context;
  }

  /**
   * Keeps a report, the oldest goes. Costs a payload and a pointer write; once the ring is full
   * also a read before and a delete after; where another node wrote last, one list.
   *
   * @throws FirnError `Unavailable`, `Overloaded`, `Unknown`: it may be kept or not.
   */
  async add(actor: Actor, table: TableId, receivedAtMs: number, report: string): Promise<void> {
    const stopwatch = new Stopwatch(this.#context.clock);
    for (let tries = 0; tries < TRIES; tries++) {
      const number = this.#next.get(table) ?? (await this.#first(table));
      this.#next.delete(table);
      const key = this.#keyOf(table, number % SLOTS);
      const before = number < SLOTS ? undefined : await this.#context.pointers.get(key);
      const expected = before?.version ?? 0n;
      assert(number >= 0n, "the slots of a ring are counted from 0");
      // Others have taken this number, and maybe more: look anew.
      if (expected > number / SLOTS) continue;
      const blobPath = await this.#putPayload(actor, table, number % SLOTS, receivedAtMs, report);
      const op = { op: "put", key, expected, blobPath } as const;
      const { pointers } = this.#context;
      const written = await putCertain(pointers, this.#context, { stopwatch }, op);
      if (written.verdict === "committed") {
        this.#next.set(table, number + 1n);
        await this.#removePayload(before);
        return;
      }
      // The outcome is unknown, so a pointer may lead to the payload.
      if (written.verdict === "unknown") break;
      await this.#context.payloads.remove(blobPath);
      if (written.verdict === "overloaded") throw storeOverloaded(written.retryAfterMs);
      if (tries > 0) await backoff(this.#context.clock, this.#context.prng, tries);
    }
    throw new FirnError("Unknown", "OUTCOME_UNKNOWN", "the report may have been stored", { table });
  }

  /** Newest first, at most `limit`. One list, and one read for each report. */
  async list(table: TableId, limit: number): Promise<readonly MetricsReport[]> {
    const newestFirst = (await this.#ring(table)).reverse().slice(0, limit);
    const found = await Promise.all(newestFirst.map(({ blobPath }) => this.#read(blobPath)));
    // What is missing was overwritten since the list.
    return found.filter((report) => report !== undefined);
  }

  async #first(table: TableId): Promise<bigint> {
    return ((await this.#ring(table)).at(-1)?.number ?? -1n) + 1n;
  }

  /** Everything that is kept of a table, oldest first. */
  async #ring(table: TableId) {
    const { account, pointers } = this.#context;
    const items = await pointers.list(directoryOf(FAMILIES.report, account, table));
    return items
      .map(({ key, version, blobPath }) => {
        const slot = BigInt(key.slice(key.lastIndexOf("/") + 1));
        return { number: numberOf(slot, version), blobPath };
      })
      .sort((a, b) => (a.number < b.number ? -1 : 1));
  }

  #keyOf(table: TableId, slot: bigint): string {
    return keyOf(FAMILIES.report, this.#context.account, table, digits19(slot));
  }

  async #putPayload(
    actor: Actor,
    table: TableId,
    slot: bigint,
    receivedAtMs: number,
    report: string,
  ): Promise<string> {
    const { account, ids, payloads } = this.#context;
    const envelope = encodeEnvelope({
      schemaVersion: SCHEMA_VERSION,
      minWriterVersion: MIN_WRITER_VERSION,
      entityType: "report",
      accountId: account,
      entityId: table,
      revision: ids.mint<Revision>(),
      updatedAtMs: receivedAtMs,
      updatedBy: actor.principal,
      requestId: actor.requestId,
    });
    const bytes = Buffer.concat([envelope, encodeReportContent(report)]);
    const path = blobPathOf("report", account, table, digits19(slot), sha256Hex(bytes));
    await payloads.putBytes(path, bytes);
    return path;
  }

  /** The report that was overwritten: no pointer leads to it any more, nor ever will again. */
  async #removePayload(before: Item | undefined): Promise<void> {
    if (before?.state === "live" && before.blobPath !== undefined) {
      await this.#context.payloads.remove(before.blobPath);
    }
  }

  async #read(path: string | undefined): Promise<MetricsReport | undefined> {
    const bytes = path === undefined ? undefined : await this.#context.payloads.getBytes(path);
    if (bytes === undefined) return undefined;
    const { envelope, report } = decodeReport(bytes);
    const { updatedAtMs: receivedAtMs, updatedBy: principal, requestId } = envelope;
    return { receivedAtMs, principal, requestId, report };
  }
}

function numberOf(slot: bigint, version: bigint): bigint {
  return (version - 1n) * SLOTS + slot;
}
