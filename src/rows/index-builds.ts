import { utf8, utf8Text } from "../base/bytes.ts";
import { FirnError } from "../base/error.ts";
import type { TableId } from "../base/ids.ts";
import { KeySchema } from "../keys/index.ts";
import { CHECK_PART, type CheckedPart, type CheckHost, IndexCheck } from "./check-index.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { IndexDescriptor, IndexState, TableDescriptor } from "./descriptor.ts";
import type { DescriptorAccess } from "./descriptor-access.ts";
import type { EngineView } from "./engine-view.ts";
import { rowError } from "./errors.ts";
import { systemPrefix } from "./system-prefix.ts";
import type { TransactionTables } from "./tables.ts";

/*
 * How far the build of an index has come, by table and index. JSON:
 * {"relation": 17, "pass": "rows", "after": "…base64", "done": 1500}.
 *
 * A build is a row of small transactions. The first makes the index `backfilling`: from its commit
 * on every writer keeps the entries of the rows that it writes. Each further one gives the next
 * rows their entries, behind locks on these rows, and notes how far it has come. `validating` goes
 * over rows and entries once more; then the index is `public`, which is when reads use it and its
 * constraint is there. Any process carries a build on from its note.
 */
const keys = new KeySchema([{ type: "uuid" }, { type: "int4" }], systemPrefix("indexBuilds"));

interface BuildNote {
  /** A truncated table has another one: the build begins again. */
  readonly relation: number;
  readonly pass: "rows" | "entries";
  readonly after?: string;
  readonly done: number;
}

/** How far a build is behind one of its steps. */
export interface IndexBuildStep {
  readonly state: IndexState;
  readonly pass: "rows" | "entries";
  /** Rows or entries of this pass. */
  readonly done: number;
}

export interface BuildHost extends CheckHost {
  readonly access: DescriptorAccess;
  readonly tables: TransactionTables;
  readonly use: (table: TableDescriptor) => Promise<CompiledTable>;
}

/** Steps of builds, each within a transaction. */
export class IndexBuilds {
  readonly #on: BuildHost;

  constructor(on: BuildHost) {
    this.#on = on;
  }

  /**
   * The next step: some rows, or the next state. READ COMMITTED, so that others who write beside
   * it do not make it fail.
   *
   * @throws FirnError `NotFound`, code `ROW_INDEX_NOT_FOUND`: it was dropped; `ROW_DUPLICATE`.
   */
  async step(id: TableId, name: string, limit: number): Promise<IndexBuildStep> {
    const table = await this.#on.tables.get(id);
    const index = table.indexes.find((one) => one.name === name);
    if (index === undefined) throw gone(table, name);
    if (index.state === "public") return { state: "public", pass: "entries", done: 0 };
    const note = await this.#note(table, index);
    const check = new IndexCheck(this.#on, await this.#on.use(table), index.id);
    const after = note.after === undefined ? undefined : Buffer.from(note.after, "base64");
    const part = await check[note.pass](after, limit);
    for (const suspect of part.suspects) {
      if (note.pass === "rows") await check.mend(this.#on, suspect.key);
      else await check.remove(this.#on, suspect);
    }
    const done = note.done + part.count;
    const last = part.isEnd ? undefined : part.last;
    const { state, pass } = await this.#noted(table, index, { ...note, done }, last);
    return { state, pass, done };
  }

  /**
   * Mends part of an index: REPAIR INDEX. Counts are of what was mended.
   *
   * @throws FirnError `NotFound`, code `ROW_INDEX_NOT_FOUND`; `ROW_DUPLICATE`.
   */
  async repair(
    id: TableId,
    name: string,
    pass: "rows" | "entries",
    after: Uint8Array | undefined,
  ): Promise<Omit<CheckedPart, "suspects">> {
    const table = await this.#on.tables.get(id);
    const index = table.indexes.find((one) => one.name === name);
    if (index === undefined) throw gone(table, name);
    const check = new IndexCheck(this.#on, await this.#on.use(table), index.id);
    const { last, isEnd, count, suspects } = await check[pass](after, CHECK_PART);
    const counts = { missing: 0, extra: 0, wrong: 0 };
    for (const suspect of suspects) {
      if (pass === "entries") counts.extra += (await check.remove(this.#on, suspect)) ? 1 : 0;
      else {
        const fate = await check.mend(this.#on, suspect.key);
        if (fate !== "right") counts[fate]++;
      }
    }
    return { last, isEnd, count, ...counts };
  }

  /** @param last undefined: the pass is over. */
  async #noted(
    table: TableDescriptor,
    index: IndexDescriptor,
    { pass, done }: BuildNote,
    last: Uint8Array | undefined,
  ): Promise<Pick<IndexBuildStep, "state" | "pass">> {
    const { relation } = table;
    const write = (next: BuildNote): void =>
      this.#on.access.put(keyOf(table, index), utf8(JSON.stringify(next)));
    if (last !== undefined) {
      write({ relation, pass, after: Buffer.from(last).toString("base64"), done });
      return { state: index.state, pass };
    }
    if (index.state === "backfilling") {
      await this.#become(table, index, "validating");
      write({ relation, pass: "rows", done: 0 });
      return { state: "validating", pass: "rows" };
    }
    if (pass === "rows") {
      write({ relation, pass: "entries", done: 0 });
      return { state: index.state, pass: "entries" };
    }
    await this.#become(table, index, "public");
    this.#on.access.delete(keyOf(table, index));
    return { state: "public", pass };
  }

  async #note(table: TableDescriptor, index: IndexDescriptor): Promise<BuildNote> {
    const bytes = await this.#on.access.get(keyOf(table, index));
    const first: BuildNote = { relation: table.relation, pass: "rows", done: 0 };
    if (bytes === undefined) return first;
    try {
      const note = JSON.parse(utf8Text(bytes)) as BuildNote;
      return note.relation === table.relation ? note : first;
    } catch (error) {
      const message = "damaged note of an index build: not JSON";
      const context = { sqlState: "XX001" };
      throw new FirnError("Corrupt", "ROW_DESCRIPTOR_CORRUPT", message, context, error);
    }
  }

  async #become(table: TableDescriptor, index: IndexDescriptor, state: IndexState): Promise<void> {
    const { id, name, unique, isBare = false } = index;
    const isMade = state === "public" && unique && !isBare;
    const next: TableDescriptor = {
      ...table,
      version: table.version + 1,
      indexes: table.indexes.map((one) => (one === index ? { ...one, state } : one)),
      constraints: isMade
        ? [...table.constraints, { kind: "unique", name, index: id }]
        : table.constraints,
    };
    await this.#on.tables.put(next, table);
  }
}

/** Forgets how far a build had come: of an index that is dropped. */
export function forgetBuild(
  view: Pick<EngineView, "delete">,
  table: TableDescriptor,
  index: IndexDescriptor,
): void {
  if (index.state !== "public") view.delete(keyOf(table, index));
}

function keyOf({ id }: TableDescriptor, index: IndexDescriptor): Uint8Array {
  return keys.encode([id, index.id]);
}

function gone({ name: table }: TableDescriptor, index: string): FirnError {
  const message = "the index was dropped while it was built";
  return rowError("NotFound", "ROW_INDEX_NOT_FOUND", "42704", message, { table, index });
}
