import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { scratchDirectory } from "../../support/open-iceberg.ts";
import { ROOT } from "../../tidy/source.ts";
import type { SegmentsClass } from "./worlds.ts";

/** A defect put into a copy of the source: each text stands there exactly once. */
export interface Mutant {
  readonly name: string;
  /** Where the search begins: some are rare, and found again at the seed that found them. */
  readonly seed?: number;
  readonly edits: readonly {
    readonly file: string;
    readonly find: string;
    readonly replace: string;
  }[];
}

const FOLDERS = ["base", "blob", "pointer", "lsm"];

/** The segments of a source with a defect, compiled as it is. */
export async function segmentsWith({ name, edits }: Mutant): Promise<SegmentsClass> {
  const directory = scratchDirectory();
  for (const folder of FOLDERS) {
    const source = join(ROOT, "src", folder);
    mkdirSync(join(directory, folder));
    cpSync(source, join(directory, folder), { recursive: true });
  }
  for (const { file, find, replace } of edits) {
    const path = join(directory, "lsm", file);
    const text = readFileSync(path, "utf8");
    if (text.split(find).length !== 2) throw new Error(`${name}: ${file} holds not one ${find}`);
    writeFileSync(
      path,
      text.replace(find, () => replace),
    );
  }
  const url = pathToFileURL(join(directory, "lsm/wal/segments.ts")).href;
  const module = (await import(/* @vite-ignore */ url)) as { SegmentWalStore: SegmentsClass };
  return module.SegmentWalStore;
}

/** What a power cut shows. */
export const CRASH_MUTANTS: readonly Mutant[] = [
  {
    name: "a segment's name is not synced when the log goes on to it",
    edits: [
      {
        file: "wal/segment-wal.ts",
        find: "      await this.#world.disk.sync();\n",
        replace: "",
      },
    ],
  },
  {
    name: "a segment's name is not synced at the take-over",
    edits: [{ file: "wal/segments.ts", find: "      await disk.sync();\n", replace: "" }],
  },
  {
    name: "groups are not padded, so that an acknowledged sector is written again",
    edits: [
      {
        file: "wal/segment-wal.ts",
        find: "const size = wholeBlocks(bytes);",
        replace: "const size = bytes;",
      },
      {
        file: "wal/segment-scan.ts",
        find: "this.#at = wholeBlocks(end);",
        replace: "this.#at = end;",
      },
    ],
  },
  {
    name: "a torn tail is taken for damage",
    edits: [
      {
        file: "wal/segment-scan.ts",
        find: "(known !== undefined || hasLater)",
        replace: "true",
      },
    ],
  },
  {
    name: "a group is acknowledged before it is written",
    edits: [
      {
        file: "wal/segment-wal.ts",
        find: "await file.write(end, encoded);",
        replace: "void file.write(end, encoded).catch(() => undefined);",
      },
    ],
  },
];

/** What a rival shows. */
export const RACE_MUTANTS: readonly Mutant[] = [
  {
    name: "acknowledges before it looks for a new owner",
    edits: [
      {
        file: "wal/segment-wal.ts",
        find: '      this.#assertOwned(header.id, "Unknown");\n',
        replace: "",
      },
    ],
  },
  {
    name: "looks for the next segment, and not whether its own is still there",
    edits: [
      {
        file: "wal/segment-wal.ts",
        find: "disk.exists(walName(id + 1)) || !this.#serving().file.isNamed()",
        replace: "disk.exists(walName(id + 1))",
      },
    ],
  },
  {
    name: "looks for its own segment, and not for the next one",
    edits: [
      {
        file: "wal/segment-wal.ts",
        find: "disk.exists(walName(id + 1)) || !this.#serving().file.isNamed()",
        replace: "!this.#serving().file.isNamed()",
      },
    ],
  },
  {
    name: "serves what it recovered although it is overtaken",
    seed: 600,
    edits: [
      {
        file: "wal/segment-wal.ts",
        find: '    this.#assertOwned(id, "Unavailable");\n',
        replace: "",
      },
    ],
  },
  {
    name: "takes an id that was released before",
    edits: [
      {
        file: "wal/segments.ts",
        find: "idsOf(await disk.list()).at(-1) === id",
        replace: "true",
      },
    ],
  },
  {
    name: "goes on to an id that was released before",
    seed: 1030,
    edits: [
      {
        file: "wal/segment-wal.ts",
        find: "file === undefined || !this.#serving().file.isNamed()",
        replace: "file === undefined",
      },
    ],
  },
  {
    name: "reads the log before it fences the owner of it",
    edits: [
      {
        file: "wal/segments.ts",
        find: "    const { id, file, below } = await this.#fence(options);\n",
        replace: [
          "    const early = idsOf(await disk.list());",
          "    const seen = await newestHeader(disk, early.filter((o) => o >= from.file));",
          "    const read = await recover(disk, seen, options);",
          "    const { id, file, below } = await this.#fence(options);",
          "",
        ].join("\n"),
      },
      {
        file: "wal/segments.ts",
        find: "const recovery = await recover(disk, newest, options);",
        replace: "const recovery = read;",
      },
    ],
  },
  {
    name: "reads past the end that the next segment names",
    seed: 520,
    edits: [
      {
        file: "wal/segment-recovery.ts",
        find: "const known = chain[index + 1]?.previous;",
        replace: "const known = undefined;",
      },
    ],
  },
];
