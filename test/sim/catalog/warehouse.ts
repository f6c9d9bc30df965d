import type { BlobStore } from "../../../src/blob/port.ts";
import { avroFile } from "../../support/avro-writer.ts";
import { type Sim, Violation } from "../harness/sim.ts";
import { everyRelation } from "./deletes.ts";
import type { History } from "./history.ts";

/** Where the simulated tables lie. */
export const WAREHOUSE = "sim://warehouse";

/** Where locations lie that somebody has chosen. */
export const CHOSEN = "at";

/** The bucket of the metadata files, and what must hold of them at every instant. */
export class Warehouse {
  readonly store: BlobStore;
  /** Paths that a canonical pointer has named, or that a snapshot leads to: only a purge may. */
  readonly #named = new Set<string>();
  /** Which entities have named a metadata file: its table, and others that register it. */
  readonly #namers = new Map<string, Set<string>>();
  /** Files of nobody, which lie among those of tables: none of them may ever go. */
  readonly #strangers = new Set<string>();
  /** Where the files of a table or view lie, by the id of its entity. */
  readonly #directories = new Map<string, string>();
  /** What stands at each path, known without waiting. */
  readonly #whole = new Map<string, boolean>();

  constructor(sim: Sim, inner: BlobStore, history: History) {
    const gone = (path: string): void => {
      if (!this.#whole.delete(path)) return;
      const stranger = this.#strangers.has(path);
      if (stranger || (this.#named.has(path) && !this.#mayGo(path, history))) {
        sim.fail(new Violation(`a file in use was deleted: ${path}`));
      }
    };
    this.store = {
      get: (path) => inner.get(path),
      getRange: (path, offset, length) => inner.getRange(path, offset, length),
      getSuffix: (path, length) => inner.getSuffix(path, length),
      head: (path) => inner.head(path),
      list: (prefix, options) => inner.list(prefix, options),
      put: async (path, bytes, condition) => {
        const result = await inner.put(path, bytes, condition);
        if (result.outcome === "stored") this.#whole.set(path, isJson(bytes));
        return result;
      },
      putStream: (path, source) => inner.putStream(path, source),
      delete: (path) => {
        gone(path);
        return inner.delete(path);
      },
      deleteMany: (paths) => {
        paths.forEach(gone);
        return inner.deleteMany(paths);
      },
    };
  }

  /** A table is being purged that the file lies with, and nobody else has a part in it. */
  #mayGo(path: string, { now, everPurged, everDropped }: History): boolean {
    const ids = [...everPurged].filter((id) => path.startsWith(`${this.#directories.get(id)}/`));
    const others = [
      ...everyRelation(now).map(({ content }) => content),
      ...[...now.dropped.values()].flatMap(({ purging, content }) => (purging ? [] : [content])),
    ];
    // Below what is purged another table may have come to lie at the same time: its files stay.
    const depthOf = (id: string) => this.#directories.get(id)?.length ?? 0;
    const depth = Math.max(...ids.map(depthOf));
    // What was purged above it at another time has no part in it.
    const near = ids.filter((id) => depthOf(id) === depth);
    // Several tables may have lain there in turn: a metadata file is of those that named it.
    const namers = this.#namers.get(path);
    const known = near.filter((id) => namers?.has(id));
    const own = known.length > 0 ? known : near;
    const borns = new Set(own.map((id) => everDropped.get(id)?.content?.born));
    const isDeeper = (place: string | undefined): boolean => {
      const directory = `${CHOSEN}/${place}`;
      return directory.length > depth && path.startsWith(`${directory}/`);
    };
    const inUse = others.some((one) => borns.has(one?.born) || isDeeper(one?.place));
    return ids.length > 0 && !inUse;
  }

  /** Writes what a new snapshot leads to, and answers where its list of manifests is. */
  async plant(metadataLocation: string, id: string): Promise<string> {
    const directory = directoryOf(pathOf(metadataLocation));
    const at = (path: string) => `${WAREHOUSE}/${path}`;
    const [list, manifest] = [`${directory}/metadata/snap-${id}.avro`, `${directory}/${id}.avro`];
    const [data, stranger] = [`${directory}/data/${id}`, `${directory}/data/stranger-${id}`];
    const entry = (path: string) => ({ status: 1, data_file: { file_path: at(path) } });
    const entries = [entry(data), entry("shared/rows")];
    const files: readonly (readonly [string, Uint8Array])[] = [
      [list, avroFile(LIST_SCHEMA, [{ manifest_path: at(manifest) }], "null")],
      [manifest, avroFile(MANIFEST_SCHEMA, entries, "null")],
      ...[data, stranger, "shared/rows"].map((path) => [path, new Uint8Array([1])] as const),
    ];
    for (const [path, bytes] of files) await this.store.put(path, bytes);
    for (const path of [stranger, "shared/rows"]) this.#strangers.add(path);
    for (const path of [list, manifest, data]) this.#named.add(path);
    return at(list);
  }

  /** Files that a purge was to delete, and did not. */
  leftOf(id: string, snapshots: readonly string[]): readonly string[] {
    const directory = `${this.#directories.get(id)}/`;
    const planted = (path: string) => snapshots.some((one) => path.includes(one));
    return [...this.#whole.keys()].filter(
      (path) =>
        path.startsWith(directory) &&
        this.#named.has(path) &&
        (path.endsWith(".metadata.json") || planted(path)),
    );
  }

  /** Whether nothing is there any more, or never was. */
  isGone(location: string): boolean {
    return !this.#whole.has(pathOf(location));
  }

  /** A batch that names a metadata file has just been applied. */
  named(key: string, id: string, location: string): void {
    const path = pathOf(location);
    this.#directories.set(id, directoryOf(path));
    this.#namers.set(path, (this.#namers.get(path) ?? new Set()).add(id));
    const whole = this.#whole.get(path);
    // A register may be overtaken by a purge: it looks again, and takes itself back.
    if (whole === undefined && this.#named.has(path)) return;
    if (whole === undefined) throw new Violation(`${key} names a file that is not there: ${path}`);
    if (!whole) throw new Violation(`${key} names a file that is torn: ${path}`);
    this.#named.add(path);
  }

  /** Whether a canonical pointer has ever named the file. */
  wasNamed(location: string): boolean {
    return this.#named.has(pathOf(location));
  }

  /** How many files no pointer ever named: what an orphan scan would find. */
  get orphans(): number {
    return [...this.#whole.keys()].filter((path) => !this.#named.has(path)).length;
  }
}

/** The path of a location below the warehouse. */
export function pathOf(location: string): string {
  return location.slice(WAREHOUSE.length + 1);
}

/** The directory of a table, whose metadata files lie one below. */
function directoryOf(path: string): string {
  return path.split("/").slice(0, -2).join("/");
}

const LIST_SCHEMA = JSON.stringify({
  type: "record",
  name: "manifest_file",
  fields: [{ name: "manifest_path", type: "string" }],
});

const MANIFEST_SCHEMA = JSON.stringify({
  type: "record",
  name: "manifest_entry",
  fields: [
    { name: "status", type: "int" },
    {
      name: "data_file",
      type: {
        type: "record",
        name: "data_file",
        fields: [{ name: "file_path", type: "string" }],
      },
    },
  ],
});

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes).toString("utf8"));
    return true;
  } catch {
    return false;
  }
}
