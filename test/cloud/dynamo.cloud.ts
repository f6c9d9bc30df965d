import { beforeAll, describe, expect, test } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { DynamoClient } from "../../src/pointer/dynamo/client.ts";
import { probeTable } from "../../src/pointer/dynamo/probe.ts";
import { DynamoPointerStore } from "../../src/pointer/dynamo/store.ts";
import { initTable } from "../../src/pointer/dynamo/table.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import {
  describePointerStore,
  type PointerStoreSubject,
} from "../contract/describe-pointer-store.ts";
import { DIVERGENCES } from "../double/dynamo/divergences.ts";
import { FACTS } from "../double/dynamo/facts.ts";
import { judgeFact, makeFactsTable } from "../double/dynamo/wire.ts";
import { ANY_CREDENTIALS, ShiftedClock, TABLE } from "../double/dynamo/world.ts";
import { TEST_FAMILIES } from "../support/pointer-families.ts";

const SERVERS: readonly (readonly [keyof typeof DIVERGENCES, string | undefined])[] = [
  ["MiniStack", process.env["FIRN_TEST_MINISTACK"]],
  ["dynoxide", process.env["FIRN_TEST_DYNOXIDE"]],
];

for (const [server, url] of SERVERS) {
  if (url === undefined) {
    test.skip(`${server} is not there`);
    continue;
  }
  const connection = {
    endpoint: url,
    region: "us-east-1",
    credentials: ANY_CREDENTIALS,
  };

  describe(`${server} on the wire`, () => {
    beforeAll(() => makeFactsTable(url));
    for (const fact of FACTS) {
      const reason = DIVERGENCES[server][fact.fact];
      const judged = judgeFact.bind(undefined, url, fact);
      if (reason === undefined) test(fact.fact, judged);
      else test(`${fact.fact}: not here: ${reason}`, () => expect(judged()).rejects.toThrow());
    }
  });

  describe(`a table of ${server}`, () => {
    test("is made, and does what a start asks of it", async () => {
      const client = new DynamoClient({ clock: new SystemClock(), connection });
      const target = { client, clock: new SystemClock(), table: "firn-probed" };
      try {
        expect(await initTable(target)).toBe("created");
        expect(await initTable(target)).toBe("existed");
        expect(await probeTable(target, new SeededPrng(1))).toMatchObject({ warnings: [] });
      } finally {
        client.close();
      }
    });
  });

  const open = async (): Promise<PointerStoreSubject> => {
    const clock = new ShiftedClock();
    const client = new DynamoClient({ clock, connection });
    await initTable({ client, clock: new SystemClock(), table: TABLE });
    client.close();
    const store = new DynamoPointerStore({
      table: TABLE,
      families: TEST_FAMILIES,
      clock,
      prng: new SystemPrng(),
      connection,
    });
    return {
      store,
      nowMs: () => clock.nowMs(),
      advance: (ms) => clock.advance(ms),
      close: async () => store.close(),
    };
  };
  describePointerStore(server, open, {
    bumpVersions: true,
    sweepOrder: false,
    races: { rounds: server === "MiniStack" ? 100 : 10, writers: 24 },
  });
}
