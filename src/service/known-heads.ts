import type { Revision } from "../base/ids.ts";
import { LruMap } from "../base/lru.ts";
import { VALUES_AT_ONCE } from "../base/steps.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import { checkRequirements, type TableRequirement } from "../iceberg/requirements.ts";
import type { MetadataFiles } from "./metadata-files.ts";

/** Tables whose head is remembered: by its location alone, the file is kept elsewhere or not. */
const REMEMBERED = 10_000;

/**
 * The metadata file that each table had when this node last committed to it or proved a refusal. A
 * load does not say, which would cost each of them a key. Another node may have moved the head
 * since, so one that is remembered proves nothing: it says which commits to look at closely.
 */
export class KnownHeads {
  readonly #files: MetadataFiles<TableMetadata>;
  readonly #locations: LruMap<string, string> = new LruMap(REMEMBERED);

  constructor(files: MetadataFiles<TableMetadata>) {
    this.#files = files;
  }

  saw(key: string, location: string): void {
    if (this.#locations.get(key) !== location) this.#locations.set(key, location);
  }

  /**
   * Refuses a commit that cannot win before anything else is done for it. One that may costs
   * nothing; a refusal is proven by `find`, which answers where the head is now.
   *
   * @throws FirnError as `checkRequirements`, and as `find`.
   */
  async assertMayWin(
    key: string,
    requirements: readonly TableRequirement[],
    find: () => Promise<{ readonly location: string; readonly revision: Revision }>,
  ): Promise<void> {
    // Very many are checked in stretches, by the commit itself.
    if (requirements.length > VALUES_AT_ONCE) return;
    for (let seen = this.#locations.get(key); seen !== undefined; ) {
      const head = this.#files.remembered(seen);
      if (head === undefined) return;
      try {
        checkRequirements(requirements, head.metadata);
        return;
      } catch (refusal) {
        const { location, revision } = await find();
        if (location === seen) {
          // Under another revision another file may lie there.
          if (this.#files.remembered(seen, revision) === head) throw refusal;
          return;
        }
        this.saw(key, location);
        seen = location;
      }
    }
  }
}
