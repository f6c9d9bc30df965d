import type { Page, Summary as SummaryJson } from "../../api/resources.ts";
import type { Listed } from "../../catalog/listed.ts";
import type { Summary } from "../../catalog/model.ts";
import type { TokenPage } from "../../service/resources/pages.ts";
import { JsonText } from "./json-text.ts";
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

/** A page of tables or views. They are asked for again and again: an entry is rendered once. */
export function summaryPage({ items, nextPageToken }: TokenPage<Listed>): Page<SummaryJson> {
  const list = items.map(textOf).join(",");
  const next =
    nextPageToken === undefined ? "" : `,"nextPageToken":${JSON.stringify(nextPageToken)}`;
  // The table ties its types together: this is the text of such an answer.
  return new JsonText(`{"items":[${list}]${next}}`) as unknown as Page<SummaryJson>;
}
