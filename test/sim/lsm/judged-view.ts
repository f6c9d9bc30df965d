import type { StateView } from "../../../src/lsm/engine/state-view.ts";
import type { EngineSnapshot } from "../../../src/lsm/transaction/snapshots.ts";
import { packedPairs } from "../../lsm/support/packed.ts";
import type { Pair } from "../../lsm/support/version-map.ts";
import type { Sim } from "../harness/sim.ts";
import { boundsOf, type Member, rowsOf, type ScanPlan, toBytes, toText } from "./member.ts";

/**
 * Reads of one state, held against the history. What expires is there for all of them or for none:
 * they are of one time.
 */
export class JudgedView {
  readonly #sim: Sim;
  readonly #member: Member;
  readonly #view: StateView;
  /** It reads as of its beginning. */
  readonly #since: number;
  /** What it has found of keys. */
  readonly #seen = new Map<string, string | undefined>();

  /** @param snapshot whose state it reads, which is kept while that is open; else that of now. */
  constructor(sim: Sim, member: Member, snapshot: EngineSnapshot | undefined) {
    this.#sim = sim;
    this.#member = member;
    this.#since = member.now();
    const options = snapshot === undefined ? {} : { sequence: snapshot.sequence };
    this.#view = member.engine.readView(options);
  }

  async get(keys: readonly string[]): Promise<void> {
    const names = keys.map(toBytes);
    const [first] = names;
    const alone = keys.length === 1 && first !== undefined;
    const values = alone ? [await this.#view.get(first)] : await this.#view.getMany(names);
    const rows = await this.#state();
    for (const [index, key] of keys.entries()) {
      const value = values[index];
      const text = value && toText(value);
      this.#member.judge(rows, key, text, this.#since);
      this.#see(key, text);
    }
  }

  async scan(plan: Omit<ScanPlan, "where">, pause: () => Promise<void>): Promise<void> {
    const { range, reverse, limit } = plan;
    const scan = this.#view.scan({ ...boundsOf(range), reverse, limit });
    const isPacked = this.#sim.chance(0.5);
    const rows = isPacked ? await packedPairs(scan, pause) : await rowsOf(scan, pause);
    this.#member.judgeScan(await this.#state(), rows, plan, this.#since);
    for (const [key, text] of rows as readonly Pair[]) this.#see(key, text);
  }

  close(): void {
    this.#view.close();
  }

  async #state(): Promise<ReturnType<Member["branch"]["rowsAt"]>> {
    const { sequence } = this.#view;
    const { branch } = this.#member;
    await branch.noted(sequence);
    return branch.rowsAt(sequence);
  }

  #see(key: string, text: string | undefined): void {
    const before = this.#seen.has(key) ? this.#seen.get(key) : text;
    const what = `a view at ${this.#view.sequence}: ${key} was ${before} and is ${text}`;
    this.#sim.must(before === text, () => `${this.#member.host.name}, ${what}`);
    this.#seen.set(key, text);
  }
}
