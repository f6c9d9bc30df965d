import type { Request, Response } from "../server.ts";
import { refusedWrite } from "./conditions.ts";
import { keptHeaders, type S3Context } from "./context.ts";
import { type Bucket, etagOf, etagOfParts, type Part, type Upload } from "./model.ts";
import { empty, failure, insidesOf, textsOf, xml } from "./xml.ts";

const MAX_PART_NUMBER = 10_000;

/** One request about a multipart upload, or undefined for one that is about something else. */
export function multipart(
  service: S3Context,
  bucket: Bucket,
  key: string,
  request: Request,
): Response | undefined {
  const { method, query } = request;
  if (method === "POST" && query["uploads"] !== undefined)
    return create(service, bucket, key, request);
  const id = query["uploadId"];
  if (id === undefined) return undefined;
  const upload = bucket.uploads.get(id);
  if (upload === undefined || upload.key !== key) return failure(404, "NoSuchUpload");
  if (method === "PUT") return uploadPart(upload, Number(query["partNumber"]), request);
  if (method === "POST") return complete(service, bucket, id, upload, request);
  if (method !== "DELETE") return failure(405, "MethodNotAllowed");
  bucket.uploads.delete(id);
  return empty(204);
}

function create(service: S3Context, bucket: Bucket, key: string, request: Request): Response {
  const id = service.model.newUploadId();
  bucket.uploads.set(id, { key, headers: keptHeaders(request), parts: new Map() });
  return xml("InitiateMultipartUploadResult", [
    ["Key", key],
    ["UploadId", id],
  ]);
}

function uploadPart(upload: Upload, number: number, { body }: Request): Response {
  if (!Number.isInteger(number) || number < 1 || number > MAX_PART_NUMBER) {
    return failure(400, "InvalidArgument");
  }
  const etag = etagOf(body);
  upload.parts.set(number, { body, etag });
  return empty(200, { etag: `"${etag}"` });
}

function complete(
  service: S3Context,
  bucket: Bucket,
  id: string,
  upload: Upload,
  request: Request,
): Response {
  const named = insidesOf(Buffer.from(request.body).toString(), "Part").map((part) => ({
    number: Number(textsOf(part, "PartNumber")[0]),
    etag: (textsOf(part, "ETag")[0] ?? "").replaceAll('"', ""),
  }));
  const parts: Part[] = [];
  for (const [i, { number, etag }] of named.entries()) {
    if (i > 0 && number <= (named[i - 1]?.number ?? 0)) return failure(400, "InvalidPartOrder");
    const part = upload.parts.get(number);
    if (part?.etag !== etag) return failure(400, "InvalidPart");
    parts.push(part);
  }
  if (parts.length === 0) return failure(400, "MalformedXML");
  if (parts.slice(0, -1).some(({ body }) => body.length < service.minPartBytes)) {
    return failure(400, "EntityTooSmall");
  }
  const refused = refusedWrite(request, bucket.get(upload.key));
  if (refused !== undefined) return refused;
  bucket.uploads.delete(id);
  const etag = etagOfParts(parts);
  bucket.set(upload.key, {
    body: Buffer.concat(parts.map(({ body }) => body)),
    etag,
    modifiedMs: service.now(),
    headers: upload.headers,
    checksums: {},
  });
  return xml("CompleteMultipartUploadResult", [
    ["Key", upload.key],
    ["ETag", `"${etag}"`],
  ]);
}
