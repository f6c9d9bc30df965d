import type { Profile } from "../../src/runtime/settings.ts";

/** What the AWS SDK reads of the environment to reach a stand-in, which takes any credentials. */
export function awsEnv(url: string): Readonly<Record<string, string>> {
  return {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    // No file of the developer's own has a say.
    AWS_CONFIG_FILE: "/dev/null",
    AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
    AWS_EC2_METADATA_DISABLED: "true",
  };
}

/** A deployment that nobody else uses: bucket and table of its name, made at the first start. */
export interface Deployment {
  readonly profile: Extract<Profile, "aws" | "bucket">;
  readonly name: string;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export function deployment(url: string, profile: Deployment["profile"], name: string): Deployment {
  const table = profile === "aws" ? ["--dynamodb-table", name] : [];
  return {
    profile,
    name,
    flags: ["--profile", profile, "--s3-bucket", name, "--init", ...table],
    env: { ...awsEnv(url), FIRN_SECRET: `the secret that the nodes of ${name} share` },
  };
}
