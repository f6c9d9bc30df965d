import type { ViteUserConfig } from "vitest/config";

/** Suites that `npm test` runs over the reference model, over what is meant to equal it. */
const config: ViteUserConfig = {
  test: {
    include: ["test/over/**/*.over.ts"],
    maxWorkers: 2,
    reporters: ["default", "./test/reporter.ts"],
    testTimeout: 60_000,
  },
};

// biome-ignore lint/style/noDefaultExport: vitest looks for one
export default config;
