import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { copySteps, inOnePiece, lengthOf } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import type { Revision } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import { LruMap } from "../base/lru.ts";
import { inTurns, type Steps } from "../base/steps.ts";
import type { Locations, Watch } from "../blob/locations.ts";
import { changedSteps, type LayoutEntry, type Member, withLocation } from "../iceberg/layout.ts";
import { parseTableMetadata, printTableSteps, tableMember } from "../iceberg/metadata.ts";
import { stripTrailingSlash, type TableMetadata } from "../iceberg/model.ts";
import { TABLE_FORMS, VIEW_FORMS } from "../iceberg/slice-forms.ts";
import { Assembly, type Forms } from "../iceberg/slices.ts";
import {
  parseViewMetadata,
  printViewSteps,
  type ViewMetadata,
  viewMember,
} from "../iceberg/view-metadata.ts";
import type { Version } from "../pointer/port.ts";
import { metadataText, metadataTooLarge, unpackMetadata } from "./metadata-bytes.ts";
import type { Reading } from "./reading.ts";

/** In the thread pool of the platform: a turn may not take as long. */
const packed = promisify(gzip);

const MIB = 1_048_576;
const ENTRY_BYTES = 2_048;

/** What the metadata of tables and of views have in common. */
export interface Metadata {
  readonly uuid: string | undefined;
  readonly location: string;
  readonly properties: ReadonlyMap<string, string>;
  readonly layout: readonly LayoutEntry[];
}

/** How one kind of metadata file is read and written. */
export interface MetadataFormat<M extends Metadata> {
  readonly parse: (text: string) => M;
  readonly print: (metadata: M) => Steps<readonly Uint8Array[]>;
  /** A top-level member as it is printed. */
  readonly member: (metadata: M, name: string) => Member;
  /** How one that is too large for a turn is read in a thread, and received from there. */
  readonly task: "table" | "view";
  readonly forms: Forms<M>;
  /**
   * How locations are answered. Clients join the paths of data files onto a table's, and some of
   * them know one spelling alone. Nothing lies at a view's but its metadata files, and clients
   * compare it with what they asked for, so it keeps their spelling.
   */
  readonly locations: "canonical" | "as given";
  /** Weight of what is kept, in bytes of metadata text; parsed forms weigh a few times that. */
  readonly cachedBytes: number;
}

export const TABLE_FORMAT: MetadataFormat<TableMetadata> = {
  parse: parseTableMetadata,
  print: printTableSteps,
  member: tableMember,
  task: "table",
  forms: TABLE_FORMS,
  locations: "canonical",
  cachedBytes: 128 * MIB,
};
export const VIEW_FORMAT: MetadataFormat<ViewMetadata> = {
  parse: parseViewMetadata,
  print: printViewSteps,
  member: viewMember,
  task: "view",
  forms: VIEW_FORMS,
  locations: "as given",
  cachedBytes: 16 * MIB,
};

/** A metadata file that was parsed and validated once: only such bytes are ever answered. */
export class MetadataFile<M extends Metadata> {
  readonly location: string;
  readonly metadata: M;
  /** UTF-8 JSON, never compressed, in pieces that other files of the table may share. */
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
  #shorter: readonly Uint8Array[] | Promise<readonly Uint8Array[]> | undefined;

  constructor(location: string, metadata: M, pieces: readonly Uint8Array[]) {
    this.location = location;
    this.metadata = metadata;
    this.pieces = pieces;
    this.length = lengthOf(pieces);
  }

  /**
   * What another print of the same metadata leaves of it, made once: there is one such print. At
   * once where it is made.
   */
  shorter(
    clock: Clock,
    print: (metadata: M) => Steps<readonly Uint8Array[]>,
  ): readonly Uint8Array[] | Promise<readonly Uint8Array[]> {
    this.#shorter ??= this.#print(clock, print);
    return this.#shorter;
  }

  async #print(
    clock: Clock,
    print: (metadata: M) => Steps<readonly Uint8Array[]>,
  ): Promise<readonly Uint8Array[]> {
    const shorter = await inTurns(clock, print(this.metadata));
    this.#shorter = shorter;
    return shorter;
  }
}

function missing(location: string): FirnError {
  return new FirnError("NotFound", "METADATA_FILE_MISSING", "metadata file not found", {
    location,
  });
}

/** A file with the etag of the bytes that it was read from. */
export interface ReadFile<M extends Metadata> {
  readonly file: MetadataFile<M>;
  readonly etag: string;
}

/** The metadata file that a table or view has at one version of its pointer. */
export interface Head {
  /** Of the table or view. */
  readonly id: string;
  readonly location: string;
  readonly version: Version;
  /** Of the change that names the file. */
  readonly revision: Revision;
}

/** `stands`: whether the file is still where it was read or written. */
interface Kept<M extends Metadata> extends Pick<Head, "version" | "revision"> {
  readonly file: MetadataFile<M>;
  readonly stands: Watch;
}

/** A file of a commit whose outcome is not known yet. */
type Written<M extends Metadata> = Pick<Kept<M>, "file" | "stands">;

/**
 * Iceberg metadata files at their locations, parsed once. A file never changes under the revision
 * that names it. Under another one it may be another file: tables are registered again from paths
 * that were used before, by any node.
 *
 * Of each table and view the newest file that this node saw is kept, and no other: all versions of
 * a busy table take much memory, whichever node committed them.
 */
export class MetadataFiles<M extends Metadata> {
  /** As it is written: UTF-8 JSON, never compressed. */
  readonly print: MetadataFormat<M>["print"];
  readonly #clock: Clock;
  readonly #locations: Locations;
  readonly #format: MetadataFormat<M>;
  /** By the id of the table or view. */
  readonly #kept: LruMap<string, Kept<M>>;
  /** By location. A reader may see the commit of one before the commit has its answer. */
  readonly #written = new Map<string, Written<M>>();
  /** Of what is kept: what the mark that is under way has come to. */
  readonly #marked = new Set<string>();
  readonly #reading: Reading;
  /** Reads under way: a large file is read once, however many ask for it. */
  readonly #read = new Map<string, Promise<MetadataFile<M>>>();

  constructor(clock: Clock, locations: Locations, format: MetadataFormat<M>, reading: Reading) {
    this.#clock = clock;
    this.#locations = locations;
    this.#format = format;
    this.print = format.print;
    this.#reading = reading;
    this.#kept = new LruMap(format.cachedBytes, ({ file }) => file.length + ENTRY_BYTES);
  }

  /**
   * Reads the metadata file that a head names. One that was read before still has to be there,
   * where files are looked after: one `stat`.
   *
   * @throws FirnError `NotFound` `METADATA_FILE_MISSING`; `Invalid` `METADATA_INVALID`,
   * `LOCATION_NOT_ALLOWED`.
   */
  async load(head: Head): Promise<MetadataFile<M>> {
    return this.at(head);
  }

  /** As `load`, and at once where a file is kept and a look at it takes no waiting. */
  at(head: Head): MetadataFile<M> | Promise<MetadataFile<M>> {
    const kept = this.#keptFor(head);
    if (kept === undefined) return this.#once(head);
    const stands = kept.stands();
    return stands === true ? kept.file : this.#standing(head, kept.file, stands);
  }

  /** A mark of the garbage collection came to a table or view that is in use. */
  mark(id: string): void {
    if (this.#kept.has(id)) this.#marked.add(id);
  }

  /** A mark is over: what it did not come to was dropped, by this node or another one. */
  endMark(): void {
    for (const id of [...this.#kept.keys()]) if (!this.#marked.has(id)) this.#kept.delete(id);
    this.#marked.clear();
  }

  /** The file that is kept of a table or view, without a look whether it still is where it was. */
  newest(id: string): MetadataFile<M> | undefined {
    return this.#kept.get(id)?.file;
  }

  /** As `newest`, as long as it is the file of this head. */
  remembered(head: Head): MetadataFile<M> | undefined {
    return this.#keptFor(head)?.file;
  }

  #keptFor(head: Head): Kept<M> | undefined {
    const kept = this.#kept.get(head.id);
    if (kept?.revision === head.revision && kept.file.location === head.location) return kept;
    const written = this.#written.get(head.location);
    if (written === undefined) return undefined;
    const { version, revision } = head;
    const adopted = { ...written, version, revision };
    this.#keep(head.id, adopted);
    return adopted;
  }

  /**
   * Keeps a file that was read before the change of this head named it. One request.
   *
   * @throws FirnError `NotFound` `METADATA_FILE_MISSING`; `Conflict` `METADATA_FILE_CHANGED`:
   * another file lies there now.
   */
  async keepRead({ file, etag }: ReadFile<M>, head: Head): Promise<MetadataFile<M>> {
    const { location } = file;
    const found = await this.#locations.etagOf(location);
    if (found === undefined) throw this.#gone(head);
    if (found !== etag) {
      const what = "metadata file changed while it was registered: register it again";
      throw new FirnError("Conflict", "METADATA_FILE_CHANGED", what, { location });
    }
    this.#keepAt(head, file);
    return file;
  }

  async #standing(
    head: Head,
    file: MetadataFile<M>,
    stands: boolean | Promise<boolean>,
  ): Promise<MetadataFile<M>> {
    if (await stands) return file;
    throw this.#gone(head);
  }

  /** A read that began for an earlier revision may have met an older file there. */
  #once(head: Head): Promise<MetadataFile<M>> {
    const { location, revision } = head;
    const asked = `${revision} ${location}`;
    const underWay = this.#read.get(asked);
    if (underWay !== undefined) return underWay;
    const read = this.#readAndKeep(head).finally(() => this.#read.delete(asked));
    this.#read.set(asked, read);
    return read;
  }

  async #readAndKeep(head: Head): Promise<MetadataFile<M>> {
    const file = await this.peek(head.location);
    this.#keepAt(head, file);
    return file;
  }

  /**
   * As `load`, of a file that is not asked for again: it is not cached, so it evicts no other file.
   * One read.
   */
  async peek(location: string): Promise<MetadataFile<M>> {
    return (await this.readAnew(location)).file;
  }

  /** What lies there now, whatever is kept; it is not kept. One read. */
  async readAnew(location: string): Promise<ReadFile<M>> {
    const blob = await this.#locations.read(location);
    if (blob === undefined) throw missing(location);
    const { bytes } = blob;
    if (bytes.length > LIMITS.metadataFileBytes) throw metadataTooLarge(location);
    const small = unpackMetadata(location, bytes, LIMITS.turnBytes);
    const file =
      small === undefined
        ? await this.#large(location, bytes)
        : await this.#canonical(location, this.#format.parse(metadataText(location, small)), small);
    return { file, etag: blob.etag };
  }

  /** Reads in a thread what would take too long here, and receives it piece by piece. */
  async #large(location: string, bytes: Uint8Array): Promise<MetadataFile<M>> {
    const assembly = new Assembly<M>(this.#format.forms);
    let unpacked = bytes;
    // The bytes stay here as well, since they may be the store's own.
    const copy = await inTurns(this.#clock, copySteps(bytes));
    try {
      const input = { location, bytes: copy };
      for await (const piece of this.#reading.run(this.#format.task, input, [copy.buffer])) {
        if ("unpacked" in piece) unpacked = piece.unpacked;
        else assembly.add(piece.slice);
      }
    } catch (error) {
      const costly = error instanceof FirnError && error.code.startsWith("WORK_TOO_");
      if (!costly) throw error;
      const { message } = error;
      const context = { ...error.context, location, reason: message, cause: error.code };
      throw new FirnError("Invalid", "METADATA_INVALID", message, context, error);
    }
    return this.#canonical(location, await inTurns(this.#clock, assembly.whole()), unpacked);
  }

  #keepAt({ id, version, revision }: Head, file: MetadataFile<M>): void {
    const stands = this.#locations.watch(file.location);
    this.#keep(id, { file, stands, version, revision });
  }

  /** A reader that was overtaken by a commit must not put an older file in its place. */
  #keep(id: string, kept: Kept<M>): void {
    const known = this.#kept.get(id);
    if (known === undefined || known.version <= kept.version) this.#kept.set(id, kept);
  }

  #gone({ id, location }: Head): FirnError {
    if (this.newest(id)?.location === location) this.#kept.delete(id);
    return missing(location);
  }

  /** A file of another writer may spell its own location otherwise than we answer it. */
  async #canonical(location: string, metadata: M, bytes: Uint8Array): Promise<MetadataFile<M>> {
    const canonical = this.spelled(metadata.location);
    return canonical === metadata.location
      ? new MetadataFile(location, metadata, [bytes])
      : this.renderInTurns(location, withLocation(metadata, canonical));
  }

  /** Names of the members in which a file differs from the one before. */
  changed(base: M | undefined, next: M): Steps<readonly string[]> {
    const { member } = this.#format;
    const printed = (one: M) => ({
      layout: one.layout,
      memberOf: (name: string) => member(one, name),
    });
    return changedSteps(base && printed(base), printed(next));
  }

  /** A location as it is answered, without a trailing slash. @throws FirnError `Invalid`. */
  spelled(location: string): string {
    return this.#format.locations === "canonical"
      ? this.#locations.spelled(location)
      : stripTrailingSlash(location);
  }

  /** A directory of metadata files: where it lies is one thing, whatever it is called. */
  directory(location: string): string {
    return this.#format.locations === "canonical"
      ? this.#locations.normalize(location)
      : stripTrailingSlash(location);
  }

  /** As `load`, without the file. @throws FirnError `NotFound` `METADATA_FILE_MISSING`. */
  async assertThere(head: Head): Promise<void> {
    const kept = this.#keptFor(head);
    const stands = kept === undefined ? this.#locations.stands(head.location) : kept.stands();
    if (!(await stands)) throw this.#gone(head);
  }

  /**
   * The file as it will stand at the location, not written yet. Others have the event loop now and
   * then.
   */
  async renderInTurns(location: string, metadata: M): Promise<MetadataFile<M>> {
    const pieces = await inTurns(this.#clock, this.print(metadata));
    return new MetadataFile(location, metadata, pieces);
  }

  /**
   * Writes a rendered file under its name, which nothing else ever has. `isGzip`: what the name
   * says. `again`: after a try whose outcome is unknown. Held until kept, discarded or let go.
   */
  async write(
    file: MetadataFile<M>,
    { isGzip, again }: { readonly isGzip: boolean; readonly again: boolean },
  ): Promise<void> {
    const { location, pieces } = file;
    const content = isGzip ? await packed(inOnePiece(pieces)) : pieces;
    const stands = again
      ? await this.#locations.writeAgain(location, content)
      : await this.#locations.write(location, content);
    this.#written.set(location, { file, stands });
  }

  /** Keeps a file that was written here: its commit made it the head. */
  keepWritten(head: Head): void {
    this.#keptFor(head);
    this.#written.delete(head.location);
  }

  /** Holds a written file no longer: whether a commit names it is not known. */
  letGo({ location }: MetadataFile<M>): void {
    this.#written.delete(location);
  }

  /** Takes back a file that no commit names. */
  async discard(file: MetadataFile<M>): Promise<void> {
    this.letGo(file);
    await this.#locations.delete(file.location);
  }
}
