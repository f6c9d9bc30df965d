import { partsOfS3Location } from "../../blob/s3/location.ts";

/*
 * What a vended credential may do, as an IAM session policy: AWS allows what both it and the role
 * allow. The policy is built as JSON, and every character of a key that a policy gives a meaning
 * is written as a policy variable, so no name of a table reaches beyond it.
 */

export type VendMode = "read" | "write";

/** What is vended for. */
export interface PolicyScope {
  /** Canonical, of a table: `s3://bucket/key`. */
  readonly location: string;
  readonly mode: VendMode;
  /** `aws`, `aws-cn`, `aws-us-gov`. */
  readonly partition: string;
  /** ARNs of keys that objects are encrypted with. */
  readonly kmsKeys?: readonly string[];
}

/** AWS takes no longer one. */
const POLICY_CHARS = 2_048;

const WRITES = [
  "s3:PutObject",
  "s3:DeleteObject",
  "s3:AbortMultipartUpload",
  "s3:ListMultipartUploadParts",
] as const;

/** A text as a policy means it: literally. */
function literal(text: string): string {
  return text.replace(/[*?$]/g, (character) => `\${${character}}`);
}

/** The policy as JSON; undefined where it would be too long, or the location is a whole bucket. */
export function sessionPolicy({
  location,
  mode,
  partition,
  kmsKeys = [],
}: PolicyScope): string | undefined {
  const { bucket, key } = partsOfS3Location(location);
  if (key === "") return undefined;
  const root = `arn:${partition}:s3:::${bucket}`;
  const folder = literal(key);
  const objects = `${root}/${folder}/*`;
  const allowed = {
    Effect: "Allow",
    Action: mode === "write" ? ["s3:GetObject", ...WRITES] : ["s3:GetObject"],
    Resource: objects,
  };
  const listed = {
    Effect: "Allow",
    Action: "s3:ListBucket",
    Resource: root,
    Condition: { StringLike: { "s3:prefix": `${folder}/*` } },
  };
  // The catalog alone writes metadata files: one that a client replaced would lead readers astray.
  const denied = {
    Effect: "Deny",
    Action: ["s3:PutObject", "s3:DeleteObject"],
    Resource: `${root}/${folder}/metadata/*.metadata.json`,
  };
  const decrypts = {
    Effect: "Allow",
    Action: mode === "write" ? ["kms:Decrypt", "kms:GenerateDataKey"] : ["kms:Decrypt"],
    Resource: kmsKeys.length === 1 ? kmsKeys[0] : kmsKeys,
  };
  const Statement = [
    allowed,
    listed,
    ...(mode === "write" ? [denied] : []),
    ...(kmsKeys.length === 0 ? [] : [decrypts]),
  ];
  const policy = JSON.stringify({ Version: "2012-10-17", Statement });
  return policy.length > POLICY_CHARS ? undefined : policy;
}
