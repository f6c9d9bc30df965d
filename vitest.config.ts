import type { ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = {
  test: {
    include: ["test/**/*.test.ts"],
    maxWorkers: 2,
    reporters: ["default", "./test/reporter.ts"],
    testTimeout: 30_000,
  },
};

export default config;
