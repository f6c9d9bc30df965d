import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeCompletion,
} from "@codemirror/autocomplete";
import { EditorState, type Extension } from "@codemirror/state";
import { type EditorView, tooltips } from "@codemirror/view";
import { SQL_FUNCTIONS } from "../sql-functions.ts";
import type { KnownRelation, SqlNames } from "../sql-names.ts";
import { type Named, type Place, placeIn } from "../sql-tokens.ts";
import { STRINGS } from "../strings.ts";

/** Words that begin a statement or a part of one, and those between. */
const WORDS = (
  "ADD ALL ALTER ANALYZE AND ANY AS ASC BEGIN BETWEEN BY CASE CAST CHECK COALESCE COLUMN " +
  "COMMIT CONFLICT CONSTRAINT CREATE CROSS CURRENT_DATE CURRENT_TIMESTAMP DEFAULT DELETE " +
  "DESC DISTINCT DO DROP ELSE END EXCEPT EXISTS EXPLAIN FALSE FILTER FIRST FOREIGN FROM " +
  "FULL GREATEST GROUP HAVING ILIKE IN INDEX INNER INSERT INTERSECT INTERVAL INTO IS JOIN " +
  "KEY LAST LATERAL LEAST LEFT LIKE LIMIT NATURAL NOT NOTHING NULL NULLIF NULLS OFFSET ON " +
  "OR ORDER OUTER OVER PARTITION PRIMARY RECURSIVE REFERENCES RENAME RETURNING RIGHT " +
  "ROLLBACK ROWS SCHEMA SELECT SET SHOW TABLE THEN TO TRUE UNION UNIQUE UPDATE USING " +
  "VALUES VIEW WHEN WHERE WINDOW WITH"
).split(" ");
/** Of them those that stand where a relation does. */
const RELATION_WORDS = ["EXISTS", "IF", "LATERAL", "ONLY", "SELECT"];
const FUNCTIONS = SQL_FUNCTIONS.trim().split(/\s+/);
/** Namespaces that SQL searches for names without one. */
const SEARCHED = new Set(["public"]);
/** Options that are drawn: more of them only a longer word tells apart. */
const MOST_DRAWN = 50;
/** What stays free at the sides of a narrow page, in pixels. */
const EDGE = 8;
/** Relations of one statement whose columns are asked for. */
const MOST_NAMED = 16;

/** Offers names, functions and words while one writes, and all of them by Ctrl Space. */
export function sqlCompletion(names: () => SqlNames): Extension {
  return [
    autocompletion({
      override: [(context) => complete(context, names())],
      icons: false,
      maxRenderedOptions: MOST_DRAWN,
    }),
    tooltips({
      tooltipSpace: () => ({
        top: 0,
        left: EDGE,
        bottom: innerHeight,
        right: document.documentElement.clientWidth - EDGE,
      }),
    }),
    EditorState.phrases.of({ Completions: STRINGS.completions }),
  ];
}

async function complete(
  context: CompletionContext,
  names: SqlNames,
): Promise<CompletionResult | null> {
  const place = placeIn(context.state.doc.toString(), context.pos);
  if (place === undefined) return null;
  const { from, word, qualifiers } = place;
  if (!context.explicit && word === "" && qualifiers.length === 0) return null;
  const { options, isCut } = await offered(place, names);
  if (options.length === 0) return null;
  // What is typed is compared with the name alone, so it begins behind the quote.
  const isQuoted = word.startsWith('"');
  return {
    from: isQuoted ? from + 1 : from,
    options: isQuoted ? options.map(unopened) : options,
    getMatch: matchIn,
    ...(!isCut && { validFor: isGoingOn(word) }),
  };
}

/** The quote that opens it stands there already. */
function unopened(option: Option): Option {
  const written = option.apply;
  const quoted = written.startsWith('"') ? written : `"${written}"`;
  return { ...option, displayLabel: quoted, apply: quoted.slice(1) };
}

/** What was found in a name, in that name as it is shown. */
function matchIn({ label, displayLabel = label }: Completion, matched: readonly number[] = []) {
  const at = displayLabel.lastIndexOf(label);
  return at < 0 ? [] : matched.map((place) => place + at);
}

/** The same list serves as long as the word only grows, and keeps the case that it began with. */
function isGoingOn(word: string): RegExp {
  if (word.startsWith('"')) return /^[^"]*$/;
  return isLower(word) ? /^(?:\p{Ll}[\p{L}\p{N}_$]*)?$/u : /^(?:[\p{L}_][\p{L}\p{N}_$]*)?$/u;
}

function isLower(word: string): boolean {
  return /^\p{Ll}/u.test(word);
}

/** All of them have what is written where they are taken. */
type Option = Completion & { readonly apply: string };

interface Offered {
  readonly options: readonly Option[];
  readonly isCut: boolean;
}

const NOTHING: Offered = { options: [], isCut: false };

async function offered(place: Place, names: SqlNames): Promise<Offered> {
  const { qualifiers, takesRelation, word } = place;
  const words = qualifiers.length > 0 || word.startsWith('"') ? [] : ofWords(place);
  try {
    const [columns, relations] = await Promise.all([
      takesRelation ? [] : columnsOf(place, names),
      // Behind an alias stand its columns alone.
      !takesRelation && isNamed(place) ? NOTHING : relationsOf(place, names),
    ]);
    const options = [...columns, ...relations.options, ...words];
    return { options: distinct(options), isCut: relations.isCut };
  } catch {
    // No right, or no answer: the words of the language are known without.
    return { options: words, isCut: true };
  }
}

function isNamed({ qualifiers: [first, ...more], named }: Place): boolean {
  return more.length === 0 && named.some(({ alias }) => alias === first);
}

function distinct(options: readonly Option[]): readonly Option[] {
  const byText = new Map(options.map((one) => [`${one.type} ${one.apply}`, one] as const));
  return [...byText.values()];
}

/** What is compared with what was typed, what is shown, and what is written where it is taken. */
function named(name: string, written: string = name): Option {
  return { label: name, displayLabel: written, sortText: written, apply: written };
}

function ofWords({ word, takesRelation }: Place): readonly Option[] {
  const words = (takesRelation ? RELATION_WORDS : WORDS).map((label) => ({
    ...named(isLower(word) ? label.toLowerCase() : label),
    type: "keyword",
    boost: -1,
  }));
  if (takesRelation) return words;
  const functions = FUNCTIONS.map((name) => ({
    ...named(name),
    type: "function",
    detail: STRINGS.function,
    boost: -2,
  }));
  return [...words, ...functions];
}

async function columnsOf(place: Place, names: SqlNames): Promise<readonly Option[]> {
  const { qualifiers } = place;
  const meant = place.named.filter(({ alias, schema, name }) => {
    if (qualifiers.length === 0) return true;
    if (qualifiers.length === 1) return alias === qualifiers[0];
    return name === qualifiers.at(-1) && schema === qualifiers.at(-2);
  });
  const found = await names.columns(meant.slice(0, MOST_NAMED).flatMap(pathsOf));
  return found.map(({ name, written, type, table }) => ({
    ...named(name, written),
    type: "column",
    detail: meant.length > 1 ? `${type}, ${table}` : type,
    boost: 10,
  }));
}

/** Where a relation may be that a statement names. */
function pathsOf({ schema, name }: Named): readonly (readonly [string, string])[] {
  if (schema !== undefined) return [[schema, name]];
  return [...SEARCHED, "pg_catalog"].map((one) => [one, name] as const);
}

async function relationsOf(place: Place, names: SqlNames): Promise<Offered> {
  const { qualifiers, takesRelation, word } = place;
  const schema = qualifiers.at(-1);
  const beginning = word.startsWith('"') ? word.slice(1).replaceAll('""', '"') : word;
  const { schemas, items, isCut } = await names.relations(beginning, schema);
  const boost = takesRelation ? 20 : 0;
  const options = items.map((one) => ({
    ...named(one.name, schema === undefined ? pathOf(one) : one.written),
    type: "table",
    detail: one.isView ? STRINGS.view : STRINGS.table,
    boost,
  }));
  const ofSchemas = schemas.map(({ name, written }) => ({
    ...named(name, written),
    type: "namespace",
    detail: STRINGS.schema,
    boost: boost - 1,
  }));
  return { options: [...options, ...ofSchemas], isCut };
}

/** A name that SQL does not search for has its namespace in front of it. */
function pathOf({ schema, writtenSchema, written }: KnownRelation): string {
  return SEARCHED.has(schema) ? written : `${writtenSchema}.${written}`;
}

/** Takes the offers away, and those that were asked for and have not come yet. */
export function closeOffers(view: EditorView): void {
  closeCompletion(view);
}
