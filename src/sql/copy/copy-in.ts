import type { ColumnDescriptor, Datum } from "../../rows/index.ts";
import { SqlError } from "../error.ts";
import type { CopyIn } from "../session/started.ts";
import { BinaryRows } from "./binary-rows.ts";
import { type CopyTarget, CopyWriter, type Values } from "./copy-writer.ts";
import { CsvRows } from "./csv-rows.ts";
import type { CopyOptions } from "./options.ts";
import { badFormat, type CopyRecord, type RecordReader } from "./records.ts";
import { TextRows } from "./text-rows.ts";

/** Rows that are given to the store at once. */
const BATCH = 200;

/** `COPY … FROM STDIN`: rows are inserted as their bytes come, or loaded where they are many. */
export function copyIn(target: CopyTarget, options: CopyOptions): CopyIn {
  const isBinary = options.format === "binary";
  const input = isBinary ? new BinaryInput(target) : new TextInput(target, options);
  const writer = new CopyWriter(target);
  const receive = async (chunk: Buffer | undefined): Promise<void> => {
    for (const batch of input.batches(chunk)) {
      if (batch.length > 0) await writer.write(batch);
      await target.run.pause();
    }
  };
  return {
    kind: "copyIn",
    isBinary,
    columns: target.columns.length,
    standsAlone: () => writer.mayLoad(),
    receive,
    finish: async () => {
      await receive(undefined);
      return await writer.finish();
    },
    close: () => writer.close(),
  };
}

interface Input {
  /** Batches of the rows that have come. @param chunk undefined: nothing follows. */
  batches(chunk: Buffer | undefined): Generator<Values[], void>;
}

class TextInput implements Input {
  readonly #target: CopyTarget;
  readonly #reader: RecordReader;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #inputs: readonly ((text: string) => Datum)[];
  readonly #isMatched: boolean;
  #skips: boolean;

  constructor(target: CopyTarget, options: CopyOptions) {
    this.#target = target;
    const names = target.columns.map(({ name }) => name);
    this.#reader = options.format === "csv" ? new CsvRows(options, names) : new TextRows(options);
    this.#skips = options.header !== false;
    this.#isMatched = options.header === "match";
    const { types, run } = target;
    this.#inputs = target.columns.map(({ type }) => {
      const { oid, typmod } = types.fromColumnType(type);
      const { codec } = types.get(oid);
      return (text) => codec.input(text, typmod, run.evaluation.sql);
    });
  }

  *batches(chunk: Buffer | undefined): Generator<Values[], void> {
    const records = this.#reader.read(this.#text(chunk), chunk === undefined);
    let batch: Values[] = [];
    for (const record of records) {
      if (this.#skips) {
        this.#skips = false;
        if (this.#isMatched) this.#match(record);
        continue;
      }
      batch.push(this.#row(record));
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }

  #text(chunk: Buffer | undefined): string {
    let text: string;
    try {
      text = this.#decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new SqlError("22021", 'invalid byte sequence for encoding "UTF8"');
    }
    if (text.includes("\0")) {
      throw new SqlError("22021", 'invalid byte sequence for encoding "UTF8": 0x00');
    }
    return text;
  }

  #match({ values }: CopyRecord): void {
    const { columns, table } = this.#target;
    if (values.length !== columns.length) {
      throw badFormat(
        `wrong number of fields in header line: got ${values.length}, expected ${columns.length}`,
      );
    }
    for (const [i, { name }] of columns.entries()) {
      if (values[i] === name) continue;
      const got = values[i] === undefined ? "null value" : `"${values[i]}"`;
      const message =
        `column name mismatch in header line field ${i + 1}: ` + `got ${got}, expected "${name}"`;
      throw new SqlError("22P04", message, { where: `COPY ${table.name}, line 1` });
    }
  }

  #row({ values, line, text }: CopyRecord): Values {
    const { columns, table } = this.#target;
    const where = `COPY ${table.name}, line ${line}`;
    if (values.length > columns.length) {
      // A table without columns takes empty lines.
      if (columns.length === 0 && text === "") return [];
      throw new SqlError("22P04", "extra data after last expected column", {
        where: `${where}: "${shown(text)}"`,
      });
    }
    if (values.length < columns.length) {
      const { name } = columns[values.length] as ColumnDescriptor;
      throw new SqlError("22P04", `missing data for column "${name}"`, {
        where: `${where}: "${shown(text)}"`,
      });
    }
    const row: Values = new Array(values.length);
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (value === undefined) {
        row[i] = null;
        continue;
      }
      try {
        row[i] = (this.#inputs[i] as (text: string) => Datum)(value);
      } catch (error) {
        if (!(error instanceof SqlError)) throw error;
        const column = `${where}, column ${columns[i]?.name}: "${shown(value)}"`;
        throw new SqlError(error.sqlState, error.message, { ...error.fields, where: column });
      }
    }
    return row;
  }
}

/** Messages tell the beginning of what is long. */
function shown(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}...`;
}

class BinaryInput implements Input {
  readonly #target: CopyTarget;
  readonly #reader = new BinaryRows();

  constructor(target: CopyTarget) {
    this.#target = target;
  }

  *batches(chunk: Buffer | undefined): Generator<Values[], void> {
    if (chunk === undefined) {
      this.#reader.end();
      return;
    }
    const { columns, types, run } = this.#target;
    const codecs = columns.map(({ type }) => {
      const { oid, typmod } = types.fromColumnType(type);
      return { codec: types.get(oid).codec, typmod };
    });
    let batch: Values[] = [];
    for (const fields of this.#reader.read(chunk, columns.length)) {
      const row = fields.map((bytes, i): Datum => {
        if (bytes === undefined) return null;
        const { codec, typmod } = codecs[i] as (typeof codecs)[0];
        try {
          return codec.receive(bytes, typmod, run.evaluation.sql);
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
          throw new SqlError("22P03", "incorrect binary data format");
        }
      });
      batch.push(row);
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }
}
