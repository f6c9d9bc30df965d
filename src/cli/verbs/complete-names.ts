import { FirnError } from "../../base/error.ts";
import { abortAfter } from "../../runtime/clock.ts";
import type { Candidate } from "../completion.ts";
import { readContexts } from "../contexts.ts";
import type { Place } from "../place.ts";
import type { SettingsContext } from "../setting-options.ts";
import { whereOf } from "../where.ts";
import { loadTable } from "./iceberg-table.ts";
import { dotted, partsOf } from "./names.ts";
import { tableOf } from "./snapshots.ts";
import { childrenOf } from "./tree.ts";

/** A shell waits while names are asked for. */
const PATIENCE_MS = 1_500;
const MOST = 1_000;

/** Names that may stand for a word. A line that cannot be completed gets none, and no message. */
export async function completeNames(
  kind: "catalog" | "context",
  typed: string,
  context: SettingsContext,
): Promise<readonly Candidate[]> {
  try {
    if (kind === "context") {
      const { contexts } = await readContexts(context.env);
      return Object.keys(contexts)
        .filter((name) => name.startsWith(typed))
        .map((word) => ({ word, help: contexts[word]?.url ?? contexts[word]?.dir ?? "" }));
    }
    return await inCatalog(typed, context);
  } catch {
    return [];
  }
}

async function inCatalog(typed: string, context: SettingsContext): Promise<readonly Candidate[]> {
  const where = await whereOf({}, { ...context, printError: () => {} });
  if (where === undefined) return [];
  const output = { print: () => {}, printError: () => {}, drained: async () => {} };
  const { openPlace } = await import("../place.ts");
  // A store that no server owns is not opened for a key press.
  const place = await openPlace(where, output, { opensStore: false });
  try {
    const late = abortAfter(PATIENCE_MS);
    return await Promise.race([
      namesIn(place, typed),
      new Promise<never>((_, reject) => {
        late.addEventListener("abort", () => reject(new FirnError("Unavailable", "LATE", "late")));
      }),
    ]);
  } finally {
    await place.close();
  }
}

async function namesIn(place: Place, typed: string): Promise<readonly Candidate[]> {
  const at = typed.lastIndexOf("@");
  if (at >= 0) {
    const name = typed.slice(0, at);
    const { refs } = await loadTable(place, await tableOf(place, name), "refs");
    return refs
      .map((ref) => ({ word: `${name}@${ref.name}`, help: ref.type }))
      .filter(({ word }) => word.startsWith(typed));
  }
  const cut = typed.lastIndexOf(".");
  const above = cut < 0 ? [] : partsOf(typed.slice(0, cut));
  const found: Candidate[] = [];
  for await (const items of childrenOf(place, above)) {
    for (const { name, type } of items) {
      const isFolder = type === "catalog" || type === "namespace";
      const word = `${dotted([...above, name])}${isFolder ? "." : ""}`;
      if (word.startsWith(typed)) found.push({ word, help: type });
    }
    if (found.length >= MOST) break;
  }
  return found;
}
