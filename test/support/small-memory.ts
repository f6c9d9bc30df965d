import { TemporaryFiles } from "../../src/runtime/temporary-files.ts";
import type { SpillFile, SpillLimits } from "../../src/sql/exec/spill.ts";

/** Temporary files for statements whose memory holds only a few rows. */
export class SmallMemory extends TemporaryFiles {
  readonly limits: SpillLimits;
  /** Files that were opened so far. */
  opened = 0;

  constructor(workBytes: number = 400, fileBytes: number = 2 ** 30) {
    super();
    this.limits = { workBytes, hashBytes: workBytes, fileBytes };
  }

  override open(): Promise<SpillFile> {
    this.opened++;
    return super.open();
  }
}
