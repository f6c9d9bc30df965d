import { assert } from "../base/assert.ts";
import { bytesEqual } from "../base/bytes.ts";
import { FirnError } from "../base/error.ts";
import { sha256Bytes, sha256Hex } from "../base/hash.ts";
import type { AccountId, PrincipalId } from "../base/ids.ts";
import { LruMap } from "../base/lru.ts";
import type { BlobStore } from "../blob/port.ts";
import { decodePayload, encodePayload } from "./codec/entities.ts";
import type { Decoded } from "./codec/entity-fields.ts";
import { MIN_WRITER_VERSION, SCHEMA_VERSION } from "./codec/envelope.ts";
import type { Entity, Envelope } from "./model.ts";
import { payloadPath, shaOfPath } from "./paths.ts";

/** Entities whose payload is kept decoded. */
const CACHED_PAYLOADS = 20_000;

/** A payload is immutable under its path, so never stale. */
interface Kept {
  readonly path: string;
  readonly decoded: Decoded;
}

/** A payload ready to be put. `contentHash` leaves the envelope out, so it tells "no change". */
export interface EncodedPayload {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly contentHash: Uint8Array;
  readonly decoded: Decoded;
}

/** Who writes, when, and under which revision. */
export interface Authorship
  extends Pick<Envelope, "revision" | "updatedAtMs" | "updatedBy" | "requestId"> {
  /** Whose is what is created. */
  readonly owner?: PrincipalId;
}

/** The owner of a new entity. */
export function ownedBy({ owner }: Authorship): { readonly owner?: PrincipalId } {
  return owner === undefined ? {} : { owner };
}

/** The immutable payloads of one account over a BlobStore. */
export class Payloads {
  readonly #store: BlobStore;
  readonly #account: AccountId;
  /** By the id of the entity: what a commit puts takes the place of what it follows. */
  readonly #kept: LruMap<string, Kept> = new LruMap(CACHED_PAYLOADS);

  constructor(store: BlobStore, account: AccountId) {
    this.#store = store;
    this.#account = account;
  }

  /** The payloads of another account in the same store, without what is kept of them. */
  of(account: AccountId): Payloads {
    return account === this.#account ? this : new Payloads(this.#store, account);
  }

  encode(entity: Entity, authorship: Authorship): EncodedPayload {
    const { owner: _owner, ...written } = authorship;
    const envelope: Envelope = {
      schemaVersion: SCHEMA_VERSION,
      minWriterVersion: MIN_WRITER_VERSION,
      entityType: entity.type,
      accountId: this.#account,
      entityId: entity.id,
      ...written,
    };
    const { bytes, content } = encodePayload(envelope, entity);
    const path = payloadPath(entity.type, this.#account, entity.id, sha256Hex(bytes));
    const contentHash = sha256Bytes(content);
    return { path, bytes, contentHash, decoded: { envelope, entity } };
  }

  /** One request, unless an earlier try has left something. */
  async put(payload: EncodedPayload): Promise<void> {
    await this.putBytes(payload.path, payload.bytes);
    this.#keep(payload.path, payload.decoded);
  }

  /**
   * As `put`, for bytes that nothing decodes on the way. What is there already was put by an
   * earlier try; it is looked at, since a try that broke off may have left a part.
   */
  async putBytes(path: string, bytes: Uint8Array): Promise<void> {
    const { outcome } = await this.#store.put(path, bytes, "absent");
    if (outcome === "stored") return;
    const found = await this.#store.get(path);
    if (found !== undefined && bytesEqual(found.bytes, bytes)) return;
    const condition = found === undefined ? "absent" : { etag: found.etag };
    const again = await this.#store.put(path, bytes, condition);
    if (again.outcome === "failed") {
      throw new FirnError(
        "Unavailable",
        "BLOB_UNSETTLED",
        "other writers keep changing the blob: try again",
        {
          path,
        },
      );
    }
  }

  /** The bytes under a path, checked against its hash. One request. @throws as `get`. */
  async getBytes(path: string): Promise<Uint8Array | undefined> {
    const blob = await this.#store.get(path);
    if (blob === undefined) return undefined;
    if (sha256Hex(blob.bytes) !== shaOfPath(path)) {
      throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "payload hash mismatch", { path });
    }
    return blob.bytes;
  }

  /**
   * A part of the bytes under a path, whose hash the caller checks. One request.
   *
   * @returns undefined where the blob is missing, or ends before.
   */
  async getPart(path: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    const found = await this.#store.getRange(path, offset, length);
    return found?.bytes.length === length ? found.bytes : undefined;
  }

  /** Deletes what no pointer can lead to any more. One request. */
  async remove(path: string): Promise<void> {
    await this.#store.delete(path);
  }

  /**
   * Reads a payload: no request when it was read before, else one.
   *
   * @returns undefined where the blob is missing: the caller reads its pointer again.
   * @throws FirnError `Corrupt`: the bytes do not match the hash in the path, or the ids in
   * the payload do not match the key.
   */
  async get(type: Entity["type"], id: string, path: string): Promise<Decoded | undefined> {
    const kept = this.#kept.get(id);
    if (kept?.path === path) return kept.decoded;
    const decoded = await this.#read(type, path);
    if (decoded === undefined) return undefined;
    const { accountId, entityId } = decoded.envelope;
    if (accountId !== this.#account || entityId !== id) {
      throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "payload of another id", { path });
    }
    this.#keep(path, decoded);
    return decoded;
  }

  #keep(path: string, decoded: Decoded): void {
    assert(decoded.envelope.accountId === this.#account, "what is kept is of this account");
    this.#kept.set(decoded.envelope.entityId, { path, decoded });
  }

  async #read(type: Entity["type"], path: string): Promise<Decoded | undefined> {
    const bytes = await this.getBytes(path);
    return bytes && decodePayload(type, bytes);
  }
}

/**
 * Refuses to update what a newer node wrote in a way that this one would break.
 *
 * @throws FirnError `Unavailable`, code `WRITER_TOO_OLD`.
 */
export function assertMayUpdate(envelope: Envelope): void {
  if (envelope.minWriterVersion > SCHEMA_VERSION) {
    throw new FirnError(
      "Unavailable",
      "WRITER_TOO_OLD",
      "a newer version of Firn wrote this entity: upgrade this node",
      {
        needs: envelope.minWriterVersion,
        has: SCHEMA_VERSION,
      },
    );
  }
}
