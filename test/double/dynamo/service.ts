import { crc32 } from "node:zlib";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import type { Handler, Request, Response } from "../server.ts";
import { readUnits } from "./capacity.ts";
import { Fields } from "./fields.ts";
import { getOne, tellsCost, writeOne } from "./items.ts";
import { query, scan } from "./pages.ts";
import { invalid, Refused } from "./refusal.ts";
import type { Place, Table } from "./table.ts";
import { Tables } from "./tables.ts";
import { Transactions } from "./transactions.ts";
import type { Item } from "./value-types.ts";
import { itemBytes } from "./values.ts";

const TARGET = /^DynamoDB_20120810\.(\w+)$/;
const SIGNATURE = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/[^/]+\/dynamodb\/aws4_request/;
const BATCH_KEYS = 100;
const BATCH_BYTES = 16_777_216;

export interface DynamoDoubleOptions {
  /** The service's own time: of dates, of tokens, of what expires. The system's if absent. */
  readonly nowMs?: () => number;
  /** Operations that these credentials may not carry out. */
  readonly denied?: ReadonlySet<string>;
}

/** The same answer with another body, and the checksum of that. */
export function withBody({ status, headers }: Response, body: object): Response {
  const bytes = utf8(JSON.stringify(body));
  return { status, headers: { ...headers, "x-amz-crc32": String(crc32(bytes)) }, body: bytes };
}

/**
 * A model of DynamoDB as its JSON 1.0 protocol shows it: one request is one step, so all is
 * serializable. What it does not model it refuses. Behind `serve` it stands in for the service.
 */
export class DynamoDouble {
  readonly tables: Tables;
  readonly handler: Handler = (request) => this.#handle(request);
  readonly #nowMs: () => number;
  readonly #denied: ReadonlySet<string>;
  readonly #transactions: Transactions;
  #requests = 0;

  constructor({ nowMs = Date.now, denied = new Set() }: DynamoDoubleOptions = {}) {
    this.#nowMs = nowMs;
    this.#denied = denied;
    this.tables = new Tables(nowMs);
    this.#transactions = new Transactions(nowMs, (name) => this.tables.ready(name));
  }

  /** An answer of the service's, dated and numbered by it. */
  answer(status: number, body: object): Response {
    const bytes = utf8(JSON.stringify(body));
    return {
      status,
      headers: {
        "content-type": "application/x-amz-json-1.0",
        date: new Date(this.#nowMs()).toUTCString(),
        "x-amz-crc32": String(crc32(bytes)),
        "x-amzn-requestid": `DOUBLE${String(++this.#requests).padStart(20, "0")}`,
      },
      body: bytes,
    };
  }

  /** An error as the service answers it. */
  refusal(refused: Refused, status = 400): Response {
    const { wireType, message, fields } = refused;
    return this.answer(status, { __type: wireType, message, Message: message, ...fields });
  }

  #handle(request: Request): Response {
    try {
      return this.answer(200, this.#operate(request));
    } catch (error) {
      if (error instanceof Refused) return this.refusal(error);
      throw error;
    }
  }

  #operate(request: Request): object {
    const operation = operationOf(request);
    if (!SIGNATURE.test(request.headers["authorization"] ?? "")) {
      throw new Refused("MissingAuthenticationTokenException", "Request is missing its signature");
    }
    const run = this.#operations[operation];
    if (run === undefined) throw new Refused("UnknownOperationException", "");
    const body = parsed(request.body);
    for (const action of [operation, ...actionsOf(body)]) {
      if (!this.#denied.has(action)) continue;
      const message = `User is not authorized to perform: dynamodb:${action}`;
      throw new Refused("AccessDeniedException", message);
    }
    return run(new Fields(body));
  }

  readonly #operations: Readonly<Record<string, (request: Fields) => object>> = {
    CreateTable: (request) => this.tables.create(request),
    DeleteTable: (request) => this.tables.delete(request),
    DescribeTable: (request) => this.tables.describe(request),
    UpdateTimeToLive: (request) => this.tables.updateTimeToLive(request),
    DescribeTimeToLive: (request) => this.tables.describeTimeToLive(request),
    GetItem: (request) => getOne(request, this.#table(request)),
    PutItem: (request) => writeOne("Put", request, this.#table(request)),
    UpdateItem: (request) => writeOne("Update", request, this.#table(request)),
    DeleteItem: (request) => writeOne("Delete", request, this.#table(request)),
    Query: (request) => query(request, this.#table(request)),
    Scan: (request) => scan(request, this.#table(request)),
    BatchGetItem: (request) => this.#batchGet(request),
    TransactWriteItems: (request) => this.#transactions.write(request),
    TransactGetItems: (request) => this.#transactions.get(request),
  };

  #table(request: Fields): Table {
    return this.tables.ready(request.text("TableName"));
  }

  /** As many of the keys as fit one answer, each read by itself; the others are named. */
  #batchGet(request: Fields): object {
    const asked = request.fields("RequestItems");
    const counted = asked.names.map((name) => asked.fields(name).list("Keys").length);
    const total = counted.reduce((sum, count) => sum + count, 0);
    if (total < 1) throw invalid("The batch get request list cannot be empty");
    if (total > BATCH_KEYS) throw invalid("Too many items requested for the BatchGetItem call");
    const responses: Record<string, readonly Item[]> = {};
    const unprocessed: Record<string, object> = {};
    const costs: object[] = [];
    const budget = { bytes: BATCH_BYTES };
    for (const name of asked.names) {
      const fields = asked.fields(name);
      const isConsistent = fields.flag("ConsistentRead");
      const found = readMany(this.tables.ready(name), fields.items("Keys"), budget, isConsistent);
      responses[name] = found.items;
      costs.push({ TableName: name, CapacityUnits: found.units });
      if (found.left.length > 0) {
        unprocessed[name] = { Keys: found.left, ConsistentRead: isConsistent };
      }
    }
    return {
      Responses: responses,
      UnprocessedKeys: unprocessed,
      ...(tellsCost(request) && { ConsumedCapacity: costs }),
    };
  }
}

interface ManyRead {
  readonly items: readonly Item[];
  readonly left: readonly Item[];
  readonly units: number;
}

function readMany(
  table: Table,
  keys: readonly Item[],
  budget: { bytes: number },
  isConsistent: boolean,
): ManyRead {
  const places: readonly Place[] = keys.map((key) => table.placeOf(key));
  if (new Set(places.map((place) => JSON.stringify(place))).size !== places.length) {
    throw invalid("Provided list of item keys contains duplicates");
  }
  const items: Item[] = [];
  let units = 0;
  for (const [i, place] of places.entries()) {
    const item = table.get(place);
    const bytes = item ? itemBytes(item) : 0;
    if (bytes > budget.bytes) return { items, left: keys.slice(i), units };
    budget.bytes -= bytes;
    units += readUnits(bytes, isConsistent);
    if (item !== undefined) items.push(item);
  }
  return { items, left: [], units };
}

/** The operation that a request names. @throws Refused `UnknownOperationException` */
export function operationOf(request: Request): string {
  const operation = TARGET.exec(request.headers["x-amz-target"] ?? "")?.[1];
  if (request.method === "POST" && operation !== undefined) return operation;
  throw new Refused("UnknownOperationException", "");
}

/** What the parts of a transaction need permission for, each as an operation of its own. */
function actionsOf(body: unknown): readonly string[] {
  const { TransactItems: parts } = body as { readonly TransactItems?: readonly object[] };
  const kinds = Array.isArray(parts) ? parts.flatMap((part: object) => Object.keys(part)) : [];
  return kinds.map((kind) => (kind === "ConditionCheck" ? "ConditionCheckItem" : `${kind}Item`));
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8Text(body));
  } catch {
    throw new Refused("SerializationException", "the body is not JSON");
  }
}
