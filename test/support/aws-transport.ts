type AwsTransport = "direct" | "sdk";

let chosen: AwsTransport = "direct";

/**
 * From here on, stores that this test file opens over the doubles of S3 and DynamoDB send their
 * requests by the AWS SDK, which Firn's own are compared with. Call it before the tests are
 * imported that are to run so: each test file has modules of its own, hence no other is touched.
 */
export function useSdk(): void {
  chosen = "sdk";
}

/** Who sends the requests for objects and items. */
export function awsTransport(): AwsTransport {
  return chosen;
}
