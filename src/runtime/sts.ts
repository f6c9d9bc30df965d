import { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import { FirnError } from "../base/error.ts";
import type { S3Credentials } from "../blob/s3/options.ts";
import type { AssumeRole, LentCredentials } from "../service/access/vending.ts";

const REQUEST_MS = 5_000;

/** What is asked for sessions of a role; region, endpoint and own credentials the SDK finds. */
export interface StsOptions {
  readonly roleArn: string;
  /** Absent: as the SDK finds it, as the next ones. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly credentials?: S3Credentials | undefined;
}

/** Sessions of one role. No request before the first one. */
export function stsSessions(options: StsOptions): AssumeRole {
  const { roleArn, endpoint, region, credentials } = options;
  const client = new STSClient({
    maxAttempts: 2,
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(credentials !== undefined && { credentials }),
  });
  return async ({ policy, sessionName, externalId, lifeMs }): Promise<LentCredentials> => {
    const command = new AssumeRoleCommand({
      RoleArn: roleArn,
      RoleSessionName: sessionName,
      ExternalId: externalId,
      Policy: policy,
      DurationSeconds: Math.floor(lifeMs / 1_000),
    });
    try {
      const { Credentials: lent } = await client.send(command, {
        abortSignal: AbortSignal.timeout(REQUEST_MS),
      });
      const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = lent ?? {};
      if (AccessKeyId && SecretAccessKey && SessionToken && Expiration) {
        return {
          accessKeyId: AccessKeyId,
          secretAccessKey: SecretAccessKey,
          sessionToken: SessionToken,
          expiresAtMs: Expiration.getTime(),
        };
      }
      throw new Error("no credentials");
    } catch (error) {
      const reason = error instanceof Error ? error.name : "unknown";
      const message = "no credentials from the token service: try again, or see the role";
      throw new FirnError("Unavailable", "STS_UNAVAILABLE", message, { reason }, error);
    }
  };
}
