import { assert } from "../../base/assert.ts";
import type { BlobStore } from "../../blob/port.ts";
import type { Disk } from "../disk/port.ts";
import { corrupt, inLogFile } from "./errors.ts";
import { bufferOf } from "./integers.ts";
import { walId, walName } from "./names.ts";
import {
  decodeObject,
  isStray,
  OBJECT_HEADER_BYTES,
  type ObjectBefore,
  objectHead,
  type WalObject,
} from "./object-format.ts";
import type {
  TailGroup,
  WalContent,
  WalFile,
  WalGroup,
  WalHolding,
  WalMark,
  WalPlace,
  WalReader,
  WalSalvage,
} from "./port.ts";
import { damageOf, salvageObject, salvageSegments } from "./salvage.ts";
import { newestHeader, readHeader, readStart, recover } from "./segment-recovery.ts";
import { type ScannedSegment, scanSegment } from "./segment-scan.ts";
import { segmentTail } from "./segment-tail.ts";

const ANY_EPOCH = 2 ** 32;
const PAGE = 1_000;
/** Objects that are fetched at once. */
const READ_AHEAD = 8;

/** Segments of a directory. */
export class SegmentReader implements WalReader {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  pathOf(id: number): string {
    return `${this.#disk.path}/${walName(id)}`;
  }

  async list(): Promise<readonly WalFile[]> {
    const ids = (await this.#disk.list()).map(walId).filter((id) => id !== undefined);
    const files: WalFile[] = [];
    for (const id of ids.sort((a, b) => a - b)) {
      const file = await this.#disk.open(walName(id));
      if (file === undefined) continue;
      files.push({ id, bytes: file.size });
      await file.close();
    }
    return files;
  }

  async exists(id: number): Promise<boolean> {
    return (await readHeader(this.#disk, id)) !== undefined;
  }

  /**
   * Back from one to the one before, as their headers say: a file of a writer that was overtaken
   * before it served may stand between them. A read each.
   */
  async holding(sequence: number, below: number): Promise<WalHolding> {
    let next: number | undefined;
    let later = await readHeader(this.#disk, below);
    assert(later === undefined || later.firstSequence > sequence, "it begins above the sequence");
    while (later !== undefined && later.previous.id > 0) {
      const { id, lastSequence } = later.previous;
      const header = await readHeader(this.#disk, id);
      if (header === undefined) break;
      const { firstSequence } = header;
      if (firstSequence <= sequence) return lastSequence < sequence ? { next } : { file: id };
      // One that was only begun holds none.
      if (lastSequence >= firstSequence) next = firstSequence;
      later = header;
    }
    return { next };
  }

  async read(id: number): Promise<WalContent> {
    const header = await readHeader(this.#disk, id);
    if (header === undefined) return { epoch: 0, groups: [] };
    const bytes = (await readStart(this.#disk, id)) ?? Buffer.alloc(0);
    let known: ScannedSegment["known"];
    for (const later of await this.list()) {
      if (later.id <= id) continue;
      const previous = (await readHeader(this.#disk, later.id))?.previous;
      if (previous?.id === id) known = previous;
    }
    // The segment that says where this one ends is released after it. Without it, what an overtaken
    // writer wrote behind that end would count.
    const isReleased = known === undefined && !(await this.exists(id));
    if (isReleased) return { epoch: 0, groups: [] };
    const segment = { name: walName(id), header, ...(known !== undefined && { known }) };
    return { epoch: header.epoch, groups: scanSegment(segment, bytes) };
  }

  async replay(from: WalMark, onGroup: (group: WalGroup) => void): Promise<void> {
    const ids = (await this.list()).map(({ id }) => id).filter((id) => id >= from.file);
    const newest = await newestHeader(this.#disk, ids);
    await recover(this.#disk, newest, { epoch: ANY_EPOCH, from, onGroup });
  }

  salvage(from: WalMark): AsyncGenerator<WalSalvage> {
    return salvageSegments(this.#disk, from);
  }

  tail(from: WalPlace): AsyncGenerator<TailGroup, boolean> {
    return segmentTail(this.#disk, from);
  }
}

/** An object: a fence, or one that holds sequences. */
interface ObjectFacts {
  readonly id: number;
  readonly epoch: number;
  readonly isOverlapped: boolean;
}

interface ObjectRange extends ObjectFacts {
  readonly first: number;
  readonly last: number;
}

/** Objects of a store. */
export class ObjectReader implements WalReader {
  readonly #store: BlobStore;
  readonly #prefix: string;
  /** The last that was looked at: any caller that reads on comes to it next. */
  #seen: ObjectFacts | ObjectRange | undefined;

  constructor(store: BlobStore, prefix: string) {
    this.#store = store;
    this.#prefix = prefix;
  }

  pathOf(id: number): string {
    return this.#prefix + walName(id);
  }

  async list(): Promise<readonly WalFile[]> {
    const files: WalFile[] = [];
    for (let after: string | undefined; ; ) {
      const page = await this.#store.list(this.#prefix, after === undefined ? {} : { after });
      for (const { path, size } of page) {
        const id = walId(path.slice(this.#prefix.length));
        if (id !== undefined) files.push({ id, bytes: size });
      }
      after = page.at(-1)?.path;
      if (page.length < PAGE) return files;
    }
  }

  async exists(id: number): Promise<boolean> {
    return (await this.#store.head(this.pathOf(id))) !== undefined;
  }

  /**
   * The next one as a rule, a read; else a list, and a read for each halving of it. And one for
   * each number between the last object that ends before the sequence and the first that does not:
   * fences as a rule, but a list may be behind. And one for the object behind, as an owner that was
   * overtaken long ago may have put its own late, where a fence stood that was released since: what
   * its successors wrote lies behind it, and counts. Two more where an epoch ends.
   */
  async holding(sequence: number, below: number, after = 0): Promise<WalHolding> {
    if (after > 0 && after + 1 < below) {
      const range = await this.#rangeOf(after + 1);
      if (range?.first === sequence) return await this.#counting(range, sequence, below);
    }
    const ids = (await this.list()).map(({ id }) => id).filter((id) => id < below);
    let ended = (ids[0] ?? below) - 1;
    let found: ObjectRange | undefined;
    for (let low = 0, high = ids.length; low < high; ) {
      const middle = (low + high) >>> 1;
      let at = middle;
      let range: ObjectRange | undefined;
      // Some are fences, which hold none, or gone by now.
      for (; at < high && range === undefined; at++) range = await this.#rangeOf(ids[at] as number);
      if (range !== undefined && range.last < sequence) {
        ended = range.id;
        low = at;
      } else {
        found = range ?? found;
        high = middle;
      }
    }
    for (let id = ended + 1; id < (found?.id ?? below); id++) {
      const range = await this.#rangeOf(id);
      if (range !== undefined && range.last >= sequence) found = range;
    }
    if (found === undefined || found.first > sequence) return { next: found?.first };
    return await this.#counting(found, sequence, below);
  }

  /** Of objects that hold a sequence, the last that was not put late. */
  async #counting(found: ObjectRange, sequence: number, below: number): Promise<WalHolding> {
    const holding = [found];
    let next: number | undefined;
    for (let id = found.id + 1; id < below && next === undefined; id++) {
      const range = await this.#rangeOf(id);
      if (range === undefined || range.last < sequence) continue;
      if (range.first > sequence) next = range.first;
      else holding.push(range);
    }
    for (const one of holding.reverse()) {
      const isAcross = next !== undefined && next <= one.last;
      if (!isAcross && !(await this.#isLate(one, below))) return { file: one.id };
    }
    return { next };
  }

  /**
   * Whether it stands in place of a fence that was released: then it is younger than what its
   * successors had put behind it. They may have no batch of the same sequence, as behind a restore.
   * Two may have come late, the second of which was put while the first was under way.
   */
  async #isLate({ id, epoch }: ObjectFacts, below: number): Promise<boolean> {
    for (let at = id + 1; at < below; at++) {
      const behind = await this.#factsOf(at);
      if (behind === undefined) continue;
      if (behind.epoch === epoch && behind.isOverlapped && at === id + 1) continue;
      if (behind.epoch <= epoch) return false;
      const paths = [this.pathOf(id), this.pathOf(at)];
      const [own, other] = await Promise.all(paths.map((path) => this.#store.head(path)));
      if (own === undefined || other === undefined) return false;
      return own.modifiedAtMs > other.modifiedAtMs;
    }
    return false;
  }

  /** Undefined where it holds none, or is gone. */
  async #rangeOf(id: number): Promise<ObjectRange | undefined> {
    const facts = await this.#factsOf(id);
    return facts !== undefined && "first" in facts ? facts : undefined;
  }

  /** A read of the whole object, which is no larger than a group. */
  async #factsOf(id: number): Promise<ObjectFacts | ObjectRange | undefined> {
    if (this.#seen?.id === id) return this.#seen;
    const blob = await this.#store.get(this.pathOf(id));
    if (blob === undefined) return undefined;
    const object = decodeObject(bufferOf(blob.bytes), id);
    const { epoch, isOverlapped, batches } = object;
    const [first] = batches;
    const last = batches.at(-1);
    this.#seen = { id, epoch, isOverlapped };
    if (first !== undefined && last !== undefined && !(await this.#isStray(object))) {
      const range = { first: first.firstSequence, last: last.firstSequence + last.count - 1 };
      this.#seen = { id, epoch, isOverlapped, ...range };
    }
    return this.#seen;
  }

  /** A request for one that was put while another was under way, two where that is a fence. */
  async #isStray(object: WalObject): Promise<boolean> {
    if (!object.isOverlapped) return false;
    const path = this.pathOf(object.id - 1);
    const before = await this.#store.head(path);
    if (before?.size !== OBJECT_HEADER_BYTES) return false;
    const fence = await this.#store.get(path);
    if (fence === undefined) return false;
    const { epoch } = decodeObject(fence.bytes, object.id - 1);
    return isStray(object, { epoch, isFence: true });
  }

  async read(id: number): Promise<WalContent> {
    const { epoch, batches } = await this.#object(id);
    return { epoch, groups: batches.length === 0 ? [] : [{ epoch, batches }] };
  }

  async #object(id: number): Promise<WalObject> {
    const blob = await this.#store.get(this.pathOf(id));
    if (blob === undefined) throw corrupt(walName(id), 0, "an object is missing");
    return decodeObject(bufferOf(blob.bytes), id);
  }

  async replay(from: WalMark, onGroup: (group: WalGroup) => void): Promise<void> {
    let due = from.sequence + 1;
    let next = Math.max(1, from.file);
    let before: ObjectBefore | undefined;
    const ids = (await this.list()).map(({ id }) => id).filter((id) => id >= from.file);
    for (const id of ids) {
      const object = await this.#object(id);
      if (isUnderWay(next, object, ids)) return;
      if (id !== next) throw corrupt(walName(next), 0, "an object is missing");
      next = id + 1;
      if (isStray(object, before)) continue;
      const { epoch, batches } = object;
      const [first] = batches;
      before = { epoch, isFence: first === undefined };
      const last = batches.at(-1);
      if (first === undefined || last === undefined) continue;
      if (first.firstSequence > due) throw corrupt(walName(id), 40, "a sequence is missing");
      due = Math.max(due, last.firstSequence + last.count);
      try {
        onGroup({ epoch, batches });
      } catch (error) {
        throw inLogFile(walName(id), error);
      }
    }
  }

  async *salvage(from: WalMark): AsyncGenerator<WalSalvage> {
    let next = Math.max(1, from.file);
    let before: ObjectBefore | undefined;
    const ids = (await this.list()).map(({ id }) => id).filter((id) => id >= next);
    for (const id of ids) {
      try {
        const blob = await this.#store.get(this.pathOf(id));
        const head = blob && objectHead(blob.bytes, id);
        if (head !== undefined && isUnderWay(next, head, ids)) return;
        for (; next < id; next++) {
          yield { file: this.pathOf(next), offset: 0, what: "an object of the log is missing" };
        }
        next = id + 1;
        if (blob === undefined || (head !== undefined && isStray(head, before))) continue;
        before = head;
        yield* salvageObject(blob.bytes, id, this.pathOf(id));
      } catch (error) {
        yield damageOf(error, this.pathOf(id));
      }
    }
  }

  async *tail(from: WalPlace): AsyncGenerator<TailGroup, boolean> {
    let { sequence } = from;
    let file = Math.max(1, from.file);
    let before: ObjectBefore | undefined;
    // One where most often nothing is; several once there is more to read.
    for (let window = 1; ; window = before?.isFence === true ? 1 : READ_AHEAD) {
      const ids = Array.from({ length: window }, (_, i) => file + i);
      const blobs = await Promise.all(ids.map((id) => this.#store.get(this.pathOf(id))));
      for (const blob of blobs) {
        if (blob === undefined) return true;
        const object = decodeObject(bufferOf(blob.bytes), file);
        // A stray stands where the second object of the fence would.
        const { epoch, batches } = isStray(object, before)
          ? { epoch: before?.epoch ?? object.epoch, batches: [] }
          : object;
        const [first] = batches;
        const last = batches.at(-1);
        if (first !== undefined && first.firstSequence > sequence + 1) {
          throw corrupt(walName(file), 40, "a sequence is missing");
        }
        if (last !== undefined) sequence = Math.max(sequence, last.firstSequence + last.count - 1);
        // A reader that goes on behind the first object of a fence has to know it.
        const isFence = last === undefined;
        const isFirst = isFence && before?.isFence !== true;
        const place = { file: isFirst ? file : file + 1, offset: 0, sequence };
        before = { epoch, isFence };
        file++;
        yield { group: { epoch, batches }, place };
      }
    }
  }
}

/** Whether the last object of a log was put while the one before it was, which is not there yet. */
function isUnderWay(
  next: number,
  { id, isOverlapped }: Pick<WalObject, "id" | "isOverlapped">,
  ids: readonly number[],
): boolean {
  return isOverlapped && id === next + 1 && id === ids.at(-1);
}
