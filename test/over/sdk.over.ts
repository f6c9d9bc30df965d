import { describe } from "vitest";
import { useSdk } from "../support/aws-transport.ts";

/* What our own requests to S3 and DynamoDB are held to, over the SDK's. */
useSdk();

describe.each([
  ["blobs", () => import("../blob/s3/contract.test.ts")],
  ["odd answers", () => import("../blob/s3/odd-answers.test.ts")],
  ["puts in doubt", () => import("../blob/s3/ambiguity.test.ts")],
  ["pointers", () => import("../pointer/dynamo.test.ts")],
  ["items", () => import("../pointer/dynamo-trouble.test.ts")],
  ["campaigns", () => import("../double/ambiguity/ambiguity.test.ts")],
] as const)("over the SDK: %s", async (_name, load) => {
  await load();
});
