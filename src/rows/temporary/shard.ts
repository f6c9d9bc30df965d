import { binaryText } from "../../base/bytes.ts";
import type { AnyId } from "../../base/ids.ts";
import { FIRST_RELATION } from "../../keys/index.ts";
import { rowError } from "../errors.ts";
import { type NumberStore, SequenceValues } from "../sequence-values.ts";
import { DescriptorCache } from "../tables.ts";
import { TEMPORARY_RELATION } from "./marks.ts";
import { TemporaryMemory } from "./memory.ts";
import { Tree } from "./tree.ts";
import { TemporaryView } from "./view.ts";

export interface TemporaryParts {
  /** The schema of its tables: `pg_temp_3`. Asked for when the first one is made. */
  readonly schema: () => string;
  /** Shared by sessions. */
  readonly memory?: TemporaryMemory;
  /** Of the session. */
  readonly mostBytes?: number;
}

/** Of one session: a batch of some hundred thousand short rows. */
const SESSION_BYTES = 64 * 1_024 * 1_024;

/**
 * The temporary tables of one session: their rows, entries and descriptors, in memory alone. They
 * are nowhere else, so that they end with the session, whatever ends it. One transaction at a time
 * changes them, and nothing is in its way: it commits behind the shard's part.
 */
export class TemporaryShard {
  readonly cache: DescriptorCache = new DescriptorCache();
  readonly #parts: TemporaryParts;
  readonly #memory: TemporaryMemory;
  readonly #values = new Map<AnyId, SequenceValues>();
  readonly #numbers = new MemoryNumbers();
  #schema: string | undefined;
  #relation = TEMPORARY_RELATION + FIRST_RELATION;
  #committed: Tree = Tree.EMPTY;
  #held = 0;

  constructor(parts: TemporaryParts) {
    this.#parts = parts;
    this.#memory = parts.memory ?? new TemporaryMemory();
  }

  /** Undefined until a table is made. */
  get schema(): string | undefined {
    return this.#schema;
  }

  /** The schema, of which there will be something. */
  begin(): string {
    this.#schema ??= this.#parts.schema();
    return this.#schema;
  }

  isOwn(namespace: readonly string[]): boolean {
    return namespace.length === 1 && this.#schema !== undefined && namespace[0] === this.#schema;
  }

  get committed(): Tree {
    return this.#committed;
  }

  view(): TemporaryView {
    return new TemporaryView(this);
  }

  /** Never fails: what a transaction wrote is held by then, and what it began with. */
  commit(tree: Tree): void {
    this.#committed = tree;
    this.#memory.give(this.#held - tree.bytes);
    this.#held = tree.bytes;
  }

  /** Counts memory of a transaction. @throws FirnError `Overloaded` (53200). */
  hold(wanted: number): void {
    const most = this.#parts.mostBytes ?? SESSION_BYTES;
    const bytes = Math.max(wanted, this.#committed.bytes);
    const grown = bytes - this.#held;
    if (grown > 0 && bytes > most) throw full("this session", most);
    if (!this.#memory.take(grown)) throw full("all sessions", this.#memory.most);
    this.#held = bytes;
  }

  /** Drops all of it. No transaction is open. */
  clear(): void {
    this.commit(Tree.EMPTY);
    this.#values.clear();
    this.#numbers.clear();
  }

  newRelation(): number {
    return this.#relation++;
  }

  valuesOf(sequence: AnyId): SequenceValues {
    let values = this.#values.get(sequence);
    if (values === undefined) {
      values = new SequenceValues(this.#numbers, sequence);
      this.#values.set(sequence, values);
    }
    return values;
  }
}

/** Where sequences stand: as their numbers, of no transaction. */
class MemoryNumbers implements NumberStore {
  readonly #states = new Map<string, Uint8Array>();

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#states.get(binaryText(key));
  }

  put(key: Uint8Array, value: Uint8Array): { readonly durable: () => Promise<void> } {
    this.#states.set(binaryText(key), value);
    return { durable: async () => undefined };
  }

  clear(): void {
    this.#states.clear();
  }
}

function full(whose: string, most: number): Error {
  const message = `out of memory: temporary tables of ${whose} reached ${most} bytes`;
  return rowError("Overloaded", "ROW_TEMPORARY_FULL", "53200", message, { limit: most });
}
