import type { ViteUserConfig } from "vitest/config";

/** What only real processes, signals and mounts show. `npm run test:machine`. */
const config: ViteUserConfig = {
  test: {
    include: ["test/machine/**/*.machine.ts"],
    maxWorkers: 2,
    reporters: ["default", "./test/reporter.ts"],
    testTimeout: 120_000,
  },
};

// biome-ignore lint/style/noDefaultExport: vitest looks for one
export default config;
