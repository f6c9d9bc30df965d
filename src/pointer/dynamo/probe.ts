import { FirnError } from "../../base/error.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Prng } from "../../base/prng.ts";
import { failureOf, type Reason } from "./failure.ts";
import type { Attributes } from "./item.ts";
import { control, type DynamoTable, describeTable, hasTimeToLive } from "./table.ts";

/** What an operator should know of a table that can be used. */
export interface TableReport {
  /** How far this machine's clock is ahead of the service's; 0 within what an answer can tell. */
  readonly clockSkewMs: number;
  readonly warnings: readonly string[];
}

const RACERS = 32;
const SKEW_WARN_MS = 5_000;
/** Left behind by a process that ended midway, a probe's item goes with the tombstones. */
const LEFTOVER_LIFE_MS = 3_600_000;
const PRESENT = { ConditionExpression: "attribute_exists(p)" };

/**
 * Tries whether the table does what the store rests on: it is there and keyed right, we may use
 * it, of many writers under one condition exactly one wins and the others hear what stands there, a
 * transaction is applied whole or not at all, and its clock is near ours.
 *
 * About 80 requests, at once where that shows more, each again where it fails in passing. Only
 * answers blame the table, never their absence. Its item is not a pointer, and is removed.
 *
 * @throws FirnError as `describeTable`; `Invalid`: `DYNAMODB_CONDITIONS_IGNORED`,
 *   `CLOCK_SKEWED`. Each names the setting, and what to do.
 */
export async function probeTable(target: DynamoTable, prng: Prng): Promise<TableReport> {
  const { BillingModeSummary: billing } = await describeTable(target);
  const probe = new DynamoProbe(target, prng);
  try {
    await probe.race();
    await probe.transaction();
    await probe.reads();
  } catch (error) {
    // What stopped the probe matters more than what it leaves, which expires.
    await probe.remove().catch(() => undefined);
    throw error;
  }
  await probe.remove();
  const clockSkewMs = await measureSkew(target);
  if (Math.abs(clockSkewMs) > LIMITS.clockSkewMs) {
    const message = "this machine's clock is too far from DynamoDB's: set it by NTP";
    throw new FirnError("Invalid", "CLOCK_SKEWED", message, { clockSkewMs });
  }
  const warnings: string[] = [];
  if (Math.abs(clockSkewMs) > SKEW_WARN_MS) warnings.push("this machine's clock is off");
  if (!(await hasTimeToLive(target))) {
    warnings.push("the table's time to live is off: `firn storage init` switches it on");
  }
  if (billing?.BillingMode === "PROVISIONED") warnings.push("the table's capacity is provisioned");
  return { clockSkewMs, warnings };
}

/**
 * How far this machine's clock is ahead of the service's, by the date of one answer, which counts
 * whole seconds: 0 where both can be right.
 *
 * @throws FirnError as `describeTable`.
 */
export async function measureSkew(target: DynamoTable): Promise<number> {
  const { client, clock, table } = target;
  const fromMs = clock.nowMs();
  await control(target, () =>
    client.bounded((sdk, to) => sdk.describeTable({ TableName: table }, to)),
  );
  const toMs = clock.nowMs();
  const { lastDateMs } = client;
  if (lastDateMs === undefined) return 0;
  if (fromMs > lastDateMs + 1_000) return fromMs - lastDateMs - 1_000;
  return Math.min(0, toMs - lastDateMs);
}

/** Whether a transaction was refused for what stands there, not for what came in its way. */
function isVerdict({ code }: Reason): boolean {
  return code === "None" || code === "ConditionalCheckFailed";
}

/** A batch that was read in part: the table is busy. */
class Unprocessed extends Error {
  override readonly name = "ThrottlingException";
}

class DynamoProbe {
  readonly #target: DynamoTable;
  readonly #partition: string;
  readonly #leftoverS: number;

  constructor(target: DynamoTable, prng: Prng) {
    this.#target = target;
    // No key begins so, and no sweep comes by.
    this.#partition = `probe:${Buffer.from(prng.bytes(16)).toString("hex")}`;
    this.#leftoverS = Math.ceil((target.clock.nowMs() + LEFTOVER_LIFE_MS) / 1_000);
  }

  /** Of many creators one, and of many updates of one version one. */
  async race(): Promise<void> {
    for (const version of [0, 1]) {
      const racers = Array.from({ length: RACERS }, (_, racer) => this.#put(version, racer));
      const winners = (await Promise.all(racers)).filter((won) => won);
      if (winners.length !== 1) throw this.#ignored("conditional writes", winners.length);
    }
  }

  /**
   * One of several conditions fails: nothing is written, and what stands there is told. Of each
   * kind that a batch is made of there is one, since each needs its own permission.
   */
  async transaction(): Promise<void> {
    const { client, table } = this.#target;
    const told = "ALL_OLD" as const;
    const race = { TableName: table, Key: this.#key("race") };
    const one = { ":one": { N: "1" } };
    const put = (sort: string, version: number) => ({
      Put: {
        TableName: table,
        Item: this.#item(sort, version, "transaction"),
        ConditionExpression: "attribute_not_exists(p)",
        ReturnValuesOnConditionCheckFailure: told,
      },
    });
    const bump = { UpdateExpression: "SET v = :one", ExpressionAttributeValues: one };
    const absent = { ConditionExpression: "attribute_not_exists(p)" };
    const input = {
      TransactItems: [
        put("new", 1),
        { ConditionCheck: { ...race, ...absent, ReturnValuesOnConditionCheckFailure: told } },
        { Update: { TableName: table, Key: this.#key("bumped"), ...bump, ...PRESENT } },
      ],
    };
    const cancelled = await control(this.#target, async () => {
      try {
        await client.send("TransactWriteItems", input);
        return undefined;
      } catch (error) {
        const failure = failureOf(error);
        if (failure.failure !== "cancelled" || !failure.reasons.every(isVerdict)) throw error;
        return failure.reasons;
      }
    });
    const isWhole = (await this.#get("new")) === undefined;
    const isTold = cancelled?.[1]?.item?.["v"]?.N === "2";
    if (!isWhole || !isTold) throw this.#ignored("transactions", cancelled === undefined ? 2 : 0);
  }

  /** The ways to read that the store has, beside a single item's. */
  async reads(): Promise<void> {
    const { client, table } = this.#target;
    const Keys = [this.#key("race"), this.#key("new")];
    const RequestItems = { [table]: { Keys, ConsistentRead: true } };
    const many = await control(this.#target, async () => {
      const answer = await client.send("BatchGetItem", { RequestItems });
      if (Object.keys(answer.UnprocessedKeys ?? {}).length > 0) throw new Unprocessed();
      return answer;
    });
    const query = {
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: "p = :probe",
      ExpressionAttributeValues: { ":probe": { S: this.#partition } },
    };
    // A sweep's, of which one item says enough.
    const scan = { TableName: table, ConsistentRead: true, Limit: 1 };
    await control(this.#target, () => client.send("Scan", scan));
    const page = await control(this.#target, () => client.send("Query", query));
    const read = many.Responses?.[table]?.length ?? 0;
    if (read !== 1 || page.Items?.length !== 1) throw this.#ignored("consistent reads", 1);
  }

  async remove(): Promise<void> {
    const { client, table } = this.#target;
    for (const sort of ["race", "new", "bumped"]) {
      const input = { TableName: table, Key: this.#key(sort) };
      await control(this.#target, () => client.send("DeleteItem", input));
    }
  }

  /**
   * @returns whether the condition held: as the answer says, or because its item stands there, put
   * by an earlier copy of the request whose answer was lost.
   */
  async #put(expected: number, racer: number): Promise<boolean> {
    const { client, table } = this.#target;
    const writer = `racer-${racer}`;
    const input = {
      TableName: table,
      Item: this.#item("race", expected + 1, writer),
      ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
      ...(expected === 0
        ? { ConditionExpression: "attribute_not_exists(p)" }
        : {
            ConditionExpression: "v = :expected",
            ExpressionAttributeValues: { ":expected": { N: String(expected) } },
          }),
    };
    return control(this.#target, async () => {
      try {
        await client.send("PutItem", input);
        return true;
      } catch (error) {
        const failure = failureOf(error);
        if (failure.failure !== "condition") throw error;
        const { v: version, w: by } = failure.item ?? {};
        if (version?.N === undefined) throw this.#ignored("told conditions", 0);
        return version.N === String(expected + 1) && by?.S === writer;
      }
    });
  }

  async #get(sort: string): Promise<Attributes | undefined> {
    const { client, table } = this.#target;
    const input = { TableName: table, Key: this.#key(sort), ConsistentRead: true };
    const answer = await control(this.#target, () => client.send("GetItem", input));
    return answer.Item;
  }

  #key(sort: string): Attributes {
    return { p: { S: this.#partition }, s: { S: sort } };
  }

  #item(sort: string, version: number, writer: string): Attributes {
    const leftover = { t: { N: String(this.#leftoverS) } };
    return { ...this.#key(sort), v: { N: String(version) }, w: { S: writer }, ...leftover };
  }

  #ignored(what: string, winners: number): FirnError {
    const message =
      `the server does not enforce ${what}, so pointers would be lost: use DynamoDB, or a ` +
      "compatible server (AWS_ENDPOINT_URL_DYNAMODB)";
    const context = { table: this.#target.table, winners };
    return new FirnError("Invalid", "DYNAMODB_CONDITIONS_IGNORED", message, context);
  }
}
