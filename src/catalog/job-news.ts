/** What a node knows of jobs without asking the store. */
export interface JobListener {
  /** This node makes a job, or tries to, that is due at this wall time. */
  made(dueMs: number): void;
}

/** Tells the job runner of new jobs, while one runs in this process. */
export class JobNews implements JobListener {
  #listener: JobListener | undefined;

  listen(listener: JobListener | undefined): void {
    this.#listener = listener;
  }

  made(dueMs: number): void {
    this.#listener?.made(dueMs);
  }
}
