import type { Parameters, Schema } from "./operation.ts";

/** A 64-bit integer as decimal text (proto3's rule): snapshot ids exceed 2^53. */
export const INT64: Schema = {
  type: "string",
  pattern: "^-?(0|[1-9][0-9]{0,18})$",
  description: "A 64-bit integer in decimal digits",
};

export const TIME: Schema = {
  type: "string",
  minLength: 1,
  maxLength: 64,
  description: "A time (RFC 3339), such as 2026-01-31T12:00:00Z",
};

export const UUID: Schema = {
  type: "string",
  pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
  description: "A UUID",
};

/** A bound on the text alone: what a name may hold is the catalog's rule. */
export const NAME: Schema = {
  type: "string",
  minLength: 1,
  maxLength: 255,
  description: "A name: 1 to 255 bytes of UTF-8, without control characters",
};

export const PATH: Schema = {
  type: "array",
  items: NAME,
  minItems: 1,
  maxItems: 32,
  description: "The levels of a namespace, outermost first",
};

export const DESCRIPTION: Schema = { type: "string", maxLength: 4_096 };

export const LOCATION: Schema = {
  type: "string",
  minLength: 1,
  maxLength: 1_024,
  description: "A URI, such as s3://bucket/path",
};

export const PROPERTIES: Schema = {
  type: "object",
  additionalProperties: { type: "string" },
  description: "Texts by key. Never a place for secrets",
};

/** Of a merge patch (RFC 7396): null removes a key. */
export const PROPERTIES_PATCH: Schema = {
  type: "object",
  additionalProperties: { type: ["string", "null"] },
  description: "Merged into the properties that are there; null removes a key",
};

export const TEXT: Schema = { type: "string" };
export const FLAG: Schema = { type: "boolean" };
export const COUNT: Schema = { type: "integer", minimum: 0 };

export function oneOf(...values: readonly string[]): Schema {
  return { type: "string", enum: values };
}

export function listOf(items: Schema): Schema {
  return { type: "array", items };
}

/** An object of exactly these members, all of which must be there but the `optional` ones. */
export function object(
  properties: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  return {
    type: "object",
    additionalProperties: false,
    required: Object.keys(properties),
    properties: { ...properties, ...optional },
  };
}

/** The body of an update: its members are the mask. */
export function patchOf(properties: Readonly<Record<string, Schema>>): Schema {
  return object({}, properties);
}

/** A page of a list. */
export function pageOf(items: Schema): Schema {
  const token = { type: "string", description: "Asks for the next page; absent on the last one" };
  return object({ items: listOf(items) }, { nextPageToken: token });
}

/** Parameters of every list. */
export const PAGE: Parameters = {
  pageSize: {
    type: "integer",
    minimum: 1,
    description: "Entries of a page: 100 if absent; more than 1,000 means 1,000",
  },
  pageToken: {
    type: "string",
    minLength: 1,
    maxLength: 8_192,
    description: "nextPageToken of the page before",
  },
};

/** Parameters of a list of what can be dropped. */
export const LIST: Parameters = {
  ...PAGE,
  state: {
    ...oneOf("ACTIVE", "DROPPED"),
    description: "DROPPED: what was dropped there and can be brought back, soonest purge first",
  },
};

/** Parameters of a drop of what may hold other things. */
export const RECURSIVE: Parameters = {
  recursive: {
    ...FLAG,
    description: "Drops all that is in it, too, by a background job; false: only if it is empty",
  },
};
