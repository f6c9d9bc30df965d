import { sha256Hex } from "../../base/hash.ts";
import { SortedLines } from "../gc/sorted-lines.ts";
import {
  type Backup,
  type ChangeLine,
  damaged,
  type PayloadLine,
  type PointerLine,
  packEntries,
  packPath,
  readHashed,
  readLines,
} from "./format.ts";
import { jsonOf, packedLine, packedOf, zipped } from "./lines.ts";
import { type BackupSource, placeLines } from "./read.ts";
import { verifyRows } from "./rows.ts";

/**
 * Reads a whole backup: every file has the bytes of its name, every payload those of its hash, and
 * every pointer has its payload.
 *
 * @throws FirnError `BACKUP_DAMAGED`, naming the file.
 */
export async function verifyBackup(from: BackupSource, backup: Backup): Promise<void> {
  const { source } = from;
  const pointers = new SortedLines(from, "verify-pointers");
  for await (const { sha, key } of readLines<PointerLine>(source, backup.pointers)) {
    await pointers.add(`${sha} ${JSON.stringify(key)}`);
  }
  for await (const [line, place] of zipped(pointers.lines(), placeLines(source, backup))) {
    if (place === undefined) throw damaged("a pointer's payload is missing", jsonOf<string>(line));
  }
  for await (const _line of readLines<ChangeLine>(source, backup.changes));
  const placed = new SortedLines(from, "verify-payloads");
  for await (const line of readLines<PayloadLine>(source, backup.payloads)) {
    await placed.add(packedLine(line, line.sha));
  }
  for (const shard of backup.shards ?? []) await verifyRows(source, shard);
  let open: { readonly pack: number; readonly check: (payload: PayloadLine) => void } | undefined;
  for await (const line of placed.lines()) {
    const { value: sha, ...place } = packedOf<string>(line);
    if (open?.pack !== place.pack) {
      open = { pack: place.pack, check: await checkOf(from, backup, place.pack) };
    }
    open.check({ sha, ...place });
  }
}

/** What checks the payloads of one pack. */
async function checkOf(
  { source }: BackupSource,
  backup: Backup,
  number: number,
): Promise<(payload: PayloadLine) => void> {
  const name = backup.packs[number];
  if (name === undefined) throw damaged("a payload is in no pack", String(number));
  const bytes = await readHashed(source, packPath(name), name);
  const heads = new Map(packEntries(bytes).map((each) => [each.sha, each]));
  return ({ sha, offset, length }) => {
    const isThere = heads.get(sha)?.offset === offset && heads.get(sha)?.length === length;
    const isWhole = isThere && sha256Hex(bytes.subarray(offset, offset + length)) === sha;
    if (!isWhole) throw damaged("a payload has other bytes than its hash", packPath(name));
  };
}
