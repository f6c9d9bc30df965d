import type { AnyShot } from "./shots.ts";

/** How requests were answered, and what was really done. */
export class Tally {
  sent = 0;
  /** Answers by status, for each operation; status 0 where none was due. */
  readonly byOperation: Map<string, Map<number, number>> = new Map();
  /** Requirements and updates of commits that were accepted. */
  readonly accepted: Map<string, number> = new Map();

  add(shot: AnyShot, status: number | undefined): void {
    this.sent++;
    const name =
      "operation" in shot ? `${shot.operation.method} ${shot.operation.template}` : "broken HTTP";
    const statuses = this.byOperation.get(name) ?? new Map<number, number>();
    this.byOperation.set(name, statuses);
    count(statuses, status ?? 0);
    if (!("operation" in shot) || status !== 200 || shot.spoil !== undefined) return;
    for (const part of partsOf(shot.body)) count(this.accepted, part);
  }

  /** How often an operation succeeded. */
  successes(operation: string): number {
    const statuses = this.byOperation.get(operation) ?? new Map<number, number>();
    return [...statuses].reduce((sum, [status, n]) => (status < 300 ? sum + n : sum), 0);
  }

  statuses(): ReadonlyMap<number, number> {
    const all = new Map<number, number>();
    for (const statuses of this.byOperation.values()) {
      for (const [status, n] of statuses) all.set(status, (all.get(status) ?? 0) + n);
    }
    return all;
  }
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function partsOf(body: unknown): readonly string[] {
  if (typeof body !== "object" || body === null) return [];
  const { requirements, updates } = body as {
    readonly requirements?: readonly { readonly type?: unknown }[];
    readonly updates?: readonly { readonly action?: unknown }[];
  };
  return [
    ...(Array.isArray(requirements) ? requirements.map(({ type }) => String(type)) : []),
    ...(Array.isArray(updates) ? updates.map(({ action }) => String(action)) : []),
  ];
}
