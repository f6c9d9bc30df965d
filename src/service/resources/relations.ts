import type { AccountCatalog } from "../../catalog/catalog.ts";
import { relationNotFound } from "../../catalog/errors.ts";
import type { Listed } from "../../catalog/listed.ts";
import type { Relation, Table, View } from "../../catalog/model.ts";
import type { RelationRef, Relations } from "../../catalog/relations.ts";
import type { Expect } from "../../catalog/revise.ts";
import { type RevisedEntity, revisedOf } from "../../catalog/revised-entity.ts";
import type { Actor } from "../actor.ts";
import type { PageTokens } from "../page-token.ts";
import type { UpdateRequest } from "./catalogs.ts";
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

/** Where a table or view is renamed to; `namespace` absent: it stays in its own. */
export interface RenameTo {
  readonly name: string;
  readonly namespace?: readonly string[] | undefined;
}

export interface DropRequest extends Precondition {
  /** The files of a table go too, once the retention is over. */
  readonly purge?: boolean | undefined;
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
}

/** The tables, or the views, of the account, as the native API has them. */
export class RelationResources<E extends Relation> {
  readonly #names: ResourceNames;
  readonly #tokens: PageTokens;
  readonly #kind: Kind<E>;

  constructor(names: ResourceNames, tokens: PageTokens, kind: Kind<E>) {
    this.#names = names;
    this.#tokens = tokens;
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
    { patch, mask, ...precondition }: UpdateRequest,
  ): Promise<Resource<E>> {
    const { ref, id } = await this.#names.relation(this.#kind.type, place);
    const asked = masked(patch, mask);
    const expect = this.#expecting(ref, id, precondition);
    const done = await this.#kind.relations.revise(actor, ref, (stored) => {
      expect(stored);
      return patched(stored.entity, asked);
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

export function tableResources(
  { tables }: AccountCatalog,
  names: ResourceNames,
  tokens: PageTokens,
): RelationResources<Table> {
  return new RelationResources<Table>(names, tokens, {
    type: "table",
    relations: tables,
    drop: (actor, ref, purgeRequested, expect) =>
      tables.drop(actor, ref, { purgeRequested }, expect),
  });
}

export function viewResources(
  { views }: AccountCatalog,
  names: ResourceNames,
  tokens: PageTokens,
): RelationResources<View> {
  return new RelationResources<View>(names, tokens, {
    type: "view",
    relations: views,
    drop: (actor, ref, _purge, expect) => views.drop(actor, ref, expect),
  });
}

function shown<E extends Relation>(ref: RelationRef, revised: RevisedEntity<E>): Resource<E> {
  return { ...revised, above: { catalog: ref.catalog, namespace: ref.path } };
}
