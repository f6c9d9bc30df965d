import type { ResourceBase } from "../../api/resources.ts";
import { LruMap } from "../../base/lru.ts";
import type { Resource, ResourceEntity } from "../../service/resources/resource.ts";
import { JsonText } from "./json-text.ts";

/** A resource that is JSON text already. */
export class ResourceText extends JsonText {
  readonly etag: string;

  constructor(text: string, etag: string) {
    super(text);
    this.etag = etag;
  }
}

interface Kept {
  readonly of: Resource;
  readonly answer: ResourceText;
}

/** Characters of text kept. */
const KEPT_CHARS = 8_388_608;
/** Of an entry beside its text. */
const ENTRY_CHARS = 500;

/**
 * Resources as they were rendered, the ones asked for last. A text is answered again for what it
 * was made of and for nothing else: an entity, which is immutable, under the same names and of the
 * same version and author.
 */
export class ResourceTexts {
  readonly #kept: LruMap<string, Kept> = new LruMap(
    KEPT_CHARS,
    ({ answer }) => answer.text.length + ENTRY_CHARS,
  );

  /** The text of what `render` makes of a resource. */
  of<E extends ResourceEntity>(
    resource: Resource<E>,
    render: (resource: Resource<E>) => ResourceBase,
  ): ResourceText {
    const { id } = resource.entity;
    const kept = this.#kept.get(id);
    if (kept !== undefined && isSame(kept.of, resource)) return kept.answer;
    const rendered = render(resource);
    const answer = new ResourceText(JSON.stringify(rendered), rendered.etag);
    this.#kept.set(id, { of: resource, answer });
    return answer;
  }
}

function isSame(one: Resource, other: Resource): boolean {
  return (
    one.entity === other.entity &&
    one.version === other.version &&
    one.revision === other.revision &&
    one.updatedAtMs === other.updatedAtMs &&
    one.updatedBy === other.updatedBy &&
    one.above.catalog === other.above.catalog &&
    isSamePath(one.above.namespace, other.above.namespace)
  );
}

function isSamePath(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return one.length === other.length && one.every((name, i) => name === other[i]);
}
