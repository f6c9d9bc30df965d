import { bytesEqual } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import { Stretches } from "../base/steps.ts";
import { lengthOf, piecesOf, type Reference, referenceTo } from "./apart-format.ts";
import { apartRange, JOINED_BYTES, keysOf, referencesOf, valuesOf } from "./apart-values.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { EngineView } from "./engine-view.ts";
import { corruptRow } from "./errors.ts";

/** What a check reads: one state. */
type Reads = Pick<EngineView, "getMany" | "scan">;

interface Found extends Reference {
  readonly key: Uint8Array;
}

/**
 * Reads the long values that the rows of a table refer to, and compares their hashes; no piece may
 * be left over. All of one state.
 *
 * @throws FirnError `Corrupt`, code `ROW_CORRUPT`.
 */
export async function checkApart(
  view: Reads,
  compiled: CompiledTable,
  clock: Clock,
): Promise<void> {
  const stretches = new Stretches(clock);
  let referred = 0;
  for await (const rows of view.scan(compiled.key.range({}))) {
    await stretches.turn();
    const found: Found[] = [];
    for (const { key, value } of rows) {
      for (const { columnId, reference } of referencesOf(value)) {
        // Copies: the scan's memory is its own.
        const copy = new Uint8Array(reference);
        found.push({ columnId, reference: copy, key: new Uint8Array(key) });
        referred += piecesOf(copy);
      }
    }
    await checkValues(view, found);
  }
  let pieces = 0;
  for await (const rows of view.scan({ ...apartRange(compiled), keysOnly: true })) {
    await stretches.turn();
    pieces += rows.length;
  }
  if (pieces === referred) return;
  throw corruptRow("values that are stored apart without a row", { pieces: pieces - referred });
}

/** As many at once as have room in memory. */
async function checkValues(view: Reads, found: readonly Found[]): Promise<void> {
  for (let from = 0; from < found.length; ) {
    let [to, bytes] = [from, 0];
    do bytes += lengthOf((found[to++] as Found).reference);
    while (to < found.length && bytes < JOINED_BYTES);
    const part = found.slice(from, to);
    const entries = await view.getMany(part.flatMap((one) => keysOf(one.key, [one])));
    valuesOf(part, entries).forEach((pieces, i) => {
      const { reference } = part[i] as Found;
      if (bytesEqual(referenceTo(Buffer.concat(pieces)), reference)) return;
      throw corruptRow("a value that is stored apart has another hash");
    });
    from = to;
  }
}
