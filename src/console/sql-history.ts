/** Statements that were run in this browser, newest first. */

const NAME = "firn.sql";
const KEPT = 50;
/** A longer one is not kept: it is a load, not a query. */
const MOST_CHARS = 10_000;

export function pastStatements(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(NAME) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

/** @returns What is kept now. */
export function keepStatement(statement: string): readonly string[] {
  if (statement.length > MOST_CHARS) return pastStatements();
  const others = pastStatements().filter((one) => one !== statement);
  const all = [statement, ...others].slice(0, KEPT);
  try {
    localStorage.setItem(NAME, JSON.stringify(all));
  } catch {
    // A browser that keeps nothing, or no more: the page works without.
  }
  return all;
}

export function forgetStatements(): void {
  try {
    localStorage.removeItem(NAME);
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}
