import { isDeepStrictEqual } from "node:util";
import { LIMITS } from "../../../src/base/limits.ts";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import { type Sim, Violation } from "../harness/sim.ts";
import { dropLeaving, endDelete, markBelow, reopened } from "./deletes.ts";
import { beginPurge, endLife, step } from "./lives.ts";
import {
  EMPTY,
  type Gone,
  isBelowLeaving,
  type Mutation,
  type Name,
  nameKey,
  type Path,
  relationAt,
  type State,
  type Step,
} from "./spec.ts";

/** What a step of a job is about: a namespace, or what has a name in it. */
export interface Where {
  readonly path: Path;
  readonly name?: string | undefined;
}

/** One mutation over all the requests that its client made of it. */
export interface Intent {
  readonly id: string;
  readonly mutation: Mutation;
  /** The history's length when it was first sent. */
  readonly since: number;
  /** The length after its batch was applied, if that has happened. */
  appliedAt: number | undefined;
  /** What the client was told for good. */
  outcome: "open" | "done" | "refused" | "nothing" | "unknown";
}

/**
 * Every state that the catalog has been in, in the order in which the store applied batches. That
 * order is the linearization: what every answer says must have been so at an instant between its
 * request and itself.
 */
export class History {
  readonly #sim: Sim;
  readonly #states: State[] = [EMPTY];
  readonly #intents = new Map<string, Intent>();
  /** Everything that was ever dropped, and all of it whose files went. */
  readonly everDropped: Map<string, Gone> = new Map();
  readonly everPurged: Set<string> = new Set();
  /** Ids of metrics reports that somebody has sent. */
  readonly reports: Set<string> = new Set();

  constructor(sim: Sim) {
    this.#sim = sim;
  }

  /** How many states there have been: grows by one with every batch. */
  get length(): number {
    return this.#states.length;
  }

  get now(): State {
    return this.#states[this.#states.length - 1] ?? EMPTY;
  }

  begin(id: string, mutation: Mutation): Intent {
    const intent: Intent = {
      id,
      mutation,
      since: this.length,
      appliedAt: undefined,
      outcome: "open",
    };
    this.#intents.set(id, intent);
    return intent;
  }

  /**
   * A batch that the store has just applied, by the id of the request that it records. `job`: the
   * one that it has made.
   */
  applied(requestId: string, droppedId: string | undefined, job?: string): void {
    const intent = this.#intents.get(requestId);
    if (intent === undefined) throw new Violation(`a batch of nobody: ${requestId}`);
    const { id, mutation, outcome } = intent;
    if (intent.appliedAt !== undefined) {
      this.#undone(intent, droppedId);
      return;
    }
    if (outcome === "refused" || outcome === "nothing") {
      throw new Violation(`${id} ${mutation.kind} was applied after its client heard "${outcome}"`);
    }
    const facts = { droppedId, job, nowMs: this.#sim.clock.nowMs() };
    const made = this.#late(intent, (state) => step(state, mutation, facts));
    if ("refused" in made) {
      const what = `${id} ${JSON.stringify(mutation)}`;
      throw new Violation(`${what} was applied where it is refused: ${made.refused.join(", ")}`);
    }
    this.#push(made.next, droppedId);
    intent.appliedAt = this.length;
    this.#sim.log(`${id} applied, state ${this.length}`);
  }

  /**
   * A register whose file went with a purge before it was committed takes itself back: what it made
   * is dropped, and what it overwrote stands again.
   */
  #undone(intent: Intent, droppedId: string | undefined): void {
    const { id, mutation } = intent;
    const { kind } = mutation;
    if (kind === "registerOver" && droppedId === undefined) {
      this.#restored(intent, mutation.at);
      return;
    }
    const registers = kind === "registerTable" || kind === "registerOver";
    if (!registers || droppedId === undefined) throw new Violation(`${id} was applied twice`);
    const nowMs = this.#sim.clock.nowMs();
    const drop = { kind: "dropTable", at: mutation.at } as const;
    const made = this.#late(intent, (state) => step(state, drop, { droppedId, nowMs }));
    if ("refused" in made) throw new Violation(`${id} took back what was not there`);
    this.#push(made.next, droppedId);
    this.#sim.coverage.note(`${kind} taken back`);
  }

  /** Only what nobody has changed since may be overwritten a second time. */
  #restored({ id, mutation, appliedAt = 0 }: Intent, at: Name): void {
    const [before, made] = this.#states
      .slice(Math.max(0, appliedAt - 2), appliedAt)
      .map((state) => relationAt(state, "table", at));
    const key = nameKey(at);
    const now = relationAt(this.now, "table", at) ?? this.now.hidden.get(key);
    if (before === undefined || !isDeepStrictEqual(now, made) || isDeepStrictEqual(now, before)) {
      throw new Violation(`${id} was applied twice`);
    }
    const where = this.now.hidden.has(key) ? "hidden" : "relations";
    this.#push({ ...this.now, [where]: new Map(this.now[where]).set(key, before) });
    this.#sim.coverage.note(`${mutation.kind} taken back`);
  }

  /**
   * What a batch makes that may have found what it is about before that was hidden. A namespace
   * itself never changes behind its mark.
   */
  #late({ mutation: { kind }, since, id }: Intent, made: (state: State) => Step): Step {
    const { now } = this;
    const first = made(now);
    if (!("refused" in first) || kind === "dropNamespace" || kind === "updateNamespace") {
      return first;
    }
    if (kind === "deleteNamespace") return first;
    const wasFound = (path: string) => this.some(since, ({ namespaces }) => namespaces.has(path));
    const paths = [...now.leaving.keys()].filter(wasFound);
    if (paths.length === 0) return first;
    const second = reopened(now, paths, made);
    if ("refused" in second) return first;
    this.#sim.coverage.note(`${kind} behind a mark`);
    this.#sim.log(`${id} had found what is being deleted now`);
    return second;
  }

  /** A job has taken a step in what it deletes with all that is in it. */
  ofDelete(job: string, operation: string, where: Where, droppedId: string | undefined): void {
    const { path, name } = where;
    const { now } = this;
    const facts = { droppedId, nowMs: this.#sim.clock.nowMs() };
    const drop = (mutation: Mutation) => (state: State) => step(state, mutation, facts);
    const at = { path, name: name ?? "" };
    switch (operation) {
      case "begin-delete-namespace":
        this.#push(markBelow(now, path, job));
        break;
      case "cancel-delete-namespace":
        this.#push(endDelete(now, path));
        break;
      case "drop-namespace":
        this.#push(dropLeaving(now, path, drop({ kind: "dropNamespace", path })), droppedId);
        break;
      case "drop-table":
        this.#push(dropLeaving(now, path, drop({ kind: "dropTable", at })), droppedId);
        break;
      case "drop-view":
        this.#push(dropLeaving(now, path, drop({ kind: "dropView", at })), droppedId);
        break;
      default:
        throw new Violation(`a job that deletes does ${operation}`);
    }
    this.#sim.coverage.note(`delete job ${operation}`);
    this.#sim.log(`${operation} ${JSON.stringify(where)} applied, state ${this.length}`);
  }

  #push(state: State, droppedId?: string): void {
    this.#states.push(state);
    const gone = droppedId === undefined ? undefined : state.dropped.get(droppedId);
    if (droppedId !== undefined && gone !== undefined) this.everDropped.set(droppedId, gone);
  }

  /** A job has taken a step for good: files go from now on, or what was dropped is no more. */
  ofJob(id: string, operation: string): void {
    const { atMs } = this.now.dropped.get(id) ?? { atMs: Number.POSITIVE_INFINITY };
    // The batch of the drop may have landed late, and clocks differ.
    const earlyMs = LIMITS.signatureLifeMs + LIMITS.attemptMs + 2 * LIMITS.clockSkewMs;
    const nowMs = this.#sim.clock.nowMs();
    if (nowMs < atMs + CATALOG_LIMITS.dropRetentionMs - earlyMs) {
      throw new Violation(`${operation} of ${id} within its retention`);
    }
    const purges = operation === "purge-table";
    this.#states.push(purges ? beginPurge(this.now, id) : endLife(this.now, id));
    if (purges) this.everPurged.add(id);
    this.#sim.coverage.note(`job ${operation}`);
    this.#sim.log(`${operation} ${id} applied, state ${this.length}`);
  }

  /** Its client was told that it is done. */
  done(intent: Intent): void {
    intent.outcome = "done";
    if (intent.appliedAt !== undefined) return;
    throw new Violation(`${intent.id} ${intent.mutation.kind} is acknowledged and not applied`);
  }

  /** Its client was told that it was refused, for good and for this reason. */
  refused(intent: Intent, code: string): void {
    const { id, mutation, since } = intent;
    this.#notApplied(intent, "refused");
    const holds = (state: State): boolean => {
      if (code === "NAMESPACE_DELETING" && isIntoLeaving(state, mutation)) return true;
      const made = step(state, mutation);
      return "refused" in made && made.refused.includes(code);
    };
    const at = `${id} ${JSON.stringify(mutation)}`;
    if (!this.some(since, holds)) throw new Violation(`${at} was refused without reason: ${code}`);
  }

  /** Its client was told that nothing has happened, and gave up. */
  nothing(intent: Intent): void {
    this.#notApplied(intent, "nothing");
  }

  unknown(intent: Intent): void {
    intent.outcome = "unknown";
  }

  /** Whether a statement held of any state since then: `length` when the request was sent. */
  some(since: number, holds: (state: State) => boolean): boolean {
    return this.#states.slice(Math.max(0, since - 1)).some(holds);
  }

  every(since: number, holds: (state: State) => boolean): boolean {
    return this.#states.slice(Math.max(0, since - 1)).every(holds);
  }

  get intents(): Iterable<Intent> {
    return this.#intents.values();
  }

  #notApplied(intent: Intent, outcome: "refused" | "nothing"): void {
    intent.outcome = outcome;
    if (intent.appliedAt === undefined) return;
    const what = `${intent.id} ${intent.mutation.kind}`;
    throw new Violation(`${what} was answered "${outcome}" though it was applied`);
  }
}

/** Whether something is to appear, or to move its files, below what is being deleted. */
function isIntoLeaving(state: State, mutation: Mutation): boolean {
  switch (mutation.kind) {
    case "createNamespace":
      return isBelowLeaving(state, mutation.path);
    case "createTable":
    case "createAt":
    case "createStaged":
    case "createView":
    case "registerTable":
    case "registerOver":
    case "registerView":
      return isBelowLeaving(state, mutation.at.path);
    default:
      return false;
  }
}
