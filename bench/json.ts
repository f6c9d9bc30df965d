import { parse as losslessParse, stringify as losslessStringify } from "lossless-json";
import { type JsonObject, type JsonValue, parseJson, printJson } from "../src/base/json.ts";

const SNAPSHOTS = 500;
const ROUNDS = 15;
const CALLS = 10;

/** Table metadata with a history: what a catalog parses and prints most. */
function metadataText(): string {
  const first = 3051729675574597004n;
  const snapshots = Array.from({ length: SNAPSHOTS }, (_, i): JsonObject => {
    const parent = i === 0 ? {} : { "parent-snapshot-id": first + BigInt(i - 1) * 7919n };
    return {
      "sequence-number": i + 1,
      "snapshot-id": first + BigInt(i) * 7919n,
      ...parent,
      "timestamp-ms": 1_515_100_955_770 + i,
      summary: {
        operation: "append",
        "added-data-files": "1",
        "added-records": "120",
        "added-files-size": "8812",
        "changed-partition-count": "1",
        "total-records": String(120 * i),
        "total-data-files": String(i),
      },
      "manifest-list": `s3://bucket/warehouse/ns/tbl/metadata/snap-${i}-1-0f9e.avro`,
      "schema-id": 0,
    };
  });
  const log = snapshots.map((snapshot): JsonObject => {
    const { "timestamp-ms": time, "snapshot-id": id } = snapshot;
    return { "timestamp-ms": time as JsonValue, "snapshot-id": id as JsonValue };
  });
  return printJson({ "format-version": 2, snapshots, "snapshot-log": log });
}

/** Median milliseconds of a call, with the candidates taking turns in every round. */
function medians(candidates: Readonly<Record<string, () => unknown>>): Map<string, number> {
  const times = new Map<string, number[]>(Object.keys(candidates).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(candidates)) {
      const start = performance.now();
      for (let call = 0; call < CALLS; call++) run();
      times.get(name)?.push((performance.now() - start) / CALLS);
    }
  }
  const median = (list: readonly number[]): number =>
    list.toSorted((a, b) => a - b)[list.length >> 1] ?? Number.NaN;
  return new Map(Array.from(times, ([name, list]) => [name, median(list)]));
}

function report(title: string, figures: ReadonlyMap<string, number>, reference: string): string {
  const base = figures.get(reference) ?? Number.NaN;
  const lines = Array.from(figures, ([name, ms]) => {
    const ratio = (base / ms).toFixed(2);
    return `  ${name.padEnd(24)} ${ms.toFixed(3).padStart(8)} ms  ${ratio}x of ${reference}`;
  });
  return [title, ...lines, ""].join("\n");
}

/** Our JSON beside the platform's, which loses integers, and beside a library that keeps them. */
export async function benchJson(): Promise<void> {
  const text = metadataText();
  const ours = parseJson(text);
  const platform: unknown = JSON.parse(text);
  const lossless = losslessParse(text);
  const kib = (text.length / 1024).toFixed(0);
  const parsed = medians({
    "JSON.parse (lossy)": () => JSON.parse(text),
    parseJson: () => parseJson(text),
    "lossless-json": () => losslessParse(text),
    "reviver with source": () => JSON.parse(text, keepIntegers),
  });
  const printed = medians({
    "JSON.stringify (lossy)": () => JSON.stringify(platform),
    printJson: () => printJson(ours),
    "lossless-json": () => losslessStringify(lossless),
  });
  process.stdout.write(report(`parse table metadata, ${kib} KiB`, parsed, "lossless-json"));
  process.stdout.write(report(`print table metadata, ${kib} KiB`, printed, "lossless-json"));
}

/** The platform's own way to the text of a number, which its types do not know yet. */
function keepIntegers(this: unknown, _key: string, value: unknown, context?: unknown): unknown {
  const source = (context as { readonly source?: string } | undefined)?.source;
  if (typeof value !== "number" || Number.isSafeInteger(value) || source === undefined)
    return value;
  return BigInt(source);
}
