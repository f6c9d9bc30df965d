import { v7 } from "uuid";
import type { Clock } from "./clock.ts";
import { invalid } from "./error.ts";
import type { Prng } from "./prng.ts";

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type AccountId = Branded<"AccountId">;
export type CatalogId = Branded<"CatalogId">;
export type NamespaceId = Branded<"NamespaceId">;
export type TableId = Branded<"TableId">;
export type ViewId = Branded<"ViewId">;
/** UUIDv7 minted once per logical change and kept over its retries. */
export type Revision = Branded<"Revision">;
/** UUIDv7 of one logical attempt: tells its own writes from everybody else's. */
export type WriterId = Branded<"WriterId">;
export type ChangeId = Branded<"ChangeId">;
/** Of long work. A job that ends the life of an entity has that entity's id. */
export type JobId = Branded<"JobId">;
/**
 * UUID of the Iceberg metadata, which is the table's own and outlives a rename or a re-register.
 */
export type TableUuid = Branded<"TableUuid">;
/** As `TableUuid`, of a view. */
export type ViewUuid = Branded<"ViewUuid">;

/** Any of the UUID-shaped ids above. */
export type AnyId =
  | AccountId
  | CatalogId
  | NamespaceId
  | TableId
  | ViewId
  | Revision
  | WriterId
  | ChangeId
  | JobId
  | TableUuid
  | ViewUuid;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Ids in this block are Firn's own (the shard `system`, the store probe): never a client's. */
const RESERVED = "ffffffff-ffff-";

/** Mints UUIDv7 ids from the ports, so that a seed decides them in tests. */
export class IdSource {
  readonly #clock: Clock;
  readonly #prng: Prng;

  constructor(clock: Clock, prng: Prng) {
    this.#clock = clock;
    this.#prng = prng;
  }

  mint<Id extends AnyId>(): Id {
    return v7({ msecs: this.#clock.nowMs(), random: this.#prng.bytes(16) }) as Id;
  }
}

/**
 * Reads an id that a client sent.
 *
 * @throws CatalogError `Invalid`, code `ID_INVALID`: not a UUID, or inside the reserved block.
 */
export function parseId<Id extends AnyId>(text: string): Id {
  const lower = text.toLowerCase();
  if (!UUID.test(lower)) throw invalid("ID_INVALID", "not a uuid", { id: text.slice(0, 64) });
  if (lower.startsWith(RESERVED)) throw invalid("ID_INVALID", "reserved id", { id: lower });
  return lower as Id;
}

/** The 16 bytes of a UUID: half of its text, for summaries that count every byte. */
export function idToBytes(id: AnyId): Uint8Array {
  return Buffer.from(id.replaceAll("-", ""), "hex");
}

/** The text of 16 bytes. */
export function idFromBytes<Id extends AnyId>(bytes: Uint8Array): Id {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-") as Id;
}
