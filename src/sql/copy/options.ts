import type { Node } from "libpg-query";
import { textsOf } from "../bind/names.ts";
import { notSupported, SqlError } from "../error.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";

/** What a COPY says of its format. */
export interface CopyOptions {
  readonly format: "text" | "csv" | "binary";
  readonly delimiter: string;
  readonly null: string;
  /** `match`: the names are compared with the columns. */
  readonly header: boolean | "match";
  readonly quote: string;
  readonly escape: string;
  /** Names of columns; `*` is all of them. */
  readonly forceQuote: readonly string[];
  readonly forceNotNull: readonly string[];
  readonly forceNull: readonly string[];
}

type Given = Map<string, NodeOf<"DefElem">>;

/** @throws SqlError 42601, 22023, 0A000. */
export function copyOptions(nodes: readonly Node[], isFrom: boolean): CopyOptions {
  const given: Given = new Map();
  for (const node of nodes) {
    const option = contentOf(node, "DefElem") ?? {};
    const name = option.defname ?? "";
    if (!KNOWN.has(name)) throw new SqlError("42601", `option "${name}" not recognized`);
    if (given.has(name)) throw new SqlError("42601", "conflicting or redundant options");
    given.set(name, option);
  }
  const format = textOf(given, "format") ?? "text";
  if (format !== "text" && format !== "csv" && format !== "binary") {
    throw new SqlError("22023", `COPY format "${format}" not recognized`);
  }
  const isCsv = format === "csv";
  const encoding = textOf(given, "encoding")?.toLowerCase().replace(/[-_]/g, "");
  if (encoding !== undefined && encoding !== "utf8")
    throw notSupported("another encoding than UTF8");
  const quote = textOf(given, "quote") ?? '"';
  const options: CopyOptions = {
    format,
    delimiter: textOf(given, "delimiter") ?? (isCsv ? "," : "\t"),
    null: textOf(given, "null") ?? (isCsv ? "" : "\\N"),
    header: headerOf(given, isFrom),
    quote,
    escape: textOf(given, "escape") ?? quote,
    forceQuote: namesOf(given, "force_quote"),
    forceNotNull: namesOf(given, "force_not_null"),
    forceNull: namesOf(given, "force_null"),
  };
  refuse(options, given, isFrom);
  return options;
}

const KNOWN: ReadonlySet<string> = new Set([
  "format",
  "freeze",
  "delimiter",
  "null",
  "header",
  "quote",
  "escape",
  "force_quote",
  "force_not_null",
  "force_null",
  "encoding",
]);

function refuse(options: CopyOptions, given: Given, isFrom: boolean): void {
  const { format, delimiter, quote, escape: escapeBy, null: nullText } = options;
  const isCsv = format === "csv";
  if (format === "binary") {
    for (const name of ["delimiter", "null"]) {
      if (given.has(name)) refused("42601", `cannot specify ${name.toUpperCase()} in BINARY mode`);
    }
    if (options.header !== false) refused("0A000", "cannot specify HEADER in BINARY mode");
  }
  if (Buffer.byteLength(delimiter) !== 1) {
    refused("0A000", "COPY delimiter must be a single one-byte character");
  }
  if (/[\r\n]/.test(delimiter)) {
    refused("22023", "COPY delimiter cannot be newline or carriage return");
  }
  if (/[\r\n]/.test(nullText)) {
    refused("22023", "COPY null representation cannot use newline or carriage return");
  }
  if (!isCsv && /[\\.a-z0-9]/.test(delimiter)) {
    refused("22023", `COPY delimiter cannot be "${delimiter}"`);
  }
  for (const name of ["quote", "escape", "force_quote", "force_not_null", "force_null"]) {
    const shown = name.replaceAll("_", " ");
    if (!isCsv && given.has(name)) {
      refused("0A000", `COPY ${shown} available only in CSV mode`);
    }
  }
  if (isCsv && Buffer.byteLength(quote) !== 1) {
    refused("0A000", "COPY quote must be a single one-byte character");
  }
  if (isCsv && quote === delimiter) {
    refused("22023", "COPY delimiter and quote must be different");
  }
  if (isCsv && Buffer.byteLength(escapeBy) !== 1) {
    refused("0A000", "COPY escape must be a single one-byte character");
  }
  if (isFrom && given.has("force_quote")) {
    refused("0A000", "COPY force quote only available using COPY TO");
  }
  if (!isFrom && (given.has("force_not_null") || given.has("force_null"))) {
    refused("0A000", "COPY force not null only available using COPY FROM");
  }
  if (nullText.includes(delimiter)) {
    refused("0A000", "COPY delimiter must not appear in the NULL specification");
  }
  if (isCsv && nullText.includes(quote)) {
    refused("0A000", "CSV quote character must not appear in the NULL specification");
  }
}

function refused(sqlState: string, message: string): never {
  throw new SqlError(sqlState, message);
}

function textOf(given: Given, name: string): string | undefined {
  return contentOf(given.get(name)?.arg, "String")?.sval;
}

function headerOf(given: Given, isFrom: boolean): CopyOptions["header"] {
  const option = given.get("header");
  if (option === undefined) return false;
  const { arg } = option;
  if (arg === undefined) return true;
  const isTrue = contentOf(arg, "Boolean");
  if (isTrue !== undefined) return isTrue.boolval === true;
  const number = contentOf(arg, "Integer");
  if (number !== undefined) return number.ival === 1;
  const word = contentOf(arg, "String")?.sval?.toLowerCase() ?? "";
  if (["true", "on"].includes(word)) return true;
  if (["false", "off"].includes(word)) return false;
  if (word !== "match") return refused("42601", 'header requires a Boolean value or "match"');
  if (!isFrom) refused("0A000", 'cannot use "match" with HEADER in COPY TO');
  return "match";
}

function namesOf(given: Given, name: string): readonly string[] {
  const arg = given.get(name)?.arg;
  if (arg === undefined) return [];
  return "A_Star" in arg ? ["*"] : textsOf(contentOf(arg, "List")?.items);
}
