import { FirnError } from "../../base/error.ts";
import { encodeSegment } from "../../base/key-text.ts";
import { LIMITS } from "../../base/limits.ts";
import { Pauses } from "../../base/pauses.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { nameAccess } from "../../catalog/name-access.ts";
import type { NameIndex } from "../../catalog/name-index.ts";
import type { Page, PageRequest } from "../../catalog/pages.ts";
import type { Actor } from "../actor.ts";
import { SERVICE_LIMITS } from "../limits.ts";
import type { PageTokens } from "../page-token.ts";
import { type FoundName, KINDS, type NamePosition } from "./found-name.ts";
import { IndexedNames } from "./indexed-names.ts";
import { type PageAsked, type TokenPage, tokenPage } from "./pages.ts";

/** Names that are looked at between two turns of the event loop. */
const NAMES_A_TURN = 1_000;

/** A name on a walk, and where the walk goes on behind it. */
interface Step {
  readonly found: FoundName;
  readonly next: NamePosition;
}

/** Finds names by a part of them. */
export class NameSearch {
  readonly #catalog: AccountCatalog;
  readonly #tokens: PageTokens;
  readonly #index: NameIndex | undefined;

  /** `index`: absent where others than this process write to the store. */
  constructor(catalog: AccountCatalog, tokens: PageTokens, index?: NameIndex) {
    this.#catalog = catalog;
    this.#tokens = tokens;
    this.#index = index;
  }

  /**
   * Names of catalogs, namespaces, tables and views that hold a text, whatever its case, by the
   * index; without one, one list for each 1,000 names and for each namespace. A page of those ends
   * early, with a token, where `SERVICE_LIMITS.searchedNames` names were looked at.
   *
   * @throws FirnError `Invalid` `PAGE_TOKEN_INVALID`.
   */
  async find(actor: Actor, text: string, page: PageAsked): Promise<TokenPage<FoundName>> {
    const wanted = text.normalize("NFC").toLowerCase();
    return tokenPage(this.#tokens, actor, ["search", wanted], page, async (asked) => {
      const { limit = 1, after } = asked;
      const from = after === undefined ? undefined : (JSON.parse(after) as NamePosition);
      // The index knows every name; the lists of a walk leave out what may not be known.
      if (this.#index !== undefined && nameAccess() === undefined) {
        return new IndexedNames(this.#catalog, this.#index, { wanted, limit }).find(from);
      }
      const items: FoundName[] = [];
      const pauses = new Pauses(this.#catalog.context.clock, NAMES_A_TURN);
      let looked = 0;
      for await (const { found, next } of this.#walk(from)) {
        if (found.name.toLowerCase().includes(wanted)) items.push(found);
        if (items.length === limit || ++looked === SERVICE_LIMITS.searchedNames) {
          return { items, next: JSON.stringify(next) };
        }
        const pause = pauses.step();
        if (pause !== undefined) await pause;
      }
      return { items };
    });
  }

  async *#walk(from: NamePosition | undefined): AsyncGenerator<Step> {
    const { catalogs } = this.#catalog;
    if (from !== undefined) yield* this.#below(from.catalog, [], from);
    const after = from && encodeSegment(from.catalog);
    for await (const catalog of all((page) => catalogs.list(page), after)) {
      const next = { catalog, path: [], kind: 0 };
      yield { found: { type: "catalog", name: catalog }, next };
      yield* this.#below(catalog, [], undefined);
    }
  }

  /** The namespaces below a path with what is in them, each before its children. */
  async *#below(
    catalog: string,
    parent: readonly string[],
    from: NamePosition | undefined,
  ): AsyncGenerator<Step> {
    const begun = from?.path[parent.length];
    if (from !== undefined && begun !== undefined) {
      const path = [...parent, begun];
      if (path.length === from.path.length) yield* this.#within(catalog, path, from);
      yield* this.#below(catalog, path, from);
    }
    const list = (page: PageRequest) =>
      this.#catalog.namespaces.list({ catalog, path: parent }, page);
    const after = begun === undefined ? undefined : encodeSegment(begun);
    for await (const path of all(list, after)) {
      const next = { catalog, path, kind: 0 };
      yield {
        found: { type: "namespace", name: path.at(-1) ?? "", catalog, namespace: path },
        next,
      };
      yield* this.#within(catalog, path, undefined);
      yield* this.#below(catalog, path, undefined);
    }
  }

  /** The tables, then the views of one namespace. */
  async *#within(
    catalog: string,
    path: readonly string[],
    from: NamePosition | undefined,
  ): AsyncGenerator<Step> {
    for (const [kind, family] of KINDS.entries()) {
      if (kind < (from?.kind ?? 0)) continue;
      const last = kind === from?.kind ? from.name : undefined;
      const list = (page: PageRequest) => this.#catalog[family].list({ catalog, path }, page);
      const type = family === "tables" ? "table" : "view";
      for await (const name of all(list, last && encodeSegment(last))) {
        const next = { catalog, path, kind, name };
        yield { found: { type, name, catalog, namespace: path }, next };
      }
    }
  }
}

/** Every entry of a list behind a leaf; none of what is gone meanwhile. */
async function* all<T>(
  list: (page: PageRequest) => Promise<Page<T>>,
  after: string | undefined,
): AsyncGenerator<T> {
  for (let from = after; ; ) {
    const page = await unlessGone(() =>
      list({ limit: LIMITS.pageSize, ...(from !== undefined && { after: from }) }),
    );
    if (page === undefined) return;
    yield* page.items;
    if (page.next === undefined) return;
    from = page.next;
  }
}

async function unlessGone<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FirnError && error.kind === "NotFound") return undefined;
    throw error;
  }
}
