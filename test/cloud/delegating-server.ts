import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { amzDate, Signer } from "../../src/aws/sigv4.ts";
import { sha256Hex } from "../../src/base/hash.ts";
import { type ServerProcess, startServer } from "../clients/server-process.ts";
import { ADMIN_KEY } from "../service/access/support.ts";
import { awsEnv } from "./node.ts";
import { VERSITYGW_ACCOUNT } from "./versitygw.ts";

/** A server over a bucket that its clients hold no credentials of. */
export interface DelegatingServer {
  readonly server: ServerProcess;
  /** JSON lines, one for each that was lent or signed. */
  readonly auditLog: string;
  close(): Promise<void>;
}

export const REGION = "us-east-1";
export const LENT_BUCKET = "lake";
export const LENT_ROLE = "arn:aws:iam::000000000000:role/lake";
export const SIGNED_BUCKET = "signed";

type Keys = { readonly accessKeyId: string; readonly secretAccessKey: string };
const MINISTACK_ACCOUNT: Keys = { accessKeyId: "test", secretAccessKey: "test" };

/** Lends credentials for single tables over a MiniStack that judges. */
export async function startLending(ministack: string): Promise<DelegatingServer> {
  await makeBucket(ministack, LENT_BUCKET, MINISTACK_ACCOUNT);
  await makeRole(ministack);
  const flags = ["--warehouse", `s3://${LENT_BUCKET}/wh`, "--vend-role", LENT_ROLE];
  return start("firn-vending-", flags, awsEnv(ministack));
}

/** Signs single requests over versitygw. */
export async function startSigning(versitygw: string): Promise<DelegatingServer> {
  await makeBucket(versitygw, SIGNED_BUCKET, VERSITYGW_ACCOUNT);
  const flags = ["--warehouse", `s3://${SIGNED_BUCKET}/wh`, "--remote-signing", "write"];
  return start("firn-signing-", flags, { ...SIGNING_ENV, AWS_ENDPOINT_URL_S3: versitygw });
}

export const SIGNING_ENV: Readonly<Record<string, string>> = {
  AWS_ACCESS_KEY_ID: VERSITYGW_ACCOUNT.accessKeyId,
  AWS_SECRET_ACCESS_KEY: VERSITYGW_ACCOUNT.secretAccessKey,
  AWS_REGION: REGION,
};

async function start(
  prefix: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<DelegatingServer> {
  const home = mkdtempSync(join(tmpdir(), prefix));
  const auditLog = join(home, "audit.jsonl");
  const given = ["--auth", "required", "--audit-log", auditLog, ...flags];
  const all = { ...env, FIRN_BOOTSTRAP_KEY: ADMIN_KEY };
  const server = await startServer(join(home, "dir"), given, all);
  const close = async (): Promise<void> => {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  };
  return { server, auditLog, close };
}

export async function makeBucket(
  endpoint: string,
  bucket: string,
  credentials: Keys,
): Promise<void> {
  const s3 = new S3Client({ endpoint, region: REGION, forcePathStyle: true, credentials });
  await s3.send(new CreateBucketCommand({ Bucket: bucket })).catch((error: Error) => {
    if (!/BucketAlready/.test(error.name)) throw error;
  });
  s3.destroy();
}

export async function makeRole(ministack: string): Promise<void> {
  const trust = { Effect: "Allow", Principal: { AWS: "*" }, Action: "sts:AssumeRole" };
  const all = { Effect: "Allow", Action: "s3:*", Resource: "*" };
  const policy = (statement: object) =>
    JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
  const role = { RoleName: "lake", AssumeRolePolicyDocument: policy(trust) };
  await iam(ministack, { Action: "CreateRole", ...role });
  const allowed = { PolicyName: "all", PolicyDocument: policy(all) };
  await iam(ministack, { Action: "PutRolePolicy", RoleName: "lake", ...allowed });
}

async function iam(ministack: string, parameters: Readonly<Record<string, string>>): Promise<void> {
  const body = new URLSearchParams({ Version: "2010-05-08", ...parameters }).toString();
  const credentials = MINISTACK_ACCOUNT;
  const signer = new Signer({ credentials, region: REGION, service: "iam", escapePath: true });
  const date = amzDate(Date.now());
  const { host } = new URL(ministack);
  const type = "application/x-www-form-urlencoded";
  const headers = [
    ["content-type", type],
    ["host", host],
    ["x-amz-date", date],
  ] as const;
  const request = { method: "POST", path: "/", headers, payloadSha256: sha256Hex(body) };
  const authorization = signer.authorize(request, date);
  const sent = { authorization, "content-type": type, "x-amz-date": date };
  const response = await fetch(ministack, { method: "POST", headers: sent, body });
  if (response.ok) return;
  const text = await response.text();
  // Another suite of the run has made it.
  if (!text.includes("EntityAlreadyExists")) throw new Error(text);
}
