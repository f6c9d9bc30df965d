import type { BlobStore } from "../../blob/port.ts";
import { inFile } from "../format/corrupt.ts";
import { openSst } from "../format/sst.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import type { Ulid } from "../format/ulid.ts";
import { pathOf, tableGone } from "../read/table-cache.ts";

/** Tails that are read at once. */
const READS = 8;

/**
 * Which values apart each table refers to: told by its tail, which is read once. Only of tables of
 * this shard: what those of others refer to lies elsewhere.
 */
export class ValueMarks {
  readonly #store: BlobStore;
  readonly #prefix: string;
  readonly #ids = new Map<Ulid, readonly Ulid[]>();

  constructor(store: BlobStore, prefix: string) {
    this.#store = store;
    this.#prefix = prefix;
  }

  /** Forgets all other tables than these. */
  keepOnly(tables: readonly SstMeta[]): void {
    const ids = new Set(tables.map(({ id }) => id));
    for (const id of this.#ids.keys()) if (!ids.has(id)) this.#ids.delete(id);
  }

  /**
   * Reads of some tables what is not known yet: one request each.
   *
   * @throws FirnError `Corrupt`, codes `LSM_TABLE_MISSING`, `LSM_FILE_CORRUPT`; what the store
   *   throws.
   */
  async read(tables: readonly SstMeta[]): Promise<void> {
    const unread = new Map<Ulid, SstMeta>();
    for (const meta of tables) if (!this.#isKnown(meta)) unread.set(meta.id, meta);
    const all = [...unread.values()];
    for (let at = 0; at < all.length; at += READS) {
      await Promise.all(all.slice(at, at + READS).map((meta) => this.#readOf(meta)));
    }
  }

  /** Adds what some tables refer to; false where that is not known of one of them. */
  addTo(marked: Set<Ulid>, tables: readonly SstMeta[]): boolean {
    for (const meta of tables) {
      if (!this.#isKnown(meta)) return false;
      for (const id of this.#ids.get(meta.id) ?? []) marked.add(id);
    }
    return true;
  }

  #isKnown({ id, stats, whole, home }: SstMeta): boolean {
    return home !== undefined || (whole ?? stats).apart === 0 || this.#ids.has(id);
  }

  async #readOf(meta: SstMeta): Promise<void> {
    const path = pathOf(this.#prefix, meta);
    const blob = await this.#store.getSuffix(path, meta.tailBytes);
    if (blob === undefined) throw tableGone(path, 0);
    const opened = inFile(path, () => openSst(blob.bytes, meta));
    if (opened.state === "short") throw tableGone(path, 0);
    this.#ids.set(meta.id, opened.sst.apartIds());
  }
}
