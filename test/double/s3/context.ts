import type { Request } from "../server.ts";
import type { S3Model } from "./model.ts";

/** What the parts of the service share. */
export interface S3Context {
  readonly model: S3Model;
  readonly region: string;
  readonly now: () => number;
  /** The code that an operation on a key is refused with (403), if it is. */
  readonly refuses: (operation: string, key: string) => string | undefined;
  readonly minPartBytes: number;
  /** Most keys of one page, however many were asked for. */
  readonly maxListed: number;
}

/** Headers that come back with every read of an object. */
export function keptHeaders({ headers }: Request): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => name.startsWith("x-amz-meta-") || name.startsWith("x-amz-server-side-encryption"),
  );
  return {
    "content-type": headers["content-type"] ?? "binary/octet-stream",
    ...Object.fromEntries(kept),
  };
}
