import { CatalogError } from "../../../src/base/error.ts";
import type { Isolation, Transaction } from "../../../src/lsm/transaction.ts";
import { select } from "../../lsm/support/version-map.ts";
import type { Sim } from "../harness/sim.ts";
import type { Op } from "./history.ts";
import { boundsOf, type Member, type Range, rowsOf, toBytes, toText } from "./member.ts";

/** A transaction whose reads, and whose end, are held against the history. */
export class JudgedTransaction {
  readonly #sim: Sim;
  readonly #member: Member;
  readonly #transaction: Transaction;
  readonly #serializable: boolean;
  readonly #writes = new Map<string, string | undefined>();
  readonly #readKeys = new Set<string>();
  /** Of its scans: which keys each has certainly covered, and which it may have. */
  readonly #ranges: { readonly range: Range; readonly covered: (key: string) => boolean }[] = [];

  constructor(sim: Sim, member: Member, isolation: Isolation) {
    this.#sim = sim;
    this.#member = member;
    this.#serializable = isolation === "serializable";
    this.#transaction = member.engine.transaction({ isolation });
  }

  async get(key: string): Promise<string | undefined> {
    const own = this.#writes.has(key);
    if (!own) this.#readKeys.add(key);
    const value = await this.#transaction.get(toBytes(key));
    const text = value && toText(value);
    const { branch } = this.#member;
    await branch.noted(this.#sequence);
    const due = own ? this.#writes.get(key) : branch.mapAt(this.#sequence).get(key);
    this.#must(text === due, () => `get ${key}: ${text}, not ${due}`);
    return text;
  }

  async scan(range: Range, reverse: boolean, limit: number): Promise<number> {
    const scan = this.#transaction.scan({ ...boundsOf(range), reverse, limit });
    // Its own writes show up to this call.
    const own = new Map(this.#writes);
    const rows = await rowsOf(scan, () => this.#sim.sleep(this.#sim.spanMs(0.1, 50)));
    const { branch } = this.#member;
    await branch.noted(this.#sequence);
    const state = new Map(branch.mapAt(this.#sequence));
    for (const [key, value] of own) {
      if (value === undefined) state.delete(key);
      else state.set(key, value);
    }
    const sorted = [...state].sort(([a], [b]) => (a < b ? -1 : 1));
    const due = JSON.stringify(select(sorted, range, reverse, limit));
    const found = JSON.stringify(rows);
    this.#must(found === due, () => `scan ${JSON.stringify(range)}: ${found}, not ${due}`);
    const last = rows.length === limit ? rows.at(-1)?.[0] : undefined;
    this.#ranges.push({
      range,
      covered: (key) => last === undefined || (reverse ? key >= last : key <= last),
    });
    return rows.length;
  }

  set(key: string, value: string | undefined): void {
    this.#writes.set(key, value);
    if (value === undefined) this.#transaction.delete(toBytes(key));
    else this.#transaction.put(toBytes(key), toBytes(value));
  }

  rollback(): void {
    this.#transaction.rollback();
  }

  /** Whether it was acknowledged; a conflict is judged, and then thrown as any other failure. */
  async commit(): Promise<boolean> {
    const ops = [...this.#writes].map(([key, value]): Op => ({ key, value }));
    const { branch, engine } = this.#member;
    try {
      if (ops.length === 0) {
        await this.#transaction.commit();
        return true;
      }
      const committing = this.#transaction.commit();
      const fate = await this.#member.follow(ops, committing);
      const { sequence } = await committing;
      await branch.noted(sequence);
      const missed = this.#clash(sequence - ops.length + 1, (one, key) => one.covered(key));
      this.#must(missed === undefined, () => `committed at ${sequence} over a write of ${missed}`);
      return await fate();
    } catch (error) {
      if (error instanceof CatalogError && error.code === "LSM_CONFLICT") {
        await branch.noted(engine.lastSequence);
        const found = this.#clash(Number.POSITIVE_INFINITY, () => true);
        this.#must(found !== undefined, () => "a conflict with nobody");
        const seen = Number(error.context["sequence"]);
        const { durableSequence } = engine.stats();
        this.#must(durableSequence >= seen, () => `a conflict with ${seen}, which is not durable`);
      }
      throw error;
    }
  }

  /** A key of what it read or wrote that somebody else wrote to since it began. */
  #clash(
    before: number,
    covers: (one: { readonly covered: (key: string) => boolean }, key: string) => boolean,
  ): string | undefined {
    const written = this.#member.branch.writtenBetween(this.#sequence, before);
    for (const key of written) {
      if (this.#writes.has(key)) return key;
      if (!this.#serializable) continue;
      const inRange = this.#ranges.some(
        (one) => select([[key, ""]], one.range, false, 1).length === 1 && covers(one, key),
      );
      if (this.#readKeys.has(key) || inRange) return key;
    }
    return undefined;
  }

  get #sequence(): number {
    return this.#transaction.sequence;
  }

  #must(holds: boolean, statement: () => string): void {
    const who = `${this.#member.host.name}, transaction at ${this.#sequence}`;
    this.#sim.must(holds, () => `${who}: ${statement()}`);
  }
}
