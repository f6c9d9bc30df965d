import { FirnError } from "../../base/error.ts";
import { LIMITS } from "../../base/limits.ts";
import { LruMap } from "../../base/lru.ts";
import { Pauses } from "../../base/pauses.ts";
import { isWithin } from "../../blob/locations.ts";
import { isAlone } from "../../catalog/claims.ts";
import { decodePayload } from "../../catalog/codec/entities.ts";
import { readEntity } from "../../catalog/entities.ts";
import type { Relation, Table } from "../../catalog/model.ts";
import { byIdKey, payloadPath } from "../../catalog/paths.ts";
import { metadataWithin, tableOfEntry } from "../../catalog/table-index.ts";
import { uuidOfFileName } from "../../iceberg/file-name.ts";
import type { Live } from "../../pointer/port.ts";
import { SERVICE_LIMITS } from "../limits.ts";
import { isFault } from "../reachable-files.ts";
import type { KnownRoots, RootContent } from "./known-roots.ts";
import type { GcParts } from "./parts.ts";
import type { StoreRateLimiter } from "./store-rate-limiter.ts";

/** Relations whose roots are kept: a walk comes to the pointers of one table together. */
const KEPT = 4;
/** Snapshots between two looks at the time that a turn has taken. */
const SNAPSHOTS_A_STEP = 1_024;
/** What the start of a UUIDv7 says: the millisecond that it was minted in. */
const MINTED_DIGITS = 12;
/** Two clocks, each as far from the store's as it may be. */
const CLOCKS_APART_MS = 2 * LIMITS.clockSkewMs;

/** A table or view, by its id. */
export interface RelationId {
  readonly type: Relation["type"];
  readonly id: string;
}

/** In lines of a run: those of older versions are of tables alone, and name no type. */
export function subjectText({ type, id }: RelationId): string {
  return type === "table" ? id : `${type}:${id}`;
}

/** Reads what `subjectText` wrote. */
export function subjectOfText(text: string): RelationId {
  const isView = text.startsWith("view:");
  return isView ? { type: "view", id: text.slice("view:".length) } : { type: "table", id: text };
}

/** What is known of a relation. `unknown`: it cannot be read, so nothing of it may go. */
export type RelationRoot =
  | { readonly is: "gone" }
  | { readonly is: "unknown"; readonly relation?: Relation }
  /** A table of another format: no file says what it has, so its pointers are the source. */
  | { readonly is: "source"; readonly relation: Relation }
  | ({
      readonly is: "known";
      readonly relation: Relation;
      /** The canonical pointer that was read. */
      readonly item: Live;
    } & RootContent);

/** A metadata file that no commit of its relation came to. */
export interface Orphan {
  readonly location: string;
  readonly size: number;
}

/** Reads the roots of what is derived: a relation's current metadata, which says what it has. */
export class RelationRoots {
  readonly #parts: GcParts;
  readonly #limiter: StoreRateLimiter;
  readonly #known: KnownRoots | undefined;
  readonly #kept: LruMap<string, Promise<RelationRoot>> = new LruMap(KEPT);

  /** @param known what was read before; absent: everything is read anew. */
  constructor(parts: GcParts, limiter: StoreRateLimiter, known?: KnownRoots) {
    this.#parts = parts;
    this.#limiter = limiter;
    this.#known = known;
  }

  /** For a relation that was not asked for lately two requests, three where it has changed. */
  of(subject: RelationId): Promise<RelationRoot> {
    const text = subjectText(subject);
    let found = this.#kept.get(text);
    if (found === undefined) {
      found = this.#read(subject);
      // One that failed is asked for again.
      found.catch(() => undefined);
      this.#kept.set(text, found);
    }
    return found;
  }

  async #read({ type, id }: RelationId): Promise<RelationRoot> {
    const { context } = this.#parts.catalog;
    await this.#limiter.spend(2);
    const item = await context.pointers.get(byIdKey(type, context.account, id as Relation["id"]));
    if (item.state === "absent") return { is: "gone" };
    const stored = await readEntity<Relation>(context, type, item);
    if (stored === undefined) return { is: "unknown" };
    const { entity: relation, summary } = stored;
    const location = relation.iceberg?.metadataLocation;
    if (location === undefined) {
      const isOther = relation.type === "table" && relation.format !== "ICEBERG";
      return { is: isOther ? "source" : "unknown", relation };
    }
    const subject = subjectText({ type, id });
    const known = this.#known?.get(subject, summary.revision);
    if (known !== undefined) return { is: "known", relation, item, ...known };
    try {
      const content = await this.#metadata(relation, location);
      this.#known?.set(subject, summary.revision, content);
      return { is: "known", relation, item, ...content };
    } catch (error) {
      if (isFault(error) || isRefused(error)) return { is: "unknown", relation };
      throw error;
    }
  }

  async #metadata({ type, location }: Relation, at: string): Promise<RootContent> {
    const { files, viewFiles, places } = this.#parts;
    const file = await (type === "table" ? files.peek(at) : viewFiles.peek(at));
    await this.#limiter.spend(1, file.length);
    const { metadata } = file;
    const directory = places.metadataDirectory(location, metadata);
    if (!("metadataLog" in metadata)) return { directory, log: [] };
    const log = Array.from(metadata.metadataLog, (entry) => entry.metadataFile);
    const pauses = new Pauses(this.#parts.catalog.context.clock, LIMITS.pageSize);
    const snapshots = new Map<bigint, number>();
    for (const { snapshotId, timestampMs } of metadata.snapshots.items) {
      snapshots.set(snapshotId, timestampMs);
      const pause = snapshots.size % SNAPSHOTS_A_STEP === 0 ? pauses.step() : undefined;
      if (pause !== undefined) await pause;
    }
    return { directory, log, snapshots };
  }

  /**
   * Metadata files of this table or view that an attempt wrote and no commit named, in the time
   * that the history still tells of. A payload of the relation names what was committed since, and
   * stays as long as its change record: a log alone would not do, since a register may set a
   * table back to an older file, and a view has none. One list; where it shows files that the log
   * does not name, two more, and a read for each payload since the oldest of them. Nothing of a
   * relation that shares its location, and no file that is another table's current metadata.
   */
  async orphans(subject: RelationId): Promise<readonly Orphan[]> {
    const root = await this.of(subject);
    if (root.is !== "known" || root.relation.state !== "ACTIVE") return [];
    const { catalog, locations, settings } = this.#parts;
    const { directory, log } = root;
    const { location, id, iceberg } = root.relation;
    if (!isWithin(this.at(directory), location)) return [];
    const named = new Set([iceberg?.metadataLocation ?? "", ...log].map((uri) => this.at(uri)));
    const { historyRetentionMs = SERVICE_LIMITS.historyRetentionMs } = settings;
    const nowMs = catalog.context.clock.nowMs();
    const latestMs = nowMs - SERVICE_LIMITS.catalogGcFloorMs;
    const toldMs = nowMs - historyRetentionMs + CLOCKS_APART_MS;
    const found: (Orphan & { readonly madeMs: number })[] = [];
    let passed = 0;
    for await (const entry of locations.list(directory)) {
      if (++passed % LIMITS.pageSize === 0) await this.#limiter.spend(1);
      const uuid = uuidOfFileName(entry.location);
      if (uuid === undefined || named.has(entry.location)) continue;
      const madeMs = mintedMs(uuid);
      if (madeMs <= Math.max(toldMs, mintedMs(id))) continue;
      if (madeMs > latestMs || entry.modifiedAtMs > latestMs) continue;
      found.push({ location: entry.location, size: entry.size, madeMs });
    }
    await this.#limiter.spend(1);
    if (found.length === 0 || !(await isAlone(catalog.context, location, id))) return [];
    const guests = await this.#guestsOf(root.relation);
    const sinceMs = Math.min(...found.map(({ madeMs }) => madeMs)) - CLOCKS_APART_MS;
    const committed = await this.#committedSince(subject, sinceMs);
    if (committed === undefined) return [];
    return found.filter((file) => !committed.has(file.location) && !guests.has(file.location));
  }

  /** Current metadata files of other tables in the location of a relation, by their index. */
  async #guestsOf(relation: Relation): Promise<ReadonlySet<string>> {
    const { context } = this.#parts.catalog;
    const found = new Set<string>();
    await this.#limiter.spend(1);
    for await (const { key } of metadataWithin(context, relation)) {
      await this.#limiter.spend(2);
      const item = await context.pointers.get(byIdKey("table", context.account, tableOfEntry(key)));
      const stored =
        item.state === "live" ? await readEntity<Table>(context, "table", item) : undefined;
      found.add(this.at(stored?.entity.iceberg?.metadataLocation ?? ""));
    }
    return found;
  }

  /**
   * Metadata files that the payloads of a relation name that were put since then. Undefined where
   * one of them is torn: a lost attempt may leave it, but what it was to name is not known.
   */
  async #committedSince(
    { type, id }: RelationId,
    sinceMs: number,
  ): Promise<ReadonlySet<string> | undefined> {
    const { catalog, blobs } = this.#parts;
    const { account, payloads } = catalog.context;
    const directory = payloadPath(type, account, id, "").replace(/[^/]*$/, "");
    const named = new Set<string>();
    for (let after = ""; ; ) {
      const page = await blobs.list(directory, after === "" ? {} : { after });
      await this.#limiter.spend(1);
      for (const { path, size, modifiedAtMs } of page) {
        if (modifiedAtMs < sinceMs) continue;
        await this.#limiter.spend(1, size);
        const bytes = await payloads.getBytes(path).catch(unlessCorrupt);
        if (bytes === "corrupt") return undefined;
        const decoded = bytes && decodePayload(type, bytes).entity;
        if (decoded?.type !== "table" && decoded?.type !== "view") continue;
        named.add(this.at(decoded.iceberg?.metadataLocation ?? ""));
      }
      const last = page.at(-1);
      if (last === undefined) return named;
      after = last.path;
    }
  }

  /** Canonical, as listings have it; empty for a path of another store. */
  at(uri: string): string {
    try {
      return this.#parts.locations.normalize(uri);
    } catch (error) {
      if (error instanceof FirnError && error.kind === "Invalid") return "";
      throw error;
    }
  }
}

/** When a UUIDv7 was minted, by its minter's clock. */
function mintedMs(uuid: string): number {
  return Number.parseInt(uuid.replaceAll("-", "").slice(0, MINTED_DIGITS), 16);
}

function unlessCorrupt(error: unknown): "corrupt" {
  if (error instanceof FirnError && error.kind === "Corrupt") return "corrupt";
  throw error;
}

/** Nothing that this node may read, here or later: another one may. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof FirnError)) return false;
  return error.kind === "Forbidden" || error.code === "LOCATION_NOT_ALLOWED";
}
