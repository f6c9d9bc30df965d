import { join } from "node:path";
import type { StartedDockerComposeEnvironment } from "testcontainers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, commitProperty, createTable, propertiesOf } from "./ask.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const UP_LIMIT_MS = 600_000;
/** As docker-compose.yml publishes it. */
const NODE = { url: "http://127.0.0.1:8181" };
const SERVER = "firn-1";

/** Why there is no container engine; undefined where one answers. */
async function missingEngine(): Promise<string | undefined> {
  const { getContainerRuntimeClient } = await import("testcontainers");
  try {
    await getContainerRuntimeClient();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const missing = await missingEngine();
if (missing !== undefined) console.log(`LocalStack and the image are not tried: ${missing}`);

describe.skipIf(missing !== undefined)("docker compose up: LocalStack, and Firn over it", () => {
  let services: StartedDockerComposeEnvironment;
  beforeAll(async () => {
    const { DockerComposeEnvironment, Wait } = await import("testcontainers");
    services = await new DockerComposeEnvironment(ROOT, "docker-compose.yml")
      .withBuild()
      .withWaitStrategy(SERVER, Wait.forHealthCheck())
      .withStartupTimeout(UP_LIMIT_MS)
      .up();
  }, UP_LIMIT_MS);
  afterAll(() => services?.down({ removeVolumes: true }));

  test("serves tables in the bucket, and keeps them over a restart", async () => {
    await ask(NODE, "POST", "/namespaces", { namespace: ["ns"] });
    await createTable(NODE, "t");
    await commitProperty(NODE, "t", "owner", "ice");
    const { metadata } = await ask(NODE, "GET", "/namespaces/ns/tables/t");
    expect(metadata.location).toMatch(/^s3:\/\/firn\/warehouse\//);
    await services.getContainer(SERVER).restart();
    expect(await propertiesOf(NODE, "t")).toEqual({ owner: "ice" });
  });

  test("runs as nobody in particular, on a root file system that it cannot write", async () => {
    const server = services.getContainer(SERVER);
    expect((await server.exec(["id", "-u"])).output.trim()).not.toBe("0");
    expect((await server.exec(["touch", "/firn/x"])).exitCode).not.toBe(0);
    expect((await server.exec(["touch", "/tmp/x"])).exitCode).toBe(0);
  });
});
