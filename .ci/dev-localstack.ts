import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { ROOT } from "./tools.ts";

/*
 * `npm run dev:localstack [-- FLAG…]`: Firn from this checkout, started again at each change, with
 * the profile `aws` over the LocalStack of docker-compose.yml.
 */

const AWS = {
  AWS_ENDPOINT_URL: "http://127.0.0.1:4566",
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
};
const FIRN = {
  FIRN_PROFILE: "aws",
  FIRN_S3_BUCKET: "firn",
  FIRN_DYNAMODB_TABLE: "firn",
  FIRN_SECRET: "of-no-worth-for-development-alone",
};

async function main(flags: readonly string[]): Promise<number> {
  const up = ["compose", "up", "--detach", "--wait", "localstack"];
  const started = spawnSync("docker", up, { cwd: ROOT, stdio: "inherit" });
  if (started.status !== 0) {
    console.error("LocalStack cannot be started: is there a container engine, and does it run?");
    return 1;
  }
  const env = { ...FIRN, ...process.env, ...AWS };
  const args = ["--watch", "src/cli/main.ts", "serve", ...flags];
  const server = spawn(process.execPath, args, { cwd: ROOT, env, stdio: "inherit" });
  // Both are told by the terminal; who waits for the other goes last.
  process.on("SIGINT", () => {});
  const [code] = await once(server, "exit");
  console.log("LocalStack goes on: docker compose down ends it");
  return code ?? 0;
}

process.exitCode = await main(process.argv.slice(2));
