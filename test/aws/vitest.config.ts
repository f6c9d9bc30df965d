import type { ViteUserConfig } from "vitest/config";
import { PATIENCE } from "../patience.ts";

/** What `npm test` runs over our own requests, over the SDK's. */
const config: ViteUserConfig = {
  test: {
    ...PATIENCE,
    include: ["test/blob/s3/*.test.ts", "test/pointer/dynamo*.test.ts", "test/double/**/*.test.ts"],
    env: { FIRN_TEST_TRANSPORT: "sdk" },
    maxWorkers: 2,
    reporters: ["default", "./test/reporter.ts"],
  },
};

// biome-ignore lint/style/noDefaultExport: vitest looks for one
export default config;
