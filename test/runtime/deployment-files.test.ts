import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { fromEnv, readSettings, requireSettings } from "../../src/runtime/read-settings.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");

interface Service {
  readonly image?: string;
  readonly ports: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
}

/** What compose makes of a text where no variable is set. */
function expanded(text: string): string {
  return text.replace(/\$\{\w+:-([^}]*)\}/g, "$1");
}

const { services } = parse(expanded(read("docker-compose.yml"))) as {
  readonly services: Readonly<Record<"localstack" | "firn", Service>>;
};

describe("docker compose", () => {
  test("publishes ports on loopback alone", () => {
    const ports = Object.values(services).flatMap((service) => service.ports);
    expect(ports).toHaveLength(2);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  test("gives Firn settings that it takes, of the stores that LocalStack makes", () => {
    const { firn, localstack } = services;
    const settings = requireSettings(readSettings([fromEnv(firn.environment)], "/"));
    expect(settings).toMatchObject({
      profile: "aws",
      host: "0.0.0.0",
      allowAnonymous: true,
      init: false,
      // Its neighbours know it by the name of its service.
      allowHost: ["firn"],
      s3Bucket: localstack.environment["FIRN_S3_BUCKET"],
      dynamodbTable: localstack.environment["FIRN_DYNAMODB_TABLE"],
    });
    expect(firn.ports).toEqual([`127.0.0.1:${settings.port}:${settings.port}`]);
    expect(localstack.image).toMatch(/^localstack\/localstack:\d+\.\d+\.\d+$/);
    expect(localstack.volumes?.join()).toMatch(/^\.\/localstack\/init\/ready\.d:.*:ro$/);
    expect([firn.read_only, firn.tmpfs]).toEqual([true, ["/tmp"]]);
  });
});

test("the image serves as nobody in particular, with settings that Firn takes", () => {
  const instructions = read("Dockerfile").replaceAll("\\\n", " ").split("\n");
  const ofRuntime = instructions.slice(instructions.findLastIndex((line) => /^FROM /.test(line)));
  const all = (name: string) => ofRuntime.filter((line) => line.startsWith(`${name} `));
  expect(all("USER")).toEqual(["USER node"]);
  const variables = all("ENV").flatMap((line) => [...line.matchAll(/(\w+)=(\S+)/g)]);
  const env = Object.fromEntries(variables.map(([, name, value]) => [name, value]));
  const settings = requireSettings(readSettings([fromEnv(env)], "/"));
  expect(settings).toMatchObject({ allowHost: ["firn", "host.docker.internal"] });
  expect(all("VOLUME")).toEqual([`VOLUME ${settings.dir}`]);
  expect(all("EXPOSE")).toEqual([`EXPOSE ${settings.port}`]);
  expect(all("HEALTHCHECK").join()).toContain("/livez");
});
