/*
 * Ids of the system's own entities: the range that no minted id reaches, since those begin with a
 * time. The last digits count in hexadecimal. Project, dataset and first table all end in 0.
 */
const PREFIX = "ffffffff-ffff-0000-0000-";

/** The id of a reserved entity by its number. */
export function reservedId(number: number): string {
  return PREFIX + number.toString(16).padStart(12, "0");
}

/** The project of the system tables, and its one dataset. */
export const SYSTEM_PROJECT_ID: string = reservedId(0);
export const SYSTEM_DATASET_ID: string = reservedId(0);

/** The one schema of the database `_system`. */
export const SYSTEM_SCHEMA = "_catalog";
