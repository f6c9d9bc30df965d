import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DynamoClient } from "../../src/pointer/dynamo/client.ts";
import { describeTable, hasTimeToLive } from "../../src/pointer/dynamo/table.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { findPython, PythonEnvironment } from "../clients/python.ts";
import { startServer } from "../clients/server-process.ts";
import { ask, createTable } from "./ask.ts";
import { awsEnv, deployment } from "./node.ts";

const URL = process.env["FIRN_TEST_MINISTACK"];
const HERE = import.meta.dirname;
const SCRIPTS = join(HERE, "..", "..", "localstack", "init", "ready.d");
const AWS_CLI = join(HERE, "target", "aws-cli");

/** LocalStack runs these scripts in itself, where `awslocal` is the AWS CLI with its endpoint. */
describe.skipIf(URL === undefined)("the init scripts of LocalStack", () => {
  let directory: string;
  beforeAll(async () => {
    const python = findPython();
    if (python === undefined) throw new Error("no Python to run the AWS CLI with");
    const environment = new PythonEnvironment(AWS_CLI, join(HERE, "aws-cli-requirements.txt"));
    await environment.prepare(python);
    directory = await mkdtemp(join(tmpdir(), "firn-init-"));
    const awslocal = join(directory, "awslocal");
    const aws = join(AWS_CLI, "bin", "aws");
    await writeFile(awslocal, `#!/bin/sh\nexec "${aws}" --endpoint-url "${URL}" "$@"\n`);
    await chmod(awslocal, 0o755);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test("make what a start without --init takes, and may be run again", async () => {
    const name = "made-by-scripts";
    const env = {
      ...awsEnv(URL ?? ""),
      PATH: `${directory}${delimiter}${process.env["PATH"]}`,
      // As `awslocal` and the compose file have it.
      AWS_DEFAULT_REGION: "us-east-1",
      FIRN_S3_BUCKET: name,
      FIRN_DYNAMODB_TABLE: name,
      FIRN_READY_FILE: join(directory, "ready"),
    };
    const scripts = (await readdir(SCRIPTS)).sort();
    expect(scripts).not.toEqual([]);
    for (const script of [...scripts, ...scripts]) {
      const { status, stderr } = spawnSync("bash", [join(SCRIPTS, script)], { env });
      expect([status, String(stderr)]).toEqual([0, ""]);
    }
    expect(await readdir(directory)).toContain("ready");
    const clock = new SystemClock();
    const connection = {
      endpoint: URL ?? "",
      region: "us-east-1",
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
    };
    const client = new DynamoClient({ clock, connection });
    const table = { client, clock, table: name };
    expect(await describeTable(table)).toMatchObject({ TableName: name });
    expect(await hasTimeToLive(table)).toBe(true);
    client.close();
    const lake = deployment(URL ?? "", "aws", name);
    const flags = lake.flags.filter((flag) => flag !== "--init");
    const node = await startServer(directory, flags, lake.env);
    try {
      await ask(node, "POST", "/namespaces", { namespace: ["ns"] });
      await createTable(node, "t");
    } finally {
      expect(await node.stop()).toBe(0);
    }
  });
});
