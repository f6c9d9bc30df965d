import type {
  PartitionBound,
  Partitioned,
  PartitionMember,
  PartitionOf,
  TableDescriptor,
} from "../../../rows/index.ts";
import { tableOid } from "../../catalog/system/object-oids.ts";
import type { PlanEnv } from "../env.ts";
import { allConditions, levelConditions } from "../partitions/constraint-text.ts";
import { refuseOverlap } from "../partitions/new-bound.ts";
import type { DdlRun } from "./ddl-run.ts";

/**
 * Changes of what is a partition of what. The list of the parent, and what the default partition
 * may have, change in the same transaction.
 */
export class PartitionTreeChange {
  readonly #env: PlanEnv;
  readonly #on: DdlRun;

  constructor(env: PlanEnv, on: DdlRun) {
    this.#env = env;
    this.#on = on;
  }

  /** What a partition is to its parent. @param members of the parent. */
  async partOf(
    parent: TableDescriptor,
    bound: PartitionBound,
    members: readonly PartitionMember[],
  ): Promise<PartitionOf> {
    const constraint = allConditions(await this.#conditions(parent, bound, members));
    return { parent: parent.id, bound, ...(constraint !== undefined && { constraint }) };
  }

  /** Of all levels, from the top down. */
  async #conditions(
    parent: TableDescriptor,
    bound: PartitionBound,
    members: readonly PartitionMember[],
  ): Promise<readonly string[]> {
    const { types } = this.#env.functions;
    const own = levelConditions(types, parent, bound, members, tableOid(parent.relation));
    const { partitionOf: of } = parent;
    if (of === undefined) return own;
    const above = await this.#on.rows.tables.get(of.parent);
    const others = above.partitioned?.members ?? [];
    return [...(await this.#conditions(above, of.bound, others)), ...own];
  }

  /** @throws SqlError 42P17 where a bound meets that of another partition. */
  async refuseOverlap(
    { id, ...parent }: TableDescriptor,
    name: string,
    bound: PartitionBound,
  ): Promise<void> {
    const siblings: { readonly name: string; readonly bound: PartitionBound }[] = [];
    for (const { table, bound: other } of parent.partitioned?.members ?? []) {
      siblings.push({ name: (await this.#on.rows.tables.get(table)).name, bound: other });
    }
    refuseOverlap(this.#env, { id, ...parent }, siblings, { name, bound });
  }

  /**
   * Lists a table among the partitions of another one: what the default partition has is looked
   * through.
   *
   * @throws FirnError code `ROW_OUTSIDE_PARTITION` (23514).
   */
  async join(
    parent: TableDescriptor,
    child: TableDescriptor,
    bound: PartitionBound,
  ): Promise<void> {
    const { members } = parent.partitioned as Partitioned;
    await this.#setMembers(parent, [...members, { table: child.id, bound }], false);
  }

  /** Takes a table out of the list. */
  async leave(parent: TableDescriptor, child: TableDescriptor): Promise<void> {
    const { members } = parent.partitioned as Partitioned;
    const left = members.filter(({ table }) => table !== child.id);
    await this.#setMembers(parent, left, true);
  }

  /** @param isProven the default partition may have more than before. */
  async #setMembers(
    parent: TableDescriptor,
    members: readonly PartitionMember[],
    isProven: boolean,
  ): Promise<void> {
    const { rows } = this.#on;
    const next = await rows.alter(parent.id, { kind: "set members", members });
    const fallback = members.find(({ bound }) => bound.kind === "default");
    const isNew = members.at(-1) === fallback && !isProven;
    if (fallback === undefined || isNew) return;
    const table = await rows.tables.get(fallback.table);
    const violation =
      `updated partition constraint for default partition "${table.name}" ` +
      "would be violated by some row";
    const of = await this.partOf(next, fallback.bound, members);
    await this.set(table, of, isProven, violation);
  }

  /** Makes a table a partition, or none; its own partitions have its rows. */
  async set(
    table: TableDescriptor,
    of: PartitionOf | undefined,
    isProven: boolean,
    violation?: string,
  ): Promise<void> {
    const { rows } = this.#on;
    const next = await rows.alter(table.id, {
      kind: "set partition",
      ...(of !== undefined && { of }),
      isProven,
      ...(violation !== undefined && { violation }),
    });
    for (const member of next.partitioned?.members ?? []) {
      const below = await rows.tables.get(member.table);
      const own = await this.partOf(next, member.bound, next.partitioned?.members ?? []);
      await this.set(below, own, isProven, violation);
    }
  }
}
