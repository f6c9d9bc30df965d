import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { addDecimals, canonical, compareDecimals } from "./decimal.ts";
import { DynamoDouble } from "./service.ts";

const TABLE = "firn-test";
const S = (text: string): object => ({ S: text });

interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A double with a table, asked without a network. */
function asked(): (operation: string, body: object) => Answered {
  const double = new DynamoDouble();
  double.tables.createReady(TABLE, { partition: "p", sort: "s" });
  const credential = "double/20260101/us-east-1/dynamodb/aws4_request";
  return (operation, body) => {
    const headers = {
      "x-amz-target": `DynamoDB_20120810.${operation}`,
      authorization: `AWS4-HMAC-SHA256 Credential=${credential}`,
    };
    const request = { method: "POST", path: "/", query: {}, headers };
    const response = double.handler({
      ...request,
      body: utf8(JSON.stringify({ TableName: TABLE, ...body })),
    });
    return { status: response.status, body: JSON.parse(utf8Text(response.body)) };
  };
}

const large = (sort: string, bytes: number): object => ({
  p: S("p"),
  s: S(sort),
  b: S("b".repeat(bytes)),
});

describe("what one answer or request of the double holds", () => {
  const SIZE = 300_000;

  test("a page ends within a megabyte, and the next goes on behind it", () => {
    const ask = asked();
    const sorts = ["a", "b", "c", "d", "e", "f", "g"];
    for (const sort of sorts) ask("PutItem", { Item: large(sort, SIZE) });
    for (const operation of ["Query", "Scan"]) {
      const keys = {
        KeyConditionExpression: "p = :p",
        ExpressionAttributeValues: { ":p": S("p") },
      };
      const seen: string[] = [];
      let from: unknown;
      let pages = 0;
      do {
        const more = from === undefined ? {} : { ExclusiveStartKey: from };
        const { body } = ask(operation, { ...(operation === "Query" ? keys : {}), ...more });
        const items = body["Items"] as readonly { readonly s: { readonly S: string } }[];
        expect(items.length).toBeLessThanOrEqual(3);
        seen.push(...items.map(({ s }) => s.S));
        from = body["LastEvaluatedKey"];
        pages++;
      } while (from !== undefined);
      expect(seen).toEqual(sorts);
      expect(pages).toBe(3);
    }
  });

  test("a batch of reads ends within 16 MB, and names what it left", () => {
    const ask = asked();
    const sorts = Array.from({ length: 60 }, (_, i) => `k${i}`);
    for (const sort of sorts) ask("PutItem", { Item: large(sort, SIZE) });
    const Keys = sorts.map((sort) => ({ p: S("p"), s: S(sort) }));
    const { body } = ask("BatchGetItem", { RequestItems: { [TABLE]: { Keys } } });
    const read = (body["Responses"] as Record<string, readonly unknown[]>)[TABLE]?.length ?? 0;
    const left = body["UnprocessedKeys"] as Record<string, { readonly Keys: readonly object[] }>;
    expect(read).toBe(Math.floor(16_777_216 / SIZE));
    expect(left[TABLE]?.Keys).toEqual(Keys.slice(read));
  });

  test("a transaction over 4 MB is refused, and does nothing", () => {
    const ask = asked();
    const puts = (count: number): object => ({
      TransactItems: Array.from({ length: count }, (_, i) => ({
        Put: { TableName: TABLE, Item: large(`k${i}`, SIZE) },
      })),
    });
    expect(ask("TransactWriteItems", puts(14)).status).toBe(400);
    expect(ask("Scan", {}).body).toMatchObject({ Count: 0 });
    expect(ask("TransactWriteItems", puts(13)).status).toBe(200);
  });

  test("a table that is being made is not there yet", () => {
    const ask = asked();
    const create = {
      TableName: "firn-new",
      AttributeDefinitions: [{ AttributeName: "p", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "p", KeyType: "HASH" }],
      BillingMode: "PAY_PER_REQUEST",
    };
    ask("CreateTable", create);
    const put = { TableName: "firn-new", Item: { p: S("p") } };
    expect(ask("PutItem", put).body["__type"]).toMatch(/ResourceNotFoundException$/);
    for (let looks = 0; looks < 3; looks++) ask("DescribeTable", { TableName: "firn-new" });
    expect(ask("PutItem", put).status).toBe(200);
  });
});

describe("numbers of the double", () => {
  const digits = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
  const places = fc.integer({ min: 0, max: 18 });
  /** A whole number of units of ten to the minus `places`, written out. */
  const written = (value: bigint, at: number): string => `${value}e-${at}`;

  test("add and compare as whole numbers of one unit do", () => {
    const property = fc.property(digits, digits, places, (a, b, at) => {
      const [x, y] = [written(a, at), written(b, at)];
      expect(addDecimals(x, y, 1)).toBe(canonical(written(a + b, at)));
      expect(addDecimals(x, y, -1)).toBe(canonical(written(a - b, at)));
      expect(Math.sign(compareDecimals(x, y))).toBe(a < b ? -1 : a > b ? 1 : 0);
    });
    fc.assert(property, { seed: 20_260_103 });
  });

  test("are written in one way, without zeros at either end", () => {
    const property = fc.property(digits, places, (value, at) => {
      const text = canonical(written(value, at));
      expect(text).toMatch(/^-?(?:0|[1-9]\d*|(?:0|[1-9]\d*)\.\d*[1-9])$/);
      expect(canonical(text)).toBe(text);
      expect(compareDecimals(text, written(value, at))).toBe(0);
    });
    fc.assert(property, { seed: 20_260_104 });
  });
});
