import type { CreateTableCommandInput, TableDescription } from "@aws-sdk/client-dynamodb";
import { type Clock, Stopwatch } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { DynamoClient } from "./client.ts";
import { type Failure, failureOf, unavailable } from "./failure.ts";

/** Where the pointers are, and with what time; the settings that a refusal names lead here. */
export interface DynamoTable {
  readonly client: DynamoClient;
  readonly clock: Clock;
  readonly table: string;
}

const PARTITION_KEY = "p";
const SORT_KEY = "s";
/** Tombstones past their life go by themselves, at no charge (see `item.ts`). */
const TIME_TO_LIVE = "t";
const POLL_MS = 500;
const CREATE_WAIT_MS = 120_000;

/**
 * Makes the table where it is absent, keyed and billed as the store needs it, and protected from
 * deletion; switches its time to live on. What is there already stays as it is.
 *
 * @throws FirnError as `describeTable`; `Unavailable`, code `DYNAMODB_TABLE_NOT_READY`.
 */
export async function initTable(target: DynamoTable): Promise<"created" | "existed"> {
  const existed = (await lookUp(target)) !== undefined;
  if (!existed) await create(target);
  await untilActive(target);
  if (!(await hasTimeToLive(target))) await switchOnTimeToLive(target);
  return existed ? "existed" : "created";
}

/**
 * The table, once it is known to be keyed as the store needs it.
 *
 * @throws FirnError `Unavailable`: `DYNAMODB_TABLE_MISSING`, `DYNAMODB_TABLE_NOT_READY`,
 *   `DYNAMODB_DENIED`, `DYNAMODB_UNCONFIGURED`, `POINTERS_UNREACHABLE`; `Invalid`:
 *   `DYNAMODB_TABLE_UNFIT`. Each names the setting, and what to do.
 */
export async function describeTable(target: DynamoTable): Promise<TableDescription> {
  const { table } = target;
  const found = await lookUp(target);
  if (found === undefined) {
    const region = await target.client.region();
    const message =
      `table not found in region ${region}: create it with \`firn storage init\`, or see ` +
      "--dynamodb-table and AWS_REGION";
    throw new FirnError("Unavailable", "DYNAMODB_TABLE_MISSING", message, { table });
  }
  assertKeys(table, found);
  return found;
}

/** Whether expired tombstones will be removed. */
export async function hasTimeToLive(target: DynamoTable): Promise<boolean> {
  const { client, table } = target;
  const answer = await control(target, () =>
    client.bounded((sdk, to) => sdk.describeTimeToLive({ TableName: table }, to)),
  );
  const { TimeToLiveStatus: status, AttributeName: name } = answer.TimeToLiveDescription ?? {};
  const isOn = status === "ENABLED" || status === "ENABLING";
  if (isOn && name !== TIME_TO_LIVE) throw unfit(table, "its time to live is another attribute's");
  return isOn;
}

async function lookUp(target: DynamoTable): Promise<TableDescription | undefined> {
  const { client, table } = target;
  try {
    const answer = await control(target, () =>
      client.bounded((sdk, to) => sdk.describeTable({ TableName: table }, to)),
    );
    return answer.Table;
  } catch (error) {
    if (error instanceof FirnError && error.code === "DYNAMODB_TABLE_MISSING") return undefined;
    throw error;
  }
}

async function create(target: DynamoTable): Promise<void> {
  const { client, table } = target;
  const input: CreateTableCommandInput = {
    TableName: table,
    AttributeDefinitions: [
      { AttributeName: PARTITION_KEY, AttributeType: "S" },
      { AttributeName: SORT_KEY, AttributeType: "S" },
    ],
    KeySchema: [
      { AttributeName: PARTITION_KEY, KeyType: "HASH" },
      { AttributeName: SORT_KEY, KeyType: "RANGE" },
    ],
    BillingMode: "PAY_PER_REQUEST",
    DeletionProtectionEnabled: true,
  };
  await control(target, async () => {
    try {
      await client.bounded((sdk, to) => sdk.createTable(input, to));
    } catch (error) {
      // Another node makes it at the same time, or our own request was sent twice.
      if (!(error instanceof Error && error.name === "ResourceInUseException")) throw error;
    }
  });
}

async function switchOnTimeToLive(target: DynamoTable): Promise<void> {
  const { client, table } = target;
  const TimeToLiveSpecification = { AttributeName: TIME_TO_LIVE, Enabled: true };
  const input = { TableName: table, TimeToLiveSpecification };
  try {
    await control(target, () => client.bounded((sdk, to) => sdk.updateTimeToLive(input, to)));
  } catch (error) {
    // It is refused where another node was faster.
    if (!(await hasTimeToLive(target))) throw error;
  }
}

async function untilActive(target: DynamoTable): Promise<void> {
  const { clock, table } = target;
  for (let waitedMs = 0; waitedMs < CREATE_WAIT_MS; waitedMs += POLL_MS) {
    const found = await lookUp(target);
    if (found?.TableStatus === "ACTIVE" || found?.TableStatus === "UPDATING") {
      assertKeys(table, found);
      return;
    }
    await clock.sleep(POLL_MS);
  }
  throw notReady(table);
}

function assertKeys(
  table: string,
  { KeySchema, AttributeDefinitions, TableStatus }: TableDescription,
): void {
  const keys = (KeySchema ?? []).map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`);
  const types = (AttributeDefinitions ?? []).map(
    ({ AttributeName, AttributeType }) => `${AttributeName} ${AttributeType}`,
  );
  const isKeyed = keys.join() === `HASH ${PARTITION_KEY},RANGE ${SORT_KEY}`;
  const isText = types.includes(`${PARTITION_KEY} S`) && types.includes(`${SORT_KEY} S`);
  if (!isKeyed || !isText) throw unfit(table, "it has other keys");
  if (TableStatus !== "ACTIVE" && TableStatus !== "UPDATING") throw notReady(table);
}

function notReady(table: string): FirnError {
  const message = "the table is not ready yet: wait, then start again";
  return new FirnError("Unavailable", "DYNAMODB_TABLE_NOT_READY", message, { table });
}

/** A table that is something else's. */
function unfit(table: string, what: string): FirnError {
  const message =
    `not a pointer table, ${what}: choose another with --dynamodb-table, ` +
    "and create it with `firn storage init`";
  return new FirnError("Invalid", "DYNAMODB_TABLE_UNFIT", message, { table });
}

/** Tries of one request of a start, the pause after the first, and when none begins any more. */
const TRIES = 7;
const PAUSE_MS = 20;
const TRIES_MS = 15_000;
/** What may be otherwise the next time. */
const PASSING: ReadonlySet<Failure["failure"]> = new Set([
  "throttled",
  "contended",
  "inProgress",
  "unreachable",
  "doubt",
  "cancelled",
]);

/**
 * Sends a request that does no harm twice, again where it failed in passing, and tells a failure
 * that stays as an operator can use it.
 */
export async function control<T>(
  { clock, table }: Pick<DynamoTable, "clock" | "table">,
  request: () => Promise<T>,
): Promise<T> {
  const stopwatch = new Stopwatch(clock);
  for (let tries = 1; ; tries++) {
    try {
      return await request();
    } catch (error) {
      if (error instanceof FirnError) throw error;
      const isOver = tries >= TRIES || stopwatch.elapsedMs() > TRIES_MS;
      if (isOver || !PASSING.has(failureOf(error).failure)) throw told(table, error);
    }
    await clock.sleep(PAUSE_MS * 2 ** (tries - 1));
  }
}

function told(table: string, error: unknown): FirnError {
  const failure = failureOf(error);
  const of =
    failure.failure === "refused" || failure.failure === "unreachable"
      ? failure.error
      : unavailable(error);
  const advice = ADVICE.get(of.code);
  if (advice === undefined) return of;
  return new FirnError(
    of.kind,
    of.code,
    `${of.message}: ${advice}`,
    { ...of.context, table },
    error,
  );
}

const THE_WAY = "see AWS_REGION, AWS_ENDPOINT_URL_DYNAMODB and the way to it";

const ADVICE: ReadonlyMap<string, string> = new Map([
  [
    "DYNAMODB_DENIED",
    "allow dynamodb:DescribeTable, DescribeTimeToLive, GetItem, BatchGetItem, Query, Scan, " +
      "PutItem, UpdateItem, DeleteItem and ConditionCheckItem on it (`firn storage init` needs " +
      "CreateTable and UpdateTimeToLive too), or use other credentials",
  ],
  [
    "DYNAMODB_UNCONFIGURED",
    "set AWS_REGION, and AWS_PROFILE or AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY",
  ],
  ["POINTERS_UNREACHABLE", THE_WAY],
  ["POINTERS_UNAVAILABLE", THE_WAY],
]);
