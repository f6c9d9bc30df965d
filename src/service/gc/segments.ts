import type { BlobStore } from "../../blob/port.ts";
import { stopped } from "./parts.ts";

/** Lines of one segment: what a run takes up at a time. */
const SEGMENT_LINES = 2_000;

/*
 * What a run has found lies beside the payloads until it is over, so that any node goes on with it:
 * `gc/{account}/{run}/{name}-{number}`, lines of text. No pointer leads there but the run's job.
 */

/** Where the runs of an account keep what they found. */
export function segmentsPrefix(account: string): string {
  return `gc/${account}/`;
}

function pathOf(account: string, run: string, name: string, index: number): string {
  return `${segmentsPrefix(account)}${run}/${name}-${index}`;
}

/** Writes lines as segments, one request each. @returns how many. */
export async function writeSegments(
  blobs: BlobStore,
  place: { readonly account: string; readonly run: string; readonly name: string },
  lines: AsyncIterable<string>,
  onLine: (line: string) => void = () => {},
): Promise<number> {
  let count = 0;
  let waiting: string[] = [];
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const path = pathOf(place.account, place.run, place.name, count++);
    await blobs.put(path, Buffer.from(waiting.join("\n")));
    waiting = [];
  };
  for await (const line of lines) {
    onLine(line);
    waiting.push(line);
    if (waiting.length >= SEGMENT_LINES) await flush();
  }
  await flush();
  return count;
}

/** @throws FirnError `Corrupt` `GC_STOPPED`: it is missing, and its content is lost. */
export async function readSegment(
  blobs: BlobStore,
  place: { readonly account: string; readonly run: string; readonly name: string },
  index: number,
): Promise<readonly string[]> {
  const path = pathOf(place.account, place.run, place.name, index);
  const blob = await blobs.get(path);
  if (blob === undefined) throw stopped("a segment of the run is missing", { path });
  return Buffer.from(blob.bytes).toString("utf8").split("\n");
}

/** The lines of a run's segments, in order. One request for each segment. */
export async function* readSegments(
  blobs: BlobStore,
  place: { readonly account: string; readonly run: string; readonly name: string },
  count: number,
): AsyncGenerator<string> {
  for (let index = 0; index < count; index++) yield* await readSegment(blobs, place, index);
}

/**
 * Deletes what all runs of an account have left.
 *
 * @param holdLease rejects unless the caller still holds the job. Asked between list and delete:
 *   what was listed while the job was held is of runs that are over, whatever comes after. A node
 *   that hung in the list would delete the segments of the run that another one has begun.
 */
export async function deleteSegments(
  blobs: BlobStore,
  account: string,
  holdLease: () => Promise<void>,
): Promise<void> {
  const prefix = segmentsPrefix(account);
  for (let after = ""; ; ) {
    const page = await blobs.list(prefix, after === "" ? {} : { after });
    const last = page.at(-1);
    if (last === undefined) return;
    await holdLease();
    await blobs.deleteMany(page.map(({ path }) => path));
    after = last.path;
  }
}
