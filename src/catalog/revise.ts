import { BatchBuilder } from "./batch.ts";
import type { Actor, CatalogContext } from "./context.ts";
import type { Stored } from "./entities.ts";
import type { Entity } from "./model.ts";
import { checkProperties } from "./names.ts";
import { assertMayUpdate } from "./payloads.ts";
import { type ReplayOutcome, write } from "./repository.ts";
import { type RevisedEntity, revisedBy, revisedOf } from "./revised-entity.ts";
import { summaryOf } from "./summaries.ts";

/**
 * What a request says of the entity that it is to change: throws where that is another one. Every
 * look at the store asks it again, so no retry changes what was not meant.
 */
export type Expect<E extends Entity> = (stored: Stored<E>) => void;

/** The new content; undefined where nothing is to change. Throws as `Expect` does. */
export type Revise<E extends Entity> = (stored: Stored<E>) => E | undefined;

/** For requests that name no version. */
export function anyVersion(): void {}

/**
 * Gives an entity other content under the same names, parent and location: one batch of 3
 * operations.
 *
 * @throws FirnError what `find` and `change` throw; `PROPERTIES_INVALID`.
 */
export function reviseEntity<E extends Exclude<Entity, { type: "account" }>>(
  context: CatalogContext,
  actor: Actor,
  operation: string,
  find: () => Promise<Stored<E>>,
  change: Revise<E>,
  replay: ReplayOutcome<RevisedEntity<E>>,
): Promise<RevisedEntity<E>> {
  const { account, payloads } = context;
  const plan = async ({ authorship }: Parameters<Parameters<typeof write>[3]>[0]) => {
    const stored = await find();
    assertMayUpdate(stored.envelope);
    const entity = change(stored);
    const primary = stored.item.key;
    if (entity === undefined) return { unchanged: revisedOf(stored), primary };
    checkProperties(entity.properties);
    const payload = payloads.encode(entity, authorship);
    const batch = new BatchBuilder(account).put(stored.item, {
      payload,
      summary: summaryOf(entity, payload),
    });
    const version = stored.item.version + 1n;
    return { batch, primary, result: () => revisedBy(authorship, entity, version) };
  };
  return write(context, actor, operation, plan, replay);
}
