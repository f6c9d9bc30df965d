import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import type { Prng } from "../../base/prng.ts";
import { assertBatch, mayForget, pageLimit } from "../batch.ts";
import { KeyFamilies } from "../families.ts";
import type { KeyFamily } from "../key.ts";
import type {
  Batch,
  CommitOutcome,
  Item,
  Live,
  PageOptions,
  PointerStore,
  SweepOptions,
  Version,
} from "../port.ts";
import { DynamoClient, type DynamoConnection, type DynamoUsage } from "./client.ts";
import { DynamoCommits } from "./commits.ts";
import { failureOf } from "./failure.ts";
import {
  type Attributes,
  decodeItem,
  type ItemKey,
  itemKey,
  keyOfItem,
  partitionOf,
} from "./item.ts";
import { DynamoReads } from "./reads.ts";

export interface DynamoPointerStoreOptions {
  readonly table: string;
  readonly families: readonly KeyFamily[];
  readonly clock: Clock;
  readonly prng: Prng;
  readonly connection?: DynamoConnection;
  /** Told what every request that was answered cost. */
  readonly onUsage?: (usage: DynamoUsage) => void;
}

const QUERY_ITEMS = 1_000;
const CONSUMED = { ReturnConsumedCapacity: "TOTAL" } as const;

/**
 * Pointers as items of one DynamoDB table. Every read is strongly consistent, so each item is
 * linearizable. One operation is one conditional write; several are one transaction.
 *
 * Requests: `get` 1; `getMany` 1 for 100 keys, and what is read in the same turn of the event loop
 * goes with them; `commit` 1; `list` 1 for a page within 1 MB, more
 * where tombstones stand between; `forget` 2; `sweep` reads the whole table, 1 for each MB.
 */
export class DynamoPointerStore implements PointerStore {
  readonly #options: DynamoPointerStoreOptions;
  readonly #families: KeyFamilies;
  readonly #client: DynamoClient;
  readonly #reads: DynamoReads;
  readonly #commits: DynamoCommits;

  constructor(options: DynamoPointerStoreOptions) {
    const { table, clock, prng } = options;
    const families = new KeyFamilies(options.families);
    const client = new DynamoClient(options);
    const get = (key: string): Promise<Item> => this.get(key);
    this.#options = options;
    this.#families = families;
    this.#client = client;
    this.#reads = new DynamoReads({ client, table, families, clock, prng });
    this.#commits = new DynamoCommits({ client, table, families, clock, prng, get });
  }

  /** Ends the connections that are kept open. */
  close(): void {
    this.#client.close();
  }

  get(key: string): Promise<Item> {
    return this.#reads.one(key);
  }

  getMany(keys: readonly string[]): Promise<readonly Item[]> {
    return this.#reads.many(keys);
  }

  async commit(batch: Batch): Promise<CommitOutcome> {
    assertBatch(batch, this.#families);
    return this.#commits.commit(batch);
  }

  async list(directory: string, options: PageOptions = {}): Promise<readonly Live[]> {
    this.#families.assertListed(directory);
    const limit = pageLimit(options);
    const found: Live[] = [];
    let from = options.after ?? "";
    // The dead are read and left out, so a page among many of them asks for more each time.
    for (let ask = limit; ; ask = Math.min(QUERY_ITEMS, ask * 2)) {
      const { items, last } = await this.#queryPage(directory, from, ask);
      found.push(...items);
      if (found.length >= limit || last === undefined) return found.slice(0, limit);
      from = last;
    }
  }

  /** The key of an item that is gone by now does as well: a scan goes on behind its place. */
  async *sweep(prefix: string, { after }: SweepOptions = {}): AsyncIterable<Item> {
    const directory = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    const input = {
      TableName: this.#options.table,
      ConsistentRead: true,
      ...CONSUMED,
      FilterExpression: "begins_with(p, :directory)",
      ExpressionAttributeValues: { ":directory": { S: directory } },
    };
    let from = after === undefined ? undefined : itemKey(this.#families, after);
    do {
      const page = { ...input, ExclusiveStartKey: from };
      const answer = await this.#reads.retried(() => this.#client.send("Scan", page));
      for (const attributes of answer.Items ?? []) {
        if (keyOfItem(attributes).startsWith(prefix)) yield decodeItem(attributes);
      }
      from = answer.LastEvaluatedKey as ItemKey | undefined;
    } while (from !== undefined);
  }

  /**
   * Removes what it has read, and nothing that took its place: a late copy of the request must not
   * meet a pointer that began anew and came to the same version. False too where the answer was
   * lost, and the item is gone by then.
   */
  async forget(key: string, version: Version): Promise<boolean> {
    const item = await this.get(key);
    if (!mayForget(item, version, this.#options.clock.nowMs())) return false;
    const input = {
      ...this.#itemInput(key),
      ConditionExpression: `v = :version AND w = :writer AND ${
        item.state === "live" ? "attribute_not_exists(d)" : "attribute_exists(d)"
      }`,
      ExpressionAttributeValues: {
        ":version": { N: String(version) },
        ":writer": { S: item.writerId ?? "" },
      },
    };
    const answer = await this.#reads.retried(async () => {
      try {
        return await this.#client.send("DeleteItem", input);
      } catch (error) {
        if (failureOf(error).failure === "condition") return undefined;
        throw error;
      }
    });
    return answer !== undefined;
  }

  #itemInput(key: string): {
    readonly TableName: string;
    readonly Key: Attributes;
    readonly ReturnConsumedCapacity: "TOTAL";
  } {
    return { TableName: this.#options.table, Key: itemKey(this.#families, key), ...CONSUMED };
  }

  async #queryPage(
    directory: string,
    after: string,
    limit: number,
  ): Promise<{ readonly items: readonly Live[]; readonly last: string | undefined }> {
    const input = {
      TableName: this.#options.table,
      ConsistentRead: true,
      Limit: limit,
      ...CONSUMED,
      KeyConditionExpression: `p = :directory${after === "" ? "" : " AND s > :after"}`,
      FilterExpression: "attribute_not_exists(d)",
      ExpressionAttributeValues: {
        ":directory": { S: partitionOf(directory) },
        ...(after !== "" && { ":after": { S: after } }),
      },
    };
    const answer = await this.#reads.retried(() => this.#client.send("Query", input));
    const items = (answer.Items ?? []).map((attributes) => {
      const item = decodeItem(attributes);
      assert(item.state === "live", "a list has asked for what is alive");
      return item;
    });
    return { items, last: answer.LastEvaluatedKey?.["s"]?.S };
  }
}
