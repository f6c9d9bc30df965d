import { FirnError } from "../../../src/base/error.ts";
import type { TableId } from "../../../src/base/ids.ts";
import {
  type BeginOptions,
  type RowStore,
  type RowTransaction,
  ShardedTransaction,
} from "../../../src/rows/index.ts";
import type { Sim } from "../harness/sim.ts";
import type { Member } from "../lsm/member.ts";
import type { Shard } from "../lsm/shard.ts";

/** A way to the tables, through processes that have their shards open or say so. */
export interface Door {
  /** The one that does what is asked of one shard. */
  readonly member: Member;
  /** As `Member.use`, until one of its processes ends. */
  use<T>(operation: string, work: () => Promise<T>): Promise<T | undefined>;
  begin(options: BeginOptions): Promise<RowTransaction>;
}

/** What the catalog knows of the shards: where each table is. It loses nothing and never fails. */
export class Places {
  readonly shards: readonly Shard[];
  readonly rowsOf: (member: Member) => RowStore;
  readonly #sim: Sim;
  readonly #places = new Map<TableId, number>();
  /** Where tables were when they were opened last. */
  readonly #remembered = new Map<TableId, number>();
  /** Moves that the catalog was told of, of each table. */
  readonly #moves = new Map<TableId, number>();

  constructor(sim: Sim, shards: readonly Shard[], rowsOf: (member: Member) => RowStore) {
    this.#sim = sim;
    this.shards = shards;
    this.rowsOf = rowsOf;
  }

  of(table: TableId): number {
    return this.#places.get(table) ?? 0;
  }

  /** Whoever asks from now on is told so. */
  put(table: TableId, shard: number): void {
    this.#places.set(table, shard);
    this.#moves.set(table, this.moves(table) + 1);
  }

  /** Whoever opens a table asks the catalog. */
  forget(): void {
    this.#remembered.clear();
  }

  moves(table: TableId): number {
    return this.#moves.get(table) ?? 0;
  }

  get all(): number {
    return [...this.#moves.values()].reduce((sum, count) => sum + count, 0);
  }

  get isSplit(): boolean {
    return this.shards.length > 1;
  }

  get over(): boolean {
    return this.shards.some(({ over }) => over);
  }

  /** Undefined where a shard is not open. */
  any(): Door | undefined {
    const members = this.shards.map((shard) => shard.any());
    return members.includes(undefined) ? undefined : this.through(members as Member[]);
  }

  /** @param members one of each shard. */
  through(members: readonly Member[]): Door {
    const home = this.isSplit ? this.#sim.below(members.length) : 0;
    const member = members[home] as Member;
    if (!this.isSplit) {
      const use: Door["use"] = (operation, work) => member.use(operation, work);
      return { member, use, begin: (options) => this.rowsOf(member).begin(options) };
    }
    const others = members.flatMap((_, i) => (i === home ? [] : [{ id: `${i}`, name: `s${i}` }]));
    return {
      member,
      use: (operation, work) => this.#use(members, operation, work),
      begin: async (options) =>
        new ShardedTransaction(await this.rowsOf(member).begin(options), {
          home: { id: `${home}`, name: `s${home}` },
          others,
          open: ({ id }) => this.rowsOf(members[Number(id)] as Member).begin(options),
          placeOf: (table) => this.#told(table),
        }),
    };
  }

  /** As one who has opened a table before, and asks the catalog now and then. */
  async #told(table: TableId): Promise<string> {
    const remembered = this.#remembered.get(table);
    if (remembered !== undefined && this.#sim.chance(0.95)) return `${remembered}`;
    const place = this.of(table);
    this.#remembered.set(table, place);
    return `${place}`;
  }

  /** Ends with the first of its processes. */
  async #use<T>(
    [first, ...rest]: readonly Member[],
    operation: string,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    if (first === undefined) return await this.#judged(operation, work);
    return await first.use(operation, () => this.#use(rest, operation, work));
  }

  /** What only a catalog of several shards refuses. */
  async #judged<T>(operation: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      if (error.code === "ROW_TABLE_MOVING") this.#remembered.clear();
      const isApart = error.code === "ROW_SHARDS_APART";
      // It looked in the old place, long after the table had moved.
      const isLate = error.code === "ROW_TABLE_NOT_FOUND" && this.all > 0;
      if (!isApart && !isLate) throw error;
      this.#remembered.clear();
      this.#sim.coverage.note(`${operation} ${error.code}`);
      return undefined;
    }
  }
}
