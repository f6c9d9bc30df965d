import { MemoryBlobStore } from "../../../src/blob/memory.ts";

/** Answers for all, deletes the first half. */
export class HalfADeleteMany extends MemoryBlobStore {
  override async deleteMany(paths: readonly string[]): Promise<void> {
    await super.deleteMany(paths.slice(0, Math.ceil(paths.length / 2)));
  }
}
