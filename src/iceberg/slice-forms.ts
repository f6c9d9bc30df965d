import { IdMap } from "../base/id-map.ts";
import type { JsonObject } from "../base/json.ts";
import { asObject } from "../base/json-read.ts";
import { JsonAssembly, type JsonSlice, sliceJson, weightOf } from "../base/json-slices.ts";
import { Chunk, ChunkedList, type Part } from "./chunked-list.ts";
import { Fragment } from "./fragment.ts";
import type { LayoutEntry } from "./layout.ts";
import type { TableMetadata } from "./model.ts";
import { type Schema, schemaSteps } from "./schema.ts";
import type { Forms, Gathering, MemberForm, Passing } from "./slices.ts";
import type { Snapshot } from "./snapshot.ts";
import { SnapshotList } from "./snapshot-list.ts";
import type { SnapshotRef } from "./snapshot-ref.ts";
import type { ViewMetadata } from "./view-metadata.ts";

/** A part whose text stands where its fragment does. */
type Flat<T extends Part> = Omit<T, "fragment"> & { fragment: string | Fragment };

function flat<T extends Part>(part: T): Flat<T> {
  return { ...part, fragment: part.fragment.text };
}

/** The part that was flat: the same object, which was made for this thread alone. */
function lifted<T extends Part>(passed: unknown): T {
  const part = passed as Flat<T>;
  part.fragment = Fragment.ofText(part.fragment as string);
  return part as unknown as T;
}

function gathering<V>(add: (passed: unknown) => void, whole: () => V): Gathering<V> {
  return {
    add,
    *whole() {
      yield;
      return whole();
    },
  };
}

/** An array that values are added to as they pass. */
function arrayOf<T>(made: (passed: unknown) => T): Gathering<readonly T[]> {
  const all: T[] = [];
  return gathering(
    (passed) => all.push(made(passed)),
    () => all,
  );
}

function mapOf<T>(made: (passed: unknown) => T): Gathering<ReadonlyMap<string, T>> {
  const all = new Map<string, T>();
  const add = (passed: unknown): void => {
    const [name, value] = passed as readonly [string, unknown];
    all.set(name, made(value));
  };
  return gathering(add, () => all);
}

/** Parts that hold nothing but what can be cloned, fragments aside. */
function parts<T extends Part>(): MemberForm<readonly T[]> {
  return {
    *apart(all) {
      for (const part of all) yield [flat(part), part.fragment.text.length];
    },
    gather: () => arrayOf(lifted<T>),
  };
}

const REFS: MemberForm<TableMetadata["refs"]> = {
  *apart(refs) {
    for (const [name, ref] of refs) {
      yield [[name, flat(ref)], name.length + ref.fragment.text.length];
    }
  },
  gather: () => mapOf(lifted<SnapshotRef>),
};

const PROPERTIES: MemberForm<ReadonlyMap<string, string>> = {
  *apart(properties) {
    for (const entry of properties) yield [entry, entry[0].length + entry[1].length];
  },
  gather: () => mapOf((value) => value as string),
};

const LAYOUT: MemberForm<readonly LayoutEntry[]> = {
  *apart(layout) {
    for (const entry of layout) yield [entry, entry.name.length + (entry.text ?? "").length];
  },
  gather: () => arrayOf((entry) => entry as LayoutEntry),
};

/**
 * A schema's indexes refer to each other in ways that clone slowly: they are made anew, in steps,
 * of its JSON, which passes in slices, since one schema may be most of a file.
 */
const SCHEMAS: MemberForm<readonly Schema[]> = {
  *apart(schemas) {
    for (const { fragment } of schemas) {
      for (const slice of sliceJson(fragment.object)) yield [slice, weightOf(slice)];
      yield [null, 0];
    }
  },
  gather: () => {
    const objects: JsonObject[] = [];
    let assembly = new JsonAssembly();
    return {
      add: (passed) => {
        if (passed !== null) {
          assembly.add(passed as JsonSlice);
          return;
        }
        objects.push(asObject(assembly.whole(), ""));
        assembly = new JsonAssembly();
      },
      *whole() {
        const schemas: Schema[] = [];
        for (const object of objects) schemas.push(yield* schemaSteps(object, ""));
        return schemas;
      },
    };
  },
};

/** Chunks pass with their bytes, so that what is printed next encodes nothing anew. */
function* chunksApart<T extends Part>({ chunks }: ChunkedList<T>): Generator<Passing> {
  for (const { items, bytes } of chunks) yield [{ items: items.map(flat), bytes }, bytes.length];
}

function chunkOf<T extends Part>(passed: unknown): Chunk<T> {
  const { items, bytes } = passed as { items: unknown[]; bytes: Uint8Array };
  return new Chunk(items.map(lifted<T>), undefined, bytes);
}

function chunked<T extends Part>(): MemberForm<ChunkedList<T>> {
  return {
    apart: chunksApart,
    gather: () => {
      const { add, whole } = arrayOf(chunkOf<T>);
      return {
        add,
        *whole() {
          return ChunkedList.ofChunks(yield* whole());
        },
      };
    },
  };
}

const SNAPSHOTS: MemberForm<SnapshotList> = {
  apart: ({ items }) => chunksApart(items),
  gather: () => {
    const positions = new IdMap<bigint, number | readonly number[]>();
    const { add, whole } = arrayOf((passed) => {
      const chunk = chunkOf<Snapshot>(passed);
      for (const { snapshotId } of chunk.items) positions.set(snapshotId, positions.size);
      return chunk;
    });
    return {
      add,
      *whole() {
        return SnapshotList.indexed(ChunkedList.ofChunks(yield* whole()), positions);
      },
    };
  },
};

export const TABLE_FORMS: Forms<TableMetadata> = {
  schemas: SCHEMAS,
  specs: parts(),
  sortOrders: parts(),
  properties: PROPERTIES,
  encryptionKeys: parts(),
  refs: REFS,
  snapshots: SNAPSHOTS,
  statistics: parts(),
  partitionStatistics: parts(),
  snapshotLog: chunked(),
  metadataLog: chunked(),
  layout: LAYOUT,
};

export const VIEW_FORMS: Forms<ViewMetadata> = {
  properties: PROPERTIES,
  schemas: SCHEMAS,
  versions: parts(),
  history: parts(),
  layout: LAYOUT,
};
