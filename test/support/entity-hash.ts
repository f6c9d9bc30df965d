import { createHash } from "node:crypto";
import type { PointerStore } from "../../src/pointer/port.ts";

/** Receipts, history, jobs, metrics reports, ends of sessions: of the time, not of the catalog. */
const PASSING = /\/(?:idempotency|changes|jobs|reports)\/|\/access$/;

/** What a restore brings back, and a hash over it. */
export interface EntityHash {
  readonly pointers: number;
  readonly hash: string;
}

/**
 * A hash over every live pointer of the catalog: its key, its summary, and its payload's path,
 * which names the payload's own hash. Equal hashes are equal entities, names, guards and claims.
 */
export async function entityHash(pointers: Pick<PointerStore, "sweep">): Promise<EntityHash> {
  const lines: string[] = [];
  for await (const item of pointers.sweep("/accounts/")) {
    if (item.state === "absent" || PASSING.test(item.key)) continue;
    const summary = Buffer.from(item.summary ?? "").toString("base64");
    lines.push(`${item.key} ${item.blobPath ?? ""} ${summary}\n`);
  }
  const hash = createHash("sha256");
  for (const line of lines.sort()) hash.update(line);
  return { pointers: lines.length, hash: hash.digest("hex") };
}
