import type { ViteUserConfig } from "vitest/config";
import { PATIENCE } from "./test/patience.ts";

/** One project a suite. `npm test` runs `unit`; what needs more, or longer, has a command. */
const SUITES: Readonly<Record<string, string>> = {
  unit: "test/**/*.test.ts",
  /** Every order of calls, every fault at every call; suites over what equals the model. */
  over: "test/**/*.over.ts",
  /** Every claim on every profile; `unit` has a sample. */
  consistency: "test/consistency/**/*.long.ts",
  /** What only real processes, signals and mounts show. */
  machine: "test/**/*.machine.ts",
  /** Requests and metadata of real and of hostile sizes, and how long they hold the event loop. */
  sizes: "test/**/*.sizes.ts",
  /** The console in a real browser, over a real server. */
  console: "test/console/**/*.browser.ts",
  /** Real issuers of tokens. */
  access: "test/access/**/*.party.ts",
  /** Over servers that `test/cloud/run.ts` starts and names in the environment. */
  cloud: "test/cloud/**/*.cloud.ts",
};

/**
 * The files of `unit` are many and short, and a process of its own for each would load the same
 * modules again: a third of the CPU time. `process-state.ts` fails a file that leaves traces.
 */
const SHARED_PROCESS = { isolate: false, setupFiles: ["./test/process-state.ts"] };

const config: ViteUserConfig = {
  test: {
    ...PATIENCE,
    maxWorkers: 2,
    setupFiles: ["./test/property-seed.ts"],
    reporters: ["default", "./test/reporter.ts"],
    projects: Object.entries(SUITES).map(([name, include]) => ({
      extends: true,
      test: { name, include: [include], ...(name === "unit" && SHARED_PROCESS) },
    })),
  },
};

export default config;
