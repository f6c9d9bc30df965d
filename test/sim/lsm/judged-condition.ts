import { FirnError } from "../../../src/base/error.ts";
import type { WriteCondition } from "../../../src/lsm/transaction/conditional-write.ts";
import { type ModelOp, possible, writesTo } from "../../lsm/support/version-map.ts";
import type { Sim } from "../harness/sim.ts";
import { type Member, toBytes } from "./member.ts";

/** What has to hold of a key where a batch is written. */
export interface Condition {
  readonly key: string;
  readonly is: WriteCondition["is"];
}

/**
 * Writes a batch if conditions hold. What is answered is held against the state right before the
 * batch, or against the one that refused it.
 *
 * @returns as `Member.write`.
 */
export async function writeIf(
  sim: Sim,
  member: Member,
  ops: readonly ModelOp[],
  conditions: readonly Condition[],
): Promise<() => Promise<boolean>> {
  const { engine, branch } = member;
  const since = member.now();
  const must = (holds: boolean, statement: () => string): void => {
    sim.must(holds, () => `${member.host.name}, conditional write: ${statement()}`);
  };
  /** Whether it may hold, or fail, behind a sequence. */
  const may = ({ key, is }: Condition, outcome: boolean, sequence: number): boolean => {
    if (typeof is === "number") {
      const written = branch.writtenBetween(is, sequence + 1);
      return written.some((op) => writesTo(op, key)) !== outcome;
    }
    const due = possible(branch.rowsAt(sequence).get(key), since, member.latestMs);
    return [...due].some((text) => ((text === undefined) === (is === "absent")) === outcome);
  };
  try {
    const check = conditions.map(({ key, is }) => ({ key: toBytes(key), is }));
    const [batch, fate] = await member.record(ops, member.asked(ops, { check }));
    await branch.noted(batch.last);
    for (const one of conditions) {
      const what = `${JSON.stringify(one)} does not hold before ${batch.first}`;
      must(may(one, true, batch.first - 1), () => what);
    }
    return fate;
  } catch (error) {
    if (!(error instanceof FirnError) || error.code !== "LSM_CONDITION_FAILED") throw error;
    const { sequence, key, is } = error.context;
    const at = Number(sequence);
    await branch.noted(at);
    const { durableSequence } = engine.stats();
    must(durableSequence >= at, () => `refused by ${at}, which is not durable`);
    const one = conditions.find((each) => each.is === is && hexOf(each.key) === key);
    must(one !== undefined, () => `refused for ${key}, which is none of its conditions`);
    if (one !== undefined) must(may(one, false, at), () => `${JSON.stringify(one)} holds at ${at}`);
    throw error;
  }
}

function hexOf(key: string): string {
  return Buffer.from(toBytes(key)).toString("hex");
}
