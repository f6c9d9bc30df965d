import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AvroCursor } from "../../src/iceberg/avro-cursor.ts";
import { readAvroFile } from "../../src/iceberg/avro-file.ts";
import type { AvroValue } from "../../src/iceberg/avro-value.ts";
import { readManifest } from "../../src/iceberg/manifest.ts";
import { avroFile } from "./avro-writer.ts";

const FIXTURES = new URL("../fixtures/iceberg/tables/", import.meta.url).pathname;
/** Where the fixtures were written: every path in them begins with it. */
const WRITTEN_AT = "file:///fixture/";

export type FixtureVersion = "v1" | "v2" | "v3";

/** The bytes of each metadata file, manifest list and manifest of a fixture, by name. */
export function fixtureFiles(version: FixtureVersion): ReadonlyMap<string, Buffer> {
  const directory = join(FIXTURES, version);
  const names = readdirSync(directory).sort();
  return new Map(names.map((name) => [name, readFileSync(join(directory, name))]));
}

/** The schema that an Avro file says it has. */
export function schemaOf(bytes: Uint8Array): string {
  const cursor = new AvroCursor(bytes.subarray(4));
  let schema = "";
  cursor.blocks(() => {
    const [key, value] = [cursor.string(), cursor.bytes()];
    if (key === "avro.schema") schema = Buffer.from(value).toString();
  }, false);
  return schema;
}

function moved(value: AvroValue, root: string): AvroValue {
  if (typeof value === "string") return value.replace(WRITTEN_AT, `${root}/`);
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map((item) => moved(item, root));
  const entries = Object.entries(value).map(([name, item]) => [name, moved(item, root)] as const);
  return Object.fromEntries(entries);
}

/**
 * The files of a table that PyIceberg wrote, by their path below a root, as if it had been written
 * there; with one for everything that its manifests name. The newest metadata file is `current`.
 */
export function filesBelow(
  version: "v1" | "v2",
  root: string,
): { readonly files: ReadonlyMap<string, Buffer>; readonly current: string } {
  const files = new Map<string, Buffer>();
  let current = "";
  for (const [name, bytes] of fixtureFiles(version)) {
    const path = `${version}/metadata/${name}`;
    if (name.endsWith(".json")) {
      files.set(path, Buffer.from(bytes.toString().replaceAll(WRITTEN_AT, `${root}/`)));
      current = path;
      continue;
    }
    const values = [...readAvroFile(bytes, true)].map((value) => moved(value, root));
    const file = avroFile(schemaOf(bytes), values, "deflate");
    files.set(path, file);
    if (name.startsWith("snap-")) continue;
    for (const entry of readManifest(file)) {
      files.set(entry.path.slice(root.length + 1), Buffer.from("rows"));
    }
  }
  return { files, current };
}

/**
 * Puts such a table into a directory.
 *
 * @returns the location of its current metadata file.
 */
export function plantTable(version: "v1" | "v2", directory: string): string {
  const { files, current } = filesBelow(version, `file://${directory}`);
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), bytes);
  }
  return `file://${directory}/${current}`;
}
