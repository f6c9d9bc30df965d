import type { AdvicePage } from "../../api/page-operations.ts";
import type { Actor } from "../../service/actor.ts";
import type { PageAsked } from "../../service/resources/pages.ts";
import type { ModelService } from "../../service/resources/service.ts";
import { thoseWithFindings } from "./table-figures.ts";

/** Names that one page may take: the snapshot of each table among them is read. */
const MOST_NAMES = 200;
const COUNTED_A_PAGE = 1_000;
/** Names that are looked at to count tables. */
const MOST_COUNTED = 20 * COUNTED_A_PAGE;
/** Every name holds it. */
const ANY = "";

/** Tables behind a place in the account that want care, of those that the actor may read. */
export async function adviceOf(
  service: ModelService,
  actor: Actor,
  { pageSize = MOST_NAMES, ...asked }: PageAsked,
): Promise<AdvicePage> {
  const page = { ...asked, pageSize: Math.min(pageSize, MOST_NAMES) };
  const { items: names, ...more } = await service.search.find(actor, ANY, page);
  const tables = names.filter(({ type }) => type === "table");
  const items = await thoseWithFindings(service, actor, tables);
  return { items, looked: tables.length, ...more };
}

/** How many tables there are that the actor may know of, up to a bound. */
export async function countTables(
  service: ModelService,
  actor: Actor,
): Promise<Pick<AdvicePage, "tables" | "isPartial">> {
  let tables = 0;
  let pageToken: string | undefined;
  for (let counted = 0; counted < MOST_COUNTED; counted += COUNTED_A_PAGE) {
    const asked = { pageSize: COUNTED_A_PAGE, ...(pageToken !== undefined && { pageToken }) };
    const { items, nextPageToken } = await service.search.find(actor, ANY, asked);
    tables += items.filter(({ type }) => type === "table").length;
    if (nextPageToken === undefined) return { tables, isPartial: false };
    pageToken = nextPageToken;
  }
  return { tables, isPartial: true };
}
