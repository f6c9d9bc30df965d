import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Request, Response } from "../server.ts";
import { md5, type StoredObject } from "./model.ts";
import { failure } from "./xml.ts";

/** The refusal of a conditional write, or undefined where its condition holds. */
export function refusedWrite(
  { headers }: Request,
  found: StoredObject | undefined,
): Response | undefined {
  const noneMatch = headers["if-none-match"];
  const match = headers["if-match"];
  if (noneMatch !== undefined) {
    if (noneMatch !== "*") return failure(501, "NotImplemented", { Header: "If-None-Match" });
    if (found !== undefined) return failed("If-None-Match");
  }
  if (match === undefined) return undefined;
  if (found === undefined) return failure(404, "NoSuchKey");
  return unquoted(match) === found.etag ? undefined : failed("If-Match");
}

function failed(condition: string): Response {
  return failure(412, "PreconditionFailed", { Condition: condition });
}

/** The answer to a read whose condition does not hold. */
export function refusedRead({ headers }: Request, found: StoredObject): Response | undefined {
  const match = headers["if-match"];
  if (match !== undefined && match !== "*" && unquoted(match) !== found.etag) {
    return failed("If-Match");
  }
  const noneMatch = headers["if-none-match"];
  if (noneMatch !== undefined && (noneMatch === "*" || unquoted(noneMatch) === found.etag)) {
    return { status: 304, headers: { etag: `"${found.etag}"` }, body: new Uint8Array(0) };
  }
  return undefined;
}

function unquoted(etag: string): string {
  return etag.replace(/^"(.*)"$/, "$1");
}

/** Offsets of the bytes asked for, `"unsatisfiable"`, or undefined for all of them. */
export function rangeOf(
  header: string | undefined,
  size: number,
): { readonly from: number; readonly to: number } | "unsatisfiable" | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { from: size - length, to: size };
  }
  if (last !== "" && Number(last) < Number(first)) return undefined;
  const to = Math.min(size, last === "" ? size : Number(last) + 1);
  return Number(first) >= size ? "unsatisfiable" : { from: Number(first), to };
}

const CHECKSUMS: Readonly<Record<string, (body: Uint8Array) => Buffer>> = {
  "content-md5": md5,
  "x-amz-checksum-sha256": (body) => createHash("sha256").update(body).digest(),
  "x-amz-checksum-sha1": (body) => createHash("sha1").update(body).digest(),
  "x-amz-checksum-crc32": (body) => {
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return sum;
  },
};

/** The refusal of a body that is not what its own headers say it is. */
export function refusedBody({ headers, body }: Request): Response | undefined {
  for (const [name, sum] of Object.entries(CHECKSUMS)) {
    const claimed = headers[name];
    if (claimed !== undefined && claimed !== sum(body).toString("base64")) {
      return failure(400, "BadDigest", { Header: name });
    }
  }
  const signed = headers["x-amz-content-sha256"];
  if (signed !== undefined && /^[0-9a-f]{64}$/.test(signed)) {
    const found = createHash("sha256").update(body).digest("hex");
    if (found !== signed) return failure(400, "XAmzContentSHA256Mismatch");
  }
  // Stored as it came it would be damaged in silence.
  if (headers["content-encoding"]?.includes("aws-chunked") === true) {
    return failure(501, "NotImplemented", { Header: "Content-Encoding" });
  }
  return undefined;
}

/** Whether the body came with any digest of its own, which a delete of many must. */
export function hasDigest({ headers }: Request): boolean {
  return Object.keys(CHECKSUMS).some((name) => headers[name] !== undefined);
}

/** The checksums that are kept with an object. */
export function checksumsOf({ headers }: Request): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => name.startsWith("x-amz-checksum-") && name in CHECKSUMS,
  );
  return Object.fromEntries(kept);
}
