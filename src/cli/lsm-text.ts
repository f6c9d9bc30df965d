import { textOfKey } from "../base/printable.ts";
import type { NamedState } from "../lsm/index.ts";
import type { Settings } from "../runtime/settings.ts";
import { SYSTEM_SHARD } from "../runtime/shard-parts.ts";

/** All of a name, as keys are written. */
export function nameText(name: string): string {
  return `"${textOfKey(Buffer.from(name).toString("latin1"))}"`;
}

/** A wall time, ms. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** A state that is kept, on one line. */
export function stateText({ name, sequence, createdAtMs, expiresAtMs }: NamedState): string {
  const end = expiresAtMs === undefined ? "never expires" : `expires ${timeText(expiresAtMs)}`;
  return `${nameText(name)}: sequence ${sequence}, created ${timeText(createdAtMs)}, ${end}`;
}

/** The words of a line that name a shard, as a shell takes them. */
export function placeText(
  { profile, dir, s3Bucket = "", s3Prefix, given }: Settings,
  shard: string,
): string {
  const prefix = given.includes("s3Prefix") ? ["--s3-prefix", s3Prefix] : [];
  const words =
    profile === "bucket" ? ["--profile", profile, "--s3-bucket", s3Bucket, ...prefix] : [dir];
  if (shard !== SYSTEM_SHARD) words.push("--shard", shard);
  return words.map(shellWord).join(" ");
}

/** A word that a shell takes as it is. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
