import { FirnError, invalid } from "../../base/error.ts";
import type { Sequence } from "../format/entry.ts";
import { openReader, type Reader } from "../read/reader.ts";
import { gone } from "../states/resolve.ts";
import type { Core } from "./core.ts";
import type { OpenOptions } from "./open.ts";
import type { StateView } from "./state-view.ts";

/** One state of the past, to be read until it is closed. */
export type PastState = Pick<StateView, "sequence" | "get" | "getMany" | "scan"> & {
  close(): Promise<void>;
};

/**
 * The state of a time: from memory, as long as all its versions are there; else from the tables and
 * the log of that time, beside the engine.
 *
 * @throws FirnError as `Engine.stateAt`.
 */
export async function openPast(core: Core, parts: OpenOptions, timeMs: number): Promise<PastState> {
  if (timeMs > parts.clock.nowMs()) {
    throw invalid("LSM_TIME_AHEAD", "the time is in the future", { timeMs });
  }
  const sequence = core.published.sequenceAt(timeMs);
  if (sequence === undefined) throw gone({ timeMs });
  try {
    return pastStateOf(core.stateView(sequence));
  } catch (error) {
    if (!(error instanceof FirnError) || error.code !== "LSM_HISTORY_GONE") throw error;
  }
  return read(await readerAt(parts, sequence));
}

/** A state that the engine holds, as one that is closed by its reader. */
export function pastStateOf(view: StateView): PastState {
  return {
    sequence: view.sequence,
    get: (key) => view.get(key),
    getMany: (keys) => view.getMany(keys),
    scan: (request) => view.scan(request),
    close: async () => view.close(),
  };
}

function read(reader: Reader): PastState {
  return {
    sequence: reader.sequence,
    get: (key) => reader.get(key),
    getMany: (keys) => reader.getMany(keys),
    scan: (request) => reader.scan(request),
    close: () => reader.close(),
  };
}

async function readerAt(parts: OpenOptions, sequence: Sequence): Promise<Reader> {
  const { store, prefix, wal, clock, prng, manifests, manifestsOf, options, forTests } = parts;
  return await openReader(
    {
      store,
      wal: wal.reader(),
      clock,
      prng,
      ...(prefix !== undefined && { prefix }),
      ...(manifests && { manifests }),
      ...(manifestsOf && { manifestsOf }),
      ...(options && { options }),
      ...(forTests && { forTests }),
    },
    { at: { sequence } },
  );
}
