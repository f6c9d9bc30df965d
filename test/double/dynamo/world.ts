import type { Clock } from "../../../src/base/clock.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import type { DynamoUsage } from "../../../src/pointer/dynamo/client.ts";
import { DynamoClient, type DynamoConnection } from "../../../src/pointer/dynamo/client.ts";
import { DynamoPointerStore } from "../../../src/pointer/dynamo/store.ts";
import { initTable } from "../../../src/pointer/dynamo/table.ts";
import type { KeyFamily } from "../../../src/pointer/key.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { awsTransport } from "../../support/aws-transport.ts";
import { TEST_FAMILIES } from "../../support/pointer-families.ts";
import { type Handler, type Service, type Serving, serve } from "../server.ts";
import { DynamoDouble, type DynamoDoubleOptions } from "./service.ts";

/**
 * The machine's time, some of which passes when a test says so. Nobody waits long between two tries
 * at a double; what ends by itself (a timeout) takes its time.
 */
export class ShiftedClock extends SystemClock {
  #aheadMs = 0;

  override sleep(ms: number, ended?: AbortSignal): Promise<void> {
    return super.sleep(ended === undefined ? Math.min(ms, 1) : ms, ended);
  }

  override nowMs(): number {
    return super.nowMs() + this.#aheadMs;
  }

  async advance(ms: number): Promise<void> {
    this.#aheadMs += ms;
  }
}

/** A double on a loopback port, a table in it, and a store over it. */
export interface DynamoWorld {
  readonly double: DynamoDouble;
  readonly serving: Serving;
  readonly clock: ShiftedClock;
  readonly store: DynamoPointerStore;
  readonly connection: DynamoConnection;
  close(): Promise<void>;
}

export interface DynamoWorldOptions extends Pick<DynamoDoubleOptions, "denied"> {
  readonly families?: readonly KeyFamily[];
  /** What stands between the store and the double, once the table is made. */
  readonly network?: (handler: Handler, double: DynamoDouble) => Handler | Service;
  readonly connection?: Partial<DynamoConnection>;
  readonly onUsage?: (usage: DynamoUsage) => void;
  readonly seed?: number;
}

export const TABLE = "firn-test";

/** For a service that takes any: the SDK signs with them as with real ones. */
export const ANY_CREDENTIALS = { accessKeyId: "double", secretAccessKey: "double" };

/** As by default, but a busy machine may take its time for a connection. */
const PATIENT = { connectMs: 20_000, idleMs: 3_000, wholeMs: 4_000 };

export async function openDynamoWorld(options: DynamoWorldOptions = {}): Promise<DynamoWorld> {
  const { families = TEST_FAMILIES, denied, network, onUsage, seed = 1 } = options;
  const clock = new ShiftedClock();
  const double = new DynamoDouble({ nowMs: () => clock.nowMs(), ...(denied && { denied }) });
  let service: Handler | Service = double.handler;
  const serving = await serve(async (request) => {
    const result = await service(request);
    return "delivery" in result ? result : { delivery: "answered", response: result };
  });
  const connection: DynamoConnection = {
    endpoint: serving.url,
    region: "us-east-1",
    credentials: ANY_CREDENTIALS,
    transport: awsTransport(),
    timeouts: PATIENT,
    ...options.connection,
  };
  await makeTable(connection, clock);
  service = network?.(double.handler, double) ?? service;
  const store = new DynamoPointerStore({
    table: TABLE,
    families,
    clock,
    prng: new SeededPrng(seed),
    connection,
    ...(onUsage && { onUsage }),
  });
  return {
    double,
    serving,
    clock,
    store,
    connection,
    close: async () => {
      store.close();
      await serving.close();
    },
  };
}

/** Makes the table as an operator does. */
export async function makeTable(
  connection: DynamoConnection,
  clock: Clock,
  table: string = TABLE,
): Promise<void> {
  const client = new DynamoClient({ clock, connection });
  try {
    await initTable({ client, clock, table });
  } finally {
    client.close();
  }
}
