import { type Engine, type PastState, pastStateOf } from "../lsm/index.ts";
import type { EngineView } from "./engine-view.ts";
import { rowError } from "./errors.ts";

/** What one transaction reads, without its own writes, for others to read too. */
export interface ExportedState {
  /**
   * Reads it, until that is closed.
   *
   * @throws FirnError `Conflict`, code `ROW_SHARDS_APART` (0A000): it is of another shard.
   */
  open(engine: Engine): PastState;
  /** It is kept until then; who reads it goes on. */
  close(): void;
}

/** The state that a view reads. It begins no more at a newer one, where it keeps to one state. */
export function exportedState(engine: Engine, view: EngineView): ExportedState {
  view.show();
  const { sequence } = view;
  const held = engine.readView({ sequence });
  return {
    open: (of) => {
      if (of !== engine) {
        const message = "the snapshot is of another shard";
        throw rowError("Conflict", "ROW_SHARDS_APART", "0A000", message);
      }
      return pastStateOf(engine.readView({ sequence }));
    },
    close: () => held.close(),
  };
}
