import { FirnError } from "../../base/error.ts";
import { sha256Hex } from "../../base/hash.ts";
import type { AccountId } from "../../base/ids.ts";
import { settleAll } from "../../base/settle-all.ts";
import type { BlobStore } from "../../blob/port.ts";
import type { HistoryPin } from "../../catalog/pins.ts";
import { payloadOfKey } from "../../catalog/references.ts";
import { SortedLines, type SortPorts } from "../gc/sorted-lines.ts";
import {
  type Backup,
  encodePack,
  listBackups,
  PACK_BYTES,
  type PayloadLine,
  packEntries,
  packPath,
  putHashed,
  readBackup,
  readHashed,
  readLines,
  readOthers,
  writeLines,
} from "./format.ts";
import { type Place, placeLine, placeOf, zipped } from "./lines.ts";

/** Payloads that are read at once. */
const READS = 16;

/** A payload that a backup needs. */
interface Wanted {
  readonly sha: string;
  readonly path: string;
  /**
   * What leads to it. One that only the history names may be gone. One of a derived pointer may
   * also be torn: the pointer is put beside it, and its writer may have ended before both stood.
   */
  readonly by: "current" | "history" | "derived";
}

const RANKS = ["current", "derived", "history"] as const satisfies readonly Wanted["by"][];

/** The payloads that a backup needs, each once. */
export class WantedPayloads {
  readonly #lines: SortedLines;

  constructor(ports: SortPorts) {
    this.#lines = new SortedLines(ports, "wanted");
  }

  /** @param path that of the key's payload, if absent. */
  async add(key: string, sha: string, by: Wanted["by"], path?: string): Promise<void> {
    const at = path ?? payloadOfKey(key, Buffer.from(sha, "hex"));
    await this.#lines.add(`${sha} ${RANKS.indexOf(by)} ${at}`);
  }

  /** By hash; what needs a payload most comes first. */
  lines(): AsyncIterable<string> {
    return this.#lines.lines();
  }
}

function wantedOf(line: string): Wanted {
  const [sha = "", rank = "", path = ""] = line.split(" ");
  return { sha, path, by: RANKS[Number(rank)] ?? "history" };
}

/** What a location holds before a backup, listed and read once for all of its accounts. */
export class EarlierBackups {
  readonly target: BlobStore;
  /** Names of the packs. */
  readonly packs: readonly string[];
  /** Of the backups, the newest first. */
  readonly paths: readonly string[];
  readonly #read = new Map<string, Promise<readonly Backup[]>>();

  private constructor(target: BlobStore, packs: readonly string[], paths: readonly string[]) {
    this.target = target;
    this.packs = packs;
    this.paths = paths;
  }

  /** @param keep called between two lists. */
  static async list(
    target: BlobStore,
    keep: () => Promise<void> | undefined = () => undefined,
  ): Promise<EarlierBackups> {
    const packs: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await target.list("packs/", after === undefined ? {} : { after });
      await keep();
      for (const { path } of page) packs.push(path.slice("packs/".length, -".pack".length));
      after = page.at(-1)?.path;
      if (after === undefined || page.length < 1_000) break;
    }
    return new EarlierBackups(target, packs, await listBackups(target));
  }

  /** A backup, and those of the other accounts in it. @throws FirnError `BACKUP_DAMAGED`. */
  read(path: string): Promise<readonly Backup[]> {
    let reading = this.#read.get(path);
    if (reading === undefined) {
      reading = this.#readAll(path);
      this.#read.set(path, reading);
    }
    return reading;
  }

  async #readAll(path: string): Promise<readonly Backup[]> {
    const main = await readBackup(this.target, path);
    const all = [main];
    for await (const other of readOthers(this.target, main)) all.push(other);
    return all;
  }
}

/** The payloads of a location: those that are there, and those that are added. */
export class Copies {
  readonly #target: BlobStore;
  readonly #pin: HistoryPin;
  /** Where the payloads lie that are there already. */
  readonly #known: SortedLines;
  /** Where those of this backup lie. */
  readonly #used: SortedLines;
  /** Payloads of derived pointers that are torn or gone. Lost attempts leave few. */
  readonly lost: Set<string> = new Set();
  copied = 0;
  copiedBytes = 0;

  private constructor(target: BlobStore, ports: SortPorts, pin: HistoryPin) {
    this.#target = target;
    this.#pin = pin;
    this.#known = new SortedLines(ports, "known");
    this.#used = new SortedLines(ports, "used");
  }

  /**
   * Learns what earlier backups left of an account, finished or not. A pack that is damaged counts
   * for none. A payload is of one account, and so is a pack: those of others are not read.
   */
  static async open(
    earlier: EarlierBackups,
    ports: SortPorts,
    pin: HistoryPin,
    account: AccountId,
  ): Promise<Copies> {
    const copies = new Copies(earlier.target, ports, pin);
    const there = new Set(earlier.packs);
    for (const path of earlier.paths) {
      try {
        for (const backup of await earlier.read(path)) {
          if (backup.account === account) await copies.#learn(backup, there);
          else for (const pack of backup.packs) there.delete(pack);
        }
        break;
      } catch (error) {
        // One that broke off left a part of it: an older one says less, and then its packs do.
        if (!isDamage(error)) throw error;
      }
    }
    for (const pack of there) {
      await pin.keep();
      await copies.#learnPack(pack);
    }
    return copies;
  }

  async #learn(backup: Backup, there: Set<string>): Promise<void> {
    const found = new Set<string>();
    for await (const line of readLines<PayloadLine>(this.#target, backup.payloads)) {
      const pack = backup.packs[line.pack];
      if (pack === undefined || !there.has(pack)) continue;
      await this.#known.add(placeLine({ ...line, pack }));
      found.add(pack);
    }
    for (const pack of found) there.delete(pack);
  }

  async #learnPack(pack: string): Promise<void> {
    try {
      const bytes = await readHashed(this.#target, packPath(pack), pack);
      for (const entry of packEntries(bytes)) await this.#known.add(placeLine({ ...entry, pack }));
    } catch (error) {
      // A backup that broke off left a part of it: its payloads are copied again.
      if (!isDamage(error)) throw error;
    }
  }

  async copy(wanted: WantedPayloads, source: BlobStore): Promise<void> {
    let last = "";
    let some: Wanted[] = [];
    const pack = new Pack();
    const read = async (): Promise<void> => {
      await this.#pin.keep();
      for (const payload of await settleAll(some.map((each) => readPayload(source, each)))) {
        if ("bytes" in payload) pack.add(payload);
        else if (payload.by === "derived") this.lost.add(payload.sha);
      }
      some = [];
      if (pack.size >= PACK_BYTES) await this.#put(pack.take());
    };
    for await (const [line, known] of zipped(wanted.lines(), this.#known.lines())) {
      const one = wantedOf(line);
      if (one.sha === last) continue;
      last = one.sha;
      if (known !== undefined) await this.#used.add(known);
      else if (some.push(one) >= READS) await read();
    }
    await read();
    if (pack.size > 0) await this.#put(pack.take());
  }

  async #put(payloads: readonly Payload[]): Promise<void> {
    const { bytes, offsets } = encodePack(payloads);
    const pack = sha256Hex(bytes);
    await putHashed(this.#target, packPath(pack), bytes);
    for (const [i, { sha, bytes: own }] of payloads.entries()) {
      const place: Place = { sha, pack, offset: offsets[i] ?? 0, length: own.length };
      await this.#used.add(placeLine(place));
      this.copied++;
      this.copiedBytes += own.length;
    }
  }

  /** Says where the payloads of this backup lie. */
  async index(target: BlobStore): Promise<Pick<Backup, "payloads" | "packs">> {
    const packs = new Map<string, number>();
    const used = this.#used;
    const lines = async function* (): AsyncGenerator<PayloadLine> {
      for await (const line of used.lines()) {
        const { sha, pack, offset, length } = placeOf(line);
        const number = packs.get(pack) ?? packs.size;
        packs.set(pack, number);
        yield { sha, pack: number, offset, length };
      }
    };
    const payloads = await writeLines(target, lines());
    return { payloads, packs: [...packs.keys()] };
  }
}

interface Payload {
  readonly sha: string;
  readonly bytes: Uint8Array;
}

/** The payloads of the next pack. */
class Pack {
  size = 0;
  #payloads: Payload[] = [];

  add(payload: Payload): void {
    this.#payloads.push(payload);
    this.size += payload.bytes.length;
  }

  take(): readonly Payload[] {
    const taken = this.#payloads;
    [this.#payloads, this.size] = [[], 0];
    return taken;
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof FirnError && error.code === "BACKUP_DAMAGED";
}

async function readPayload(source: BlobStore, wanted: Wanted): Promise<Payload | Wanted> {
  const { sha, path } = wanted;
  const found = await source.get(path);
  if (found === undefined) {
    if (wanted.by !== "current") return wanted;
    // Its record is past the retention, so the backup took longer than that.
    const message = "a payload was collected during the backup: raise --history-retention";
    throw new FirnError("Unavailable", "BACKUP_OVERTAKEN", message, { path });
  }
  if (sha256Hex(found.bytes) !== sha) {
    if (wanted.by === "derived") return wanted;
    throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "payload hash mismatch", { path });
  }
  return { sha, bytes: found.bytes };
}
