import { utf8, utf8Text } from "../base/bytes.ts";
import type { TableId } from "../base/ids.ts";
import { KeySchema, rangeOfPrefix } from "../keys/index.ts";
import type { Marks } from "./descriptor.ts";
import type { DescriptorAccess } from "./descriptor-access.ts";
import { rowError } from "./errors.ts";
import { systemPrefix } from "./system-prefix.ts";

/*
 * Tables of a shard that move to another shard or come from one, by id: so that what a move left
 * behind is found without reading all descriptors. Written with the marks of the descriptor.
 * JSON: {"id": "…", "job": "…"}.
 */
const prefix = systemPrefix("moves");
const keys = new KeySchema([{ type: "uuid" }], prefix);

/** A table of a shard that a move has marked. */
export interface MoveNote {
  readonly id: TableId;
  readonly job: string;
}

/** @throws FirnError `Unavailable`, code `ROW_TABLE_MOVING` (40001): it is elsewhere soon. */
export function refuseWhileMoving(
  to: "read" | "write",
  table: Marks & { readonly name: string },
): void {
  const state = table.moving?.state;
  const isRefused = state === "closed" || (to === "write" && state === "frozen");
  if (isRefused || table.incoming !== undefined) throw tableMoving(table.name);
}

export function tableMoving(table: string): Error {
  const message = "the table moves to another shard: try again in a moment";
  const context = { table, retryAfterMs: RETRY_AFTER_MS };
  return rowError("Unavailable", "ROW_TABLE_MOVING", "40001", message, context);
}

const RETRY_AFTER_MS = 1_000;

export function withoutMarks<T extends Marks>(table: T): Omit<T, keyof Marks> {
  const { moving: _moving, incoming: _incoming, ...rest } = table;
  return rest;
}

/** Keeps the note of a table as its marks are. */
export function noteMarks(
  access: Pick<DescriptorAccess, "put" | "delete">,
  { id, moving, incoming }: Marks & { readonly id: TableId },
): void {
  const job = moving?.job ?? incoming?.job;
  if (job === undefined) access.delete(keys.encode([id]));
  else access.put(keys.encode([id]), utf8(JSON.stringify({ id, job })));
}

export async function moveNotes(
  access: Pick<DescriptorAccess, "values">,
): Promise<readonly MoveNote[]> {
  const { from, to } = rangeOfPrefix(prefix);
  const stored = await access.values(from, to as Uint8Array);
  return stored.map((bytes) => JSON.parse(utf8Text(bytes)) as MoveNote);
}
