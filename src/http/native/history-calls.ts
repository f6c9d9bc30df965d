import type { AtQuery, DiffQuery, PageQuery } from "../../api/asks.ts";
import type { Diff, Page, ResourceBase, Version } from "../../api/resources.ts";
import type { Actor } from "../../service/actor.ts";
import type { Resource, ResourceEntity } from "../../service/resources/resource.ts";
import type { ModelService } from "../../service/resources/service.ts";
import { diffOf } from "./diff.ts";
import { placeOf } from "./names.ts";
import { renderResource, renderVersion } from "./render.ts";
import { ResourceTexts } from "./resource-text.ts";
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

/** One for each service: what is kept goes with it. */
const texts = new WeakMap<ModelService, ResourceTexts>();

/**
 * The resource of a path as `render` makes it. What it is now is asked for again and again, so its
 * text is kept; what it was is not.
 */
export async function resourceText<E extends ResourceEntity, R extends ResourceBase>(
  call: Asked<AtQuery>,
  render: (resource: Resource<E>) => R,
): Promise<R> {
  const resource = (await resourceAt(call)) as Resource<E>;
  if (call.query.at !== undefined) return render(resource);
  const { service } = call;
  let kept = texts.get(service);
  if (kept === undefined) {
    kept = new ResourceTexts();
    texts.set(service, kept);
  }
  // The table ties its types together: this is the text of such an answer.
  return kept.of(resource, render) as unknown as R;
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
