import type { Item } from "./value-types.ts";

/** Types of errors as they stand on the wire, by the namespace that the service gives each. */
const NAMESPACES: Readonly<Record<string, string>> = {
  SerializationException: "com.amazon.coral.service",
  UnknownOperationException: "com.amazon.coral.service",
  AccessDeniedException: "com.amazon.coral.service",
  MissingAuthenticationTokenException: "com.amazon.coral.service",
  UnrecognizedClientException: "com.amazon.coral.service",
  ValidationException: "com.amazon.coral.validate",
  ThrottlingException: "com.amazon.coral.availability",
};
const OWN_NAMESPACE = "com.amazonaws.dynamodb.v20120810";

export interface CancellationReason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: Item;
}

/** What else an error says, beside its type and message. */
export interface RefusalFields {
  readonly Item?: Item;
  readonly CancellationReasons?: readonly CancellationReason[];
}

/** A request that the service does not carry out. */
export class Refused extends Error {
  readonly type: string;
  readonly fields: RefusalFields;

  constructor(type: string, message: string, fields: RefusalFields = {}) {
    super(message);
    this.type = type;
    this.fields = fields;
  }

  get wireType(): string {
    return `${NAMESPACES[this.type] ?? OWN_NAMESPACE}#${this.type}`;
  }
}

export function invalid(message: string): Refused {
  return new Refused("ValidationException", message);
}

export function conditionFailed(item: Item | undefined): Refused {
  const fields = item === undefined ? {} : { Item: item };
  return new Refused("ConditionalCheckFailedException", "The conditional request failed", fields);
}

export function cancelled(reasons: readonly CancellationReason[]): Refused {
  const codes = reasons.map(({ Code }) => Code).join(", ");
  const rule = "Transaction cancelled, please refer cancellation reasons for specific reasons";
  const message = `${rule} [${codes}]`;
  return new Refused("TransactionCanceledException", message, { CancellationReasons: reasons });
}
