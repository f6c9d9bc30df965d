import { utf8 } from "../../../src/base/bytes.ts";
import { FirnError } from "../../../src/base/error.ts";
import { sha256Hex } from "../../../src/base/hash.ts";
import { IdSource } from "../../../src/base/ids.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import type { Actor } from "../../../src/service/actor.ts";
import { type Sim, Violation } from "../harness/sim.ts";
import type { Cluster, Node } from "./cluster.ts";

const MAX_TRIES = 6;
/** When a key is surely free again, after all tries of its request and by whichever clock. */
const KEY_LIFE_MS = LIMITS.receiptLifeMs + 4 * LIMITS.clockSkewMs + 900_000;
/** How often the node of a request gets into trouble. */
const TROUBLE = 0.03;

/** What a client knows for good after all its tries. */
export type Answer<T> =
  | { readonly answer: "done"; readonly value: T }
  | { readonly answer: "refused"; readonly code: string }
  /** It did not happen. */
  | { readonly answer: "nothing" }
  /** It may have happened, or may still. */
  | { readonly answer: "unknown" };

/** What one request came to. */
type Try<T> = Answer<T> | { readonly answer: "lost" };

export type Call<T> = (node: Node, context: Actor) => Promise<T>;

/** A user of the catalog: asks any node, waits so long, and asks again as far as that is safe. */
export class Client {
  readonly name: string;
  readonly #sim: Sim;
  readonly #cluster: Cluster;
  readonly #ids: IdSource;
  /** Keys that were used, and when they can be used again, for whatever it be. */
  readonly #used: { readonly key: string; readonly freeAtMs: number }[] = [];
  /** A call of each operation, the last one that was made under a key. */
  readonly #calls = new Map<string, Call<unknown>>();

  constructor(sim: Sim, cluster: Cluster, name: string) {
    this.#sim = sim;
    this.#cluster = cluster;
    this.name = name;
    this.#ids = new IdSource(sim.clock, sim.fork());
  }

  /** Reads until it is answered, or gives up. */
  async read<T>(operation: string, call: Call<T>): Promise<Answer<T>> {
    const context = (): Actor => ({ requestId: "read", principal: this.name, account: "default" });
    return this.#insist(operation, call, context, true);
  }

  /**
   * Changes something. Under a key it asks again whatever happened, without one only as long as it
   * is certain that nothing did. `requestId` names the change in the store's own records.
   */
  async write<T>(
    operation: string,
    requestId: string,
    keyed: boolean,
    call: Call<T>,
  ): Promise<Answer<T>> {
    const key = this.#newKey();
    const requestHash = Buffer.from(sha256Hex(utf8(requestId)), "hex");
    const context = (): Actor => ({
      requestId,
      principal: this.name,
      account: "default",
      ...(keyed && { idempotency: { key, requestHash, replayed: false } }),
    });
    const answer = await this.#insist(operation, call, context, keyed);
    if (keyed && answer.answer === "done" && this.#sim.chance(0.1)) {
      await this.#reuse(operation, key, context, call);
      for (const [other, otherCall] of this.#calls) {
        if (other === operation || !this.#sim.chance(0.2)) continue;
        await this.#reuse(other, key, context, otherCall, true);
      }
    }
    if (keyed) this.#calls.set(operation, call);
    return answer;
  }

  /** A new key, or one whose receipt has expired by every clock. */
  #newKey(): string {
    const nowMs = this.#sim.clock.nowMs();
    const used = this.#used;
    const old = used[0];
    const again = old !== undefined && old.freeAtMs <= nowMs && this.#sim.chance(0.7);
    if (again) used.shift();
    if (again) this.#sim.coverage.note("keys used again");
    const key = again ? old.key : this.#ids.mint();
    used.push({ key, freeAtMs: nowMs + KEY_LIFE_MS });
    return key;
  }

  /** Lets a node look for jobs that are due, and waits so long. */
  async runJobs(): Promise<void> {
    const context = { requestId: "jobs", principal: this.name, account: "default" };
    await this.#ask("runJobs", ({ jobs }) => jobs.runDue(), context);
  }

  async #insist<T>(
    operation: string,
    call: Call<T>,
    context: () => Actor,
    repeatable: boolean,
  ): Promise<Answer<T>> {
    let certain = true;
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const result = await this.#ask(operation, call, context());
      if (result.answer === "done" || result.answer === "refused") return result;
      if (result.answer !== "nothing") certain = false;
      if (!certain && !repeatable) return { answer: "unknown" };
      await this.#sim.sleep(this.#sim.spanMs(5, 500));
    }
    return { answer: certain ? "nothing" : "unknown" };
  }

  /** One request to one node, which may end under it or take longer than anybody waits. */
  async #ask<T>(operation: string, call: Call<T>, context: Actor): Promise<Try<T>> {
    const node = this.#cluster.any();
    if (!node.host.alive) return { answer: "nothing" };
    const keyed = context.idempotency !== undefined;
    const work = this.#sim.during(operation, () => this.#outcomeOf(call(node, context), keyed));
    const lost = { answer: "lost" } as const;
    const waitMs = this.#sim.spanMs(20_000, 90_000);
    work.catch((error: unknown) => this.#sim.fail(error));
    this.#trouble(operation, node);
    const result = await Promise.race([
      work,
      node.host.death.then(() => lost),
      this.#sim.sleep(waitMs).then(() => lost),
    ]);
    const said = result.answer === "refused" ? result.code : result.answer;
    this.#sim.log(`${this.name} ${operation} at ${node.host.name}: ${said}`);
    this.#sim.coverage.note(`${operation}: ${said}`);
    return result;
  }

  /** Sometimes the node ends, or its clock is set, while it works on this. */
  #trouble(operation: string, node: Node): void {
    const { coverage } = this.#sim;
    coverage.call(operation, "node");
    if (!this.#cluster.stormy || !this.#sim.chance(TROUBLE)) return;
    const crash = this.#sim.chance(0.5);
    void this.#sim.spawn(async () => {
      await this.#sim.sleep(this.#sim.spanMs(0.1, 60));
      if (!node.host.alive) return;
      coverage.inject(operation, "node", crash ? "crash" : "clockJump");
      if (crash) await this.#cluster.replace(node);
      else node.host.jumpClock();
    });
  }

  async #outcomeOf<T>(work: Promise<T>, keyed: boolean): Promise<Answer<T>> {
    try {
      return { answer: "done", value: await work };
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      switch (error.kind) {
        case "Unknown":
          return { answer: "unknown" };
        case "Unavailable":
        case "Overloaded":
          return { answer: "nothing" };
        case "Conflict":
          if (error.code === "CONTENDED" && !keyed) return { answer: "nothing" };
          return { answer: "refused", code: error.code };
        case "NotFound":
        case "AlreadyExists":
        case "Invalid":
          return { answer: "refused", code: error.code };
        case "Corrupt":
        case "Internal":
        case "Forbidden":
        case "Unauthenticated":
          throw error;
      }
    }
  }

  /**
   * Another request under a key that is taken: never answered as the first, never carried out.
   * `foreign`: of another operation than the key's, which may be refused for what it asks, too.
   */
  async #reuse<T>(
    operation: string,
    key: string,
    context: () => Actor,
    call: Call<T>,
    foreign = false,
  ): Promise<void> {
    const other = Buffer.from(sha256Hex(utf8(`${operation} other`)), "hex");
    const idempotency = { key, requestHash: other, replayed: false };
    const changed = { ...context(), requestId: "a reused key", idempotency };
    const result = await this.#ask(operation, call, changed);
    if (result.answer !== "done" && result.answer !== "refused") return;
    const code = result.answer === "refused" ? result.code : result.answer;
    if (code === "IDEMPOTENCY_KEY_REUSED") {
      if (foreign) this.#sim.coverage.note("keys refused to another operation");
      return;
    }
    if (foreign && result.answer === "refused") return;
    throw new Violation(`${operation} under another request's key was answered ${code}`);
  }
}
