import { ApiError } from "../../client/client.ts";
import { SystemClock } from "../../runtime/clock.ts";
import { EXIT } from "../exit-codes.ts";
import { Progress } from "../progress.ts";
import { showItem } from "../show.ts";
import type { VerbCall } from "./call.ts";

/** Interval between two looks at a job. */
const LOOK_MS = 250;

/** Members of a job that are read here, whatever else it has. */
interface Job {
  readonly id?: string;
  readonly kind?: string;
  readonly state?: string;
  readonly progress?: { readonly done: number; readonly total?: number; readonly unit?: string };
  readonly error?: { readonly code: string };
}

/**
 * Follows a background job to its end, with its progress on a terminal. In a store that this
 * process has opened nothing runs it: then it is shown as it stands.
 */
export async function followJob(begun: object | undefined, call: VerbCall): Promise<number> {
  const { place, screen, format, values } = call;
  const progress = new Progress(screen);
  const clock = new SystemClock();
  let job: Job = begun ?? {};
  while (values["wait"] !== false && place.reached !== "store" && !isOver(job)) {
    const { done = 0, total, unit = "" } = job.progress ?? {};
    progress.show(job.kind ?? "working", done, total, unit);
    await clock.sleep(LOOK_MS);
    try {
      job = await place.client.call("getJob", { path: { job: job.id ?? "" } });
    } catch (error) {
      if (!(error instanceof ApiError) || error.problem.code !== "JOB_NOT_FOUND") throw error;
      // A job that is done is no longer there.
      job = { ...job, state: "over" };
    }
  }
  progress.end();
  showItem(job, job.id ?? "", format, screen);
  return job.state === "failed" || job.error !== undefined ? EXIT.failed : EXIT.ok;
}

function isOver({ state = "" }: Job): boolean {
  return !["waiting", "due", "running"].includes(state);
}
