import { isMainThread, workerData } from "node:worker_threads";
import type { Clock } from "../base/clock.ts";
import { type JsonObject, parseJsonBytes } from "../base/json.ts";
import { asObject } from "../base/json-read.ts";
import { JsonAssembly, type JsonSlice, sliceJson } from "../base/json-slices.ts";
import { LIMITS } from "../base/limits.ts";
import { InlineWorkers, type Tasks, type Workers } from "../base/work.ts";
import { serveWork } from "../base/work-thread.ts";
import { type WorkLimits, WorkThreads } from "../base/work-threads.ts";
import {
  type ListedManifest,
  type ManifestEntry,
  readListedManifests,
  readManifest,
  readManifestList,
} from "../iceberg/manifest.ts";
import { type FiguresAsked, figuresOf, type ManifestFigures } from "../iceberg/manifest-figures.ts";
import { parseTableMetadata } from "../iceberg/metadata.ts";
import { TABLE_FORMS, VIEW_FORMS } from "../iceberg/slice-forms.ts";
import { type Forms, type Slice, slicesOf } from "../iceberg/slices.ts";
import { parseViewMetadata } from "../iceberg/view-metadata.ts";
import { metadataText, metadataTooLarge, unpackMetadata } from "./metadata-bytes.ts";

/** A metadata file as it lies in its store. */
export interface MetadataInput {
  readonly location: string;
  readonly bytes: Uint8Array;
}

/** First the bytes of the file, where they were packed; then the metadata, which was checked. */
export type MetadataPiece = { readonly unpacked: Uint8Array } | { readonly slice: Slice };

/** An Avro file as it lies in its store. */
export interface AvroInput {
  readonly bytes: Uint8Array;
}

/** A manifest, and what is to be added up of it. */
export interface FiguresInput extends AvroInput {
  readonly asked: FiguresAsked;
}

/** The body of a request. */
export interface BodyInput {
  readonly bytes: Uint8Array;
}

/** What is read of files and bodies that others wrote. */
export interface ReadingTasks extends Tasks {
  readonly table: (input: MetadataInput) => Generator<MetadataPiece, void>;
  readonly view: (input: MetadataInput) => Generator<MetadataPiece, void>;
  /** The manifests of a manifest list; what comes before a fault is told before it. */
  readonly manifestList: (input: AvroInput) => Generator<readonly string[], void>;
  /** The entries of a manifest; what comes before a fault is told before it. */
  readonly manifest: (input: AvroInput) => Generator<readonly ManifestEntry[], void>;
  /** As `manifestList`, with the size of each. */
  readonly listedManifests: (input: AvroInput) => Generator<readonly ListedManifest[], void>;
  /** The figures of a manifest, in one piece. */
  readonly manifestFigures: (input: FiguresInput) => Generator<ManifestFigures, void>;
  readonly body: (input: BodyInput) => Generator<JsonSlice, void>;
}

export type Reading = Workers<ReadingTasks>;

const TASKS: ReadingTasks = {
  table: (input) => readMetadata(input, parseTableMetadata, TABLE_FORMS),
  view: (input) => readMetadata(input, parseViewMetadata, VIEW_FORMS),
  manifestList: ({ bytes }) => together(readManifestList(bytes)),
  manifest: ({ bytes }) => together(readManifest(bytes)),
  listedManifests: ({ bytes }) => together(readListedManifests(bytes)),
  manifestFigures: function* ({ bytes, asked }) {
    yield figuresOf(bytes, asked);
  },
  body: ({ bytes }) => sliceJson(asObject(parseJsonBytes(bytes), "")),
};
/**
 * The object that a body holds, parsed elsewhere. Memory that the bytes have alone is given up.
 *
 * @throws FirnError as `parseJsonBytes`, `asObject`, and `Workers.run`.
 */
export async function readObject(reading: Reading, bytes: Uint8Array): Promise<JsonObject> {
  const { buffer } = bytes;
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  const assembly = new JsonAssembly();
  const slices = reading.run("body", { bytes }, isAlone ? [buffer] : []);
  for await (const slice of slices) assembly.add(slice);
  return asObject(assembly.whole(), "");
}

const ROLE = "firn-reading";

/** Reads in place and without limits: for tests and simulations. */
export function inlineReading(): Reading {
  return new InlineWorkers(TASKS);
}

/** Reads in threads, which are started when they are needed. */
export function threadReading(
  clock: Clock,
  limits: Partial<WorkLimits> = {},
): WorkThreads<ReadingTasks> {
  // The same module on both sides: `.ts` in the tree and `.js` where it was built.
  return new WorkThreads({ module: new URL(import.meta.url), role: ROLE, clock, ...limits });
}

function* readMetadata<M extends object>(
  { location, bytes }: MetadataInput,
  parse: (text: string) => M,
  forms: Forms<M>,
): Generator<MetadataPiece, void> {
  const unpacked = unpackMetadata(location, bytes, LIMITS.metadataFileBytes);
  if (unpacked === undefined) throw metadataTooLarge(location);
  const metadata = parse(metadataText(location, unpacked));
  if (unpacked !== bytes) yield { unpacked };
  for (const slice of slicesOf(metadata, forms)) yield { slice };
}

/** Paths that pass between threads in one piece. */
const TOGETHER = 1_000;

function* together<T>(values: Generator<T>): Generator<readonly T[], void> {
  let some: T[] = [];
  try {
    for (const value of values) {
      some.push(value);
      if (some.length < TOGETHER) continue;
      yield some;
      some = [];
    }
  } catch (error) {
    if (some.length > 0) yield some;
    throw error;
  }
  if (some.length > 0) yield some;
}

if (!isMainThread && workerData === ROLE) serveWork(TASKS);
