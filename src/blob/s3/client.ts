import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { type S3Options, settingsOf } from "./options.ts";

const MAX_CONNECTIONS = 256;
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/**
 * The SDK's client, with all that it would do behind our back turned off:
 *
 * - Its retries: they forget that an earlier try may have been applied, so a write that was applied
 *   and answered 500 would come back as a failed condition (`settle.ts` does it right).
 * - `Expect: 100-continue`: it opens a connection for every larger put and costs a round trip.
 * - Checksums of its own: stores that only resemble S3 refuse them, or accept wrong ones. Writes
 *   carry a SHA-256 of ours, reads are checked by us.
 */
export function createS3Client(options: S3Options): S3Client {
  const { timeouts } = settingsOf(options);
  const { region, endpoint, profile, credentials } = options;
  const agent = { keepAlive: true, maxSockets: options.maxConnections ?? MAX_CONNECTIONS };
  const config: S3ClientConfig = {
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(profile === undefined ? {} : { profile }),
    ...(credentials === undefined ? {} : { credentials }),
    forcePathStyle: options.pathStyle ?? endpoint !== undefined,
    maxAttempts: 1,
    expectContinueHeader: false,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    logger: SILENT,
    requestHandler: {
      connectionTimeout: timeouts.connectMs,
      socketTimeout: timeouts.idleMs,
      httpAgent: agent,
      httpsAgent: agent,
      logger: SILENT,
    },
  };
  return new S3Client(config);
}
