import { FirnError } from "../../base/error.ts";
import type { CatalogNode } from "../node.ts";
import { GC_JOB, readJob } from "./job.ts";
import { emptyReport, type GarbageReport } from "./report.ts";
import { stepOf } from "./steps.ts";

/** What a caller hears who asked for a collection at once. */
export interface GcAnswer {
  readonly mode: "dry-run" | "force";
  /** What would go, or what went. */
  readonly report: GarbageReport;
  /** The first mark is done. From this wall time on the second may decide what goes. */
  readonly secondMarkMs?: number;
}

/**
 * Says what a collection would delete (`force` false); or takes the run up at once, as far as it
 * goes now. No force shortens the grace between its marks.
 *
 * @throws FirnError `Conflict`, code `GC_RUNNING`: another process has the lease; `Corrupt`, code
 *   `GC_STOPPED`: something could not be read; `Unavailable`: the stores do not answer.
 */
export async function collectNow(
  { collector, jobs, catalog }: Pick<CatalogNode, "collector" | "jobs" | "catalog">,
  force: boolean,
  ended: AbortSignal,
): Promise<GcAnswer> {
  if (!force) return { mode: "dry-run", report: await collector.look(ended) };
  await collector.ask();
  if (!(await jobs.runEarly(GC_JOB))) {
    const message = "another process is collecting: wait until its lease ends";
    throw new FirnError("Conflict", "GC_RUNNING", message);
  }
  const { report = emptyReport(), error } = collector.last ?? {};
  if (error !== undefined) {
    if (error instanceof FirnError) throw error;
    throw new FirnError("Unavailable", "GC_INTERRUPTED", "the process stops: ask another one");
  }
  const job = await readJob(catalog.context);
  const isWaiting = job !== undefined && stepOf(job.step).at === "waiting";
  return isWaiting
    ? { mode: "force", report, secondMarkMs: job.heldUntilMs }
    : { mode: "force", report };
}
