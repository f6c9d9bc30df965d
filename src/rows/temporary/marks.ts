import type { AnyId } from "../../base/ids.ts";
import { ROW_SPACE } from "../key-codec.ts";

/**
 * What tells temporary tables apart: their relations have this bit, which no relation of a shard
 * reaches, and their ids begin as no UUIDv7 does before the year 10889.
 */
export const TEMPORARY_RELATION = 0x4000_0000;
const TEMPORARY_BYTE = TEMPORARY_RELATION >>> 24;
const ID_START = "fffffffe";

export function isTemporaryKey(key: Uint8Array): boolean {
  return key[0] === ROW_SPACE && ((key[1] as number) & TEMPORARY_BYTE) !== 0;
}

export function isTemporaryId(id: string): boolean {
  return id.startsWith(ID_START);
}

/** The id of something temporary. @param id one that nothing else has. */
export function temporaryId<T extends AnyId>(id: T): T {
  return `${ID_START}${id.slice(ID_START.length)}` as T;
}
