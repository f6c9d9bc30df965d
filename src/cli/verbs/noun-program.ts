import { type Command, Option } from "commander";
import type { Schema } from "../../api/operation.ts";
import { MODEL_GROUP } from "../home.ts";
import { positive } from "../option-values.ts";
import { addWhere } from "../where.ts";
import type { CatalogLine } from "./catalog-line.ts";
import {
  isPaged,
  itemSchema,
  kebab,
  NOUN_VERBS,
  type NounVerb,
  shownBody,
  shownQuery,
} from "./noun-table.ts";

export type RunLine = (line: CatalogLine) => Promise<void>;

/** Adds the options of every command that prints what the catalog answers. */
export function addFormat(command: Command): void {
  command
    .option("--json", "print JSON; --json=name,id prints these members alone")
    .addOption(new Option("--json-fields <names>").hideHelp())
    .option("--ndjson", "print JSON, one object a line")
    .option("-q, --quiet", "print ids alone")
    .option("--no-pager", "print a long answer without a pager [FIRN_PAGER, PAGER]");
}

/** Adds `firn catalog list`, `firn table get` …: a command for each operation of the native API. */
export function addNouns(program: Command, run: RunLine): void {
  const nouns = new Map<string, Command>();
  for (const spec of NOUN_VERBS) {
    const noun = nouns.get(spec.noun) ?? nounCommand(program, spec.noun);
    nouns.set(spec.noun, noun);
    addVerb(noun, spec, run);
  }
}

function nounCommand(program: Command, noun: string): Command {
  // `firn storage init` and `check` are made by hand: the others join them.
  const known = program.commands.find((command) => command.name() === noun);
  if (known !== undefined) return known;
  const verbs = NOUN_VERBS.filter((each) => each.noun === noun).map(({ verb }) => verb);
  return program
    .command(noun)
    .description(`Operations of the native API: ${verbs.join(", ")}.`)
    .helpGroup(MODEL_GROUP);
}

function addVerb(noun: Command, spec: NounVerb, run: RunLine): void {
  const { verb, operation, levels, created, words, name } = spec;
  // Made by hand: it takes a location too.
  if (name === "checkStorageProfile") return;
  const command = noun.command(verb).description(`${operation.summary}.`);
  if (name === "getStorageProfile") command.alias("show");
  const parts =
    created === undefined ? levels : [...levels, created === "path" ? "namespace" : spec.noun];
  if (parts.length > 0) command.argument(`<${parts.join(".")}>`, nameHelp(parts));
  for (const word of words) command.argument(`<${kebab(word)}>`);
  const taken = new Set<string>();
  const add = (member: string, schema: Schema): void => {
    for (const option of optionsOf(member, schema)) {
      if (taken.has(option.long ?? "")) continue;
      taken.add(option.long ?? "");
      command.addOption(option);
    }
  };
  for (const [member, schema] of Object.entries(shownQuery(operation))) add(member, schema);
  for (const [member, schema] of Object.entries(shownBody(spec))) add(member, schema);
  if (operation.body !== undefined) {
    command.option("-f, --file <path>", "read the body from a JSON file; - is standard input");
  }
  if (operation.conditional === "write") {
    command.option("--if-match <etag>", "refuse with exit code 5 if it has another entity tag");
  }
  if (operation.once === true) {
    command.option("--dry-run", "check everything and change nothing");
    command.option("--idempotency-key <key>", "repeated commands with one key are one change");
  }
  if (operation.method === "DELETE") command.option("--yes", "do not ask for the name");
  if (isPaged(operation) || itemSchema(operation.answer) !== undefined) {
    command.option("--limit <count>", "end after so many items", positive);
  }
  addFormat(command);
  addWhere(command);
  command.action(() =>
    run({ run: { operation: name }, words: command.args, values: command.opts() }),
  );
}

function nameHelp(parts: readonly string[]): string {
  return parts.length === 1 ? "" : "names joined by dots; %2E is a dot within a name";
}

/** A member as options: maps take `key=value` often, and in a patch a key to remove. */
function optionsOf(member: string, schema: Schema): readonly Option[] {
  const flag = `--${kebab(member)}`;
  const description = typeof schema["description"] === "string" ? lower(schema["description"]) : "";
  const { enum: choices } = schema as { readonly enum?: readonly string[] };
  switch (schema["type"]) {
    case "boolean":
      return [new Option(flag, description), new Option(`--no-${kebab(member)}`).hideHelp()].map(
        (option) => option.default(undefined),
      );
    case "integer":
    case "number":
      return [new Option(`${flag} <number>`, description)];
    case "array":
      return [new Option(`${flag} <value...>`, `${description} (repeatable)`.trim())];
    case "object":
      return mapOptions(member, schema, description);
    case "string": {
      const option = new Option(`${flag} <text>`, description);
      return [choices === undefined ? option : option.choices(choices)];
    }
    default:
      return [];
  }
}

/** Of an object only a map of texts has options: another one comes from a file. */
function mapOptions(member: string, schema: Schema, description: string): readonly Option[] {
  const { type } = (schema["additionalProperties"] ?? {}) as Schema;
  if (type === undefined) return [];
  const one = member.replace(/ies$/, "y").replace(/s$/, "");
  const set = new Option(`--${kebab(one)} <key=value...>`, `${description} (repeatable)`);
  if (!Array.isArray(type)) return [set];
  return [set, new Option(`--remove-${kebab(one)} <key...>`, `a key to remove (repeatable)`)];
}

/** The names of a map's options, in camel case. */
export function mapNames(member: string): readonly [set: string, remove: string] {
  const one = member.replace(/ies$/, "y").replace(/s$/, "");
  return [one, `remove${one.charAt(0).toUpperCase()}${one.slice(1)}`];
}

function lower(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
