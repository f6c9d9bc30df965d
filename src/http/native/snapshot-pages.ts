import type { PageQuery } from "../../api/asks.ts";
import type { Page, Snapshot } from "../../api/resources.ts";
import type { Actor } from "../../service/actor.ts";
import type { TableRef } from "../../service/requests.ts";
import { tokenPage } from "../../service/resources/pages.ts";
import type { ModelService } from "../../service/resources/service.ts";
import { renderSnapshot } from "./render.ts";

/** One page of a table's snapshots, newest first: a token tells the last one of the page before. */
export async function snapshotPage(
  { snapshots, tokens }: ModelService,
  actor: Actor,
  ref: TableRef,
  query: PageQuery,
): Promise<Page<Snapshot>> {
  const list = ["snapshots", ref.catalog, ref.namespace, ref.table];
  const page = await tokenPage(tokens, actor, list, query, async ({ limit = 1, after }) => {
    const [timestampMs, snapshotId] = after?.split(" ") ?? [];
    const last =
      timestampMs === undefined || snapshotId === undefined
        ? undefined
        : { timestampMs: Number(timestampMs), snapshotId: BigInt(snapshotId) };
    const items = await snapshots.list(actor, ref, {
      limit: limit + 1,
      ...(last !== undefined && { after: last }),
    });
    const shown = items.slice(0, limit);
    const end = shown.at(-1);
    return items.length > limit && end !== undefined
      ? { items: shown, next: `${end.timestampMs} ${end.snapshotId}` }
      : { items: shown };
  });
  return { ...page, items: page.items.map(renderSnapshot) };
}
