import type { Clock } from "../../base/clock.ts";
import { textOfKey } from "../../base/printable.ts";
import type { CommittedBatch, Sequence, Subscription, WriteOp } from "../../lsm/index.ts";
import { asFirnError, describe } from "../failure.ts";
import { orQuiet } from "./quiet.ts";

/** What an operator wants to follow. */
export interface ChangesRequest {
  /** The sequence of the first operation; a batch that holds it comes whole. */
  readonly from: Sequence;
  /** Goes on with what is written from now on; else it ends with what is durable now. */
  readonly follow: boolean;
}

/**
 * Committed batches as lines of JSON, some at once: `firstSequence`, `lastSequence`, `ops`, keys as
 * `textOfKey` writes them and values as base64. A failure is the last line: `error`.
 *
 * @param first what the subscription has answered already.
 * @param through the last sequence that is asked for.
 */
export async function* changeLines(
  subscription: Subscription,
  first: readonly CommittedBatch[] | undefined,
  through: Sequence,
  clock: Clock,
): AsyncGenerator<string> {
  try {
    let some = first ?? [];
    for (let pending: ReturnType<Subscription["next"]> | undefined; ; ) {
      const due = some.filter(({ firstSequence }) => firstSequence <= through);
      if (due.length > 0) yield due.map(lineOf).join("");
      if (subscription.nextSequence > through) return;
      pending ??= subscription.next();
      const found = await orQuiet(pending, clock);
      if (found === "quiet") {
        some = [];
        yield "\n";
        continue;
      }
      pending = undefined;
      if (found === undefined) return;
      some = found;
    }
  } catch (error) {
    const { code, message, context } = asFirnError(error);
    yield `${JSON.stringify({ error: { code, message: describe(message, context) } })}\n`;
  } finally {
    subscription.close();
  }
}

function lineOf({ firstSequence, lastSequence, ops }: CommittedBatch): string {
  return `${JSON.stringify({ firstSequence, lastSequence, ops: ops.map(shown) })}\n`;
}

function shown(op: WriteOp): object {
  switch (op.op) {
    case "put":
    case "merge":
      return { ...op, key: keyText(op.key), value: Buffer.from(op.value).toString("base64") };
    case "delete":
      return { ...op, key: keyText(op.key) };
    case "deleteRange":
      return { ...op, from: keyText(op.from), to: keyText(op.to) };
  }
}

function keyText(key: Uint8Array): string {
  return textOfKey(Buffer.from(key).toString("latin1"));
}
