/*
 * What DynamoDB answers to a request on the wire, as its reference documents it: the table that the
 * double and every server that stands in for the service are held to. A partition of its own stands
 * for `@` in each fact; `given` is sent first, and must be answered 200.
 */

export type Send = readonly [operation: string, body: object];

export interface Fact {
  readonly fact: string;
  readonly given?: readonly Send[];
  readonly send: Send;
  /** Of an error its type, without the namespace. */
  readonly type?: string;
  /** What the answer holds, maybe among other members. */
  readonly answer?: object;
  /** Members that the answer must not have. */
  readonly without?: readonly string[];
}

export const FACTS_TABLE = "firn-facts";

const N = (value: number | string): object => ({ N: String(value) });
const S = (value: string): object => ({ S: value });
const key = (sort = "a"): object => ({ p: S("@"), s: S(sort) });
const item = (sort = "a", more: object = { v: N(1) }): object => ({ ...key(sort), ...more });
const T = { TableName: FACTS_TABLE };
const put = (sort?: string, more?: object): Send => ["PutItem", { ...T, Item: item(sort, more) }];
const get = (sort?: string): Send => ["GetItem", { ...T, Key: key(sort), ConsistentRead: true }];
const TELL = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
const COST = { ReturnConsumedCapacity: "TOTAL" };
const ABSENT = { ConditionExpression: "attribute_not_exists(p)" };
const atVersion = (version: number): object => ({
  ConditionExpression: "v = :expected",
  ExpressionAttributeValues: { ":expected": N(version) },
});
const BUMP = {
  UpdateExpression: "SET v = v + :one",
  ConditionExpression: "attribute_exists(p) AND attribute_not_exists(d)",
  ExpressionAttributeValues: { ":one": N(1) },
};
const FAILED = "ConditionalCheckFailedException";
const INVALID = "ValidationException";

const conditionFacts: readonly Fact[] = [
  {
    fact: "a put where nothing is holds under attribute_not_exists",
    send: ["PutItem", { ...T, Item: item(), ...ABSENT }],
    answer: {},
  },
  {
    fact: "a put where something is fails under attribute_not_exists, and tells what is there",
    given: [put()],
    send: ["PutItem", { ...T, Item: item("a", { v: N(2) }), ...ABSENT, ...TELL }],
    type: FAILED,
    answer: { Item: item() },
  },
  {
    fact: "a failed condition tells nothing unasked",
    given: [put()],
    send: ["PutItem", { ...T, Item: item(), ...ABSENT }],
    type: FAILED,
    without: ["Item"],
  },
  {
    fact: "a failed condition tells nothing where nothing is",
    send: ["PutItem", { ...T, Item: item(), ...atVersion(1), ...TELL }],
    type: FAILED,
    without: ["Item"],
  },
  {
    fact: "a comparison of equal numbers holds however they are written",
    given: [put("a", { v: N("1.50") })],
    send: [
      "PutItem",
      {
        ...T,
        Item: item(),
        ConditionExpression: "v = :x",
        ExpressionAttributeValues: { ":x": N("15e-1") },
      },
    ],
    answer: {},
  },
  {
    fact: "numbers compare beyond what a double holds",
    given: [put("a", { v: N("9007199254740993") })],
    send: ["PutItem", { ...T, Item: item(), ...atVersion(9007199254740992) }],
    type: FAILED,
  },
  {
    fact: "values of two types are never equal, nor in order",
    given: [put("a", { v: S("1") })],
    send: [
      "PutItem",
      {
        ...T,
        Item: item(),
        ConditionExpression: "v = :x OR v < :x OR v >= :x",
        ExpressionAttributeValues: { ":x": N(1) },
      },
    ],
    type: FAILED,
  },
  {
    fact: "what is missing differs from every value",
    send: [
      "PutItem",
      {
        ...T,
        Item: item(),
        ConditionExpression: "v <> :x AND NOT v = :x AND NOT v < :x",
        ExpressionAttributeValues: { ":x": N(1) },
      },
    ],
    answer: {},
  },
  {
    fact: "AND binds before OR, NOT before AND",
    given: [put()],
    send: [
      "PutItem",
      {
        ...T,
        Item: item(),
        ConditionExpression:
          "attribute_exists(v) OR attribute_exists(x) AND NOT attribute_exists(p)",
      },
    ],
    answer: {},
  },
  {
    fact: "parentheses change that",
    given: [put()],
    send: [
      "PutItem",
      {
        ...T,
        Item: item(),
        ConditionExpression:
          "(attribute_exists(v) OR attribute_exists(x)) AND NOT attribute_exists(p)",
      },
    ],
    type: FAILED,
  },
  {
    fact: "functions and comparisons of all kinds hold of what they name",
    given: [put("a", { v: N(5), b: S("abcdef"), m: { B: "AQID" } })],
    send: [
      "PutItem",
      {
        ...T,
        Item: item(),
        ConditionExpression:
          "begins_with(b, :ab) AND contains(b, :de) AND attribute_type(m, :type) AND " +
          "size(m) = :three AND v BETWEEN :three AND :nine AND v IN (:nine, :five) AND #v > :three",
        ExpressionAttributeNames: { "#v": "v" },
        ExpressionAttributeValues: {
          ":ab": S("ab"),
          ":de": S("de"),
          ":type": S("B"),
          ":three": N(3),
          ":five": N(5),
          ":nine": N(9),
        },
      },
    ],
    answer: {},
  },
  {
    fact: "a substitute that nothing uses is refused",
    send: [
      "PutItem",
      { ...T, Item: item(), ...ABSENT, ExpressionAttributeValues: { ":unused": N(1) } },
    ],
    type: INVALID,
  },
  {
    fact: "a substitute that is not given is refused",
    send: ["PutItem", { ...T, Item: item(), ConditionExpression: "v = :missing" }],
    type: INVALID,
  },
  {
    fact: "an expression that breaks off is refused",
    send: ["PutItem", { ...T, Item: item(), ConditionExpression: "attribute_exists(p) AND" }],
    type: INVALID,
  },
  {
    fact: "an unknown function is refused",
    send: ["PutItem", { ...T, Item: item(), ConditionExpression: "is_there(p)" }],
    type: INVALID,
  },
];

const writeFacts: readonly Fact[] = [
  {
    fact: "an update adds to what is there, and answers what it made",
    given: [put()],
    send: ["UpdateItem", { ...T, Key: key(), ...BUMP, ReturnValues: "UPDATED_NEW" }],
    answer: { Attributes: { v: N(2) } },
  },
  {
    fact: "an update under a condition makes nothing where nothing is",
    send: ["UpdateItem", { ...T, Key: key(), ...BUMP }],
    type: FAILED,
  },
  {
    fact: "an update cannot add to what is not there",
    send: [
      "UpdateItem",
      {
        ...T,
        Key: key(),
        UpdateExpression: "SET v = v + :one",
        ExpressionAttributeValues: { ":one": N(1) },
      },
    ],
    type: INVALID,
  },
  {
    fact: "if_not_exists, REMOVE and ADD in one update",
    given: [put("a", { v: N(1), b: S("gone") })],
    send: [
      "UpdateItem",
      {
        ...T,
        Key: key(),
        ReturnValues: "ALL_NEW",
        UpdateExpression: "SET w = if_not_exists(w, :w) REMOVE b ADD v :two",
        ExpressionAttributeValues: { ":w": S("w"), ":two": N(2) },
      },
    ],
    answer: { Attributes: { ...key(), v: N(3), w: S("w") } },
  },
  {
    fact: "an update of a key is refused",
    send: [
      "UpdateItem",
      {
        ...T,
        Key: key(),
        UpdateExpression: "SET s = :s",
        ExpressionAttributeValues: { ":s": S("b") },
      },
    ],
    type: INVALID,
  },
  {
    fact: "a delete under a condition answers what it removed",
    given: [put()],
    send: ["DeleteItem", { ...T, Key: key(), ...atVersion(1), ReturnValues: "ALL_OLD" }],
    answer: { Attributes: item() },
  },
  {
    fact: "a delete of nothing is not a failure",
    send: ["DeleteItem", { ...T, Key: key() }],
    answer: {},
  },
  {
    fact: "numbers are kept in one way of writing them",
    given: [put("a", { v: N("0012.3400") })],
    send: get(),
    answer: { Item: { v: N("12.34") } },
  },
  {
    fact: "a text that is not a number is refused",
    send: put("a", { v: N("one") }),
    type: INVALID,
  },
  { fact: "a read of nothing answers no item", send: get(), without: ["Item"] },
  {
    fact: "a projection keeps what it names",
    given: [put("a", { v: N(1), w: S("w") })],
    send: ["GetItem", { ...T, Key: key(), ProjectionExpression: "v, s" }],
    answer: { Item: { v: N(1), s: S("a") } },
  },
  { fact: "an empty sort key is refused", send: put(""), type: INVALID },
  { fact: "a sort key of 1,024 bytes is kept", send: put("s".repeat(1_024)), answer: {} },
  { fact: "a sort key over 1,024 bytes is refused", send: put("s".repeat(1_025)), type: INVALID },
  {
    fact: "a partition key over 2,048 bytes is refused",
    send: ["PutItem", { ...T, Item: { p: S("p".repeat(2_049)), s: S("a") } }],
    type: INVALID,
  },
  {
    fact: "an item without its sort key is refused",
    send: ["PutItem", { ...T, Item: { p: S("@") } }],
    type: INVALID,
  },
  {
    fact: "a key of another type is refused",
    send: ["PutItem", { ...T, Item: { p: S("@"), s: N(1) } }],
    type: INVALID,
  },
  {
    fact: "an item over 400 KB is refused",
    send: put("a", { b: S("b".repeat(409_600)) }),
    type: INVALID,
  },
  {
    fact: "a table that is not there is not found",
    send: ["GetItem", { TableName: "firn-nowhere", Key: key() }],
    type: "ResourceNotFoundException",
  },
];

const items = (sorts: readonly string[]): readonly Send[] => sorts.map((sort) => put(sort));
const ofPartition = (more = ""): object => ({
  ...T,
  ConsistentRead: true,
  KeyConditionExpression: `p = :p${more}`,
  ExpressionAttributeValues: { ":p": S("@") },
});
const sorted = (sorts: readonly string[]): readonly object[] => sorts.map((sort) => item(sort));

const readFacts: readonly Fact[] = [
  {
    fact: "a query answers in the order of bytes",
    given: items(["b", "a", "B", "é", "z", "10", "9"]),
    send: ["Query", ofPartition()],
    answer: { Items: sorted(["10", "9", "B", "a", "b", "z", "é"]), Count: 7, ScannedCount: 7 },
  },
  {
    fact: "a query goes on behind any sort key",
    given: items(["a", "c"]),
    send: [
      "Query",
      {
        ...ofPartition(" AND s > :after"),
        ExpressionAttributeValues: { ":p": S("@"), ":after": S("b") },
      },
    ],
    answer: { Items: sorted(["c"]) },
  },
  {
    fact: "a query takes a range and a prefix of the sort key",
    given: items(["a", "b1", "b2", "c"]),
    send: [
      "Query",
      {
        ...ofPartition(" AND begins_with(s, :b)"),
        ExpressionAttributeValues: { ":p": S("@"), ":b": S("b") },
      },
    ],
    answer: { Items: sorted(["b1", "b2"]) },
  },
  {
    fact: "a full page names its last key, also at the end",
    given: items(["a", "b"]),
    send: ["Query", { ...ofPartition(), Limit: 2 }],
    answer: { Items: sorted(["a", "b"]), LastEvaluatedKey: key("b") },
  },
  {
    fact: "a page that is not full names none",
    given: items(["a", "b"]),
    send: ["Query", { ...ofPartition(), Limit: 3 }],
    answer: { Count: 2 },
    without: ["LastEvaluatedKey"],
  },
  {
    fact: "a limit counts what is read, not what a filter leaves",
    given: [put("a", { v: N(1), d: N(1) }), put("b"), put("c")],
    send: ["Query", { ...ofPartition(), Limit: 2, FilterExpression: "attribute_not_exists(d)" }],
    answer: { Items: sorted(["b"]), Count: 1, ScannedCount: 2, LastEvaluatedKey: key("b") },
  },
  {
    fact: "a filter of a query does not name a key",
    send: ["Query", { ...ofPartition(), FilterExpression: "attribute_exists(s)" }],
    type: INVALID,
  },
  {
    fact: "a query needs its partition",
    send: [
      "Query",
      {
        ...T,
        KeyConditionExpression: "s = :s",
        ExpressionAttributeValues: { ":s": S("a") },
      },
    ],
    type: INVALID,
  },
  {
    fact: "a scan takes a filter on a key",
    given: items(["a", "b"]),
    send: [
      "Scan",
      {
        ...T,
        ConsistentRead: true,
        FilterExpression: "begins_with(p, :p)",
        ExpressionAttributeValues: { ":p": S("@") },
      },
    ],
    answer: { Items: sorted(["a", "b"]), Count: 2 },
  },
  {
    fact: "a batch of reads leaves out what is not there",
    given: [put("b")],
    send: [
      "BatchGetItem",
      {
        RequestItems: {
          [FACTS_TABLE]: { Keys: [key("a"), key("b")], ConsistentRead: true },
        },
      },
    ],
    answer: { Responses: { [FACTS_TABLE]: sorted(["b"]) }, UnprocessedKeys: {} },
  },
  {
    fact: "a batch of reads with a key twice is refused",
    send: ["BatchGetItem", { RequestItems: { [FACTS_TABLE]: { Keys: [key(), key()] } } }],
    type: INVALID,
  },
  {
    fact: "a batch of 101 reads is refused",
    send: [
      "BatchGetItem",
      {
        RequestItems: {
          [FACTS_TABLE]: { Keys: Array.from({ length: 101 }, (_, i) => key(`k${i}`)) },
        },
      },
    ],
    type: INVALID,
  },
];

const transactPut = (sort: string, more: object = {}): object => ({
  Put: { ...T, Item: item(sort), ...more },
});
const check = (sort: string, more: object): object => ({
  ConditionCheck: { ...T, Key: key(sort), ...more },
});
const transact = (TransactItems: readonly object[], more: object = {}): Send => [
  "TransactWriteItems",
  { TransactItems, ...more },
];
const OK = { Code: "None" };
const WRONG = { Code: "ConditionalCheckFailed" };
const CANCELLED = "TransactionCanceledException";
const TOKEN = { ClientRequestToken: "@" };

const transactionFacts: readonly Fact[] = [
  {
    fact: "a transaction of every kind of operation is applied",
    given: [put("b"), put("c"), put("d")],
    send: transact([
      transactPut("a", ABSENT),
      { Update: { ...T, Key: key("b"), ...BUMP } },
      { Delete: { ...T, Key: key("c"), ...atVersion(1) } },
      check("d", atVersion(1)),
    ]),
    answer: {},
  },
  {
    fact: "a transaction names every condition that failed, in order, and what is there",
    given: [put("b"), put("d", { v: N(4) })],
    send: transact([
      transactPut("a", { ...ABSENT, ...TELL }),
      transactPut("b", { ...ABSENT, ...TELL }),
      { Update: { ...T, Key: key("c"), ...BUMP, ...TELL } },
      check("d", { ...atVersion(1), ...TELL }),
    ]),
    type: CANCELLED,
    answer: {
      CancellationReasons: [
        OK,
        { ...WRONG, Item: item("b") },
        WRONG,
        { ...WRONG, Item: item("d", { v: N(4) }) },
      ],
    },
  },
  {
    fact: "a transaction of checks alone is judged too",
    given: [put()],
    send: transact([check("a", atVersion(2)), check("b", ABSENT)]),
    type: CANCELLED,
    answer: { CancellationReasons: [WRONG, OK] },
  },
  {
    fact: "a transaction with an item twice is refused",
    send: transact([transactPut("a"), check("a", ABSENT)]),
    type: INVALID,
  },
  {
    fact: "a transaction of 100 is applied",
    send: transact(Array.from({ length: 100 }, (_, i) => transactPut(`k${i}`))),
    answer: {},
  },
  {
    fact: "a transaction of 101 is refused",
    send: transact(Array.from({ length: 101 }, (_, i) => transactPut(`k${i}`))),
    type: INVALID,
  },
  {
    fact: "a transaction of nothing is refused",
    send: transact([]),
    type: INVALID,
  },
  {
    fact: "the same token with the same transaction is answered as before",
    given: [transact([transactPut("a", ABSENT)], TOKEN)],
    send: transact([transactPut("a", ABSENT)], TOKEN),
    answer: {},
  },
  {
    fact: "the same token with another transaction is refused",
    given: [transact([transactPut("a", ABSENT)], TOKEN)],
    send: transact([transactPut("b", ABSENT)], TOKEN),
    type: "IdempotentParameterMismatchException",
  },
  {
    fact: "a token of more than 36 characters is refused",
    send: transact([transactPut("a")], { ClientRequestToken: "t".repeat(37) }),
    type: INVALID,
  },
  {
    fact: "reads of one moment come in the order they are asked for",
    given: [put("b")],
    send: [
      "TransactGetItems",
      { TransactItems: ["a", "b"].map((sort) => ({ Get: { ...T, Key: key(sort) } })) },
    ],
    answer: { Responses: [{}, { Item: item("b") }] },
  },
];

/** An item of so many bytes: its key takes what `@` takes, which is 16, and four for the names. */
const sized = (sort: string, bytes: number): object =>
  item(sort, { b: S("b".repeat(bytes - 16 - 3 - sort.length)) });
const cost = (units: number): object => ({ ConsumedCapacity: { CapacityUnits: units } });

const capacityFacts: readonly Fact[] = [
  {
    fact: "a write takes a unit for each KB begun",
    send: ["PutItem", { ...T, Item: sized("a", 1_024), ...COST }],
    answer: cost(1),
  },
  {
    fact: "a byte more takes another unit",
    send: ["PutItem", { ...T, Item: sized("a", 1_025), ...COST }],
    answer: cost(2),
  },
  {
    fact: "a write takes the units of the larger of what it finds and what it leaves",
    given: [["PutItem", { ...T, Item: sized("a", 3_000) }]],
    send: ["PutItem", { ...T, Item: item(), ...COST }],
    answer: cost(3),
  },
  {
    fact: "a transaction takes twice the units, of a check too",
    given: [put("b")],
    send: transact([transactPut("a"), check("b", atVersion(1))], COST),
    answer: { ConsumedCapacity: [{ CapacityUnits: 4 }] },
  },
  {
    fact: "a consistent read takes a unit for each 4 KB begun",
    given: [["PutItem", { ...T, Item: sized("a", 4_097) }]],
    send: ["GetItem", { ...T, Key: key(), ConsistentRead: true, ...COST }],
    answer: cost(2),
  },
  {
    fact: "another read takes half of that",
    given: [["PutItem", { ...T, Item: sized("a", 4_097) }]],
    send: ["GetItem", { ...T, Key: key(), ...COST }],
    answer: cost(1),
  },
  {
    fact: "a read of nothing takes a unit",
    send: ["GetItem", { ...T, Key: key(), ConsistentRead: true, ...COST }],
    answer: cost(1),
  },
  {
    fact: "a batch of reads takes a unit for each item",
    given: [put("b")],
    send: [
      "BatchGetItem",
      {
        RequestItems: { [FACTS_TABLE]: { Keys: [key("a"), key("b")], ConsistentRead: true } },
        ...COST,
      },
    ],
    answer: { ConsumedCapacity: [{ CapacityUnits: 2 }] },
  },
  {
    fact: "a query takes the units of all it read together",
    given: [0, 1, 2].map((i) => ["PutItem", { ...T, Item: sized(`k${i}`, 2_000) }] as const),
    send: ["Query", { ...ofPartition(), ...COST }],
    answer: cost(2),
  },
];

const tableFacts: readonly Fact[] = [
  {
    fact: "a table is made once",
    send: [
      "CreateTable",
      {
        ...T,
        AttributeDefinitions: [{ AttributeName: "p", AttributeType: "S" }],
        KeySchema: [{ AttributeName: "p", KeyType: "HASH" }],
        BillingMode: "PAY_PER_REQUEST",
      },
    ],
    type: "ResourceInUseException",
  },
  {
    fact: "a table tells its keys and how it is billed",
    send: ["DescribeTable", T],
    answer: {
      Table: {
        KeySchema: [
          { AttributeName: "p", KeyType: "HASH" },
          { AttributeName: "s", KeyType: "RANGE" },
        ],
        BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
        TableStatus: "ACTIVE",
      },
    },
  },
  {
    fact: "a table that is not there is not described",
    send: ["DescribeTable", { TableName: "firn-nowhere" }],
    type: "ResourceNotFoundException",
  },
  {
    fact: "an operation that nobody knows is refused",
    send: ["ForgetEverything", {}],
    type: "UnknownOperationException",
  },
];

export const FACTS: readonly Fact[] = [
  ...conditionFacts,
  ...writeFacts,
  ...readFacts,
  ...transactionFacts,
  ...capacityFacts,
  ...tableFacts,
];
