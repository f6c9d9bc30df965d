import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import type { PutCondition } from "../port.ts";
import {
  conditionHeaders,
  encryptionHeaders,
  etagText,
  metadataOf,
  type Origin,
  originOf,
} from "./object.ts";
import type { S3Settings } from "./options.ts";

/** What stands beside the content of an object. */
export interface S3Head {
  readonly etag: string;
  readonly origin: Origin;
}

export interface S3Info extends S3Head {
  readonly size: number;
  readonly modifiedAtMs: number;
}

export interface S3Content extends S3Head {
  readonly size: number;
  /** Absent where it is more than was wanted. */
  readonly bytes: Uint8Array | undefined;
  /** Which part it is, as in the header `Content-Range`, rather than all. */
  readonly range: string | undefined;
}

export interface S3Get {
  readonly key: string;
  /** As in the header `Range`. */
  readonly range: string | undefined;
  readonly maxBytes: number;
  /** Grants the time that so many bytes may take, once it is known how many come. */
  readonly allow: (bytes: number) => void;
}

export interface S3Put {
  readonly key: string;
  readonly bytes: Uint8Array;
  /** SHA-256. */
  readonly digest: Buffer;
  readonly id: string;
  readonly condition: PutCondition | undefined;
}

/** The requests for whole objects. Each sends one, once. @throws what `failure.ts` reads */
export interface S3Transport {
  head(key: string, signal: AbortSignal): Promise<S3Info>;
  get(get: S3Get, signal: AbortSignal): Promise<S3Content>;
  /** @returns the etag of what was written. */
  put(put: S3Put, signal: AbortSignal): Promise<string>;
  delete(key: string, signal: AbortSignal): Promise<void>;
}

/** All of it left to the SDK. */
export class S3SdkTransport implements S3Transport {
  readonly #client: S3Client;
  readonly #settings: S3Settings;

  constructor(client: S3Client, settings: S3Settings) {
    this.#client = client;
    this.#settings = settings;
  }

  async head(key: string, abortSignal: AbortSignal): Promise<S3Info> {
    const command = new HeadObjectCommand({ Bucket: this.#settings.bucket, Key: key });
    const output = await this.#client.send(command, { abortSignal });
    const { ContentLength = 0, LastModified, ETag, Metadata } = output;
    return {
      size: ContentLength,
      modifiedAtMs: LastModified?.getTime() ?? 0,
      etag: etagText(ETag),
      origin: originOf(Metadata),
    };
  }

  async get({ key, range, maxBytes, allow }: S3Get, abortSignal: AbortSignal): Promise<S3Content> {
    const command = new GetObjectCommand({
      Bucket: this.#settings.bucket,
      Key: key,
      ...(range !== undefined && { Range: range }),
    });
    const output = await this.#client.send(command, { abortSignal });
    const { ContentLength: size = 0, ContentRange, ETag, Metadata } = output;
    const head = { size, etag: etagText(ETag), origin: originOf(Metadata) };
    if (size > maxBytes) {
      discard(output);
      return { ...head, range: ContentRange, bytes: undefined };
    }
    allow(size);
    const bytes = (await output.Body?.transformToByteArray()) ?? new Uint8Array(0);
    return { ...head, range: ContentRange, bytes };
  }

  async put(put: S3Put, abortSignal: AbortSignal): Promise<string> {
    const { key, bytes, digest, id, condition } = put;
    const command = new PutObjectCommand({
      Bucket: this.#settings.bucket,
      Key: key,
      Body: bytes,
      ChecksumSHA256: digest.toString("base64"),
      Metadata: metadataOf(id, condition, digest.toString("hex")),
      ...conditionHeaders(condition, this.#settings),
      ...encryptionHeaders(this.#settings),
    });
    return etagText((await this.#client.send(command, { abortSignal })).ETag);
  }

  async delete(key: string, abortSignal: AbortSignal): Promise<void> {
    const command = new DeleteObjectCommand({ Bucket: this.#settings.bucket, Key: key });
    await this.#client.send(command, { abortSignal });
  }
}

/** Lets go of a body that is not read, and of its connection. */
function discard({ Body }: GetObjectCommandOutput): void {
  if (Body !== undefined && "destroy" in Body) Body.destroy();
}
