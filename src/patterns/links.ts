import { FirnError } from "../base/error.ts";
import type { RowScanRequest, RowTransaction, TableDescriptor } from "../rows/index.ts";
import {
  checkedName,
  checkedNumber,
  MOST_PAGE,
  type PatternShape,
  type PatternTable,
  patternTable,
} from "./pattern-table.ts";
import { rowsOf } from "./rows-of.ts";

export const LINK_SHAPE: PatternShape = {
  columns: [
    { name: "source", type: { kind: "text" } },
    /** Empty: the row is the node itself. */
    { name: "target", type: { kind: "text" } },
    { name: "at", type: { kind: "int8" }, nullable: false },
  ],
  primaryKey: { parts: [{ column: "source" }, { column: "target" }] },
  indexes: [{ name: "by_target", parts: [{ column: "target" }, { column: "source" }] }],
};
const BY_TARGET = 1;
const SOURCE = 1;
const TARGET = 2;
const NODE = "";

/** `from`: nodes that the node links to; `to`: nodes that link to it. */
export type LinkDirection = "from" | "to";

export interface LinkedRequest {
  readonly direction: LinkDirection;
  /** Behind this node, in the order of their names. */
  readonly after?: string;
  /** 100 unless told otherwise. */
  readonly limit?: number;
}

/**
 * Links between nodes, found from both ends. A link is one row, and its other direction the row's
 * index entry, so the two cannot part. Who links holds both nodes, and who removes a node waits for
 * those, so no link leads to a node that is gone.
 */
export class Links {
  readonly #table: PatternTable;
  readonly #tx: RowTransaction | undefined;

  constructor(table: PatternTable, tx?: RowTransaction) {
    this.#table = table;
    this.#tx = tx;
  }

  /** These links, in a transaction of their catalog. */
  in(tx: RowTransaction): Links {
    return new Links(this.#table, tx);
  }

  /** Adds a node; false where it is there. */
  async addNode(node: string): Promise<boolean> {
    checkedName("node", node);
    return await this.#run(async (tx, table) => {
      const options = { onConflict: "nothing", conflictIndex: 0 } as const;
      const [added] = await tx.insert(table, [[node, NODE, this.#now]], options);
      return added?.conflict === undefined;
    });
  }

  /**
   * Removes a node that has no links; false where there is none.
   *
   * @throws FirnError `Conflict`, code `LINKS_OPEN`: links lead from it or to it.
   */
  async removeNode(node: string): Promise<boolean> {
    checkedName("node", node);
    return await this.#run(async (tx, table) => {
      // Those that link hold it shared: they are done when this has it.
      if ((await tx.get(table, [node, NODE], { lock: { mode: "update" } })) === undefined) {
        return false;
      }
      for (const direction of ["from", "to"] as const) {
        const [other] = await found(tx, table, node, { direction, limit: 1 });
        if (other === undefined) continue;
        const message = "the node has links: unlink them before you remove it";
        throw new FirnError("Conflict", "LINKS_OPEN", message, { node, direction, other });
      }
      await tx.delete(table, [node, NODE]);
      return true;
    });
  }

  /**
   * Links a node to another one; false where it is linked.
   *
   * @throws FirnError `NotFound`, code `LINK_NODE_NOT_FOUND`.
   */
  async link(from: string, to: string): Promise<boolean> {
    checkedName("from", from);
    checkedName("to", to);
    return await this.#run(async (tx, table) => {
      for (const node of new Set([from, to])) {
        const row = await tx.get(table, [node, NODE], { lock: { mode: "share" } });
        if (row !== undefined) continue;
        const message = "no such node: add it before you link it";
        throw new FirnError("NotFound", "LINK_NODE_NOT_FOUND", message, { node });
      }
      const options = { onConflict: "nothing", conflictIndex: 0 } as const;
      const [linked] = await tx.insert(table, [[from, to, this.#now]], options);
      return linked?.conflict === undefined;
    });
  }

  /** Removes a link; false where there is none. */
  async unlink(from: string, to: string): Promise<boolean> {
    checkedName("from", from);
    checkedName("to", to);
    return await this.#run(async (tx, table) => (await tx.delete(table, [from, to])) !== undefined);
  }

  /** Whether there is a node. */
  async hasNode(node: string): Promise<boolean> {
    checkedName("node", node);
    return await this.#run(
      async (tx, table) => (await tx.get(table, [node, NODE])) !== undefined,
      true,
    );
  }

  /** Nodes that a node is linked with, in the order of their names. */
  async linked(node: string, request: LinkedRequest): Promise<readonly string[]> {
    checkedName("node", node);
    checkedNumber("limit", request.limit ?? 1, 1, MOST_PAGE);
    return await this.#run((tx, table) => found(tx, table, node, request), true);
  }

  get #now(): bigint {
    return BigInt(this.#table.clock.nowMs());
  }

  async #run<T>(
    work: (tx: RowTransaction, table: TableDescriptor) => Promise<T>,
    readOnly = false,
  ): Promise<T> {
    const inside = async (tx: RowTransaction): Promise<T> =>
      await work(tx, await patternTable(tx, this.#table, LINK_SHAPE));
    if (this.#tx !== undefined) return await inside(this.#tx);
    const options = readOnly ? ({ isolation: "repeatable read", readOnly } as const) : {};
    return await this.#table.store.run(inside, options);
  }
}

async function found(
  tx: RowTransaction,
  table: TableDescriptor,
  node: string,
  { direction, after = NODE, limit = 100 }: LinkedRequest,
): Promise<readonly string[]> {
  const side: RowScanRequest =
    direction === "from" ? { columns: [TARGET] } : { index: BY_TARGET, columns: [SOURCE] };
  const lower = { value: after, inclusive: false };
  const names: string[] = [];
  const scan = tx.scan(table, { ...side, equal: [node], lower, limit });
  for await (const [found] of rowsOf(scan)) names.push(found as string);
  return names;
}
