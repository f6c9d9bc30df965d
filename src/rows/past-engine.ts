import { assert } from "../base/assert.ts";
import { invalid } from "../base/error.ts";
import type { Engine, PackedScan, PastState, Savepoint, Transaction } from "../lsm/index.ts";
import type { EngineTransaction, ViewedEngine } from "./engine-view.ts";

/**
 * A state of the past in place of an engine: it stands still, and takes no writes. Its transaction
 * closes it. Sizes of ranges are those of now.
 */
export class PastEngine implements ViewedEngine {
  readonly #engine: Engine;
  readonly #state: PastState;

  constructor(engine: Engine, state: PastState) {
    this.#engine = engine;
    this.#state = state;
  }

  get lastSequence(): number {
    return this.#state.sequence;
  }

  get: ViewedEngine["get"] = (key) => this.#state.get(key);

  scan: ViewedEngine["scan"] = (request) => this.#state.scan(request);

  estimate(range: Parameters<Engine["estimate"]>[0]): ReturnType<Engine["estimate"]> {
    return this.#engine.estimate(range);
  }

  readView(): { scan(request?: Parameters<PastState["scan"]>[0]): PackedScan; close(): void } {
    return { scan: (request) => this.#state.scan(request), close: () => undefined };
  }

  transaction(): EngineTransaction {
    return new PastTransaction(this.#state);
  }
}

/** Reads of a state that stands still: nothing conflicts, and there is nothing to remember. */
class PastTransaction implements EngineTransaction {
  readonly #state: PastState;

  constructor(state: PastState) {
    this.#state = state;
  }

  get sequence(): number {
    return this.#state.sequence;
  }

  get: EngineTransaction["get"] = (key) => this.#state.get(key);
  getMany: EngineTransaction["getMany"] = (keys) => this.#state.getMany(keys);
  scan: EngineTransaction["scan"] = (request) => this.#state.scan(request);
  lockForUpdate: EngineTransaction["lockForUpdate"] = (key) => this.#state.get(key);
  getToPut: EngineTransaction["getToPut"] = (key) => this.#state.get(key);

  asOfNow(): ReturnType<EngineTransaction["asOfNow"]> {
    return this;
  }

  touch(): void {
    // No other transaction changes it.
  }

  put(): never {
    throw readOnly();
  }

  delete(): never {
    throw readOnly();
  }

  deleteRange(): never {
    throw readOnly();
  }

  savepoint(): Savepoint {
    // It has no writes to go back to: the mark says whose it is.
    return { transaction: this as unknown as Transaction } as Savepoint;
  }

  rollbackTo({ transaction }: Savepoint): void {
    assert(transaction === (this as unknown as Transaction), "a savepoint is of one state");
  }

  async commit(): ReturnType<EngineTransaction["commit"]> {
    const { sequence } = this;
    await this.#state.close();
    return { sequence, durable: async () => undefined };
  }

  rollback(): void {
    void this.#state.close().catch(() => undefined);
  }
}

function readOnly(): Error {
  const message = "a state of the past takes no writes";
  return invalid("ROW_TRANSACTION_READ_ONLY", message, { sqlState: "25006" });
}
