import { assert } from "../base/assert.ts";
import { sha256Bytes, sha256Hex } from "../base/hash.ts";
import type { AccountId, Revision } from "../base/ids.ts";
import type { Item, Live, Version } from "../pointer/port.ts";
import { BatchBuilder } from "./batch.ts";
import { decodeConstraints, encodeConstraints } from "./codec/constraints.ts";
import { MIN_WRITER_VERSION, SCHEMA_VERSION } from "./codec/envelope.ts";
import { decodePartSummary, encodePartSummary } from "./codec/stats.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { corrupt } from "./errors.ts";
import { directoryOf, FAMILIES } from "./keys.ts";
import type { Constraint, Envelope, PartSummary } from "./model.ts";
import { listPage, type Page, type PageRequest } from "./pages.ts";
import { constraintsKeys, constraintsPath, type SnapshotRef } from "./part-keys.ts";
import type { Authorship } from "./payloads.ts";
import { type Attempt, type Planned, write } from "./repository.ts";
import { idSegment } from "./snapshot-puts.ts";

/*
 * Constraints are one bundle a snapshot, put strictly: the batch checks the table at a version that
 * has the snapshot. Their alias beside the statistics is in the same batch: the two never differ.
 */

/** A payload that is missing may mean that its pointer has moved on: looked at this often. */
const MAX_LOOKS = 3;

/** The constraints of a snapshot as they are stored; none, at version 0, where none were put. */
export interface StoredConstraints {
  readonly snapshotId: bigint;
  readonly constraints: readonly Constraint[];
  readonly version: Version;
  /** Absent where nothing is stored. */
  readonly written?: Pick<PartSummary, "revision" | "updatedAtMs" | "updatedBy">;
}

/** What a change came to. */
export interface ChangedConstraints extends StoredConstraints {
  readonly changed: boolean;
}

/** What to make of the constraints that are there; undefined leaves them as they are. */
export type ChangeConstraints = (stored: StoredConstraints) => readonly Constraint[] | undefined;

/** The constraints of the tables of one account, by snapshot. */
export class Constraints {
  readonly #context: CatalogContext;

  constructor(context: CatalogContext) {
    this.#context = context;
  }

  /** One read, and a payload where there are some. */
  async get(at: SnapshotRef): Promise<StoredConstraints> {
    const { account, pointers } = this.#context;
    const [key] = constraintsKeys(account, at);
    for (let look = 0; look < MAX_LOOKS; look++) {
      const found = await this.#read(at, await pointers.get(key));
      if (found !== undefined) return found;
    }
    throw corrupt("payload is missing", { key });
  }

  /** Of the snapshots that have some, in the order of their ids. One list. */
  async list(table: SnapshotRef["table"], request: PageRequest): Promise<Page<StoredConstraints>> {
    const { account, pointers } = this.#context;
    const directory = directoryOf(FAMILIES.constraints, account, table);
    const page = await listPage(pointers, directory, request);
    const items: StoredConstraints[] = [];
    for (const item of page.items) {
      const { snapshotId } = summaryIn(item);
      const found = await this.#read({ table, snapshotId }, item);
      // One that has moved on since the list is read as it is now.
      items.push(found ?? (await this.get({ table, snapshotId })));
    }
    return { ...page, items };
  }

  /**
   * Changes the constraints of a snapshot. `root` proves that it is there: the canonical pointer of
   * its table at a version that has it. Both are asked again after a lost race. One batch of 5
   * operations.
   *
   * @throws FirnError what `root` and `change` throw.
   */
  async change(
    actor: Actor,
    at: SnapshotRef,
    root: () => Promise<Live>,
    change: ChangeConstraints,
  ): Promise<ChangedConstraints> {
    const { account, pointers } = this.#context;
    const keys = constraintsKeys(account, at);
    const plan = async (attempt: Attempt): Promise<Planned<ChangedConstraints>> => {
      const table = await root();
      const [own, alias] = await pointers.getMany(keys);
      if (own === undefined || alias === undefined) {
        throw corrupt("store answered fewer items than asked for", { key: keys[0] });
      }
      const stored = await this.#read(at, own);
      if (stored === undefined) throw corrupt("payload is missing", { key: keys[0] });
      const next = change(stored);
      const [primary] = keys;
      if (next === undefined || isSame(stored, next)) {
        return { unchanged: { ...stored, changed: false }, primary };
      }
      const batch = new BatchBuilder(account).check(table);
      const { authorship } = attempt;
      const result = joinBundle(batch, { account, at, own, alias, next, authorship });
      return { batch, primary, result: () => ({ ...result, changed: true }) };
    };
    return write(this.#context, actor, "change-constraints", plan, async () => ({
      ...(await this.get(at)),
      changed: true,
    }));
  }

  /** @returns undefined where the payload is missing. @throws FirnError `Corrupt`. */
  async #read({ snapshotId }: SnapshotRef, item: Item): Promise<StoredConstraints | undefined> {
    const { version } = item;
    if (item.state === "absent") return { snapshotId, constraints: [], version };
    const written = summaryIn(item);
    const bytes = await this.#context.payloads.getBytes(item.blobPath ?? "");
    if (bytes === undefined) return undefined;
    const { constraints } = decodeConstraints(bytes);
    return { snapshotId, constraints, version, written };
  }
}

function summaryIn(item: Live): PartSummary {
  if (item.summary === undefined) throw corrupt("pointer without summary", { key: item.key });
  return decodePartSummary(item.summary);
}

function contentOf(constraints: readonly Constraint[]): string {
  return JSON.stringify(
    constraints.map(({ name, kind, columns, expression, reference, enforced }) => {
      const cells = (some: Constraint["columns"] = []) =>
        some.map(({ id, name, ordinal }) => [id, name, ordinal]);
      const { table, columns: to, match, onUpdate, onDelete } = reference ?? {};
      const refers = [table, cells(to), match, onUpdate, onDelete];
      return [name, kind, cells(columns), expression, refers, enforced];
    }),
  );
}

function isSame({ constraints }: StoredConstraints, next: readonly Constraint[]): boolean {
  return contentOf(constraints) === contentOf(next);
}

/** What a batch makes of a bundle. */
interface Bundle {
  readonly account: AccountId;
  readonly at: SnapshotRef;
  readonly own: Item;
  readonly alias: Item;
  readonly next: readonly Constraint[];
  readonly authorship: Authorship;
}

/** Adds a bundle to a batch; an empty one takes both pointers away. */
function joinBundle(
  batch: BatchBuilder,
  { account, at, own, alias, next, authorship }: Bundle,
): StoredConstraints {
  const { table, snapshotId } = at;
  const version = own.version + 1n;
  assert(own.key !== alias.key, "the alias is another pointer than its source");
  const names = new Set(next.map(({ name }) => name));
  assert(names.size === next.length, "a bundle holds each name once");
  if (next.length === 0) {
    batch.delete(own);
    if (alias.state === "live") batch.deriveDelete(alias);
    return { snapshotId, constraints: [], version };
  }
  const envelope: Envelope = {
    schemaVersion: SCHEMA_VERSION,
    minWriterVersion: MIN_WRITER_VERSION,
    entityType: "constraints",
    accountId: account,
    entityId: table,
    ...authorship,
  };
  const { bytes, content } = encodeConstraints(envelope, snapshotId, next);
  const path = constraintsPath(account, table, idSegment(snapshotId), sha256Hex(bytes));
  const { revision, updatedAtMs, updatedBy } = authorship;
  const written = { revision, updatedAtMs, updatedBy };
  const contentHash = sha256Bytes(content);
  const said = { snapshotId, contentHash, offset: 0, length: bytes.length, ...written };
  const put = { blob: { path, bytes }, bytes: encodePartSummary(said) };
  batch.put(own, put).derive(alias, put);
  return { snapshotId, constraints: next, version, written };
}

/** The entity tag's part that a bundle adds to its version. */
export function revisionOf({ written }: StoredConstraints): Revision | "none" {
  return written?.revision ?? "none";
}
