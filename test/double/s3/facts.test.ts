import { afterAll, beforeAll, expect, it } from "vitest";
import { type Serving, serve } from "../server.ts";
import { FACTS } from "./facts.ts";
import { type Endpoint, judgeFact, makeFactsBucket } from "./facts-wire.ts";
import { S3Service } from "./service.ts";

const ACCOUNT = { accessKeyId: "test", secretAccessKey: "secret", region: "us-east-1" };

let serving: Serving;
let endpoint: Endpoint;

beforeAll(async () => {
  const accounts = new Map([[ACCOUNT.accessKeyId, ACCOUNT.secretAccessKey]]);
  serving = await serve(new S3Service({ accounts }).handler);
  endpoint = { ...ACCOUNT, url: serving.url };
  await makeFactsBucket(endpoint);
});
afterAll(() => serving.close());

it.each(FACTS.map((fact) => [fact.fact, fact] as const))("%s", async (_name, fact) => {
  await judgeFact(endpoint, fact);
});

it("and a fact that is none is seen", async () => {
  const [first] = FACTS;
  const lie = { ...first!, answer: { status: 418 } };
  await expect(judgeFact(endpoint, lie)).rejects.toThrow();
});
