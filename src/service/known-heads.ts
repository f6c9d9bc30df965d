import { LruMap } from "../base/lru.ts";
import { VALUES_AT_ONCE } from "../base/steps.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import { checkRequirements, type TableRequirement } from "../iceberg/requirements.ts";
import type { Head, MetadataFiles } from "./metadata-files.ts";

/** Names whose table is remembered: by its id alone, its file is kept elsewhere or not. */
const REMEMBERED = 10_000;

/**
 * The table that each name had when this node last committed to it or proved a refusal. A load does
 * not say, which would cost each of them a key. Another node may have moved the head of the table
 * since, or the name, so a head that is kept proves nothing: it says which commits to look at
 * closely.
 */
export class KnownHeads {
  readonly #files: MetadataFiles<TableMetadata>;
  readonly #ids: LruMap<string, string> = new LruMap(REMEMBERED);

  constructor(files: MetadataFiles<TableMetadata>) {
    this.#files = files;
  }

  saw(key: string, id: string): void {
    if (this.#ids.get(key) !== id) this.#ids.set(key, id);
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
    find: () => Promise<Head>,
  ): Promise<void> {
    // Very many are checked in stretches, by the commit itself.
    if (requirements.length > VALUES_AT_ONCE) return;
    const known = this.#ids.get(key);
    let seen = known === undefined ? undefined : this.#files.newest(known);
    while (seen !== undefined) {
      try {
        checkRequirements(requirements, seen.metadata);
        return;
      } catch (refusal) {
        const head = await find();
        const now = this.#files.remembered(head);
        if (now === seen) throw refusal;
        this.saw(key, head.id);
        seen = now;
      }
    }
  }
}
