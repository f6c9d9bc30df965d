import { hash } from "node:crypto";
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { invalid } from "../../base/error.ts";
import type { PutCondition, PutResult } from "../port.ts";
import { errorOf } from "./failure.ts";
import { conditionHeaders, encryptionHeaders, etagText, metadataOf } from "./object.ts";
import { settlePut } from "./put-verdict.ts";
import type { Attempted, S3Wire } from "./wire.ts";

/** Parts under way at once: they are what an upload holds in memory. */
const PARALLEL = 4;
/** S3's own bound. */
const MAX_PARTS = 10_000;

/** Content that is uploaded in parts, and becomes visible by one conditional request at its end. */
export interface Upload {
  readonly path: string;
  readonly key: string;
  /** Id of the call, see `object.ts`. */
  readonly id: string;
  readonly condition: PutCondition | undefined;
  /** Of the whole content, where it is known beforehand. */
  readonly sha256: string | undefined;
}

/**
 * Uploads parts and makes them one object. Each part but the last must be as long as S3 asks for.
 * What was uploaded is given up where the source or the store fails.
 *
 * Costs one request a part and two more, and one where it is given up.
 *
 * @throws what the source throws; `Unknown`, and other kinds as `errorOf`.
 */
export async function putParts(
  wire: S3Wire,
  upload: Upload,
  parts: AsyncIterable<Uint8Array>,
): Promise<PutResult> {
  const uploadId = await begin(wire, upload);
  let result: PutResult | undefined;
  try {
    const completed = await sendParts(wire, upload, uploadId, parts);
    result = await complete(wire, upload, uploadId, completed);
    return result;
  } finally {
    // Parts of an incomplete upload are billed until they are removed.
    if (result?.outcome !== "stored") await giveUp(wire, upload, uploadId);
  }
}

async function begin(wire: S3Wire, upload: Upload): Promise<string> {
  const { bucket } = wire.settings;
  const command = new CreateMultipartUploadCommand({
    Bucket: bucket,
    Key: upload.key,
    Metadata: metadataOf(upload.id, upload.condition, upload.sha256),
    ...encryptionHeaders(wire.settings),
  });
  const begun = await wire.again("CreateMultipartUpload", (abortSignal) =>
    wire.client.send(command, { abortSignal }),
  );
  return orThrow(begun, "CreateMultipartUpload", upload).UploadId ?? "";
}

async function sendParts(
  wire: S3Wire,
  upload: Upload,
  uploadId: string,
  parts: AsyncIterable<Uint8Array>,
): Promise<CompletedPart[]> {
  const completed: CompletedPart[] = [];
  const underWay = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  let number = 0;
  try {
    for await (const bytes of parts) {
      if (failure !== undefined) break;
      const PartNumber = ++number;
      if (number > MAX_PARTS) {
        const facts = { path: upload.path.slice(0, 200), parts: number, limit: MAX_PARTS };
        throw invalid("BLOB_TOO_LARGE", "blob too large", facts);
      }
      const sending = sendPart(wire, upload, { uploadId, PartNumber, bytes })
        .then((ETag) => {
          completed[PartNumber - 1] = { PartNumber, ETag };
        })
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => underWay.delete(sending));
      underWay.add(sending);
      if (underWay.size >= PARALLEL) await Promise.race(underWay);
    }
  } finally {
    // Also where the source failed: a part must not arrive after the upload was given up.
    await Promise.all(underWay);
  }
  if (failure !== undefined) throw failure.error;
  return completed;
}

async function sendPart(
  wire: S3Wire,
  upload: Upload,
  part: { readonly uploadId: string; readonly PartNumber: number; readonly bytes: Uint8Array },
): Promise<string> {
  const { uploadId, PartNumber, bytes } = part;
  const command = new UploadPartCommand({
    Bucket: wire.settings.bucket,
    Key: upload.key,
    UploadId: uploadId,
    PartNumber,
    Body: bytes,
    ContentMD5: hash("md5", bytes, "base64"),
  });
  const sent = await wire.again(
    "UploadPart",
    (abortSignal) => wire.client.send(command, { abortSignal }),
    { bytes: bytes.length },
  );
  return orThrow(sent, "UploadPart", upload).ETag ?? "";
}

function complete(
  wire: S3Wire,
  upload: Upload,
  uploadId: string,
  parts: CompletedPart[],
): Promise<PutResult> {
  const { path, key, id, condition } = upload;
  const command = new CompleteMultipartUploadCommand({
    Bucket: wire.settings.bucket,
    Key: key,
    UploadId: uploadId,
    MultipartUpload: { Parts: parts },
    ...conditionHeaders(condition, wire.settings),
  });
  return settlePut(wire, {
    path,
    key,
    id,
    condition,
    bytes: 0,
    operation: "CompleteMultipartUpload",
    send: async (abortSignal) => etagText((await wire.client.send(command, { abortSignal })).ETag),
    fence: () => giveUp(wire, upload, uploadId),
  });
}

/** Ends an upload for good, unless it was completed before. @returns whether it is known to be. */
async function giveUp(wire: S3Wire, upload: Upload, uploadId: string): Promise<boolean> {
  const command = new AbortMultipartUploadCommand({
    Bucket: wire.settings.bucket,
    Key: upload.key,
    UploadId: uploadId,
  });
  const ended = await wire.again("AbortMultipartUpload", (abortSignal) =>
    wire.client.send(command, { abortSignal }),
  );
  return ended.ok || ended.failure.reason === "upload";
}

function orThrow<T>(attempted: Attempted<T>, operation: string, { path }: Upload): T {
  if (attempted.ok) return attempted.value;
  throw errorOf(attempted.failure, operation, path);
}
