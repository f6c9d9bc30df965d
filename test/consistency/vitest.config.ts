import type { ViteUserConfig } from "vitest/config";

/** Every claim on every profile; `npm test` has a sample. */
const config: ViteUserConfig = {
  test: {
    include: ["test/consistency/**/*.long.ts"],
    maxWorkers: 2,
    reporters: ["default", "./test/reporter.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
};

// biome-ignore lint/style/noDefaultExport: vitest looks for one
export default config;
