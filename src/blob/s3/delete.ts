import { DeleteObjectsCommand } from "@aws-sdk/client-s3";
import { errorOf, failureOf, isPassing, type S3Failure, unknownOf } from "./failure.ts";
import type { Target } from "./read.ts";
import type { S3Wire } from "./wire.ts";

/**
 * One request.
 *
 * @param begun whether other deletes of the same call may have been applied before.
 * @throws `Unknown` where something may have been applied; others as `errorOf`.
 */
export async function deleteOne(wire: S3Wire, { path, key }: Target, begun = false): Promise<void> {
  const deleted = await wire.again("DeleteObject", (signal) => wire.transport.delete(key, signal));
  if (!deleted.ok && deleted.failure.reason !== "missing") {
    throw endOf(deleted.failure, "DeleteObject", path, begun || deleted.inDoubt);
  }
}

/**
 * One request for all, and again for those that the store reports as not deleted yet; one more for
 * each whose key XML cannot hold.
 *
 * @throws `Unknown` where a request is in doubt, and where some could not be deleted and others
 *   may be gone: it names one of the former. Others as `errorOf`: nothing was deleted.
 */
export async function deleteAll(wire: S3Wire, targets: readonly Target[]): Promise<void> {
  // Whether some of them may be gone.
  let begun = false;
  for (const target of targets.filter(({ key }) => !fitsXml(key))) {
    await deleteOne(wire, target, begun);
    begun = true;
  }
  const paths = new Map(targets.map(({ path, key }) => [key, path]));
  let keys = [...paths.keys()].filter(fitsXml);
  const budget = wire.budget();
  while (keys.length > 0) {
    const command = new DeleteObjectsCommand({
      Bucket: wire.settings.bucket,
      Delete: { Quiet: true, Objects: keys.map((Key) => ({ Key })) },
    });
    const send = (abortSignal: AbortSignal) => wire.client.send(command, { abortSignal });
    const deleted = await wire.again("DeleteObjects", send, { budget });
    if (!deleted.ok) {
      const path = paths.get(keys[0] ?? "") ?? "";
      throw endOf(deleted.failure, "DeleteObjects", path, begun || deleted.inDoubt);
    }
    const left = (deleted.value.Errors ?? [])
      .filter(({ Code }) => Code !== "NoSuchKey")
      .map(({ Key = "", Code = "InternalError" }) => ({ Key, failure: failureOfKey(Code) }));
    const worst = left.find(({ failure }) => !isPassing(failure)) ?? left[0];
    if (worst === undefined) return;
    begun ||= left.length < keys.length || left.some(({ failure }) => failure.reason === "broken");
    if (!isPassing(worst.failure) || !(await budget.pause())) {
      throw endOf(worst.failure, "DeleteObjects", paths.get(worst.Key) ?? "", begun);
    }
    keys = left.map(({ Key }) => Key);
  }
}

/** "Nothing happened" is true of what failed, not of those that went before it. */
function endOf(failure: S3Failure, operation: string, path: string, begun: boolean): Error {
  return (begun ? unknownOf : errorOf)(failure, operation, path);
}

/** What a code means that stands for one key inside an answer of 200. */
function failureOfKey(code: string): S3Failure {
  const status = code === "AccessDenied" ? 403 : 500;
  return failureOf({ name: code, $metadata: { httpStatusCode: status } });
}

/** Whether XML 1.0 can carry a key and give it back as it was. */
function fitsXml(key: string): boolean {
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i);
    if (code < 0x20 || code === 0xfffe || code === 0xffff) return false;
  }
  return true;
}
