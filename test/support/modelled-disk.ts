import { type Prng, randomBelow } from "../../src/base/prng.ts";
import type { Disk, ReadableFile, WritableFile } from "../../src/lsm/disk/port.ts";

/** What a disk replaces at once. */
const SECTOR_BYTES = 512;

/** A call as a script sees it: a power cut, a fault or a rival may come before it and after it. */
export interface DiskCall {
  readonly index: number;
  readonly method: keyof Disk | "read" | "write" | "fsync" | "close";
  readonly name: string;
  /** `during`: a write's sectors are on their way, and none of them is synced. */
  readonly when: "before" | "during" | "after";
}

/** May wait, so that another owner goes first, and throw, as a disk that fails. */
export type DiskScript = (call: DiskCall) => void | Promise<void>;

interface Inode {
  /** As the processes of a machine that runs see it. */
  bytes: Buffer;
  /** What survives: the bytes at the last sync, and the sectors written since. */
  durable: Buffer;
  readonly unsynced: Set<number>;
}

/** A change of names: applied in order, unless a crash comes before the next sync. */
type NameChange = readonly (readonly [name: string, inode: Inode | undefined])[];

/**
 * A disk that keeps what it must and loses what it may: a power cut leaves any subset of the
 * sectors and names that were not synced. Shared by any number of owners, each with its own handle
 * (`view`) and script.
 */
export class ModelledDisk implements Disk {
  readonly syncs = true;
  readonly path = "modelled";
  #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  #changes: NameChange[] = [];
  #calls = 0;
  readonly #script: DiskScript;
  /** Faults put in on purpose: what these would do is left out. */
  readonly #lies: { readonly syncs: boolean; readonly names: boolean };

  constructor(
    script: DiskScript = () => {},
    lies: { readonly syncs: boolean; readonly names: boolean } = { syncs: false, names: false },
  ) {
    this.#script = script;
    this.#lies = lies;
  }

  /** Calls so far. */
  get calls(): number {
    return this.#calls;
  }

  /** The same files through another script. */
  view(script: DiskScript): ModelledDisk {
    const other = new ModelledDisk(script, this.#lies);
    other.#names = this.#names;
    other.#durableNames = this.#durableNames;
    other.#changes = this.#changes;
    return other;
  }

  /** What a machine finds that starts again after a power cut now. */
  afterCut(prng: Prng, script: DiskScript = () => {}): ModelledDisk {
    const next = new ModelledDisk(script, this.#lies);
    const copies = new Map<Inode, Inode>();
    const copy = (inode: Inode): Inode => {
      const made = copies.get(inode) ?? survivorOf(inode, prng);
      copies.set(inode, made);
      return made;
    };
    const names = new Map(this.#durableNames);
    const keeping = KEEPING[randomBelow(prng, KEEPING.length)] ?? 0.5;
    for (const change of this.#changes) {
      if (prng.float() >= keeping) continue;
      for (const [name, inode] of change) {
        if (inode === undefined) names.delete(name);
        else names.set(name, inode);
      }
    }
    for (const [name, inode] of names) {
      next.#names.set(name, copy(inode));
      next.#durableNames.set(name, copy(inode));
    }
    return next;
  }

  /** The bytes of a file, to look at and to damage. */
  bytesOf(name: string): Buffer | undefined {
    return this.#names.get(name)?.bytes;
  }

  /** Replaces a file, durably. */
  plant(name: string, bytes: Uint8Array): void {
    const inode: Inode = {
      bytes: Buffer.from(bytes),
      durable: Buffer.from(bytes),
      unsynced: new Set(),
    };
    this.#names.set(name, inode);
    this.#durableNames.set(name, inode);
  }

  async prepare(): Promise<void> {
    await this.#call("prepare", "", () => undefined);
  }

  list(): Promise<readonly string[]> {
    return this.#call("list", "", () => [...this.#names.keys()]);
  }

  exists(name: string): boolean {
    return this.#names.has(name);
  }

  create(name: string): Promise<WritableFile | undefined> {
    return this.#call("create", name, () => {
      if (this.#names.has(name)) return undefined;
      const inode: Inode = {
        bytes: Buffer.alloc(0),
        durable: Buffer.alloc(0),
        unsynced: new Set(),
      };
      this.#change([[name, inode]]);
      return this.#writable(name, inode);
    });
  }

  open(name: string): Promise<ReadableFile | undefined> {
    return this.#call("open", name, () => {
      const inode = this.#names.get(name);
      if (inode === undefined) return undefined;
      return {
        size: inode.bytes.length,
        read: (offset: number, length: number) =>
          this.#call("read", name, () =>
            Buffer.from(inode.bytes.subarray(offset, offset + length)),
          ),
        sync: () =>
          this.#call("fsync", name, () => {
            if (!this.#lies.syncs) syncTo(inode);
          }),
        close: async () => undefined,
      };
    });
  }

  link(name: string, to: string): Promise<"linked" | "taken" | "gone"> {
    return this.#call("link", to, () => {
      const inode = this.#names.get(name);
      if (this.#names.has(to)) return "taken";
      if (inode === undefined) return "gone";
      this.#change([[to, inode]]);
      return "linked";
    });
  }

  rename(name: string, to: string): Promise<boolean> {
    return this.#call("rename", name, () => {
      const inode = this.#names.get(name);
      if (inode === undefined) return false;
      this.#change([
        [name, undefined],
        [to, inode],
      ]);
      return true;
    });
  }

  async remove(name: string): Promise<void> {
    await this.#call("remove", name, () => {
      if (this.#names.has(name)) this.#change([[name, undefined]]);
    });
  }

  async sync(): Promise<void> {
    await this.#call("sync", "", () => {
      if (this.#lies.names) return;
      this.#changes.length = 0;
      this.#durableNames.clear();
      for (const [name, inode] of this.#names) this.#durableNames.set(name, inode);
    });
  }

  #writable(name: string, inode: Inode): WritableFile {
    return {
      write: async (offset, bytes) => {
        const call = { index: this.#calls++, method: "write", name } as const;
        await this.#script({ ...call, when: "before" });
        writeTo(inode, offset, bytes);
        await this.#script({ ...call, when: "during" });
        if (!this.#lies.syncs) syncTo(inode);
        await this.#script({ ...call, when: "after" });
      },
      isNamed: () => [...this.#names.values()].includes(inode),
      renamed: () => undefined,
      close: () => this.#call("close", name, () => undefined),
    };
  }

  #change(change: NameChange): void {
    this.#changes.push(change);
    for (const [name, inode] of change) {
      if (inode === undefined) this.#names.delete(name);
      else this.#names.set(name, inode);
    }
  }

  async #call<T>(method: DiskCall["method"], name: string, run: () => T): Promise<T> {
    const call = { index: this.#calls++, method, name };
    await this.#script({ ...call, when: "before" });
    const answer = run();
    await this.#script({ ...call, when: "after" });
    return answer;
  }
}

/** How much of what was not synced survives: nothing, some, all. */
const KEEPING: readonly number[] = [0, 0.5, 1];
/** How many of the sectors that were on their way are neither old nor new: unreadable. */
const SPOILT = 0.1;

function writeTo(inode: Inode, offset: number, bytes: Uint8Array): void {
  const end = offset + bytes.length;
  if (inode.bytes.length < end) {
    inode.bytes = Buffer.concat([inode.bytes, Buffer.alloc(end - inode.bytes.length)]);
  }
  inode.bytes.set(bytes, offset);
  const last = Math.floor((end - 1) / SECTOR_BYTES);
  for (let s = Math.floor(offset / SECTOR_BYTES); s <= last; s++) inode.unsynced.add(s);
}

function syncTo(inode: Inode): void {
  inode.durable = Buffer.from(inode.bytes);
  inode.unsynced.clear();
}

/** After a power cut each sector that was not synced is the old one, the new one, or spoilt. */
function survivorOf(inode: Inode, prng: Prng): Inode {
  const keeping = KEEPING[randomBelow(prng, KEEPING.length)] ?? 0.5;
  let bytes = Buffer.from(inode.durable);
  for (const sector of inode.unsynced) {
    if (prng.float() >= keeping) continue;
    const start = sector * SECTOR_BYTES;
    const piece = inode.bytes.subarray(start, start + SECTOR_BYTES);
    if (bytes.length < start + piece.length) {
      const grown = Buffer.alloc(start + piece.length);
      grown.set(bytes);
      bytes = grown;
    }
    bytes.set(prng.float() < SPOILT ? prng.bytes(piece.length) : piece, start);
  }
  return { bytes, durable: Buffer.from(bytes), unsynced: new Set() };
}
