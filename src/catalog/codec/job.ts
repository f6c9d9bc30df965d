import type Long from "long";
import { FirnError } from "../../base/error.ts";
import type { JobId } from "../../base/ids.ts";
import type { firn } from "../../gen/firn.js";
import type { Job, JobKind } from "../model.ts";
import {
  bytesBy,
  bytesOf,
  corruptOnThrow,
  ENTITY_TYPE,
  idOf,
  isEntityType,
  long,
  nameOf,
  safe,
  v1,
} from "./wire.ts";

const JOB_KINDS: ReadonlySet<string> = new Set<JobKind>([
  "purge",
  "delete",
  "import",
  "build-index",
  "move-table",
  "delete-shard",
  "forget-tombstones",
  "collect-garbage",
]);

/** Of a failure's text: the rest of `LIMITS.summaryBytes` is for the step. */
const MESSAGE_BYTES = 160;

function shortened(text: string): string {
  let short = text.slice(0, MESSAGE_BYTES);
  while (Buffer.byteLength(short) > MESSAGE_BYTES) short = short.slice(0, -1);
  return short.toWellFormed();
}

/** What stands under a job's by-id pointer, in bytes. */
export function encodeJob(job: Job): Uint8Array {
  const message: firn.v1.JobSummary.$Properties = {
    kind: job.kind,
    subjectType: ENTITY_TYPE[job.subject.type],
    subjectId: bytesOf(job.subject.id),
    step: job.step,
    dueMs: long(job.dueMs),
    holder: bytesOf(job.holder),
    heldUntilMs: long(job.heldUntilMs),
    tries: job.tries,
    failures: job.failures,
    lastFailure: job.lastFailure ?? "",
    lastMessage: shortened(job.lastMessage ?? ""),
    done: long(job.done ?? 0),
    total: long(job.total ?? 0),
    endedMs: long(job.endedMs ?? 0),
    cancelled: job.cancelled ?? false,
  };
  return bytesBy((writer) => v1.JobSummary.encode(message, writer));
}

/** @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`: also for a kind of a newer node. */
export function decodeJob(id: JobId, bytes: Uint8Array): Job {
  return corruptOnThrow(() => {
    const m = v1.JobSummary.decode(bytes);
    const type = nameOf(ENTITY_TYPE, m.subjectType);
    if (!isEntityType(type) || !JOB_KINDS.has(m.kind)) {
      throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "a job of an unknown kind", {
        kind: m.kind,
      });
    }
    return {
      id,
      kind: m.kind as JobKind,
      subject: { type, id: idOf(m.subjectId) },
      step: m.step,
      dueMs: safe(m.dueMs as Long),
      heldUntilMs: safe(m.heldUntilMs as Long),
      tries: m.tries,
      failures: m.failures,
      ...(m.holder.length === 0 ? {} : { holder: idOf(m.holder) }),
      ...(m.lastFailure === "" ? {} : { lastFailure: m.lastFailure }),
      ...(m.lastMessage === "" ? {} : { lastMessage: m.lastMessage }),
      ...counted("done", safe(m.done as Long)),
      ...counted("total", safe(m.total as Long)),
      ...counted("endedMs", safe(m.endedMs as Long)),
      ...(m.cancelled ? { cancelled: true } : {}),
    };
  });
}

/** A number that is absent where nothing was counted. */
function counted<Name extends string>(
  name: Name,
  value: number,
): { readonly [N in Name]?: number } {
  return (value === 0 ? {} : { [name]: value }) as { readonly [N in Name]?: number };
}
