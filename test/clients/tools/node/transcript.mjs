/*
 * What a session of a tool reports: a line of JSON for each step, compared by the runner. As
 * `transcript.py` does in Python.
 */

function plain(value) {
  if (typeof value === "bigint") return `bigint ${value}`;
  if (value instanceof Date) return `Date ${value.toISOString()}`;
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("hex")}`;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const name = value.constructor?.name ?? "Object";
  if (name.startsWith("Decimal")) return `Decimal ${String(value)}`;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

/** Runs a step; what it returns is what it tells. The steps behind one that fails still run. */
export async function step(name, work) {
  let told;
  try {
    told = { told: plain(await work()) };
  } catch (error) {
    told = { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
  console.log(`STEP ${JSON.stringify({ step: name, ...told })}`);
}

/** The text of an expression without the casts and parentheses that PostgreSQL adds, and blanks. */
export function spaced(text) {
  return text.replace(/[()\s]|::[a-z]+(?:\[\])?(?: varying| precision)?/g, "");
}
