import { MemoryPointerStore } from "../../../src/pointer/memory.ts";
import type { Live, PageOptions } from "../../../src/pointer/port.ts";

/** Skips one more leaf where `after` itself is gone, as a cursor by position does. */
export class ListMisses extends MemoryPointerStore {
  override async list(directory: string, options: PageOptions = {}): Promise<readonly Live[]> {
    const page = await super.list(directory, options);
    if (options.after === undefined || options.after === "") return page;
    const { state } = await this.get(`${directory}/${options.after}`);
    return state === "live" ? page : page.slice(1);
  }
}
