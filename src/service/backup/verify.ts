import { sha256Hex } from "../../base/hash.ts";
import type { BlobStore } from "../../blob/port.ts";
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

/**
 * Reads a whole backup: every file has the bytes of its name, every payload those of its hash, and
 * every pointer has its payload.
 *
 * @throws FirnError `BACKUP_DAMAGED`, naming the file.
 */
export async function verifyBackup(store: BlobStore, backup: Backup): Promise<void> {
  const places = new Map<string, number>();
  const inPacks = new Map<number, PayloadLine[]>();
  for await (const line of readLines<PayloadLine>(store, backup.payloads)) {
    places.set(line.sha, line.pack);
    const some = inPacks.get(line.pack);
    if (some === undefined) inPacks.set(line.pack, [line]);
    else some.push(line);
  }
  for await (const { sha, key } of readLines<PointerLine>(store, backup.pointers)) {
    if (!places.has(sha)) throw damaged("a pointer's payload is missing", key);
  }
  for await (const _line of readLines<ChangeLine>(store, backup.changes));
  for (const [number, lines] of inPacks) {
    const name = backup.packs[number];
    if (name === undefined) throw damaged("a payload is in no pack", String(number));
    const bytes = await readHashed(store, packPath(name), name);
    const heads = new Map(packEntries(bytes).map((each) => [each.sha, each]));
    for (const { sha, offset, length } of lines) {
      const isThere = heads.get(sha)?.offset === offset && heads.get(sha)?.length === length;
      const isWhole = isThere && sha256Hex(bytes.subarray(offset, offset + length)) === sha;
      if (!isWhole) throw damaged("a payload has other bytes than its hash", packPath(name));
    }
  }
}
