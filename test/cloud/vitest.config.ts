import type { ViteUserConfig } from "vitest/config";
import { PATIENCE } from "../patience.ts";

/** Suites over servers that `run.ts` starts and names in the environment. */
const config: ViteUserConfig = {
  test: {
    ...PATIENCE,
    include: ["test/cloud/**/*.cloud.ts"],
    maxWorkers: 1,
    reporters: ["default", "./test/reporter.ts"],
    // A first run installs what its suites need.
    hookTimeout: 300_000,
  },
};

// biome-ignore lint/style/noDefaultExport: vitest looks for one
export default config;
