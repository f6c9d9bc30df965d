import type {
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  DeleteItemCommandInput,
  DeleteItemCommandOutput,
  DynamoDB,
  GetItemCommandInput,
  GetItemCommandOutput,
  PutItemCommandInput,
  PutItemCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  ScanCommandInput,
  ScanCommandOutput,
  TransactWriteItemsCommandInput,
  TransactWriteItemsCommandOutput,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
} from "@aws-sdk/client-dynamodb";

interface Call<Input, Output> {
  readonly input: Input;
  readonly output: Omit<Output, "$metadata">;
}

/** The requests that read and write items, in the service's own shapes. */
export interface DynamoCalls {
  readonly GetItem: Call<GetItemCommandInput, GetItemCommandOutput>;
  readonly BatchGetItem: Call<BatchGetItemCommandInput, BatchGetItemCommandOutput>;
  readonly Query: Call<QueryCommandInput, QueryCommandOutput>;
  readonly Scan: Call<ScanCommandInput, ScanCommandOutput>;
  readonly PutItem: Call<PutItemCommandInput, PutItemCommandOutput>;
  readonly UpdateItem: Call<UpdateItemCommandInput, UpdateItemCommandOutput>;
  readonly DeleteItem: Call<DeleteItemCommandInput, DeleteItemCommandOutput>;
  readonly TransactWriteItems: Call<
    TransactWriteItemsCommandInput,
    TransactWriteItemsCommandOutput
  >;
}

export type DynamoOperation = keyof DynamoCalls;
export type Input<O extends DynamoOperation> = DynamoCalls[O]["input"];
export type Output<O extends DynamoOperation> = DynamoCalls[O]["output"];

/** Sends one request, once. @throws what `failure.ts` reads */
export interface DynamoTransport {
  send<O extends DynamoOperation>(
    operation: O,
    input: Input<O>,
    signal: AbortSignal,
  ): Promise<Output<O>>;
}

type Senders = {
  readonly [O in DynamoOperation]: (
    sdk: DynamoDB,
    input: Input<O>,
    options: { readonly abortSignal: AbortSignal },
  ) => Promise<Output<O>>;
};

const SENDERS: Senders = {
  GetItem: (sdk, input, options) => sdk.getItem(input, options),
  BatchGetItem: (sdk, input, options) => sdk.batchGetItem(input, options),
  Query: (sdk, input, options) => sdk.query(input, options),
  Scan: (sdk, input, options) => sdk.scan(input, options),
  PutItem: (sdk, input, options) => sdk.putItem(input, options),
  UpdateItem: (sdk, input, options) => sdk.updateItem(input, options),
  DeleteItem: (sdk, input, options) => sdk.deleteItem(input, options),
  TransactWriteItems: (sdk, input, options) => sdk.transactWriteItems(input, options),
};

/** All of it left to the SDK. */
export class DynamoSdkTransport implements DynamoTransport {
  readonly #sdk: DynamoDB;

  constructor(sdk: DynamoDB) {
    this.#sdk = sdk;
  }

  send<O extends DynamoOperation>(
    operation: O,
    input: Input<O>,
    abortSignal: AbortSignal,
  ): Promise<Output<O>> {
    return SENDERS[operation](this.#sdk, input, { abortSignal });
  }
}
