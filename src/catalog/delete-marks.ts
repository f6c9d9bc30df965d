import type { JobId } from "../base/ids.ts";
import type { Account, Catalog, Entity, Envelope, Job, Namespace } from "./model.ts";

/** What is deleted with all that is in it. */
export type Container = Account | Catalog | Namespace;

/** Whether an entity has its names, and what lies in it: also while a job deletes it. */
export function isNamed({ state }: Pick<Entity, "state">): boolean {
  return state === "ACTIVE" || state === "DELETING";
}

/** The job that deletes a thing with all that is in it, as if no node had taken it up yet. */
export function deleteJob(
  { type, id }: Pick<Container, "type" | "id">,
  job: JobId,
  dueMs: number,
): Job {
  return {
    id: job,
    kind: "delete",
    subject: { type, id },
    step: "",
    dueMs,
    heldUntilMs: 0,
    tries: 0,
    failures: 0,
  };
}

/**
 * The job of what it was asked to delete, by the payload alone; undefined of what only lies below
 * that. The job has the id of the revision that asked for it.
 */
export function deleteJobOf(
  entity: Entity,
  { revision, updatedAtMs }: Pick<Envelope, "revision" | "updatedAtMs">,
): Job | undefined {
  if (entity.state !== "DELETING" || !("deletingJob" in entity)) return undefined;
  const { deletingJob: job } = entity;
  const asked = job !== undefined && (job as string) === revision;
  return asked ? deleteJob(entity, job, updatedAtMs) : undefined;
}
