import type { PageRef } from "../api/page-operations.ts";
import type { Table } from "../api/resources.ts";
import { type CommitText, commitTo } from "./commit-table.ts";

/** A branch or tag that shall point at a snapshot; without one it shall be gone. */
export interface RefChange {
  readonly name: string;
  readonly type: PageRef["type"];
  readonly snapshotId: string | undefined;
  /** Where it points as far as the page knows: another writer's change since then is a conflict. */
  readonly known: PageRef | undefined;
}

/** Ids are of 64 bits: they are written as they are, since no double holds them all. */
function idText(id: string): string {
  if (!/^-?[0-9]{1,19}$/.test(id)) throw new Error(`not a snapshot id: ${id}`);
  return id;
}

function commitText(uuid: string, { name, type, snapshotId, known }: RefChange): CommitText {
  const ref = JSON.stringify(name);
  const at = known === undefined ? "null" : idText(known.snapshotId);
  const update =
    snapshotId === undefined
      ? `{"action":"remove-snapshot-ref","ref-name":${ref}}`
      : `{"action":"set-snapshot-ref","ref-name":${ref},"type":"${type}",` +
        `"snapshot-id":${idText(snapshotId)}}`;
  return {
    requirements: [
      `{"type":"assert-table-uuid","uuid":${JSON.stringify(uuid)}}`,
      `{"type":"assert-ref-snapshot-id","ref":${ref},"snapshot-id":${at}}`,
    ],
    updates: [update],
  };
}

/**
 * Changes a branch or tag by an Iceberg commit.
 *
 * @throws ApiError what the server refuses; what `fetch` throws.
 */
export async function commitRef(table: Table, change: RefChange, isDryRun = false): Promise<void> {
  await commitTo(table, commitText(table.iceberg?.uuid ?? "", change), isDryRun);
}
