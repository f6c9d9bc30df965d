import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

function moved(value: AvroValue, to: string): AvroValue {
  if (typeof value === "string") return value.replace(WRITTEN_AT, `file://${to}/`);
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map((item) => moved(item, to));
  const entries = Object.entries(value).map(([name, item]) => [name, moved(item, to)] as const);
  return Object.fromEntries(entries);
}

/**
 * Puts a table that PyIceberg wrote into a directory, as if it had been written there, with a file
 * of its own for everything that its manifests name.
 *
 * @returns the location of its current metadata file.
 */
export function plantTable(version: "v1" | "v2", directory: string): string {
  const table = join(directory, version);
  for (const part of ["metadata", "data"]) mkdirSync(join(table, part), { recursive: true });
  let newest = "";
  for (const [name, bytes] of fixtureFiles(version)) {
    const path = join(table, "metadata", name);
    if (name.endsWith(".json")) {
      writeFileSync(path, bytes.toString().replaceAll(WRITTEN_AT, `file://${directory}/`));
      newest = path;
      continue;
    }
    const values = [...readAvroFile(bytes, true)].map((value) => moved(value, directory));
    const file = avroFile(schemaOf(bytes), values, "deflate");
    writeFileSync(path, file);
    if (name.startsWith("snap-")) continue;
    for (const entry of readManifest(file)) {
      const data = entry.path.slice("file://".length);
      mkdirSync(join(data, ".."), { recursive: true });
      writeFileSync(data, "rows");
    }
  }
  return `file://${newest}`;
}
