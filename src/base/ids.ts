import { v7 } from "uuid";
import { assert } from "./assert.ts";
import type { Clock } from "./clock.ts";
import { invalid } from "./error.ts";
import type { Prng } from "./prng.ts";

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type AccountId = Branded<"AccountId">;
export type CatalogId = Branded<"CatalogId">;
/** Of a shard of row tables beside the first one of its catalog. */
export type ShardId = Branded<"ShardId">;
export type NamespaceId = Branded<"NamespaceId">;
export type TableId = Branded<"TableId">;
export type ViewId = Branded<"ViewId">;
/** UUIDv7 minted once per logical change and kept over its retries. */
export type Revision = Branded<"Revision">;
/** UUIDv7 of one logical attempt: tells its own writes from everybody else's. */
export type WriterId = Branded<"WriterId">;
export type ChangeId = Branded<"ChangeId">;
/** Of long work. A job that ends the life of an entity has that entity's id. */
export type ConnectorId = Branded<"ConnectorId">;
export type PrincipalId = Branded<"PrincipalId">;
export type StorageProfileId = Branded<"StorageProfileId">;
export type StorageSecretId = Branded<"StorageSecretId">;
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
  | ShardId
  | NamespaceId
  | TableId
  | ViewId
  | Revision
  | WriterId
  | ChangeId
  | ConnectorId
  | PrincipalId
  | StorageProfileId
  | StorageSecretId
  | JobId
  | TableUuid
  | ViewUuid;

const ID_BYTES = 16;
const ID_CHARACTERS = 36;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Ids in this block are Firn's own (the shard `system`, the store probe): never a client's. */
const RESERVED = "ffffffff-ffff-";

/** Mints UUIDv7 ids from the ports, so that a seed decides them in tests. */
export class IdSource {
  readonly #clock: Clock;
  readonly #prng: Prng;
  readonly #bytes = new Uint8Array(ID_BYTES);
  #lastMs = 0;
  #sequence = 0;

  constructor(clock: Clock, prng: Prng) {
    this.#clock = clock;
    this.#prng = prng;
  }

  mint<Id extends AnyId>(): Id {
    const random = this.#prng.bytes(ID_BYTES);
    return idFromBytes(v7({ msecs: this.#clock.nowMs(), random }, this.#bytes));
  }

  /** An id above all that this made so: rows without a key keep the order they came in. */
  mintNext<Id extends AnyId>(): Id {
    const now = this.#clock.nowMs();
    this.#sequence = now > this.#lastMs ? 0 : this.#sequence + 1;
    this.#lastMs = Math.max(now, this.#lastMs);
    const random = this.#prng.bytes(ID_BYTES);
    const order = { msecs: this.#lastMs, seq: this.#sequence };
    return idFromBytes(v7({ ...order, random }, this.#bytes));
  }
}

/**
 * Reads an id that a client sent.
 *
 * @throws FirnError `Invalid`, code `ID_INVALID`: not a UUID, or inside the reserved block.
 */
export function parseId<Id extends AnyId>(text: string): Id {
  const lower = text.toLowerCase();
  if (!UUID.test(lower)) throw invalid("ID_INVALID", "not a UUID", { id: text.slice(0, 64) });
  if (lower.startsWith(RESERVED)) throw invalid("ID_INVALID", "reserved id", { id: lower });
  return lower as Id;
}

/** When an id of ours was minted, by the clock of its node. */
export function mintedAtMs(id: AnyId): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

const DASH = 0x2d;
const DIGITS = Buffer.from("0123456789abcdef", "latin1");
/** The text of an id in the making: nothing waits between its writing and its reading. */
const text = Buffer.alloc(36);

/** The 16 bytes of a UUID: half of its text, for summaries that count every byte. */
export function idToBytes(id: AnyId): Uint8Array {
  assert(id.length === ID_CHARACTERS, "an id is the text of a UUID");
  const bytes = Buffer.allocUnsafe(ID_BYTES);
  let at = 0;
  for (let i = 0; i < id.length; i += 2) {
    if (id.charCodeAt(i) === DASH) i++;
    bytes[at++] = (hexDigit(id.charCodeAt(i)) << 4) | hexDigit(id.charCodeAt(i + 1));
  }
  assert(at === ID_BYTES, "an id has 16 bytes");
  return bytes;
}

/** Value of a hex digit, in lower case as all our ids are: `parseId` has seen to it. */
function hexDigit(code: number): number {
  return code <= 0x39 ? code - 0x30 : code - 0x61 + 10;
}

/** The text of 16 bytes. */
export function idFromBytes<Id extends AnyId>(bytes: Uint8Array): Id {
  let at = 0;
  for (let i = 0; i < ID_BYTES; i++) {
    const byte = bytes[i] ?? 0;
    if (i === 4 || i === 6 || i === 8 || i === 10) text[at++] = DASH;
    text[at++] = DIGITS[byte >> 4] ?? 0;
    text[at++] = DIGITS[byte & 15] ?? 0;
  }
  return text.toString("latin1") as Id;
}
