import type { ViteUserConfig } from "vitest/config";
import { PATIENCE } from "../patience.ts";

/** What only real processes, signals and mounts show. `npm run test:machine`. */
const config: ViteUserConfig = {
  test: {
    ...PATIENCE,
    include: ["test/machine/**/*.machine.ts"],
    maxWorkers: 2,
    reporters: ["default", "./test/reporter.ts"],
  },
};

// biome-ignore lint/style/noDefaultExport: vitest looks for one
export default config;
