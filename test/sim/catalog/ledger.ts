import { decodeSummary } from "../../../src/catalog/codec/summary.ts";
import type { PointerOp, PointerStore } from "../../../src/pointer/port.ts";
import { canonicalOf } from "../../../src/service/backup/scope.ts";
import { Violation } from "../harness/sim.ts";

/** What a canonical key held from one batch on. */
interface Change {
  /** How many batches there were then. */
  readonly at: number;
  /** Path of its payload; undefined: nothing lived there, or its files are going. */
  readonly path: string | undefined;
}

/** The payload of each canonical key; what is being purged is in no backup. */
export async function heldBy(pointers: PointerStore): Promise<ReadonlyMap<string, string>> {
  const held = new Map<string, string>();
  for await (const item of pointers.sweep("/accounts/")) {
    if (item.state === "live" && canonicalOf(item.key) !== undefined) {
      held.set(item.key, pathIn(item.summary, item.blobPath) ?? "");
    }
  }
  return held;
}

function pathIn(summary: Uint8Array | undefined, path: string | undefined): string | undefined {
  const isGoing = summary !== undefined && decodeSummary(summary).state === "PURGING";
  return isGoing ? undefined : path;
}

/** Every batch that wrote canonical keys, in the order in which the store applied them. */
export class Ledger {
  readonly #changes = new Map<string, Change[]>();
  readonly #batches: (readonly string[])[] = [];

  get length(): number {
    return this.#batches.length;
  }

  /** A batch has been applied. */
  applied(ops: readonly PointerOp[]): void {
    const written = ops.filter(
      ({ op, key }) => (op === "put" || op === "delete") && canonicalOf(key) !== undefined,
    );
    if (written.length === 0) return;
    this.#batches.push(written.map(({ key }) => key));
    for (const op of written) {
      const path = op.op === "put" ? pathIn(op.summary, op.blobPath) : undefined;
      const known = this.#changes.get(op.key) ?? [];
      known.push({ at: this.length, path });
      this.#changes.set(op.key, known);
    }
  }

  /**
   * Each key holds what it held at some length of a span, and the keys of each batch of that span
   * all show it or none does.
   */
  mustHold(held: ReadonlyMap<string, string>, from: number, to: number): void {
    for (const key of held.keys()) {
      if (!this.#changes.has(key)) throw new Violation(`${key} was never there`);
    }
    /** Lengths of the span at which a key held what is restored: [first, behind the last]. */
    const spans = new Map<string, readonly (readonly [number, number])[]>();
    for (const [key, changes] of this.#changes) {
      const path = held.get(key);
      const fits = spansOf(changes, path, from, to);
      if (fits.length === 0) {
        throw new Violation(`${key} is restored as ${path}, which it was not in ${from} to ${to}`);
      }
      spans.set(key, fits);
    }
    for (let at = from + 1; at <= to; at++) {
      const keys = this.#batches[at - 1] ?? [];
      const within = (key: string) => spans.get(key) ?? [];
      const mayShow = keys.every((key) => within(key).some(([, end]) => end > at));
      const mayLack = keys.every((key) => within(key).some(([begin]) => begin < at));
      if (!mayShow && !mayLack) throw new Violation(`batch ${at} is restored in part: ${keys}`);
    }
  }
}

function spansOf(
  changes: readonly Change[],
  path: string | undefined,
  from: number,
  to: number,
): readonly (readonly [number, number])[] {
  const all: readonly Change[] = [{ at: 0, path: undefined }, ...changes];
  return all.flatMap((change, i) => {
    const begin = Math.max(from, change.at);
    const end = Math.min(to + 1, all[i + 1]?.at ?? Number.POSITIVE_INFINITY);
    return change.path === path && begin < end ? [[begin, end] as const] : [];
  });
}
