import { FirnError } from "../../base/error.ts";
import { notSupported, SqlError } from "../error.ts";
import type { CatalogChanges } from "./catalog-changes.ts";
import type { GrantPlace, RoleChange, RoleKind, SqlRoles } from "./roles.ts";

interface Pending {
  readonly change: RoleChange;
  /** Of a grant on a row table, whatever its name is at the end. */
  readonly table?: string | undefined;
}

/**
 * What a transaction changes of roles and grants. Each change is judged by its statement, and made
 * behind the commit of the rows: none is ever made for a transaction that did not commit. A
 * process that ends between both leaves the rows without the changes.
 */
export class RoleChanges {
  readonly #roles: SqlRoles | undefined;
  readonly #names: CatalogChanges;
  #pending: Pending[] = [];

  constructor(roles: SqlRoles | undefined, names: CatalogChanges) {
    this.#roles = roles;
    this.#names = names;
  }

  get mark(): number {
    return this.#pending.length;
  }

  rollbackTo(mark: number): void {
    this.#pending.length = Math.min(this.#pending.length, mark);
  }

  forget(): void {
    this.#pending = [];
  }

  /** @throws SqlError 0A000 where SQL knows of no roles. */
  assertKnown(what: string): SqlRoles {
    if (this.#roles === undefined) throw notSupported(what);
    return this.#roles;
  }

  /** Names of tables and views of a schema that the session may know. */
  async tablesIn(path: readonly string[]): Promise<readonly string[]> {
    const made = this.#names.madeIn(path);
    const isNew = this.#names.becomes({ path })?.kind === "made";
    const there = isNew ? [] : await this.assertKnown("GRANT").tablesIn(path);
    const left = there.filter((name) => this.#names.becomes({ path, name })?.kind !== "gone");
    return [...new Set([...left, ...made])];
  }

  /** @throws SqlError as `SqlRoles.judge`. */
  async add(change: RoleChange): Promise<void> {
    const roles = this.assertKnown("GRANT");
    const kindOf = (name: string): RoleKind | undefined => this.#kindOf(name);
    if (change.kind !== "grant" && change.kind !== "revoke") {
      await roles.judge(change, kindOf);
      this.#pending.push({ change });
      return;
    }
    const { on } = change;
    const now = this.#names.becomes(on);
    if (now?.kind === "gone") throw missing(on);
    // Who makes a thing may do everything with it, and the catalog does not know it yet.
    if (now?.kind === "made") await roles.judge({ ...change, on: undefined }, kindOf);
    else await roles.judge({ ...change, on: now?.was ?? on }, kindOf);
    this.#pending.push({ change, table: await this.#tableAt(on) });
  }

  /** The changes, with the names that tables have at the end. Called before the commit. */
  settled(): readonly RoleChange[] {
    return this.#pending.flatMap(({ change, table }) => {
      if (change.kind !== "grant" && change.kind !== "revoke") return [change];
      const { on } = change;
      if (on.name === undefined) return this.#names.becomes(on)?.kind === "gone" ? [] : [change];
      const last = table === undefined ? undefined : this.#names.lastName(table);
      if (last === "gone") return [];
      return [last === undefined ? change : { ...change, on: last }];
    });
  }

  /**
   * Makes changes, one after the other.
   *
   * @param isAlone nothing else was committed: where the first one fails, nothing has happened.
   * @throws SqlError 08007 where the transaction has been committed without all of them.
   */
  async make(changes: readonly RoleChange[], isAlone: boolean): Promise<void> {
    if (changes.length === 0) return;
    const roles = this.assertKnown("GRANT");
    let done = 0;
    try {
      for (const change of changes) {
        await roles.make(change);
        done++;
      }
    } catch (error) {
      if (isAlone && done === 0) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      const left = `${changes.length - done} of its ${changes.length} changes of roles and grants`;
      throw new SqlError(
        "08007",
        `the transaction has committed, but ${left} failed: ${reason}`,
        { hint: "Run the statements that change roles and grants again." },
        error,
      );
    }
  }

  /** What a name is after what the transaction has done so far; undefined: as before. */
  #kindOf(name: string): RoleKind | undefined {
    for (const { change } of this.#pending.toReversed()) {
      if (change.kind === "drop" && change.name === name) return "none";
      if (change.kind === "create" && change.name === name) {
        return change.canLogin ? "user" : "role";
      }
    }
    return undefined;
  }

  async #tableAt({ path, name }: GrantPlace): Promise<string | undefined> {
    if (name === undefined) return undefined;
    try {
      return await this.#names.idAt({ path, name });
    } catch (error) {
      // A table of the lake has no rows here, and no transaction renames it.
      if (error instanceof FirnError) return undefined;
      throw error;
    }
  }
}

function missing({ path, name }: GrantPlace): SqlError {
  if (name === undefined) return new SqlError("3F000", `schema "${path.join(".")}" does not exist`);
  return new SqlError("42P01", `relation "${name}" does not exist`);
}
