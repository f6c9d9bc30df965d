import { LIMITS } from "../../base/limits.ts";
import type {
  Page as CatalogPage,
  PageRequest as CatalogPageRequest,
} from "../../catalog/pages.ts";
import type { Actor } from "../actor.ts";
import { SERVICE_LIMITS } from "../limits.ts";
import type { PageTokens } from "../page-token.ts";

/** A page that a request asks for; `pageSize` above the limit means the limit. */
export interface PageAsked {
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
}

export interface TokenPage<T> {
  readonly items: readonly T[];
  /** Absent on the last page. */
  readonly nextPageToken?: string;
}

/**
 * One page by signed tokens. They are bound to the list (`query` names it), the account and the
 * principal.
 *
 * @throws FirnError `Invalid` `PAGE_TOKEN_INVALID`.
 */
export async function tokenPage<T>(
  tokens: PageTokens,
  { account, principal }: Actor,
  query: readonly (string | readonly string[])[],
  { pageSize, pageToken }: PageAsked,
  list: (page: CatalogPageRequest) => Promise<CatalogPage<T>>,
): Promise<TokenPage<T>> {
  const limit = Math.min(pageSize ?? SERVICE_LIMITS.pageSizeDefault, LIMITS.pageSize);
  const bound = JSON.stringify(["native", account, principal, ...query]);
  const after = pageToken === undefined ? undefined : tokens.open(bound, pageToken);
  const { items, next } = await list({ limit, after });
  return next === undefined ? { items } : { items, nextPageToken: tokens.seal(bound, next) };
}
