import { pack, type TupleItem, unpack } from "fdb-tuple";
import { SeededPrng } from "../src/base/prng.ts";
import {
  boxRanges,
  COORDINATE_BITS,
  type Curve,
  hilbert2,
  hilbert3,
  type KeyColumn,
  KeySchema,
  morton2,
  morton3,
  type Point,
} from "../src/keys/index.ts";
import { formatTable } from "./report.ts";

/*
 * Ordered keys beside the tuple layer of FoundationDB in JavaScript, each with the same values, in
 * turns of one run. And what a box costs on each curve.
 */

const KEYS = 5_000;
const ROUNDS = 15;

export interface KeysCell {
  readonly columns: string;
  readonly encodeNs: number;
  readonly decodeNs: number;
  /** Undefined where the peer has no such type. */
  readonly peer?: { readonly encodeNs: number; readonly decodeNs: number };
}

export interface CurveCell {
  readonly curve: string;
  readonly encodeNs: number;
  readonly rangesUs: number;
  /** Places in 32 ranges divided by points in the box, the mean of random boxes. */
  readonly overRead: number;
}

export interface KeysFigures {
  readonly keys: readonly KeysCell[];
  readonly curves: readonly CurveCell[];
}

interface Case {
  readonly columns: readonly KeyColumn[];
  readonly values: (prng: SeededPrng, i: number) => readonly unknown[];
  /** The same values for the peer. */
  readonly peer?: (values: readonly unknown[]) => TupleItem[];
}

const same = (values: readonly unknown[]): TupleItem[] => values as TupleItem[];

const CASES: readonly Case[] = [
  {
    columns: [{ type: "int4" }, { type: "int4" }],
    values: (prng, i) => [below(prng, 1_000), i],
    peer: same,
  },
  {
    columns: [{ type: "text" }, { type: "int8" }],
    values: (prng, i) => [`tenant-${below(prng, 1_000)}`, 1_700_000_000_000_000n + BigInt(i)],
    peer: same,
  },
  {
    columns: [{ type: "text" }, { type: "text" }],
    values: (prng, i) => [`tenant-${below(prng, 1_000)}`, `order/${i}/line/${below(prng, 50)}`],
    peer: same,
  },
  {
    columns: [{ type: "bytes" }, { type: "float8" }],
    values: (prng, i) => [Buffer.from(`digest-${i}-\0-${below(prng, 99)}`), i / 7],
    peer: ([bytes, value]) => [bytes as Buffer, { type: "double", value: value as number }],
  },
  {
    columns: [
      { type: "text", direction: "desc" },
      { type: "timestamptz", direction: "desc" },
    ],
    values: (prng, i) => [`tenant-${below(prng, 1_000)}`, 1_700_000_000_000_000n + BigInt(i)],
  },
  {
    columns: [{ type: "numeric" }, { type: "uuid" }],
    values: (prng, i) => [`${below(prng, 100_000)}.${i % 100}`, uuidOf(i)],
  },
];

function below(prng: SeededPrng, bound: number): number {
  return prng.uint32() % bound;
}

function uuidOf(i: number): string {
  return `01890a5d-ac96-774b-bcce-${i.toString(16).padStart(12, "0")}`;
}

/** Measures and prints. */
export function benchKeys(smoke: boolean): KeysFigures {
  const rounds = smoke ? 1 : ROUNDS;
  const keys = CASES.map((each) => measureKeys(each, rounds));
  const curves = Object.entries({ morton2, hilbert2, morton3, hilbert3 });
  const figures = { keys, curves: curves.map(([name, curve]) => measureCurve(name, curve)) };
  console.log(show(figures));
  return figures;
}

function measureKeys({ columns, values, peer }: Case, rounds: number): KeysCell {
  const prng = new SeededPrng(1);
  const tuples = Array.from({ length: KEYS }, (_, i) => values(prng, i));
  const schema = new KeySchema(columns, Buffer.from("01000000100000", "hex"));
  const keys = tuples.map((tuple) => schema.encode(tuple as never));
  const theirs = peer === undefined ? [] : tuples.map(peer);
  const packed = theirs.map((tuple) => pack(tuple) as Buffer);
  const [encodeNs, decodeNs, packNs, unpackNs] = medians(rounds, [
    () => {
      for (const tuple of tuples) schema.encode(tuple as never);
    },
    () => {
      for (const key of keys) schema.decode(key);
    },
    () => {
      for (const tuple of theirs) pack(tuple);
    },
    () => {
      for (const key of packed) unpack(key);
    },
  ]) as [number, number, number, number];
  return {
    columns: columns.map(({ type, direction }) => `${type}${direction ? " desc" : ""}`).join(", "),
    encodeNs,
    decodeNs,
    ...(peer !== undefined && { peer: { encodeNs: packNs, decodeNs: unpackNs } }),
  };
}

const BOXES = 200;

/** Boxes of one in 65,536 of the space, of random shapes, anywhere. */
function measureCurve(name: string, curve: Curve): CurveCell {
  const prng = new SeededPrng(7);
  const { dimensions } = curve;
  const side = 2 ** COORDINATE_BITS[dimensions];
  const boxes = Array.from({ length: BOXES }, (): readonly [Point, Point] => {
    const stretch = 1 + below(prng, 300) / 100;
    const lengths = new Array<number>(dimensions).fill(side / 65_536 ** (1 / dimensions));
    lengths[0] = (lengths[0] as number) * stretch;
    lengths[1] = (lengths[1] as number) / stretch;
    const low = lengths.map((length) =>
      Math.floor((below(prng, 1_000_000) / 1e6) * (side - length)),
    );
    return [low, low.map((value, axis) => Math.floor(value + (lengths[axis] as number)))];
  });
  const points = boxes.map(([low]) => low);
  let overRead = 0;
  const [encodeNs, rangesNs] = medians(5, [
    () => {
      for (let i = 0; i < KEYS; i++) curve.encode(points[i % BOXES] as Point);
    },
    () => {
      overRead = boxes.reduce((sum, [low, high]) => sum + boxRanges(curve, low, high).overRead, 0);
    },
  ]) as [number, number];
  return {
    curve: name,
    encodeNs,
    rangesUs: (rangesNs * KEYS) / BOXES / 1_000,
    overRead: overRead / BOXES,
  };
}

/** Nanoseconds of this process's own time a key: medians, the candidates in turns. */
function medians(rounds: number, candidates: readonly (() => void)[]): readonly number[] {
  const times = candidates.map((): number[] => []);
  for (let round = -1; round < rounds; round++) {
    for (const [i, candidate] of candidates.entries()) {
      const from = process.cpuUsage();
      candidate();
      const { user, system } = process.cpuUsage(from);
      if (round >= 0) times[i]?.push(((user + system) * 1_000) / KEYS);
    }
  }
  return times.map((all) => all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN);
}

function show({ keys, curves }: KeysFigures): string {
  const ns = (value: number | undefined) => (value === undefined ? "–" : value.toFixed(0));
  const ratio = (peer: number | undefined, ours: number) =>
    peer === undefined ? "–" : `${(peer / ours).toFixed(1)} x`;
  const rows = keys.map(({ columns, encodeNs, decodeNs, peer }) => [
    columns,
    ns(encodeNs),
    ns(peer?.encodeNs),
    ratio(peer?.encodeNs, encodeNs),
    ns(decodeNs),
    ns(peer?.decodeNs),
    ratio(peer?.decodeNs, decodeNs),
  ]);
  const header = ["key of", "encode ns", "fdb-tuple", "ratio", "decode ns", "fdb-tuple", "ratio"];
  const lines = curves.map(({ curve, encodeNs, rangesUs, overRead }) => [
    curve,
    ns(encodeNs),
    rangesUs.toFixed(0),
    overRead.toFixed(2),
  ]);
  const curveHeader = ["curve", "encode ns", "µs a box", "over-read of 32 ranges"];
  return `${formatTable(header, rows)}\n\n${formatTable(curveHeader, lines)}`;
}
