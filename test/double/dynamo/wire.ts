import { expect } from "vitest";
import { FACTS_TABLE, type Fact, type Send } from "./facts.ts";

/** Any server of the protocol takes this for a signature, or looks at none. */
const AUTHORIZATION =
  "AWS4-HMAC-SHA256 Credential=double/20260101/us-east-1/dynamodb/aws4_request, " +
  `SignedHeaders=host;x-amz-date, Signature=${"0".repeat(64)}`;

export interface WireAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends one request as it stands, without any SDK. */
export async function sendRaw(url: string, [operation, body]: Send): Promise<WireAnswer> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": `DynamoDB_20120810.${operation}`,
      "x-amz-date": "20260101T000000Z",
      authorization: AUTHORIZATION,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as WireAnswer["body"] };
}

/** Makes the table that the facts are about. */
export async function makeFactsTable(url: string): Promise<void> {
  const create = {
    TableName: FACTS_TABLE,
    AttributeDefinitions: ["p", "s"].map((name) => ({ AttributeName: name, AttributeType: "S" })),
    KeySchema: [
      { AttributeName: "p", KeyType: "HASH" },
      { AttributeName: "s", KeyType: "RANGE" },
    ],
    BillingMode: "PAY_PER_REQUEST",
  };
  expect(await sendRaw(url, ["CreateTable", create])).toMatchObject({ status: 200 });
  for (let looks = 0; looks < 100; looks++) {
    const { body } = await sendRaw(url, ["DescribeTable", { TableName: FACTS_TABLE }]);
    if ((body["Table"] as { TableStatus?: string }).TableStatus === "ACTIVE") return;
  }
  throw new Error("the table does not become active");
}

let facts = 0;

/** Rejects where a server does not answer as the fact says. */
export async function judgeFact(url: string, { fact, given = [], ...about }: Fact): Promise<void> {
  // Sixteen bytes that no other fact, nor another run on the same server, has.
  const own = `f${String(facts++).padStart(4, "0")}-${Date.now().toString(36)}`.padEnd(16, "x");
  const fill = <T>(text: T): T => JSON.parse(JSON.stringify(text).replaceAll('"@"', `"${own}"`));
  for (const send of given) {
    expect(await sendRaw(url, fill(send)), `given, of ${fact}`).toMatchObject({ status: 200 });
  }
  const { status, body } = await sendRaw(url, fill(about.send));
  const type = String(body["__type"] ?? "").replace(/^.*#/, "");
  expect([status, type], JSON.stringify(body)).toEqual(
    about.type === undefined ? [200, ""] : [400, about.type],
  );
  if (about.answer !== undefined) expect(body).toMatchObject(fill(about.answer));
  for (const member of about.without ?? []) expect(body).not.toHaveProperty(member);
}
