import type { Node } from "libpg-query";
import type { Clock } from "../../base/clock.ts";
import type { SqlObject, ViewObject } from "../../rows/index.ts";
import type { ListedRelation } from "../catalog/listing.ts";
import { queryText } from "../deparse/query-text.ts";
import { Recorder } from "../deparse/recorder.ts";
import { SqlError } from "../error.ts";
import { contentOf } from "../parse/statement.ts";
import { type PlanEnv, withRelations } from "../plan/env.ts";
import type { QueryTrace } from "../plan/query-trace.ts";
import { bindView } from "../plan/view-relation.ts";
import type { SqlContext, SqlViewTexts, ViewStyle } from "../types/context.ts";
import type { TypeRegistry } from "../types/registry.ts";

/** Statements that may ask for the definitions of views, by their text. */
const ASKS = /viewdef|ruledef|\bpg_(?:views|matviews|rules|rewrite)\b|\bviews\b/i;

/** Views that are kept bound; with more all are bound again. */
const MOST_KEPT = 1_000;
/** Binding goes on in the next turn of the event loop behind so many milliseconds. */
const TURN_MS = 5;

/** What a view's query means, for what prints it; undefined where its binding fails. */
type Bound = { readonly query: Node; readonly recorder: Recorder } | undefined;

interface Kept {
  /** Versions of the view and of all that it uses. */
  readonly key: string;
  readonly bound: Bound;
}

export interface ViewPorts {
  readonly types: TypeRegistry;
  readonly clock: Clock;
  readonly parse: (text: string) => Promise<Node>;
  /** What binds the query of a view. */
  readonly env: (trace: QueryTrace) => PlanEnv;
}

/** The definitions of views in PostgreSQL's form: their queries are bound, and then printed. */
export class ViewTexts {
  readonly #kept = new Map<string, Kept>();

  static isAsked(text: string): boolean {
    return ASKS.test(text);
  }

  /** Binds the views of a database, those alone that have changed since. */
  async load(
    objects: readonly SqlObject[],
    relations: readonly ListedRelation[],
    ports: ViewPorts,
  ): Promise<SqlViewTexts> {
    const versions = new Map<string, number>(objects.map(({ id, version }) => [id, version]));
    for (const { table } of relations) if (table) versions.set(table.id, table.version);
    const views = objects.filter((each) => each.kind === "view");
    if (this.#kept.size + views.length > MOST_KEPT) this.#kept.clear();
    const found = new Map<string, Bound>();
    let began = ports.clock.monotonicMs();
    for (const view of views) {
      const uses = view.uses.map(({ id }) => `${id} ${versions.get(id) ?? "-"}`);
      const key = [view.version, ...uses].join();
      const kept = this.#kept.get(view.id);
      const bound = kept?.key === key ? kept.bound : await boundView(view, ports);
      this.#kept.set(view.id, { key, bound });
      found.set(view.id, bound);
      if (ports.clock.monotonicMs() - began < TURN_MS) continue;
      await ports.clock.sleep(0);
      began = ports.clock.monotonicMs();
    }
    return {
      text: (view, style, context) => printed(view, found.get(view.id), ports, style, context),
    };
  }
}

async function boundView(view: ViewObject, ports: ViewPorts): Promise<Bound> {
  try {
    const query = await ports.parse(view.query);
    let recorder = new Recorder();
    await withRelations(ports.env(recorder), () => {
      recorder = new Recorder();
      const env = ports.env(recorder);
      return bindView(env, { view, oid: 0, query });
    });
    return { query, recorder };
  } catch (error) {
    // Such as a table that the session may not know of: it is told the text as it is stored.
    if (error instanceof SqlError) return undefined;
    throw error;
  }
}

function printed(
  { columns }: ViewObject,
  bound: Bound,
  { types }: ViewPorts,
  style: ViewStyle,
  context: SqlContext,
): string | undefined {
  const select = contentOf(bound?.query, "SelectStmt");
  if (bound === undefined || select === undefined) return undefined;
  try {
    const names = columns.map(({ name }) => name);
    return queryText(select, names, bound.recorder, types, context, style);
  } catch (error) {
    if (error instanceof SqlError) return undefined;
    throw error;
  }
}
