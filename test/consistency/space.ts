import { deepEqual, equal } from "node:assert/strict";
import type {
  CommitOutcome,
  Item,
  PointerOp,
  PointerStore,
  Version,
} from "../../src/pointer/port.ts";

/** Keys of the port that no catalog uses. */
export class Space {
  readonly root: string;

  constructor(name: string) {
    this.root = `/accounts/space-${name}/connectors`;
  }

  /** Of a family that is not listed. */
  entity(id: string | number): string {
    return `${this.root}/by-id/${id}`;
  }

  get names(): string {
    return `${this.root}/by-name`;
  }

  /** Of one that is. */
  name(name: string | number): string {
    return `${this.names}/${name}`;
  }
}

export function put(key: string, expected: Version = 0n, blobPath?: string): PointerOp {
  return { op: "put", key, expected, ...(blobPath !== undefined && { blobPath }) };
}

export function del(key: string, expected: Version): PointerOp {
  return { op: "delete", key, expected };
}

/** Sends a batch, again where the store was busy. */
export async function send(
  store: PointerStore,
  writerId: string,
  ...ops: readonly PointerOp[]
): Promise<CommitOutcome> {
  for (let tries = 0; ; tries++) {
    const answer = await store.commit({ writerId, ops });
    if (answer.outcome !== "overloaded" || tries === 1_000) return answer;
  }
}

export async function commit(
  store: PointerStore,
  writerId: string,
  ...ops: readonly PointerOp[]
): Promise<void> {
  equal((await send(store, writerId, ...ops)).outcome, "committed");
}

/** Fails unless a batch is refused; answers what was found in its way. */
export async function refuse(
  store: PointerStore,
  writerId: string,
  ...ops: readonly PointerOp[]
): Promise<readonly Item[]> {
  const answer = await send(store, writerId, ...ops);
  equal(answer.outcome, "conflict");
  return answer.outcome === "conflict" ? answer.failed : [];
}

export function pathOf(item: Item | undefined): string {
  return item?.state === "live" ? (item.blobPath ?? "") : "";
}

/** Fails unless the key stands so on every one of the stores. */
export async function standsOn(
  stores: readonly PointerStore[],
  key: string,
  expected: Partial<Item>,
): Promise<void> {
  for (const store of stores) {
    const item = await store.get(key);
    const found = Object.fromEntries(
      Object.keys(expected).map((name) => [name, item[name as keyof Item]]),
    );
    deepEqual(found, expected);
  }
}
