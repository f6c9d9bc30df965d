/** Counts of values between bounds, of which there is one more. */
export interface Histogram {
  readonly bounds: readonly string[];
  readonly counts: readonly number[];
}

const MOST = 256;

/**
 * A histogram that was put with statistics: `{"bounds": [0, 10, 20], "counts": [7, 3]}`. Undefined
 * for any other form: producers may keep what they like.
 */
export function histogramIn(text: string | undefined): Histogram | undefined {
  if (text === undefined) return undefined;
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { bounds, counts } = (found ?? {}) as {
    readonly bounds?: unknown;
    readonly counts?: unknown;
  };
  if (!Array.isArray(bounds) || !Array.isArray(counts)) return undefined;
  if (counts.length === 0 || counts.length > MOST || bounds.length !== counts.length + 1) {
    return undefined;
  }
  const isCount = (one: unknown) => typeof one === "number" && Number.isFinite(one) && one >= 0;
  if (!counts.every(isCount)) return undefined;
  return { bounds: bounds.map(String), counts };
}
