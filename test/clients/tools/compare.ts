/** What a session of a tool told, step by step, and how two of them differ. */

/** What a step told, or why it failed. */
export interface Told {
  readonly told?: unknown;
  readonly error?: string;
}

/** The steps of a program's output, by their names. */
export function stepsOf(output: string): ReadonlyMap<string, Told> {
  const steps = new Map<string, Told>();
  for (const line of output.split("\n")) {
    if (!line.startsWith("STEP ")) continue;
    const { step, ...told } = JSON.parse(line.slice("STEP ".length)) as Told & { step: string };
    steps.set(step, told);
  }
  return steps;
}

/**
 * What is wrong with a step: undefined where it told the same on both servers. A step that fails
 * on PostgreSQL shows nothing.
 */
export function wrongWith(
  expected: Told | undefined,
  actual: Told | undefined,
): string | undefined {
  if (expected?.error !== undefined) return `PostgreSQL: ${expected.error}`;
  if (actual?.error !== undefined) return actual.error;
  if (expected === undefined || actual === undefined) return "the session ended before it";
  return differenceOf(expected.told, actual.told, "");
}

/** The first difference, with the path to it. */
function differenceOf(expected: unknown, actual: unknown, path: string): string | undefined {
  if (isTree(expected) && isTree(actual)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    for (const name of names) {
      const found = differenceOf(expected[name], actual[name], `${path}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (Object.is(expected, actual)) return undefined;
  return `${path}: PostgreSQL ${JSON.stringify(expected)}, Firn ${JSON.stringify(actual)}`;
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
