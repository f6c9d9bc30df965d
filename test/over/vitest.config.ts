import type { ViteUserConfig } from "vitest/config";
import { PATIENCE } from "../patience.ts";

/** Suites that `npm test` runs over the reference model, over what is meant to equal it. */
const config: ViteUserConfig = {
  test: {
    ...PATIENCE,
    include: ["test/over/**/*.over.ts"],
    maxWorkers: 2,
    reporters: ["default", "./test/reporter.ts"],
  },
};

// biome-ignore lint/style/noDefaultExport: vitest looks for one
export default config;
