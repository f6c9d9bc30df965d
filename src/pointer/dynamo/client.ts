import { DynamoDB, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { HttpPool } from "../../aws/http.ts";
import { inTime } from "../../aws/in-time.ts";
import type { Clock } from "../../base/clock.ts";
import { DynamoDirectTransport } from "./direct-transport.ts";
import {
  type DynamoOperation,
  DynamoSdkTransport,
  type DynamoTransport,
  type Input,
  type Output,
} from "./transport.ts";

/** What the SDK is told. What is absent it finds as it always does: `AWS_*`, profiles, roles. */
export interface DynamoConnection {
  readonly endpoint?: string;
  readonly region?: string;
  /** Of the shared configuration files. */
  readonly profile?: string;
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  readonly timeouts?: DynamoTimeouts;
  /** Connections kept open at most; requests beyond them wait. 64 if absent. */
  readonly connections?: number;
  /** Who sends the requests for items: we (the default), or, in tests, the SDK. */
  readonly transport?: "direct" | "sdk";
}

export interface DynamoTimeouts {
  /** Until a connection stands. */
  readonly connectMs: number;
  /** Between two signs of life of one. */
  readonly idleMs: number;
  /** From a call to its last byte: what is not answered by then is in doubt. */
  readonly wholeMs: number;
}

/** An item's request takes milliseconds, so an attempt has time for several that hang. */
const TIMEOUTS: DynamoTimeouts = { connectMs: 1_000, idleMs: 3_000, wholeMs: 4_000 };
const CONNECTIONS = 64;
/** The SDK reports in errors: none of its lines reaches the console. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** A request that was answered, and the units of capacity that it took. */
export interface DynamoUsage {
  readonly operation: DynamoOperation;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** What the store sends, and which units the service counts it in. */
const UNITS = {
  GetItem: "read",
  BatchGetItem: "read",
  Query: "read",
  Scan: "read",
  PutItem: "write",
  UpdateItem: "write",
  DeleteItem: "write",
  TransactWriteItems: "write",
} as const satisfies Record<DynamoOperation, "read" | "write">;

interface Consumed {
  readonly CapacityUnits?: number | undefined;
  readonly ReadCapacityUnits?: number | undefined;
  readonly WriteCapacityUnits?: number | undefined;
}

interface Answer {
  readonly ConsumedCapacity?: Consumed | readonly Consumed[] | undefined;
}

/** What every request passes on to the SDK. */
interface CallOptions {
  readonly abortSignal: AbortSignal;
}

export interface DynamoClientOptions {
  readonly clock: Clock;
  readonly connection?: DynamoConnection;
  readonly onUsage?: (usage: DynamoUsage) => void;
}

/** Requests with an end: sent once by the SDK, whose own retries are off, and given up in time. */
export class DynamoClient {
  readonly #sdk: DynamoDB;
  readonly #pool: HttpPool;
  readonly #transport: DynamoTransport;
  readonly #clock: Clock;
  readonly #wholeMs: number;
  readonly #onUsage: (usage: DynamoUsage) => void;
  #lastDateMs: number | undefined;

  constructor({ clock, connection = {}, onUsage = () => {} }: DynamoClientOptions) {
    const timeouts = connection.timeouts ?? TIMEOUTS;
    this.#pool = new HttpPool({ connections: connection.connections ?? CONNECTIONS, ...timeouts });
    const sdk = new DynamoDB(sdkConfig(connection, timeouts, this.#pool));
    this.#sdk = sdk;
    this.#transport =
      connection.transport === "sdk"
        ? new DynamoSdkTransport(sdk)
        : new DynamoDirectTransport({ sdk, pool: this.#pool, clock });
    this.#clock = clock;
    this.#wholeMs = timeouts.wholeMs;
    this.#onUsage = onUsage;
    sdk.middlewareStack.add(
      (next) => async (request) => {
        const result = await next(request);
        this.#lastDateMs = dateOf(result.response) ?? this.#lastDateMs;
        return result;
      },
      { step: "deserialize", name: "serviceDate", priority: "low" },
    );
  }

  /** Where the table is looked for. @throws Error where no region is configured. */
  region(): Promise<string> {
    return this.#sdk.config.region();
  }

  /** The service's wall time as its last answer told it, in whole seconds. */
  get lastDateMs(): number | undefined {
    return this.#lastDateMs;
  }

  /**
   * One request that reads or writes items, and tells what it used.
   *
   * @throws what `failure.ts` reads; an `AbortError` past the whole timeout.
   */
  async send<O extends DynamoOperation>(operation: O, input: Input<O>): Promise<Output<O>> {
    const answer = await this.#inTime((signal) => this.#transport.send(operation, input, signal));
    const { ConsumedCapacity: consumed = [] }: Answer = answer;
    for (const each of Array.isArray(consumed) ? consumed : [consumed]) {
      this.#used(operation, each);
    }
    return answer;
  }

  /** Counts a write that was refused: it is billed, though no answer says how much. */
  refused(operation: DynamoOperation, writeUnits: number): void {
    this.#onUsage({ operation, readUnits: 0, writeUnits });
  }

  /** One request of any other kind, by the SDK. @throws as `send` */
  bounded<T>(call: (sdk: DynamoDB, options: CallOptions) => Promise<T>): Promise<T> {
    return this.#inTime((abortSignal) => call(this.#sdk, { abortSignal }));
  }

  #inTime<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return inTime({ clock: this.#clock, limitMs: this.#wholeMs }, call);
  }

  /** Ends the connections that are kept open. */
  close(): void {
    this.#sdk.destroy();
    this.#pool.close();
  }

  /** A resend that met its own token says itself that it has read, and written nothing. */
  #used(operation: DynamoOperation, consumed: Consumed): void {
    const { CapacityUnits = 0, ReadCapacityUnits, WriteCapacityUnits } = consumed;
    const isRead = UNITS[operation] === "read";
    this.#onUsage({
      operation,
      readUnits: ReadCapacityUnits ?? (isRead ? CapacityUnits : 0),
      writeUnits:
        WriteCapacityUnits ?? (isRead || ReadCapacityUnits !== undefined ? 0 : CapacityUnits),
    });
  }
}

/** The date of an answer, as HTTP has it. */
function dateOf(response: unknown): number | undefined {
  const { headers = {} } = response as { readonly headers?: Readonly<Record<string, string>> };
  const ms = Date.parse(headers["date"] ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

function sdkConfig(
  { endpoint, region, profile, credentials }: DynamoConnection,
  { connectMs, idleMs, wholeMs }: DynamoTimeouts,
  { httpAgent, httpsAgent }: HttpPool,
): DynamoDBClientConfig {
  return {
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    ...(credentials !== undefined && { credentials }),
    logger: SILENT,
    // A write that was applied and answered 500 would come back as a failed condition.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: idleMs,
      requestTimeout: wholeMs,
      throwOnRequestTimeout: true,
      logger: SILENT,
      httpAgent,
      httpsAgent,
    },
  };
}
