import { DynamoDB, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Endpoint, EndpointFinder, type EndpointSource } from "../../src/aws/endpoint.ts";
import type { AwsCredentials } from "../../src/aws/sigv4.ts";
import { utf8 } from "../../src/base/bytes.ts";
import { connectS3 } from "../../src/blob/s3/client.ts";
import { s3Source } from "../../src/blob/s3/direct-transport.ts";
import type { S3Options } from "../../src/blob/s3/options.ts";
import { dynamoSource } from "../../src/pointer/dynamo/direct-transport.ts";
import { serve } from "../double/server.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const KEYS = { accessKeyId: "AK", secretAccessKey: "secret" };
/** For the SDK, which writes where they are from beside them. */
const keys = (): typeof KEYS => ({ ...KEYS });
const REGION = "us-west-2";
const clock = new VirtualClock();

beforeEach(() => {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith("AWS_")) vi.stubEnv(name, undefined);
  }
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
});
afterEach(() => vi.unstubAllEnvs());

type Environment = Readonly<Record<string, string>>;

function given(environment: Environment): void {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
}

async function ofBucket(options: Partial<S3Options> = {}): Promise<Endpoint | undefined> {
  const settings = { bucket: "lake", region: REGION, credentials: keys(), ...options };
  const { client, close } = connectS3(settings, clock);
  try {
    return await new EndpointFinder(s3Source(client, settings.bucket), clock).find();
  } finally {
    close();
  }
}

async function ofTable(config: DynamoDBClientConfig = {}): Promise<Endpoint | undefined> {
  const sdk = new DynamoDB({ region: REGION, credentials: keys(), ...config });
  try {
    return await new EndpointFinder(dynamoSource(sdk), clock).find();
  } finally {
    sdk.destroy();
  }
}

/** A endpoint that is found is one whose sample we sign as the SDK does. */
function urlOf(endpoint: Endpoint | undefined): string | undefined {
  return (
    endpoint && `${endpoint.origin.secure ? "https" : "http"}://${endpoint.host}${endpoint.path}`
  );
}

describe("a bucket is where the SDK says", () => {
  const cases: Readonly<Record<string, readonly [Partial<S3Options>, Environment, string]>> = {
    "in a region": [{}, {}, "https://lake.s3.us-west-2.amazonaws.com/key"],
    "in China": [{ region: "cn-north-1" }, {}, "https://lake.s3.cn-north-1.amazonaws.com.cn/key"],
    "with a dot in its name": [
      { bucket: "data.lake" },
      {},
      "https://s3.us-west-2.amazonaws.com/data.lake/key",
    ],
    "in path style": [{ pathStyle: true }, {}, "https://s3.us-west-2.amazonaws.com/lake/key"],
    "by FIPS": [
      {},
      { AWS_USE_FIPS_ENDPOINT: "true" },
      "https://lake.s3-fips.us-west-2.amazonaws.com/key",
    ],
    "by IPv6 too": [
      {},
      { AWS_USE_DUALSTACK_ENDPOINT: "true" },
      "https://lake.s3.dualstack.us-west-2.amazonaws.com/key",
    ],
    "of a server that is named": [
      { endpoint: "http://127.0.0.1:9000" },
      {},
      "http://127.0.0.1:9000/lake/key",
    ],
    "of one by IPv6": [{ endpoint: "http://[::1]:9000" }, {}, "http://[::1]:9000/lake/key"],
    "of one that knows host names": [
      { endpoint: "https://store.example", pathStyle: false },
      {},
      "https://lake.store.example/key",
    ],
    "of one for S3 alone": [
      { pathStyle: true },
      { AWS_ENDPOINT_URL_S3: "http://s3.example:1", AWS_ENDPOINT_URL: "http://all.example:2" },
      "http://s3.example:1/lake/key",
    ],
    "of one for all, below a path": [
      { pathStyle: true },
      { AWS_ENDPOINT_URL: "http://all.example:2/a%20b" },
      "http://all.example:2/a%20b/lake/key",
    ],
  };
  test.each(Object.entries(cases))("%s", async (_what, [options, environment, url]) => {
    given(environment);
    expect(urlOf(await ofBucket(options))).toBe(url);
  });

  test("or is left to the SDK where that signs in another way", async () => {
    const session = "<Credentials><AccessKeyId>S</AccessKeyId><SecretAccessKey>s</SecretAccessKey>";
    const rest = "<SessionToken>t</SessionToken><Expiration>2100-01-01T00:00:00Z</Expiration>";
    const root = `<CreateSessionResult>${session}${rest}</Credentials></CreateSessionResult>`;
    const serving = await serve(() => ({ status: 200, headers: {}, body: utf8(root) }));
    try {
      const bucket = "lake--usw2-az1--x-s3";
      expect(await ofBucket({ bucket, endpoint: serving.url })).toBeUndefined();
      expect(serving.requests()).toBe(1);
    } finally {
      await serving.close();
    }
  });
});

describe("a table is where the SDK says", () => {
  const account = { ...KEYS, accountId: "123456789012" };
  const cases: Readonly<Record<string, readonly [DynamoDBClientConfig, Environment, string]>> = {
    "in a region": [{}, {}, "https://dynamodb.us-west-2.amazonaws.com/"],
    "by FIPS": [
      {},
      { AWS_USE_FIPS_ENDPOINT: "true" },
      "https://dynamodb-fips.us-west-2.amazonaws.com/",
    ],
    "by IPv6 too": [
      {},
      { AWS_USE_DUALSTACK_ENDPOINT: "true" },
      "https://dynamodb.us-west-2.api.aws/",
    ],
    "of an account": [
      { credentials: account },
      {},
      "https://123456789012.ddb.us-west-2.amazonaws.com/",
    ],
    "of a server that is named": [
      {},
      { AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:8000" },
      "http://127.0.0.1:8000/",
    ],
    "below a path": [
      {},
      { AWS_ENDPOINT_URL: "http://all.example:2/a%20b" },
      "http://all.example:2/a%20b/",
    ],
  };
  test.each(Object.entries(cases))("%s", async (_what, [config, environment, url]) => {
    given(environment);
    expect(urlOf(await ofTable(config))).toBe(url);
  });

  test("and nowhere without a region or credentials, until there are some", async () => {
    const sdk = new DynamoDB({ region: REGION });
    const finder = new EndpointFinder(dynamoSource(sdk), clock);
    await expect(finder.find()).rejects.toMatchObject({ name: "CredentialsProviderError" });
    given({ AWS_ACCESS_KEY_ID: "AK", AWS_SECRET_ACCESS_KEY: "secret", AWS_SESSION_TOKEN: "t" });
    expect(await finder.find()).toMatchObject({ credentials: { ...KEYS, sessionToken: "t" } });
    sdk.destroy();
  });
});

describe("credentials", () => {
  interface Changing {
    current: AwsCredentials;
    asked: number;
    readonly source: { credentials: () => Promise<AwsCredentials> } & EndpointSource;
    readonly finder: EndpointFinder;
  }

  /** A source that is asked for an endpoint as whoever it is now. */
  function changing(): Changing {
    const source = {
      sample: () => {
        of.asked++;
        const { accessKeyId, secretAccessKey } = of.current;
        const credentials = { accessKeyId, secretAccessKey };
        return dynamoSource(new DynamoDB({ region: REGION, credentials })).sample();
      },
      credentials: async () => of.current,
      escapePath: true,
    };
    const finder = new EndpointFinder(source, clock);
    const of: Changing = { current: KEYS, asked: 0, source, finder };
    return of;
  }

  test("that do not end are asked for once, whoever asks at once", async () => {
    const of = changing();
    await Promise.all([of.finder.find(), of.finder.find()]);
    await clock.advance(86_400_000);
    await of.finder.find();
    expect(of.asked).toBe(1);
  });

  test("that end are asked for anew before they do", async () => {
    const of = changing();
    of.current = { ...KEYS, expiration: new Date(clock.nowMs() + 3_600_000) };
    await of.finder.find();
    await clock.advance(3_000_000);
    of.current = { accessKeyId: "NEW", secretAccessKey: "other" };
    expect(await of.finder.find()).toMatchObject({ credentials: KEYS });
    await clock.advance(400_000);
    await vi.waitFor(async () => {
      expect(await of.finder.find()).toMatchObject({ credentials: { accessKeyId: "NEW" } });
    });
    expect(of.asked).toBe(2);
  });

  test("that cannot be renewed serve until they end, and are asked for again", async () => {
    const of = changing();
    const endsAtMs = clock.nowMs() + 3_600_000;
    of.current = { ...KEYS, expiration: new Date(endsAtMs) };
    await of.finder.find();
    const away = vi.fn(() => Promise.reject(new Error("nobody answers")));
    const answering = of.source.credentials;
    of.source.credentials = away;
    await clock.advance(3_400_000);
    for (let tries = 1; tries <= 3; tries++) {
      expect(await of.finder.find()).toMatchObject({ credentials: KEYS });
      await vi.waitFor(() => expect(away).toHaveBeenCalledTimes(tries));
      expect(await of.finder.find()).toMatchObject({ credentials: KEYS });
      expect(away).toHaveBeenCalledTimes(tries);
      await clock.advance(20_000);
    }
    await clock.advance(endsAtMs - clock.nowMs());
    await expect(of.finder.find()).rejects.toThrow();
    of.source.credentials = answering;
    of.current = { accessKeyId: "NEW", secretAccessKey: "other" };
    expect(await of.finder.find()).toMatchObject({ credentials: { accessKeyId: "NEW" } });
  });

  test("are renewed while nobody waits for it", async () => {
    const of = changing();
    of.current = { ...KEYS, expiration: new Date(clock.nowMs() + 3_600_000) };
    await of.finder.find();
    const held = Promise.withResolvers<AwsCredentials>();
    of.source.credentials = () => held.promise;
    await clock.advance(3_400_000);
    expect(await of.finder.find()).toMatchObject({ credentials: KEYS });
    expect(await of.finder.find()).toMatchObject({ credentials: KEYS });
    expect(of.asked).toBe(2);
  });

  test("that changed amid the sample make no endpoint, and are looked at again", async () => {
    const of = changing();
    const other = { accessKeyId: "OTHER", secretAccessKey: "other" };
    const torn = new EndpointFinder(
      {
        sample: () => dynamoSource(new DynamoDB({ region: REGION, credentials: keys() })).sample(),
        credentials: async () => of.current,
        escapePath: true,
      },
      clock,
    );
    of.current = other;
    expect(await torn.find()).toBeUndefined();
    of.current = KEYS;
    await clock.advance(600_000);
    expect(await torn.find()).toMatchObject({ credentials: KEYS });
  });
});

test("a clock that is far off is corrected by what the service answers", async () => {
  const finder = new EndpointFinder(
    { sample: async () => ({}), credentials: async () => KEYS, escapePath: true },
    clock,
  );
  const told = (aheadMs: number, more: Readonly<Record<string, string>> = {}): number => {
    const date = new Date(clock.nowMs() + aheadMs).toUTCString();
    finder.observe({ status: 403, headers: { date, ...more } });
    return Math.round((finder.nowMs() - clock.nowMs()) / 1_000);
  };
  // A minute is what a slow answer and another machine may differ by.
  expect(told(60_000)).toBe(0);
  expect(told(1_800_000)).toBe(1_800);
  // What a cache has kept says nothing of the time.
  expect(told(-7_200_000, { age: "60" })).toBe(1_800);
  expect(told(-7_200_000)).toBe(-7_200);
  expect(told(0)).toBe(0);
});
