import type { ApartHost } from "./apart-format.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { EngineView, ScanReads } from "./engine-view.ts";
import type { ScanHost } from "./stored-rows.ts";

/** What a scan of a view needs: of the state that is held, or of the view, which goes on. */
export function scanHostOf(
  view: EngineView,
  reads: ScanReads,
  compiled: CompiledTable,
  onRead: () => void,
): ScanHost {
  // Values have to be of the same moment as the rows that they are of.
  const goesOn = reads === view && compiled.mayBeApart;
  let apart: ApartHost = reads;
  return {
    get: (key) => reads.get(key),
    getMany: async (keys) => {
      if (!goesOn) return await reads.getMany(keys);
      apart = view.asOfNow();
      return await apart.getMany(keys);
    },
    onBegin: () => {
      if (goesOn) apart = view.asOfNow();
    },
    apart: { getMany: (keys) => apart.getMany(keys) },
    onRead,
  };
}
