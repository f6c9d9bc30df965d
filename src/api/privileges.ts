/** What an actor may hold on an account, a catalog, a namespace, a table or a view. */
export const PRIVILEGES = [
  "see",
  "read-metadata",
  "read-data",
  "write-data",
  "alter",
  "create",
  "drop",
  "manage-grants",
  "admin",
] as const;

export type Privilege = (typeof PRIVILEGES)[number];
