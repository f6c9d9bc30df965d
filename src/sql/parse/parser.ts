import type { ParseResult } from "libpg-query";
import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import { LruMap } from "../../base/lru.ts";
import { SqlError } from "../error.ts";
import { type AsOfClause, withoutAsOf } from "./as-of.ts";
import { loadGrammar, parseText } from "./parse-text.ts";
import { type ParseThreads, parseThreads, TreeAssembly } from "./parse-work.ts";
import { Source } from "./source.ts";
import { kindOf, type Statement } from "./statement.ts";

/** Longer texts are parsed in a thread: these take at most some 60 ms, whatever they hold. */
const IN_PLACE_CHARS = 8_192;
/** Of texts whose trees are kept; a tree takes some 20 times its text. */
const KEPT_CHARS = 4_194_304;
/** A longer one is rarely sent twice. */
const KEPT_TEXT_CHARS = 16_384;

/** A text, and what of it the grammar is given. */
interface Given {
  readonly text: string;
  readonly plain: string;
  readonly clauses: readonly AsOfClause[];
}

function asOfIn(text: string): Omit<Given, "text"> {
  const { text: plain, clauses } = withoutAsOf(text);
  return { plain, clauses };
}

/** Statements of texts. One for all sessions: what one has parsed the others find. */
export class Parser {
  readonly #clock: Clock;
  readonly #kept: LruMap<string, readonly Statement[]> = new LruMap(
    KEPT_CHARS,
    ([first]) => (first?.source.text.length ?? 0) + 64,
  );
  #threads: ParseThreads | undefined;
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  /** The stack ran out inside the grammar, which cannot be used in this thread any more. */
  #isBroken = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The statements of a text, in their order. Not a promise where nothing has to be waited for.
   *
   * @throws SqlError 42601 and as `parseText`; 54000 where the thread needs too much.
   */
  parse(text: string): readonly Statement[] | Promise<readonly Statement[]> {
    if (text === "") return [];
    const kept = this.#kept.get(text);
    if (kept !== undefined) return kept;
    if (!this.#isLoaded && text.length <= IN_PLACE_CHARS) return this.#loadAndParse(text);
    const given: Given = { text, ...asOfIn(text) };
    const isLong = text.length > IN_PLACE_CHARS;
    return isLong || this.#isBroken ? this.#parseElsewhere(given) : this.#parseHere(given);
  }

  async close(): Promise<void> {
    await this.#threads?.close();
  }

  async #loadAndParse(text: string): Promise<readonly Statement[]> {
    this.#loading ??= loadGrammar();
    await this.#loading;
    this.#isLoaded = true;
    return await this.parse(text);
  }

  #parseHere(given: Given): readonly Statement[] | Promise<readonly Statement[]> {
    try {
      return this.#keep(given, parseText(given.plain));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#isBroken = true;
      return this.#parseElsewhere(given);
    }
  }

  async #parseElsewhere(given: Given): Promise<readonly Statement[]> {
    this.#threads ??= parseThreads(this.#clock);
    const assembly = new TreeAssembly();
    try {
      for await (const piece of this.#threads.run("parse", { text: given.plain }))
        assembly.add(piece);
    } catch (error) {
      throw asSqlError(error);
    }
    return this.#keep(given, assembly.whole());
  }

  #keep({ text, clauses }: Given, { stmts = [] }: ParseResult): readonly Statement[] {
    const source = new Source(text);
    const statements = stmts.flatMap((raw): Statement[] => {
      const { stmt, stmt_location: offset = 0, stmt_len: bytes = 0 } = raw;
      if (stmt === undefined) return [];
      const own = stmts.length === 1 && bytes === 0 ? text : source.slice(offset, bytes);
      const isOfMany = stmts.length > 1;
      const end = bytes === 0 ? Number.POSITIVE_INFINITY : offset + bytes;
      const asOf = clauses.filter((one) => one.offset >= offset && one.offset < end);
      const parsed = { kind: kindOf(stmt), node: stmt, source, offset, text: own.trim(), isOfMany };
      return [asOf.length === 0 ? parsed : { ...parsed, asOf }];
    });
    if (text.length <= KEPT_TEXT_CHARS) this.#kept.set(text, statements);
    return statements;
  }
}

/** What a thread says of itself, in SQL's terms. */
function asSqlError(error: unknown): unknown {
  if (!(error instanceof FirnError)) return error;
  const { sqlState, position, hint } = error.context;
  if (typeof sqlState === "string") {
    return new SqlError(sqlState, error.message, {
      ...(typeof position === "number" && { position }),
      ...(typeof hint === "string" && { hint }),
    });
  }
  if (error.code === "WORK_TOO_LARGE" || error.code === "WORK_TOO_LONG") {
    return new SqlError("54000", `statement too complex: ${error.message}`);
  }
  return error;
}
