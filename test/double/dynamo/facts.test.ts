import { afterAll, beforeAll, describe, test } from "vitest";
import { type Serving, serve } from "../server.ts";
import { FACTS } from "./facts.ts";
import { DynamoDouble } from "./service.ts";
import { judgeFact, makeFactsTable } from "./wire.ts";

describe("the double on the wire", () => {
  let serving: Serving | undefined;
  beforeAll(async () => {
    serving = await serve(new DynamoDouble().handler);
    await makeFactsTable(serving.url);
  });
  afterAll(() => serving?.close());

  test.each(FACTS)("$fact", async (fact) => {
    if (serving === undefined) throw new Error("the double does not serve");
    await judgeFact(serving.url, fact);
  });
});
