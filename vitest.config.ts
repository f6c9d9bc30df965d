import type { ViteUserConfig } from "vitest/config";
import { PATIENCE } from "./test/patience.ts";

const config: ViteUserConfig = {
  test: {
    ...PATIENCE,
    include: ["test/**/*.test.ts"],
    maxWorkers: 2,
    reporters: ["default", "./test/reporter.ts"],
  },
};

export default config;
