/** What a suite closes with. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const ONE_FAILED: Counts = { passed: 0, failed: 1, skipped: 0 };

export function add(a: Counts, b: Counts): Counts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}

/** Prints the plain line; red where a test failed, and where there was none. */
export function finish({ passed, failed, skipped }: Counts): void {
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed > 0 || passed + skipped === 0 ? 1 : 0;
}

/** Says what this machine lacks: a skip for a developer, a failure where everything must run. */
export function missing(what: string): Counts {
  console.log(what);
  return process.env["CI"] === "true" ? ONE_FAILED : { passed: 0, failed: 0, skipped: 1 };
}
