/**
 * Whether an `Accept` header prefers HTML to JSON, as a browser's does. Absent headers and ties ask
 * for JSON: programs rarely say what they take.
 */
export function prefersHtml(accept: string | undefined): boolean {
  const ranges = (accept ?? "").toLowerCase().split(",").map(parseRange);
  return weightOf(ranges, "text/html") > weightOf(ranges, "application/json");
}

interface MediaRange {
  readonly range: string;
  /** 0 to 1. */
  readonly weight: number;
}

function parseRange(text: string): MediaRange {
  const [range = "", ...parameters] = text.split(";").map((part) => part.trim());
  const sent = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  const weight = sent === undefined ? 1 : Number(sent);
  return { range, weight: Number.isFinite(weight) ? weight : 0 };
}

/** The most specific range that fits decides (RFC 9110, 12.5.1). */
function weightOf(ranges: readonly MediaRange[], type: string): number {
  for (const wanted of [type, type.replace(/\/.*/, "/*"), "*/*"]) {
    const found = ranges.find(({ range }) => range === wanted);
    if (found !== undefined) return found.weight;
  }
  return 0;
}

const EVENTS = "text/event-stream";

/** Whether an `Accept` header asks for server-sent events by name, as an `EventSource` does. */
export function acceptsEvents(accept: string | undefined): boolean {
  return acceptsByName(accept, EVENTS);
}

/** Whether an `Accept` header names a media type, and prefers it to JSON or likes both the same. */
export function acceptsByName(accept: string | undefined, type: string): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(type)) return false;
  const ranges = accept.toLowerCase().split(",").map(parseRange);
  const weight = ranges.find(({ range }) => range === type)?.weight ?? 0;
  return weight > 0 && weight >= weightOf(ranges, "application/json");
}
