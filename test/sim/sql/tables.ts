export const ACCOUNTS = 6;
export const OPENING = 100;

/** One text each: a small engine has no room for all of them at once. */
export const FOUNDING: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS accounts (
     id int PRIMARY KEY, balance int NOT NULL CHECK (balance >= 0))`,
  "CREATE INDEX IF NOT EXISTS by_balance ON accounts (balance)",
  `INSERT INTO accounts SELECT i, ${OPENING} FROM generate_series(0, ${ACCOUNTS - 1}) i
     ON CONFLICT DO NOTHING`,
  "CREATE TABLE IF NOT EXISTS marks (token text NOT NULL, part int NOT NULL)",
  "CREATE INDEX IF NOT EXISTS by_token ON marks (token)",
  "CREATE TABLE IF NOT EXISTS lists (id text PRIMARY KEY, elements text NOT NULL)",
  "CREATE INDEX IF NOT EXISTS by_length ON lists (length(elements) DESC)",
  "CREATE SEQUENCE IF NOT EXISTS numbers",
];
