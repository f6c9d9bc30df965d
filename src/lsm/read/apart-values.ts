import { assert } from "../../base/assert.ts";
import type { BlobStore } from "../../blob/port.ts";
import { valueGone } from "../errors.ts";
import { inFile } from "../format/corrupt.ts";
import type { Cursor, MissingBlock, Origin } from "../format/cursor.ts";
import type { ValueReference } from "../format/entry.ts";
import type { Ulid } from "../format/ulid.ts";
import { decodeReference, decodeValue } from "../format/value-reference.ts";
import type { BlockCache, Cacheable, CachedFile } from "./cache.ts";

/** Where the object of a value lies. */
export function valuePath(prefix: string, id: Ulid): string {
  return `${prefix}values/${id}`;
}

/** The entry of a cursor that stands on a reference. */
type Referring = Pick<Cursor, "origin" | "valueSource" | "valueStart" | "valueEnd">;

/** Which object a reader waits for: the `file` of a missing value. */
class ValueFile {
  readonly reference: ValueReference;
  readonly path: string;
  /** The table that refers to it. */
  readonly table: Ulid | undefined;

  constructor(reference: ValueReference, path: string, table: Ulid | undefined) {
    this.reference = reference;
    this.path = path;
    this.table = table;
  }
}

/** Less would not be worth a look at the object itself. */
const OVERHEAD_BYTES = 256;

/** A value in the cache, which tells when it goes. */
class CachedValue implements Cacheable {
  readonly value: Uint8Array;
  readonly #onGone: () => void;

  constructor(value: Uint8Array, onGone: () => void) {
    this.value = value;
    this.#onGone = onGone;
  }

  get weight(): number {
    return this.value.length + OVERHEAD_BYTES;
  }

  letGo(): void {
    this.#onGone();
  }
}

/**
 * Values apart, as far as they are in memory: in the cache, as data blocks are, and those that a
 * caller waits for here, until it lets go of them.
 */
export class ApartValues {
  readonly #store: BlobStore;
  readonly #prefix: string;
  readonly #cache: BlockCache;
  readonly #cached = new Map<Ulid, CachedFile<CachedValue>>();
  readonly #held = new Map<Ulid, { readonly value: Uint8Array; holders: number }>();
  readonly #loading = new Map<Ulid, Promise<Uint8Array>>();
  #reads = 0;
  #readBytes = 0;

  constructor(store: BlobStore, prefix: string, cache: BlockCache) {
    this.#store = store;
    this.#prefix = prefix;
    this.#cache = cache;
  }

  get figures(): { readonly valueReads: number; readonly valueReadBytes: number } {
    return { valueReads: this.#reads, valueReadBytes: this.#readBytes };
  }

  /**
   * The value that an entry refers to, or what has to be loaded first.
   *
   * @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`: it holds no reference.
   */
  find(entry: Referring): Uint8Array | MissingBlock {
    const reference = decodeReference(entry);
    return this.#inMemory(reference.id) ?? this.#missing(reference, entry.origin);
  }

  /** Of values that a reader will meet, those that are to be loaded. */
  missing(references: readonly ValueReference[], origin: Origin | undefined): MissingBlock[] {
    const isMissing = ({ id }: ValueReference): boolean => this.#inMemory(id) === undefined;
    return references.filter(isMissing).map((reference) => this.#missing(reference, origin));
  }

  /**
   * Brings values to hand: one request each, all at once. They stay until the function that is
   * answered is called.
   *
   * @throws FirnError `Corrupt`, codes `LSM_VALUE_MISSING`, `LSM_FILE_CORRUPT`; what the store
   *   throws.
   */
  async load(parts: readonly MissingBlock[]): Promise<() => void> {
    const files = new Map<Ulid, ValueFile>();
    for (const { file } of parts) {
      assert(file instanceof ValueFile, "a value that is missing says where it lies");
      files.set(file.reference.id, file);
    }
    const held: Ulid[] = [];
    const release = (): void => {
      for (const id of held.splice(0)) this.#letGo(id);
    };
    const loads = [...files].map(async ([id, file]) => {
      this.#hold(id, await this.#load(file));
      held.push(id);
    });
    const outcomes = await Promise.allSettled(loads);
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed === undefined) return release;
    release();
    throw failed.reason;
  }

  /** Forgets what is cached. */
  close(): void {
    for (const file of [...this.#cached.values()]) file.clear();
  }

  #inMemory(id: Ulid): Uint8Array | undefined {
    return this.#held.get(id)?.value ?? this.#cached.get(id)?.tail(0)?.value;
  }

  #missing(reference: ValueReference, origin: Origin | undefined): MissingBlock {
    const path = valuePath(origin?.home ?? this.#prefix, reference.id);
    const file = new ValueFile(reference, path, origin?.id);
    return { file, kind: "value", offset: 0, bytes: reference.bytes };
  }

  #load(file: ValueFile): Promise<Uint8Array> {
    const { id } = file.reference;
    const known = this.#inMemory(id);
    if (known !== undefined) return Promise.resolve(known);
    let loading = this.#loading.get(id);
    if (loading === undefined) {
      loading = this.#read(file).finally(() => this.#loading.delete(id));
      this.#loading.set(id, loading);
    }
    return loading;
  }

  async #read({ reference, path, table }: ValueFile): Promise<Uint8Array> {
    const value = await readValue(this.#store, path, reference, table);
    this.#reads++;
    this.#readBytes += value.length;
    const { id } = reference;
    const file = this.#cache.file<CachedValue>();
    this.#cached.set(id, file);
    const onGone = (): void => {
      if (this.#cached.get(id) === file) this.#cached.delete(id);
    };
    file.addTail(0, new CachedValue(value, onGone));
    return value;
  }

  #hold(id: Ulid, value: Uint8Array): void {
    const held = this.#held.get(id);
    if (held === undefined) this.#held.set(id, { value, holders: 1 });
    else held.holders++;
  }

  #letGo(id: Ulid): void {
    const held = this.#held.get(id);
    assert(held !== undefined, "only a value that is held is let go");
    if (--held.holders === 0) this.#held.delete(id);
  }
}

/**
 * Reads and checks a value.
 *
 * @throws FirnError `Corrupt`, codes `LSM_VALUE_MISSING`, `LSM_FILE_CORRUPT`; what the store
 *   throws.
 */
export async function readValue(
  store: Pick<BlobStore, "get">,
  path: string,
  reference: ValueReference,
  table?: Ulid,
): Promise<Uint8Array> {
  const object = await store.get(path);
  if (object === undefined) throw valueGone(path, table);
  return inFile(path, () => decodeValue(object.bytes, reference));
}
