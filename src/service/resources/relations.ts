import { invalid } from "../../base/error.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { relationNotFound } from "../../catalog/errors.ts";
import type { Listed } from "../../catalog/listed.ts";
import type { Relation, Table, View } from "../../catalog/model.ts";
import type { RelationRef, Relations } from "../../catalog/relations.ts";
import type { Expect } from "../../catalog/revise.ts";
import { type RevisedEntity, revisedOf } from "../../catalog/revised-entity.ts";
import type { Actor } from "../actor.ts";
import type { PageTokens } from "../page-token.ts";
import type { ReservedProperties } from "../reserved-properties.ts";
import type { ResourceNames } from "./names.ts";
import { type PageAsked, type TokenPage, tokenPage } from "./pages.ts";
import { masked, patched } from "./patch.ts";
import {
  expecting,
  type NamespacePlace,
  type Precondition,
  type RelationPlace,
  type Resource,
} from "./resource.ts";
import { patchedTable, type TablePatch } from "./table-content.ts";

/** Where a table or view is renamed to; `namespace` absent: it stays in its own. */
export interface RenameTo {
  readonly name: string;
  readonly namespace?: readonly string[] | undefined;
}

export interface DropRequest extends Precondition {
  /** The files of a table go too, once the retention is over. */
  readonly purge?: boolean | undefined;
}

/** The new content of a table or view, and which version it replaces. */
export interface UpdateRelation extends Precondition {
  readonly patch: TablePatch;
  readonly mask?: readonly string[] | undefined;
}

export interface RelationParts {
  readonly catalog: AccountCatalog;
  readonly names: ResourceNames;
  readonly tokens: PageTokens;
  readonly reserved: ReservedProperties;
}

type DropRelation<E extends Relation> = (
  actor: Actor,
  ref: RelationRef,
  purge: boolean,
  expect: Expect<E>,
) => Promise<void>;

/** What tells tables and views apart here. */
interface Kind<E extends Relation> {
  readonly type: E["type"];
  readonly relations: Relations<E>;
  readonly drop: DropRelation<E>;
  /** What a patch makes of one; undefined where that is what it is already. */
  readonly patched: (entity: E, patch: TablePatch) => E | undefined;
}

/** The tables, or the views, of the account, as the native API has them. */
export class RelationResources<E extends Relation> {
  readonly #names: ResourceNames;
  readonly #tokens: PageTokens;
  readonly #reserved: ReservedProperties;
  readonly #kind: Kind<E>;

  constructor({ names, tokens, reserved }: RelationParts, kind: Kind<E>) {
    this.#names = names;
    this.#tokens = tokens;
    this.#reserved = reserved;
    this.#kind = kind;
  }

  async list(actor: Actor, place: NamespacePlace, page: PageAsked): Promise<TokenPage<Listed>> {
    const { ref } = await this.#names.namespace(place);
    const query = [`${this.#kind.type}s`, ref.catalog, ref.path];
    return tokenPage(this.#tokens, actor, query, page, (asked) =>
      this.#kind.relations.page(ref, asked),
    );
  }

  /** @throws FirnError `NotFound` of it or of what is above it. */
  async get(_actor: Actor, place: RelationPlace): Promise<Resource<E>> {
    const { ref, id } = await this.#names.relation(this.#kind.type, place);
    const stored = await this.#kind.relations.get(ref);
    this.#expecting(ref, id, {})(stored);
    return shown(ref, revisedOf(stored));
  }

  /** @throws FirnError as `get`; `PRECONDITION_FAILED`, `UPDATE_MASK_INVALID`. */
  async update(
    actor: Actor,
    place: RelationPlace,
    { patch, mask, ...precondition }: UpdateRelation,
  ): Promise<Resource<E>> {
    const { ref, id } = await this.#names.relation(this.#kind.type, place);
    const asked = masked(patch, mask);
    const expect = this.#expecting(ref, id, precondition);
    const done = await this.#kind.relations.revise(actor, ref, (stored) => {
      expect(stored);
      const next = this.#kind.patched(stored.entity, asked);
      this.#reserved.assertUnsetBetween(next?.properties, stored.entity.properties);
      return next;
    });
    return shown(ref, done);
  }

  /** @throws FirnError as `Relations.rename`; `PRECONDITION_FAILED`. */
  async rename(
    actor: Actor,
    place: RelationPlace,
    { name, namespace }: RenameTo,
    precondition: Precondition = {},
  ): Promise<Resource<E>> {
    const { ref, id } = await this.#names.relation(this.#kind.type, place);
    const to = { path: namespace ?? ref.path, name };
    const expect = this.#expecting(ref, id, precondition);
    const done = await this.#kind.relations.rename(actor, ref, to, expect);
    return shown({ catalog: ref.catalog, ...to }, done);
  }

  /** @throws FirnError as `get`; `PROTECTED`, `PRECONDITION_FAILED`. */
  async drop(
    actor: Actor,
    place: RelationPlace,
    { purge = false, ...precondition }: DropRequest = {},
  ): Promise<void> {
    const { ref, id } = await this.#names.relation(this.#kind.type, place);
    await this.#kind.drop(actor, ref, purge, this.#expecting(ref, id, precondition));
  }

  #expecting(ref: RelationRef, id: string | undefined, precondition: Precondition): Expect<E> {
    const missing = () => relationNotFound(this.#kind.type, ref.path, ref.name);
    return expecting<E>(precondition, id, missing);
  }
}

export function tableResources(parts: RelationParts): RelationResources<Table> {
  const { tables } = parts.catalog;
  return new RelationResources<Table>(parts, {
    type: "table",
    relations: tables,
    patched: patchedTable,
    drop: (actor, ref, purgeRequested, expect) =>
      tables.drop(actor, ref, { purgeRequested }, (stored) => {
        expect(stored);
        if (purgeRequested) assertPurges(stored.entity);
      }),
  });
}

/** @throws FirnError `Invalid` `FORMAT_UNSUPPORTED`: what belongs to it is not known here. */
function assertPurges({ format }: Table): void {
  if (format === "ICEBERG") return;
  const why = "only files of Iceberg tables can be purged: drop it without purge";
  throw invalid("FORMAT_UNSUPPORTED", why, { format });
}

export function viewResources(parts: RelationParts): RelationResources<View> {
  const { views } = parts.catalog;
  return new RelationResources<View>(parts, {
    type: "view",
    relations: views,
    patched,
    drop: (actor, ref, _purge, expect) => views.drop(actor, ref, expect),
  });
}

function shown<E extends Relation>(ref: RelationRef, revised: RevisedEntity<E>): Resource<E> {
  return { ...revised, above: { catalog: ref.catalog, namespace: ref.path } };
}
