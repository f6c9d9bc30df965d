import type { Page, Summary as SummaryJson } from "../../api/resources.ts";
import type { Listed } from "../../catalog/listed.ts";
import type { Summary } from "../../catalog/model.ts";
import type { TokenPage } from "../../service/resources/pages.ts";
import { JsonBytes, JsonText } from "./json-text.ts";
import { renderSummary } from "./render.ts";

/** What a summary was rendered as, at one version. */
interface Rendered {
  readonly version: bigint;
  readonly text: string;
}

const rendered = new WeakMap<Summary, Rendered>();

/** Kept beside the summary, which is decoded once for what a store hands out unchanged. */
function textOf(listed: Listed): string {
  const { summary, version } = listed;
  const known = rendered.get(summary);
  if (known?.version === version) return known.text;
  const text = JSON.stringify(renderSummary(listed));
  rendered.set(summary, { version, text });
  return text;
}

/** What a list was rendered as, with one token. */
interface RenderedPage {
  readonly token: string | undefined;
  readonly answer: JsonText | JsonBytes;
}

/** A shorter text goes out with its head in one write, which bytes would need two for. */
const BYTES_FROM = 4_096;

const renderedPages = new WeakMap<readonly Listed[], RenderedPage>();

/**
 * A page of tables or views. They are asked for again and again: an entry is rendered once, and a
 * page too, which is kept beside the list: see `catalog/listed.ts`.
 */
export function summaryPage({ items, nextPageToken: token }: TokenPage<Listed>): Page<SummaryJson> {
  let page = renderedPages.get(items);
  if (page === undefined || page.token !== token) {
    const next = token === undefined ? "" : `,"nextPageToken":${JSON.stringify(token)}`;
    const text = `{"items":[${items.map(textOf).join(",")}]${next}}`;
    const answer = text.length < BYTES_FROM ? new JsonText(text) : new JsonBytes(text);
    page = { token, answer };
    renderedPages.set(items, page);
  }
  // The table ties its types together: this is the text of such an answer.
  return page.answer as unknown as Page<SummaryJson>;
}
