import type { Element } from "./element.ts";
import { float4, float8 } from "./floats.ts";
import { bool, int2, int4, int8, uint2, uint4, uint8 } from "./integers.ts";
import { numeric } from "./numeric.ts";
import { bytes, path, text } from "./texts.ts";
import { uuid } from "./uuid.ts";

/** The types of key columns, and what their values are in TypeScript. */
export interface KeyTypes {
  readonly bool: boolean;
  readonly int2: number;
  readonly int4: number;
  readonly int8: bigint;
  readonly uint2: number;
  readonly uint4: number;
  readonly uint8: bigint;
  readonly float4: number;
  readonly float8: number;
  /** A decimal number as a text. */
  readonly numeric: string;
  readonly text: string;
  readonly bytes: Uint8Array;
  /** Segments from the root down. */
  readonly path: readonly string[];
  readonly uuid: string;
  /** Days. */
  readonly date: number;
  /** Microseconds of a day. */
  readonly time: bigint;
  /** Microseconds. */
  readonly timestamp: bigint;
  /** Microseconds in UTC. */
  readonly timestamptz: bigint;
}

export type KeyType = keyof KeyTypes;

export const ELEMENTS: { readonly [T in KeyType]: Element<KeyTypes[T]> } = {
  bool,
  int2,
  int4,
  int8,
  uint2,
  uint4,
  uint8,
  float4,
  float8,
  numeric,
  text,
  bytes,
  path,
  uuid,
  date: int4,
  time: int8,
  timestamp: int8,
  timestamptz: int8,
};
