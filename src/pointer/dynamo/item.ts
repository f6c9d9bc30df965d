import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { assert } from "../../base/assert.ts";
import { utf8Length } from "../../base/bytes.ts";
import { FirnError, invalid } from "../../base/error.ts";
import { splitKey } from "../../base/key-text.ts";
import { LIMITS } from "../../base/limits.ts";
import type { StoredItem } from "../batch.ts";
import type { KeyFamilies } from "../families.ts";
import type { Item } from "../port.ts";

/*
 * A pointer as an item of a table. Names of attributes are billed with every item, so they have one
 * letter; none of them is a reserved word.
 *
 *   attribute  type  what
 *   p          S     partition key: a listed pointer's directory with a slash behind it, so that a
 *                    query lists it; any other pointer's whole key, so that load spreads
 *   s          S     sort key: a listed pointer's leaf; "-" of any other
 *   v          N     version
 *   w          S     writer id
 *   b          S     blob path, if any
 *   m          B     summary, if any
 *   d          N     tombstone only: when it may be forgotten, wall time in ms
 *   t          N     when the table's time to live may remove it, in whole seconds: a tombstone
 *                    past its life, a live pointer of a family that has one
 *
 * Invariant: no key ends with a slash, so no listed item stands in the partition of an unlisted
 * one. An attribute that a reader does not know may change what the others mean, so it refuses the
 * item (`POINTER_ITEM_UNSUPPORTED`) rather than guess.
 *
 * Example: `/n/by-name/a` of a listed family, version 300 by writer "w", blob path "b":
 *
 *   {"p": {"S": "/n/by-name/"}, "s": {"S": "a"}, "v": {"N": "300"}, "w": {"S": "w"},
 *    "b": {"S": "b"}}
 */

export type Attributes = Record<string, AttributeValue>;

/** The primary key of a pointer's item. */
export interface ItemKey extends Attributes {
  readonly p: AttributeValue.SMember;
  readonly s: AttributeValue.SMember;
}

const UNLISTED = "-";
const KNOWN: ReadonlySet<string> = new Set(["p", "s", "v", "w", "b", "m", "d", "t"]);
/** A hundred of these are what one transaction may hold, and each is far below an item's limit. */
const MAX_ITEM_BYTES = 40_000;

/** The primary key that a pointer's item has. */
export function itemKey(families: KeyFamilies, key: string): ItemKey {
  if (!families.of(key).listed) return { p: { S: key }, s: { S: UNLISTED } };
  const { directory, leaf } = splitKey(key);
  return { p: { S: partitionOf(directory) }, s: { S: leaf } };
}

/** The partition of a listed directory. */
export function partitionOf(directory: string): string {
  return `${directory}/`;
}

/** The pointer whose item has these attributes. @throws FirnError as `decodeItem` */
export function keyOfItem(attributes: Attributes): string {
  const partition = attributes["p"]?.S ?? "";
  const sort = attributes["s"]?.S ?? "";
  if (partition.endsWith("/") && sort !== "") return partition + sort;
  if (partition !== "" && sort === UNLISTED) return partition;
  throw corrupt(partition, "its primary key is not a pointer's");
}

/**
 * All attributes of a pointer's item that is put now.
 *
 * @throws FirnError `Invalid`, code `POINTER_ITEM_TOO_LARGE`.
 */
export function encodeItem(families: KeyFamilies, item: StoredItem, nowMs: number): Attributes {
  const attributes: Attributes = {
    ...itemKey(families, item.key),
    v: { N: String(item.version) },
    w: { S: item.writerId },
  };
  if (item.state === "live") {
    const { blobPath, summary } = item;
    if (blobPath !== undefined) attributes["b"] = { S: blobPath };
    if (summary !== undefined) attributes["m"] = { B: summary };
    const bytes =
      utf8Length(item.key) +
      utf8Length(item.writerId) +
      utf8Length(blobPath ?? "") +
      (summary?.length ?? 0);
    if (bytes > MAX_ITEM_BYTES) {
      throw invalid("POINTER_ITEM_TOO_LARGE", "pointer too large", {
        bytes,
        limit: MAX_ITEM_BYTES,
      });
    }
    const { lifeMs } = families.of(item.key);
    // The service's clock may be ahead of ours.
    if (lifeMs !== undefined) attributes["t"] = secondsOf(nowMs + lifeMs + LIMITS.clockSkewMs);
    return attributes;
  }
  attributes["d"] = { N: String(item.deadUntilMs) };
  attributes["t"] = secondsOf(item.deadUntilMs);
  return attributes;
}

/**
 * The pointer of an item.
 *
 * @throws FirnError `Corrupt`, code `POINTER_ITEM_CORRUPT`; `Unavailable`, code
 *   `POINTER_ITEM_UNSUPPORTED`: a newer version wrote it. Both name the key.
 */
export function decodeItem(attributes: Attributes): StoredItem {
  const key = keyOfItem(attributes);
  for (const name of Object.keys(attributes)) {
    if (KNOWN.has(name)) continue;
    const message = "a pointer that a newer version wrote";
    const context = { key, attribute: name };
    throw new FirnError("Unavailable", "POINTER_ITEM_UNSUPPORTED", message, context);
  }
  const writerId = attributes["w"]?.S;
  if (writerId === undefined) throw corrupt(key, "no writer");
  const version = integer(key, attributes["v"]);
  if (version <= 0n) throw corrupt(key, "no version");
  const blobPath = attributes["b"]?.S;
  const summary = attributes["m"]?.B;
  if (attributes["d"] === undefined) {
    return {
      state: "live",
      key,
      version,
      writerId,
      ...(blobPath !== undefined && { blobPath }),
      ...(summary !== undefined && { summary }),
    };
  }
  if (blobPath !== undefined || summary !== undefined) throw corrupt(key, "a tombstone of data");
  const deadUntilMs = Number(integer(key, attributes["d"]));
  return { state: "absent", key, version, writerId, deadUntilMs };
}

/** What a key holds: no item means version 0. */
export function itemOf(key: string, attributes: Attributes | undefined): Item {
  if (attributes === undefined) return { state: "absent", key, version: 0n };
  const item = decodeItem(attributes);
  assert(item.key === key, "an item is read under its own key");
  return item;
}

function secondsOf(ms: number): AttributeValue {
  return { N: String(Math.ceil(ms / 1_000)) };
}

function integer(key: string, value: AttributeValue | undefined): bigint {
  const text = value?.N;
  if (text === undefined || !/^\d{1,19}$/.test(text)) throw corrupt(key, "no whole number");
  return BigInt(text);
}

function corrupt(key: string, what: string): FirnError {
  return new FirnError("Corrupt", "POINTER_ITEM_CORRUPT", `stored pointer: ${what}`, { key });
}
