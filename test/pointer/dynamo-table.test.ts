import type { CreateTableCommandInput } from "@aws-sdk/client-dynamodb";
import { afterEach, describe, expect, test, vi } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { DynamoClient } from "../../src/pointer/dynamo/client.ts";
import { measureSkew, probeTable } from "../../src/pointer/dynamo/probe.ts";
import { type DynamoTable, describeTable, initTable } from "../../src/pointer/dynamo/table.ts";
import { DynamoDouble, type DynamoDoubleOptions, withBody } from "../double/dynamo/service.ts";
import { ANY_CREDENTIALS, ShiftedClock, TABLE } from "../double/dynamo/world.ts";
import { type Handler, type Service, serve } from "../double/server.ts";

interface Site extends DynamoTable {
  readonly clock: ShiftedClock;
  readonly double: DynamoDouble;
  readonly requests: () => number;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  vi.unstubAllEnvs();
});

/** A double without a table, and a client. `between` may spoil what the double answers. */
async function site(
  options: DynamoDoubleOptions = {},
  between: (handler: Handler) => Handler = (handler) => handler,
): Promise<Site> {
  const clock = new ShiftedClock();
  const double = new DynamoDouble({ nowMs: () => clock.nowMs(), ...options });
  const handler: Handler | Service = between(double.handler);
  const serving = await serve(handler);
  const connection = {
    endpoint: serving.url,
    region: "us-east-1",
    credentials: ANY_CREDENTIALS,
  };
  const client = new DynamoClient({ clock, connection });
  closing.push(async () => {
    client.close();
    await serving.close();
  });
  return { clock, double, client, table: TABLE, requests: () => serving.requests() };
}

const prng = new SeededPrng(5);

describe("a table is made", () => {
  test("once, with what the store needs, and can be used then", async () => {
    const at = await site();
    expect(await initTable(at)).toBe("created");
    expect(await initTable(at)).toBe("existed");
    expect(await describeTable(at)).toMatchObject({
      TableStatus: "ACTIVE",
      BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
      DeletionProtectionEnabled: true,
    });
    expect(await probeTable(at, prng)).toEqual({ clockSkewMs: 0, warnings: [] });
    expect(at.double.tables.ready(TABLE).all()).toEqual([]);
  });

  test("by many nodes at once, and each of them can use it", async () => {
    const at = await site();
    const made = await Promise.all(Array.from({ length: 5 }, () => initTable(at)));
    expect(made).toContain("created");
    expect(await describeTable(at)).toMatchObject({ TableStatus: "ACTIVE" });
  });
});

const refusal = (kind: string, code: string, setting: RegExp) => ({
  kind,
  code,
  message: expect.stringMatching(setting),
  context: { table: TABLE },
});

describe("a start is refused, and the setting named, where the table", () => {
  test("is missing", async () => {
    const at = await site();
    // It may stand in another region than the one that is asked, which only the operator can tell.
    const told = /us-east-1.*--dynamodb-table.*AWS_REGION/;
    const missing = refusal("Unavailable", "DYNAMODB_TABLE_MISSING", told);
    await expect(probeTable(at, prng)).rejects.toMatchObject(missing);
  });

  test("has other keys", async () => {
    const at = await site();
    const other: CreateTableCommandInput = {
      TableName: TABLE,
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      BillingMode: "PAY_PER_REQUEST",
    };
    await at.client.bounded((sdk, to) => sdk.createTable(other, to));
    const unfit = refusal("Invalid", "DYNAMODB_TABLE_UNFIT", /--dynamodb-table/);
    await expect(probeTable(at, prng)).rejects.toMatchObject(unfit);
    await expect(initTable(at)).rejects.toMatchObject(unfit);
  });

  test.each([
    ...["DescribeTable", "PutItem", "TransactWriteItems", "GetItem", "BatchGetItem", "Query"],
    ...["DeleteItem", "DescribeTimeToLive", "UpdateItem", "ConditionCheckItem", "Scan"],
  ])("denies %s", async (operation) => {
    const denied = new Set<string>();
    const at = await site({ denied });
    await initTable(at);
    denied.add(operation);
    const refused = refusal("Unavailable", "DYNAMODB_DENIED", /dynamodb:/);
    await expect(probeTable(at, prng)).rejects.toMatchObject(refused);
  });

  test("cannot be reached", async () => {
    const at = await site();
    for (const close of closing.splice(0)) await close();
    const gone = refusal("Unavailable", "POINTERS_UNREACHABLE", /AWS_/);
    await expect(probeTable(at, prng)).rejects.toMatchObject(gone);
  });

  test("does not answer", async () => {
    const at = await site();
    const serving = await serve(async () => ({ delivery: "silent" }));
    const timeouts = { connectMs: 500, idleMs: 60, wholeMs: 60 };
    const { clock } = at;
    const connection = { endpoint: serving.url, region: "us-east-1", timeouts };
    const client = new DynamoClient({
      clock,
      connection: { ...connection, credentials: ANY_CREDENTIALS },
    });
    closing.push(async () => {
      client.close();
      await serving.close();
    });
    const silent = refusal("Unavailable", "POINTERS_UNAVAILABLE", /AWS_REGION.*AWS_ENDPOINT_URL/);
    await expect(probeTable({ client, clock, table: TABLE }, prng)).rejects.toMatchObject(silent);
  });

  test.each([
    ["region", { credentials: ANY_CREDENTIALS }],
    ["credentials", { region: "us-east-1" }],
  ])("is asked for without a %s", async (_what, given) => {
    const { clock, requests } = await site();
    for (const name of Object.keys(process.env)) {
      if (name.startsWith("AWS_")) vi.stubEnv(name, undefined);
    }
    // Nothing of the machine's own is found either.
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
    const client = new DynamoClient({ clock, connection: given });
    closing.push(async () => client.close());
    const unset = refusal("Unavailable", "DYNAMODB_UNCONFIGURED", /AWS_REGION/);
    await expect(probeTable({ client, clock, table: TABLE }, prng)).rejects.toMatchObject(unset);
    expect(requests()).toBe(0);
  });
});

describe("a start is refused where a service that is not DynamoDB", () => {
  test.each([
    ["of single writes", /PutItem$/],
    ["of transactions", /TransactWriteItems$/],
  ])("ignores conditions %s", async (_title, operation) => {
    const at = await site({}, (handler) => (request) => {
      if (!operation.test(request.headers["x-amz-target"] ?? "")) return handler(request);
      const text = Buffer.from(request.body).toString("utf8");
      const blind = text.replaceAll(
        /"ConditionExpression":"([^"]*)"/g,
        '"ConditionExpression":"attribute_not_exists(nothing) OR ($1)"',
      );
      return handler({ ...request, body: Buffer.from(blind) });
    });
    await initTable(at);
    const ignored = refusal("Invalid", "DYNAMODB_CONDITIONS_IGNORED", /AWS_ENDPOINT_URL/);
    await expect(probeTable(at, prng)).rejects.toMatchObject(ignored);
  });

  test("does not say what failed a condition", async () => {
    const at = await site({}, (handler) => (request) => {
      const response = handler(request);
      if (response.status !== 400) return response;
      const { Item: _, ...error } = JSON.parse(Buffer.from(response.body).toString("utf8"));
      return withBody(response, error);
    });
    await initTable(at);
    const ignored = refusal("Invalid", "DYNAMODB_CONDITIONS_IGNORED", /AWS_ENDPOINT_URL/);
    await expect(probeTable(at, prng)).rejects.toMatchObject(ignored);
  });
});

describe("the clock", () => {
  /** A double whose clock is behind the machine's by so much. */
  const behind = async (ms: number): Promise<Site> => {
    const at = await site({ nowMs: () => Date.now() - ms });
    await initTable(at);
    return at;
  };

  test.each([0, 7_000, -7_000])("is told within a second: %d ms ahead", async (ms) => {
    const skewMs = await measureSkew(await behind(ms));
    expect(Math.abs(skewMs - ms)).toBeLessThanOrEqual(1_000);
  });

  test("that is somewhat off is a warning, a wrong one refuses the start", async () => {
    expect((await probeTable(await behind(9_000), prng)).warnings).toHaveLength(1);
    for (const ms of [70_000, -70_000]) {
      const skewed = { kind: "Invalid", code: "CLOCK_SKEWED" };
      await expect(probeTable(await behind(ms), prng)).rejects.toMatchObject(skewed);
    }
  });
});
