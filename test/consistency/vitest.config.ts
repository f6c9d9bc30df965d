import type { ViteUserConfig } from "vitest/config";
import { PATIENCE } from "../patience.ts";

/** Every claim on every profile; `npm test` has a sample. */
const config: ViteUserConfig = {
  test: {
    ...PATIENCE,
    include: ["test/consistency/**/*.long.ts"],
    maxWorkers: 2,
    reporters: ["default", "./test/reporter.ts"],
  },
};

// biome-ignore lint/style/noDefaultExport: vitest looks for one
export default config;
