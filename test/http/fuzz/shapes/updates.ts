import { column, SCHEMAS, struct } from "./schemas.ts";
import type { Size } from "./size.ts";

const SNAPSHOT = '"timestamp-ms":@now@,"manifest-list":"@location@/metadata/s.avro"';
const HISTORY = '"type":"branch","max-ref-age-ms":9000000';

function snapshot(index: number): string {
  const id = `"snapshot-id":${index + 1},"sequence-number":${index + 1}`;
  return `{${id},${SNAPSHOT},"summary":{"operation":"append"}}`;
}

function field(index: number): string {
  const transform = `"transform":"bucket[${index + 1}]"`;
  return `{"source-id":1,"field-id":${1_000 + index},"name":"p${index}",${transform}}`;
}

function sortField(index: number): string {
  const order = '"direction":"asc","null-order":"nulls-first"';
  return `{"source-id":1,"transform":"bucket[${index + 1}]",${order}}`;
}

function file(index: number): string {
  const place = `"statistics-path":"@location@/s${index}.puffin"`;
  const sizes = '"file-size-in-bytes":1,"file-footer-size-in-bytes":1,"blob-metadata":[]';
  return `{"snapshot-id":${index + 1},${place},${sizes}}`;
}

/** One update of a table by its index among many, by its action and what sets the many apart. */
export const TABLE_UPDATES: Readonly<Record<string, (index: number) => string>> = {
  "set-properties": (i) => `{"action":"set-properties","updates":{"k${i}":"v"}}`,
  "set-properties, one key": (i) => `{"action":"set-properties","updates":{"k":"v${i}"}}`,
  "remove-properties": (i) => `{"action":"remove-properties","removals":["k${i}"]}`,
  "set and remove": (i) =>
    i % 2 === 0
      ? `{"action":"set-properties","updates":{"k${i}":"v"}}`
      : `{"action":"remove-properties","removals":["k${i - 1}"]}`,
  "set-snapshot-ref": (i) =>
    `{"action":"set-snapshot-ref","ref-name":"r${i}","snapshot-id":1,${HISTORY}}`,
  "remove-snapshot-ref": (i) => `{"action":"remove-snapshot-ref","ref-name":"r${i}"}`,
  "add-schema": (i) => `{"action":"add-schema","schema":${struct(column(1, `c${i}`))}}`,
  "add-schema, alike": () => `{"action":"add-schema","schema":${struct(column(1, "a"))}}`,
  "set-current-schema": (i) =>
    i % 2 === 0
      ? `{"action":"add-schema","schema":${struct(column(1, `c${i}`))}}`
      : '{"action":"set-current-schema","schema-id":-1}',
  "remove-schemas": (i) => `{"action":"remove-schemas","schema-ids":[${i + 1}]}`,
  "add-spec": (i) => `{"action":"add-spec","spec":{"fields":[${field(i)}]}}`,
  "remove-partition-specs": (i) => `{"action":"remove-partition-specs","spec-ids":[${i + 1}]}`,
  "add-sort-order": (i) =>
    `{"action":"add-sort-order","sort-order":{"order-id":${i + 1},"fields":[${sortField(i)}]}}`,
  "add-snapshot": (i) => `{"action":"add-snapshot","snapshot":${snapshot(i)}}`,
  append: (i) =>
    i % 2 === 0
      ? `{"action":"add-snapshot","snapshot":${snapshot(i)}}`
      : `{"action":"set-snapshot-ref","ref-name":"main","snapshot-id":${i},"type":"branch"}`,
  "remove-snapshots": (i) => `{"action":"remove-snapshots","snapshot-ids":[${i + 1}]}`,
  "add and remove snapshots": (i) =>
    i % 2 === 0
      ? `{"action":"add-snapshot","snapshot":${snapshot(i)}}`
      : `{"action":"remove-snapshots","snapshot-ids":[${i}]}`,
  "set-statistics": (i) =>
    `{"action":"set-statistics","snapshot-id":${i + 1},"statistics":${file(i)}}`,
  "remove-statistics": (i) => `{"action":"remove-statistics","snapshot-id":${i + 1}}`,
  "set-partition-statistics": (i) => {
    const place = `"statistics-path":"@location@/p${i}","file-size-in-bytes":1`;
    const part = `{"snapshot-id":${i + 1},${place}}`;
    return `{"action":"set-partition-statistics","partition-statistics":${part}}`;
  },
  "add-encryption-key": (i) => {
    const key = `{"key-id":"k${i}","encrypted-key-metadata":"YQ==","encrypted-by-id":"x"}`;
    return `{"action":"add-encryption-key","encryption-key":${key}}`;
  },
  "set-location": () => '{"action":"set-location","location":"@location@"}',
  "assign-uuid": () => '{"action":"assign-uuid","uuid":"@uuid@"}',
  "upgrade-format-version": (i) =>
    `{"action":"upgrade-format-version","format-version":${2 + (i % 2)}}`,
  unknown: (i) => `{"action":"x${i}"}`,
};

/** One update of a view by its index among many. */
export const VIEW_UPDATES: Readonly<Record<string, (index: number) => string>> = {
  "set-properties": (i) => `{"action":"set-properties","updates":{"k${i}":"v"}}`,
  "add-schema": (i) => `{"action":"add-schema","schema":${struct(column(1, `c${i}`))}}`,
  "add-view-version": (i) => `{"action":"add-view-version","view-version":${viewVersion(i + 2)}}`,
  "set-current-view-version": (i) =>
    i % 2 === 0
      ? `{"action":"add-view-version","view-version":${viewVersion(i + 2)}}`
      : '{"action":"set-current-view-version","view-version-id":-1}',
};

export function viewVersion(id: number, representations: string = representation("spark")): string {
  const names = `"version-id":${id},"schema-id":0,"timestamp-ms":@now@,"summary":{"a":"${id}"}`;
  return `{${names},"default-namespace":["@ns@"],"representations":[${representations}]}`;
}

export function representation(dialect: string): string {
  return `{"type":"sql","sql":"select 1","dialect":${JSON.stringify(dialect)}}`;
}

/** One requirement by its index among many. */
export const REQUIREMENTS: Readonly<Record<string, (index: number) => string>> = {
  "assert-ref-snapshot-id": (i) =>
    `{"type":"assert-ref-snapshot-id","ref":"r${i}","snapshot-id":null}`,
  "assert-table-uuid": () => '{"type":"assert-table-uuid","uuid":"@uuid@"}',
  "assert-current-schema-id": () => '{"type":"assert-current-schema-id","current-schema-id":0}',
};

/** Large parts of one update. */
export const LARGE_UPDATES: Readonly<Record<string, (size: Size) => string>> = {
  "many properties": (size) => {
    const value = JSON.stringify("v".repeat(size.upTo(200)));
    const pairs = Array.from({ length: size.upTo(20_000) }, (_, i) => `"k${i}":${value}`);
    return `{"action":"set-properties","updates":{${pairs.join(",")}}}`;
  },
  "long property": (size) => {
    const text = "x".repeat(size.upTo(2_000_000));
    const pair = size.chance(0.5) ? `"${text}":"v"` : `"k":"${text}"`;
    return `{"action":"set-properties","updates":{${pair}}}`;
  },
  "keys of one hash": (size) => {
    const head = "k".repeat(16_390);
    const pairs = Array.from({ length: size.upTo(150) }, (_, i) => `"${head}${1_000 + i}":"v"`);
    return `{"action":"set-properties","updates":{${pairs.join(",")}}}`;
  },
  "many snapshot ids": (size) => {
    const ids = Array.from(
      { length: size.upTo(100_000) },
      (_, i) => 9_007_199_254_740_993n + BigInt(i),
    );
    return `{"action":"remove-snapshots","snapshot-ids":[${ids.join(",")}]}`;
  },
  "large summary": (size) => {
    const pairs = Array.from({ length: size.upTo(20_000) }, (_, i) => `"s${i}":"v"`);
    const summary = `"operation":"append",${pairs.join(",")}`;
    const ids = `"snapshot-id":1,"sequence-number":1`;
    const part = `{${ids},${SNAPSHOT},"summary":{${summary}}}`;
    return `{"action":"add-snapshot","snapshot":${part}}`;
  },
  "many partition fields": (size) => {
    const fields = Array.from({ length: size.upTo(20_000) }, (_, i) => field(i));
    return `{"action":"add-spec","spec":{"fields":[${fields.join(",")}]}}`;
  },
  "many sort fields": (size) => {
    const fields = Array.from({ length: size.upTo(20_000) }, (_, i) => sortField(i));
    return `{"action":"add-sort-order","sort-order":{"order-id":1,"fields":[${fields.join(",")}]}}`;
  },
  "large schema": (size) => {
    const schema = size.oneOf(Object.values(SCHEMAS))(size);
    return `{"action":"add-schema","schema":${schema}}`;
  },
};
