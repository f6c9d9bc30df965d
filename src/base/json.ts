/** A number whose token a JavaScript number would not print again byte for byte (`1.0`, `1e3`). */
export class JsonNumber {
  readonly token: string;
  constructor(token: string) {
    this.token = token;
  }
}

export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
/** `number` for safe integers in canonical form and plain decimals, `bigint` for larger integers. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonNumber
  | JsonArray
  | JsonObject;
