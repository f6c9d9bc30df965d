import { ApiError } from "../../client/client.ts";
import { nearest } from "../../runtime/nearest.ts";
import type { Place } from "../place.ts";
import { dotted, partsOf } from "./names.ts";
import { targetOf } from "./target.ts";
import { childrenOf } from "./tree.ts";

/** Names that are compared at most. */
const MOST = 1_000;

/**
 * The name that a mistyped one most likely means: the first part that does not exist is compared
 * with what lies beside it.
 */
export async function nearestName(place: Place, text: string): Promise<string | undefined> {
  const parts = partsOf(targetOf(text).name);
  for (let i = 0; i < parts.length; i++) {
    const [above, typed] = [parts.slice(0, i), parts[i] ?? ""];
    if (await exists(place, parts.slice(0, i + 1))) continue;
    const names: string[] = [];
    for await (const items of childrenOf(place, above)) {
      names.push(...items.map(({ name }) => name));
      if (names.length >= MOST) break;
    }
    const near = nearest(typed, names);
    return near === undefined ? undefined : dotted([...above, near]);
  }
  return undefined;
}

async function exists(place: Place, parts: readonly string[]): Promise<boolean> {
  try {
    await place.client.call("resolveName", { query: { name: dotted(parts) } });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.problem.kind === "NotFound") return false;
    throw error;
  }
}
