import type { ViteUserConfig } from "vitest/config";
import { PATIENCE } from "./test/patience.ts";

/** One project a suite. `npm test` runs `unit`; what needs more, or longer, has a command. */
const SUITES: Readonly<Record<string, string>> = {
  unit: "test/**/*.test.ts",
  /** Suites that `unit` runs over the reference model, over what is meant to equal it. */
  over: "test/over/**/*.over.ts",
  /** Every claim on every profile; `unit` has a sample. */
  consistency: "test/consistency/**/*.long.ts",
  /** What only real processes, signals and mounts show. */
  machine: "test/machine/**/*.machine.ts",
  /** Over servers that `test/cloud/run.ts` starts and names in the environment. */
  cloud: "test/cloud/**/*.cloud.ts",
};

const config: ViteUserConfig = {
  test: {
    ...PATIENCE,
    maxWorkers: 2,
    reporters: ["default", "./test/reporter.ts"],
    projects: Object.entries(SUITES).map(([name, include]) => ({
      extends: true,
      test: { name, include: [include] },
    })),
  },
};

export default config;
