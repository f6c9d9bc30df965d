import type { Reporter, TestModule } from "vitest/node";

/** Closes every run with the plain line `N passed, N failed, N skipped` that CI adds up. */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      let tests = 0;
      for (const test of module.children.allTests()) {
        tests++;
        const state = test.result().state;
        if (state === "passed") count.passed++;
        else if (state === "skipped") count.skipped++;
        else count.failed++;
      }
      // A module that failed to load holds no tests: it still counts as a failure.
      if (tests === 0 && !module.ok()) count.failed++;
    }
    process.stdout.write(
      `\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`,
    );
  }
}
