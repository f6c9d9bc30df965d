/** Who sends requests in suites over S3 and DynamoDB: `FIRN_TEST_TRANSPORT=sdk` for the SDK. */
export const AWS_TRANSPORT: "lean" | "sdk" =
  process.env["FIRN_TEST_TRANSPORT"] === "sdk" ? "sdk" : "lean";
