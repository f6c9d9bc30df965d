import type { AtQuery, DiffQuery, PageQuery } from "../../api/asks.ts";
import type { Diff, Page, Version } from "../../api/resources.ts";
import type { Actor } from "../../service/actor.ts";
import type { Resource } from "../../service/resources/resource.ts";
import type { ModelService } from "../../service/resources/service.ts";
import { diffOf } from "./diff.ts";
import { placeOf } from "./names.ts";
import { renderResource, renderVersion } from "./render.ts";
import type { RawParams } from "./router.ts";
import { parseMoment } from "./times.ts";

/** The part of a call that history is read by. */
interface Asked<Query> {
  readonly actor: Actor;
  readonly service: ModelService;
  readonly params: RawParams;
  readonly query: Query;
}

/** The resource of a path as it is, or as it was. */
export function resourceAt({ actor, service, params, query }: Asked<AtQuery>): Promise<Resource> {
  const place = placeOf(params);
  return query.at === undefined
    ? service.history.current(actor, place)
    : service.history.at(actor, place, parseMoment(query.at));
}

export async function versionsOf({
  actor,
  service,
  params,
  query,
}: Asked<PageQuery>): Promise<Page<Version>> {
  const page = await service.history.versions(actor, placeOf(params), query);
  return { ...page, items: page.items.map(renderVersion) };
}

export async function diffBetween({
  actor,
  service,
  params,
  query,
}: Asked<DiffQuery>): Promise<Diff> {
  const place = placeOf(params);
  const { from, to } = query;
  const at = (text: string) => service.history.at(actor, place, { version: BigInt(text) });
  const before = await at(from);
  const after = to === undefined ? await service.history.current(actor, place) : await at(to);
  return diffOf(renderResource(before), renderResource(after));
}
