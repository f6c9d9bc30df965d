import { expect, test } from "vitest";
import { ReservedProperties } from "../../src/service/reserved-properties.ts";
import { TableConfigs } from "../../src/service/table-config.ts";

const S3 = "s3://lake/t";

function configOf(properties: Record<string, string>, allowed: readonly string[] = []) {
  const configs = new TableConfigs(new ReservedProperties(allowed), (location) =>
    location === S3 ? { "s3.region": "eu-west-1", "s3.endpoint": "https://s3" } : {},
  );
  return (location: string) =>
    configs.of({ location, properties: new Map(Object.entries(properties)) });
}

test("a config says what the server knows of the store", async () => {
  expect(await configOf({ owner: "me" })(S3)).toEqual({
    "s3.region": "eu-west-1",
    "s3.endpoint": "https://s3",
  });
  expect(await configOf({ owner: "me" })("file:///lake/t")).toEqual({});
});

test("reserved properties lose their effect, and the server's word comes first", async () => {
  const at = configOf({
    "s3.signer.uri": "http://evil",
    "s3.endpoint": "http://evil",
    "py-io-impl": "evil.IO",
    uri: "http://evil",
    "s3.proxy-uri": "http://evil",
    "header.Authorization": "evil",
    "gcs.session-kwargs": "{evil}",
  });
  const neutral = {
    "s3.signer.uri": "",
    "py-io-impl": "",
    uri: "",
    "s3.proxy-uri": "",
    "header.Authorization": "",
    "gcs.session-kwargs": "{}",
  };
  expect(await at("file:///lake/t")).toEqual({ ...neutral, "s3.endpoint": "" });
  expect(await at(S3)).toEqual({
    ...neutral,
    "s3.endpoint": "https://s3",
    "s3.region": "eu-west-1",
  });
});

test("what clients read in a config for other ends is never answered", async () => {
  const at = configOf({
    token: "x",
    credential: "x",
    "oauth2-server-uri": "http://evil",
    "io-impl": "evil.IO",
    "rest.auth.type": "none",
    "auth.type": "none",
    "signer.uri": "http://evil",
    "s3.retry.num-retries": "1",
    "client.factory": "evil.Factory",
    "write.py-location-provider.impl": "evil.Provider",
  });
  expect(await at("file:///lake/t")).toEqual({});
});

test("allowed properties are left alone", async () => {
  const at = configOf({ "s3.acl": "private", "s3.sse-kms-key-id": "k" }, ["s3.acl"]);
  expect(await at("file:///lake/t")).toEqual({});
});
