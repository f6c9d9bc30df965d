import { FirnError, invalid } from "../../base/error.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import {
  type ChangedConstraints,
  revisionOf,
  type StoredConstraints,
} from "../../catalog/constraints.ts";
import type { Constraint } from "../../catalog/model.ts";
import type { SnapshotRef } from "../../catalog/part-keys.ts";
import type { Actor } from "../actor.ts";
import type { PageTokens } from "../page-token.ts";
import { type PageAsked, type TokenPage, tokenPage } from "./pages.ts";
import { assertTag, type Precondition, type RelationPlace } from "./resource.ts";
import type { SnapshotLookup } from "./snapshot-lookup.ts";
import type { SnapshotPlace } from "./statistics.ts";

/** Constraints of one snapshot: more than this no schema has. */
const MOST = 1_000;

type Next = (current: readonly Constraint[]) => readonly Constraint[];

export interface ConstraintParts {
  readonly catalog: AccountCatalog;
  readonly tokens: PageTokens;
  readonly lookup: SnapshotLookup;
}

function wrong(why: string, name: string): FirnError {
  return invalid("CONSTRAINTS_INVALID", `invalid constraints: ${why}`, { name });
}

/** Each kind has what it needs, and each name stands once. */
function assertValid(constraints: readonly Constraint[]): readonly Constraint[] {
  const names = new Set<string>();
  for (const { name, kind, columns, expression, reference } of constraints) {
    if (names.has(name)) throw wrong("a name comes twice", name);
    names.add(name);
    if (kind === "CHECK" && expression === "") throw wrong("a check needs an expression", name);
    if (kind !== "CHECK" && columns.length === 0) throw wrong("it needs columns", name);
    if (kind !== "CHECK" && expression !== "") throw wrong("only a check has an expression", name);
    if (kind === "NOT_NULL" && columns.length > 1) throw wrong("not null is of one column", name);
    if ((kind === "FOREIGN_KEY") !== (reference !== undefined)) {
      throw wrong("a foreign key, and nothing else, has a reference", name);
    }
    if (reference !== undefined && reference.columns.length !== columns.length) {
      throw wrong("the reference has another number of columns", name);
    }
  }
  if (names.size > MOST) throw invalid("CONSTRAINTS_INVALID", "too many constraints", { MOST });
  return constraints;
}

/** Constraints of snapshots, as the native API has them. */
export class ConstraintResources {
  readonly #parts: ConstraintParts;

  constructor(parts: ConstraintParts) {
    this.#parts = parts;
  }

  /** By snapshot. @throws FirnError `TABLE_NOT_FOUND`. */
  async list(
    actor: Actor,
    place: RelationPlace,
    page: PageAsked,
  ): Promise<TokenPage<StoredConstraints>> {
    const { catalog, tokens, lookup } = this.#parts;
    const { id } = (await lookup.table(actor, place)).entity;
    return tokenPage(tokens, actor, ["constraints", id], page, (asked) =>
      catalog.constraints.list(id, asked),
    );
  }

  /** @throws FirnError `SNAPSHOT_NOT_FOUND`. */
  async get(actor: Actor, place: SnapshotPlace): Promise<StoredConstraints> {
    const { catalog, lookup } = this.#parts;
    const { entity } = await lookup.snapshot(actor, place, place.snapshotId);
    return catalog.constraints.get({ table: entity.id, snapshotId: place.snapshotId });
  }

  /** Replaces all. @throws FirnError `SNAPSHOT_NOT_FOUND`, `CONSTRAINTS_INVALID`. */
  async put(
    actor: Actor,
    place: SnapshotPlace,
    given: readonly Constraint[],
    precondition: Precondition = {},
  ): Promise<ChangedConstraints> {
    return this.#change(actor, place, precondition, () => given);
  }

  /** Adds or replaces by name; a replaced one keeps its place. @throws FirnError as `put`. */
  async merge(
    actor: Actor,
    place: SnapshotPlace,
    given: readonly Constraint[],
    precondition: Precondition = {},
  ): Promise<ChangedConstraints> {
    assertValid(given);
    return this.#change(actor, place, precondition, (current) => {
      const byName = new Map(current.map((one) => [one.name, one]));
      for (const one of given) byName.set(one.name, one);
      return [...byName.values()];
    });
  }

  /** @throws FirnError as `put`; `AlreadyExists` `CONSTRAINT_ALREADY_EXISTS`. */
  async append(
    actor: Actor,
    place: SnapshotPlace,
    given: readonly Constraint[],
    precondition: Precondition = {},
  ): Promise<ChangedConstraints> {
    return this.#change(actor, place, precondition, (current) => {
      const names = new Set(current.map(({ name }) => name));
      const twice = given.find(({ name }) => names.has(name));
      if (twice !== undefined) {
        const why = "a constraint of this name is there already";
        throw new FirnError("AlreadyExists", "CONSTRAINT_ALREADY_EXISTS", why, {
          constraint: twice.name,
        });
      }
      return [...current, ...given];
    });
  }

  /** @throws FirnError `SNAPSHOT_NOT_FOUND`; `CONSTRAINT_NOT_FOUND`, where there is a `name`. */
  async delete(
    actor: Actor,
    place: SnapshotPlace,
    name: string | undefined,
    precondition: Precondition = {},
  ): Promise<void> {
    await this.#change(actor, place, precondition, (current) => {
      if (name === undefined) return [];
      const left = current.filter((one) => one.name !== name);
      if (left.length < current.length) return left;
      const facts = { constraint: name.slice(0, 256) };
      throw new FirnError("NotFound", "CONSTRAINT_NOT_FOUND", "no such constraint", facts);
    });
  }

  async #change(
    actor: Actor,
    place: SnapshotPlace,
    precondition: Precondition,
    next: Next,
  ): Promise<ChangedConstraints> {
    const { catalog, lookup } = this.#parts;
    const { snapshotId } = place;
    const found = await lookup.table(actor, place);
    const at: SnapshotRef = { table: found.entity.id, snapshotId };
    const root = () => lookup.holding(actor, found, snapshotId);
    return catalog.constraints.change(actor, at, root, (stored) => {
      assertTag(precondition, { version: stored.version, revision: revisionOf(stored) });
      return assertValid(next(stored.constraints));
    });
  }
}
