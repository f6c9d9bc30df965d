/** What a node knows of jobs without asking the store. */
export interface JobListener {
  /** This node makes a job, or tries to, that is due at this wall time. */
  made(dueMs: number): void;
}

/** Hands news on to whoever carries out jobs, while there is somebody who does. */
export class JobNews implements JobListener {
  #listener: JobListener | undefined;

  listen(listener: JobListener | undefined): void {
    this.#listener = listener;
  }

  made(dueMs: number): void {
    this.#listener?.made(dueMs);
  }
}
