import { hash } from "node:crypto";
import { assertBlobPath, assertDeletable, assertRange, checkList } from "../checks.ts";
import { piecesOf } from "../pieces.ts";
import type {
  Blob,
  BlobEntry,
  BlobInfo,
  BlobStore,
  ListOptions,
  PutCondition,
  PutResult,
} from "../port.ts";
import { connectS3 } from "./client.ts";
import { deleteAll, deleteOne } from "./delete.ts";
import { listPaths } from "./list.ts";
import { putParts } from "./multipart.ts";
import { keyOf } from "./object.ts";
import { type S3Options, settingsOf } from "./options.ts";
import { settlePut } from "./put-verdict.ts";
import { readInfo, readPart, readWhole, type Target } from "./read.ts";
import { type S3Components, S3Wire } from "./wire.ts";

const ID_BYTES = 16;

/**
 * A bucket, or what stands below one prefix of it, on S3 or a store that is compatible with it (and
 * holds conditional writes: `probe.ts` finds out). Each call ends by itself, within
 * `timeouts.callMs` and the request that is then under way; failures that pass are got over inside.
 * An etag is the store's own, a hash of the content on most of them.
 *
 * In addition to the kinds of the port: `Overloaded` where the store throttles
 * (`BLOB_STORE_OVERLOADED`).
 */
export class S3BlobStore implements BlobStore {
  readonly #wire: S3Wire;

  /** @throws FirnError `Invalid`, code `S3_OPTIONS_INVALID`. */
  constructor(options: S3Options, components: S3Components) {
    const connection = connectS3(options, components.clock);
    this.#wire = new S3Wire(connection, settingsOf(options), components);
  }

  /** Closes the connections. Requests under way fail. */
  close(): void {
    this.#wire.close();
  }

  /** One GET. */
  async get(path: string): Promise<Blob | undefined> {
    return readWhole(this.#wire, this.#target(path));
  }

  /** One GET; one HEAD for an empty range, and after a GET behind the end. */
  async getRange(path: string, offset: number, length: number): Promise<Blob | undefined> {
    assertRange(offset, length);
    return readPart(this.#wire, this.#target(path), { offset, length });
  }

  /** One GET; one HEAD for an empty suffix, and after the GET of an empty blob. */
  async getSuffix(path: string, length: number): Promise<Blob | undefined> {
    assertRange(length);
    return readPart(this.#wire, this.#target(path), { suffix: length });
  }

  /** One HEAD. */
  async head(path: string): Promise<BlobInfo | undefined> {
    return readInfo(this.#wire, this.#target(path));
  }

  /**
   * One PUT, and one HEAD where its condition fails. Content above `partBytes`: as `putParts`.
   *
   * What became of it is certain, or said not to be (`Unknown`), as long as the state that its
   * condition names does not come back meanwhile: see `put-verdict.ts`.
   */
  async put(path: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult> {
    const { key } = this.#target(path);
    const wire = this.#wire;
    const digest = Buffer.from(hash("sha256", bytes, "buffer"));
    const id = this.#mint();
    if (bytes.length > wire.settings.partBytes) {
      const parts = piecesOf(only(bytes), wire.settings.partBytes);
      const sha256 = digest.toString("hex");
      return putParts(wire, { path, key, id, condition, sha256 }, parts);
    }
    return settlePut(wire, {
      path,
      key,
      id,
      condition,
      bytes: bytes.length,
      operation: "PutObject",
      send: (signal) => wire.transport.put({ key, bytes, digest, id, condition }, signal),
    });
  }

  /** One PUT of content up to `partBytes`, else as `putParts`; holds some parts in memory. */
  async putStream(path: string, source: AsyncIterable<Uint8Array>): Promise<PutResult> {
    const { key } = this.#target(path);
    const { partBytes } = this.#wire.settings;
    const parts = piecesOf(source, partBytes);
    try {
      const first = await parts.next();
      if (first.done === true) return await this.put(path, new Uint8Array(0));
      const second = await parts.next();
      if (second.done === true) return await this.put(path, first.value);
      const upload = { path, key, id: this.#mint(), condition: undefined, sha256: undefined };
      return await putParts(this.#wire, upload, resumed([first.value, second.value], parts));
    } finally {
      // An upload that could not begin has asked for nothing, and ended nothing.
      await parts.return(undefined);
    }
  }

  /** One DELETE. */
  async delete(path: string): Promise<void> {
    await deleteOne(this.#wire, this.#target(path));
  }

  /** One request. */
  async deleteMany(paths: readonly string[]): Promise<void> {
    assertDeletable(paths);
    await deleteAll(
      this.#wire,
      paths.map((path) => this.#target(path)),
    );
  }

  /** One request; more where the store's pages are short. */
  async list(prefix: string, options?: ListOptions): Promise<readonly BlobEntry[]> {
    const limit = checkList(prefix, options);
    return listPaths(this.#wire, prefix, options?.after, limit);
  }

  #target(path: string): Target {
    assertBlobPath(path);
    return { path, key: keyOf(path, this.#wire.settings) };
  }

  #mint(): string {
    return Buffer.from(this.#wire.prng.bytes(ID_BYTES)).toString("hex");
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* resumed(
  begun: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* begun;
  yield* rest;
}
