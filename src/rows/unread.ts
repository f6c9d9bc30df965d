import type { Datum } from "./datum.ts";

/**
 * Stands in a row for a value that is stored apart and was not read. It is written back as the
 * reference that it was, and never shown.
 */
export const UNREAD: Datum = Object.freeze({ unread: true }) as never;
