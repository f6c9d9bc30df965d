import {
  type _Object,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
} from "@aws-sdk/client-s3";
import { compareUtf8, utf8, utf8Length, utf8Text } from "../../base/bytes.ts";
import { FirnError } from "../../base/error.ts";
import { isPossiblePath, MAX_PATH_BYTES } from "../checks.ts";
import type { BlobEntry } from "../port.ts";
import { errorOf } from "./failure.ts";
import { etagText } from "./object.ts";
import type { S3Wire } from "./wire.ts";

/**
 * Up to `limit` entries behind `after`, in the order of UTF-8 bytes, which is S3's own. One
 * request, or more where a page comes back short: S3 may always stop early, and objects of others
 * whose keys are not paths (folders that a console made) are left out.
 *
 * @throws FirnError `Unavailable`, code `BLOB_STORE_REFUSED`, of a store that lists in circles;
 *   others as `errorOf`.
 */
export async function listPaths(
  wire: S3Wire,
  prefix: string,
  after: string | undefined,
  limit: number,
): Promise<readonly BlobEntry[]> {
  const home = wire.settings.prefix;
  // No key is that long, so none begins so.
  if (utf8Length(home + prefix) > MAX_PATH_BYTES) return [];
  const entries: BlobEntry[] = [];
  let from: Position = { startAfter: after === undefined ? "" : cut(home + after) };
  for (;;) {
    const page = await onePage(wire, home + prefix, from, limit - entries.length);
    for (const object of page.objects) {
      const entry = entryOf(object, home);
      // Only where `after` was cut does S3 list what does not come after it.
      if (after !== undefined && compareUtf8(entry.path, after) <= 0) continue;
      if (isPossiblePath(entry.path)) entries.push(entry);
    }
    if (!page.truncated || entries.length >= limit) return entries;
    from = behind(page, from, prefix);
  }
}

/** Where a page begins: behind a key, or at the token of a page that held none. */
type Position = { readonly startAfter: string } | { readonly token: string };

interface Page {
  readonly objects: readonly _Object[];
  readonly last: string | undefined;
  readonly token: string | undefined;
  readonly truncated: boolean;
}

/**
 * Where the next page begins. S3 answers empty pages too, where it has walked past many versions
 * that were deleted.
 *
 * @throws FirnError `Unavailable`, code `BLOB_STORE_REFUSED`, of a store that does not get on.
 */
function behind({ last, token }: Page, from: Position, prefix: string): Position {
  if (last !== undefined) {
    if (!("startAfter" in from) || compareUtf8(last, from.startAfter) > 0) {
      return { startAfter: last };
    }
  } else if (token !== undefined && !("token" in from && from.token === token)) return { token };
  const context = { operation: "ListObjectsV2", path: prefix.slice(0, 200) };
  const message = "the store repeats pages of a list: use a compatible store";
  throw new FirnError("Unavailable", "BLOB_STORE_REFUSED", message, context);
}

/** A page from a key on rather than from a token: any process can ask for it again. */
async function onePage(wire: S3Wire, prefix: string, from: Position, limit: number): Promise<Page> {
  const command = new ListObjectsV2Command({
    Bucket: wire.settings.bucket,
    Prefix: prefix,
    MaxKeys: limit,
    // XML cannot hold every character that a key can.
    EncodingType: "url",
    ...("token" in from && { ContinuationToken: from.token }),
    ...("startAfter" in from && from.startAfter !== "" && { StartAfter: from.startAfter }),
  });
  const listed = await wire.again("ListObjectsV2", async (abortSignal) => {
    return pageOf(await wire.client.send(command, { abortSignal }));
  });
  if (listed.ok) return listed.value;
  throw errorOf(listed.failure, "ListObjectsV2", prefix);
}

/**
 * @throws URIError for keys that are not encoded, though the store says so; Error by the name of
 *   `UnfitAnswer` for what is not a list, such as a proxy's page: it must not pass for empty.
 */
function pageOf(output: ListObjectsV2CommandOutput): Page {
  const { Name, Contents = [], IsTruncated, EncodingType, NextContinuationToken } = output;
  if (Name === undefined && IsTruncated === undefined) {
    throw Object.assign(new Error("an answer that is not a list"), { name: "UnfitAnswer" });
  }
  const objects = Contents.map((object) => {
    return EncodingType === "url" ? { ...object, Key: decoded(object.Key ?? "") } : object;
  });
  const last = objects.at(-1)?.Key;
  return { objects, last, token: NextContinuationToken, truncated: IsTruncated ?? false };
}

function entryOf({ Key = "", Size = 0, ETag, LastModified }: _Object, home: string): BlobEntry {
  // Other requests tell whole seconds.
  const modifiedAtMs = Math.floor((LastModified?.getTime() ?? 0) / 1_000) * 1_000;
  return { path: Key.slice(home.length), size: Size, etag: etagText(ETag), modifiedAtMs };
}

/** Of a text that was encoded as forms are: a plus is a space. */
function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll("+", "%20"));
}

/** As much of a text as a key could hold: nothing longer comes between the two. */
function cut(text: string): string {
  if (utf8Length(text) <= MAX_PATH_BYTES) return text;
  const bytes = utf8(text);
  let end = MAX_PATH_BYTES;
  // Not amid a character, whose other bytes begin with the bits 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return utf8Text(bytes.subarray(0, end));
}
