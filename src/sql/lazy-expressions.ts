import type { Clock } from "../base/clock.ts";
import type { Prng } from "../base/prng.ts";
import type {
  ColumnType,
  CompiledExpression,
  Expressions,
  ExpressionUse,
  TableDescriptor,
} from "../rows/index.ts";
import type { Parser } from "./parse/parser.ts";
import type { RowExpressions } from "./plan/row-expressions.ts";

interface Loaded {
  readonly parser: Parser;
  readonly expressions: RowExpressions;
}

/** The SQL of row tables: loaded with the first table that has some. */
export class LazyExpressions implements Expressions {
  readonly #parts: { readonly clock: Clock; readonly prng: Prng };
  #loading: Promise<Loaded> | undefined;

  constructor({ clock, prng }: { readonly clock: Clock; readonly prng: Prng }) {
    this.#parts = { clock, prng };
  }

  async compile(
    text: string,
    table: TableDescriptor,
    type: ColumnType | undefined,
    use: ExpressionUse,
  ): Promise<CompiledExpression> {
    const { expressions } = await this.#load();
    return await expressions.compile(text, table, type, use);
  }

  async isVolatile(
    text: string,
    table: TableDescriptor,
    type: ColumnType | undefined,
    use: ExpressionUse,
  ): Promise<boolean> {
    const { expressions } = await this.#load();
    return await expressions.isVolatile(text, table, type, use);
  }

  async typeOf(text: string, table: TableDescriptor, use: ExpressionUse): Promise<ColumnType> {
    const { expressions } = await this.#load();
    return await expressions.typeOf(text, table, use);
  }

  async columnsOf(text: string): Promise<readonly string[]> {
    const { expressions } = await this.#load();
    return await expressions.columnsOf(text);
  }

  async renamed(text: string, from: string, to: string): Promise<string> {
    const { expressions } = await this.#load();
    return await expressions.renamed(text, from, to);
  }

  async close(): Promise<void> {
    const loaded = await this.#loading;
    await loaded?.parser.close();
  }

  async #load(): Promise<Loaded> {
    this.#loading ??= this.#loaded();
    return await this.#loading;
  }

  async #loaded(): Promise<Loaded> {
    const [{ Parser: P }, { RowExpressions: R }] = await Promise.all([
      import("./parse/parser.ts"),
      import("./plan/row-expressions.ts"),
    ]);
    const parser = new P(this.#parts.clock);
    return { parser, expressions: new R({ ...this.#parts, parser }) };
  }
}
