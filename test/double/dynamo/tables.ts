import { Fields } from "./fields.ts";
import { invalid, Refused } from "./refusal.ts";
import { type KeySchema, Table } from "./table.ts";
import { itemBytes } from "./values.ts";

/** A table and what `DescribeTable` says of it. */
interface Described {
  readonly table: Table;
  readonly description: Readonly<Record<string, unknown>>;
  /** A new table is not there until it has been looked at so often. */
  looksUntilActive: number;
  ttlAttribute: string | undefined;
}

/** Beside each item, in what storage is billed for. */
const INDEX_BYTES = 100;
/** Looks at a table that is still being made. */
const CREATING_LOOKS = 1;

/** All tables of the account. */
export class Tables {
  readonly #tables = new Map<string, Described>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The items of a table that is ready. @throws Refused `ResourceNotFoundException` */
  ready(name: string): Table {
    const found = this.#tables.get(name);
    if (found === undefined || found.looksUntilActive > 0) {
      throw new Refused("ResourceNotFoundException", "Requested resource not found");
    }
    return found.table;
  }

  /** `CreateTable` */
  create(request: Fields): object {
    const name = request.text("TableName");
    if (!/^[A-Za-z0-9_.-]{3,255}$/.test(name)) throw invalid("TableName does not fit its pattern");
    if (this.#tables.has(name)) {
      throw new Refused("ResourceInUseException", `Table already exists: ${name}`);
    }
    const schema = schemaOf(request);
    const billing = request.optionalText("BillingMode") ?? "PROVISIONED";
    if (
      billing === "PROVISIONED" &&
      request.optionalFields("ProvisionedThroughput") === undefined
    ) {
      throw invalid("No provisioned throughput specified for the table");
    }
    const described: Described = {
      table: new Table(schema),
      description: {
        TableName: name,
        TableArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${name}`,
        CreationDateTime: this.#nowMs() / 1_000,
        KeySchema: request.list("KeySchema"),
        AttributeDefinitions: request.list("AttributeDefinitions"),
        BillingModeSummary: { BillingMode: billing },
        DeletionProtectionEnabled: request.flag("DeletionProtectionEnabled"),
        ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 0 },
      },
      looksUntilActive: CREATING_LOOKS + 1,
      ttlAttribute: undefined,
    };
    this.#tables.set(name, described);
    return { TableDescription: statusOf(described) };
  }

  /** A table that is ready at once, for those whose subject is not how it is made. */
  createReady(name: string, { partition, sort }: KeySchema): void {
    const keys = [partition, ...(sort === undefined ? [] : [sort])];
    this.create(
      new Fields({
        TableName: name,
        AttributeDefinitions: keys.map((key) => ({ AttributeName: key, AttributeType: "S" })),
        KeySchema: keys.map((key, i) => ({
          AttributeName: key,
          KeyType: i === 0 ? "HASH" : "RANGE",
        })),
        BillingMode: "PAY_PER_REQUEST",
      }),
    );
    const described = this.#tables.get(name);
    if (described !== undefined) described.looksUntilActive = 0;
  }

  /** `DescribeTable` */
  describe(request: Fields): object {
    const found = this.#found(request);
    if (found.looksUntilActive > 0) found.looksUntilActive--;
    return { Table: statusOf(found) };
  }

  /** `DeleteTable` */
  delete(request: Fields): object {
    const found = this.#found(request);
    if (found.description["DeletionProtectionEnabled"] === true) {
      throw invalid("Resource cannot be deleted as it is currently protected against deletion");
    }
    this.#tables.delete(request.text("TableName"));
    return { TableDescription: { ...found.description, TableStatus: "DELETING" } };
  }

  /** `UpdateTimeToLive` */
  updateTimeToLive(request: Fields): object {
    const found = this.#found(request);
    const specification = request.fields("TimeToLiveSpecification");
    const isOn = specification.flag("Enabled");
    if (isOn === (found.ttlAttribute !== undefined)) {
      throw invalid(`TimeToLive is already ${isOn ? "enabled" : "disabled"}`);
    }
    const name = specification.text("AttributeName");
    found.ttlAttribute = isOn ? name : undefined;
    return { TimeToLiveSpecification: { AttributeName: name, Enabled: isOn } };
  }

  /** `DescribeTimeToLive` */
  describeTimeToLive(request: Fields): object {
    const { ttlAttribute } = this.#found(request);
    const of = ttlAttribute === undefined ? {} : { AttributeName: ttlAttribute };
    const status = ttlAttribute === undefined ? "DISABLED" : "ENABLED";
    return { TimeToLiveDescription: { TimeToLiveStatus: status, ...of } };
  }

  /** Drops every table, as somebody else might. */
  forget(): void {
    this.#tables.clear();
  }

  /** Deletes what has expired, as the service does some day, at no charge. */
  expire(): void {
    const nowS = this.#nowMs() / 1_000;
    for (const { table, ttlAttribute } of this.#tables.values()) {
      for (const item of ttlAttribute === undefined ? [] : table.all()) {
        const value = item[ttlAttribute ?? ""];
        const isExpired = value !== undefined && "N" in value && Number(value.N) < nowS;
        if (isExpired) table.delete(table.placeOfItem(item));
      }
    }
  }

  /** What storage is billed for: items and their attributes, and an index entry for each. */
  storedBytes(): number {
    const items = [...this.#tables.values()].flatMap(({ table }) => table.all());
    return items.reduce((sum, item) => sum + itemBytes(item) + INDEX_BYTES, 0);
  }

  #found(request: Fields): Described {
    const name = request.text("TableName");
    const found = this.#tables.get(name);
    if (found !== undefined) return found;
    throw new Refused(
      "ResourceNotFoundException",
      `Requested resource not found: Table: ${name} not found`,
    );
  }
}

function statusOf({ description, looksUntilActive, table }: Described): object {
  return {
    ...description,
    TableStatus: looksUntilActive > 0 ? "CREATING" : "ACTIVE",
    ItemCount: table.all().length,
  };
}

function schemaOf(request: Fields): KeySchema {
  const types = new Map(
    request
      .structures("AttributeDefinitions")
      .map((each) => [each.text("AttributeName"), each.text("AttributeType")]),
  );
  const schema = request.structures("KeySchema");
  const nameOf = (type: string): string | undefined =>
    schema.find((each) => each.text("KeyType") === type)?.text("AttributeName");
  const partition = nameOf("HASH");
  const sort = nameOf("RANGE");
  if (partition === undefined) throw invalid("No Hash Key specified in schema");
  const keys = [partition, ...(sort === undefined ? [] : [sort])];
  if (keys.length !== types.size || !keys.every((name) => types.has(name))) {
    throw invalid("Number of attributes in KeySchema does not exactly match AttributeDefinitions");
  }
  if (keys.some((name) => types.get(name) !== "S"))
    throw invalid("only texts are modelled as keys");
  return { partition, sort };
}
