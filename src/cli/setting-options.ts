import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { fromEnv, fromFlags, readSettings, type SettingSource } from "../runtime/read-settings.ts";
import { envOf, flagOf } from "../runtime/setting-names.ts";
import {
  FLAG_NAMES,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type Settings,
} from "../runtime/settings.ts";
import type { ServerAt } from "./server-at.ts";

/** What settings are read from besides a command line, and where problems are told. */
export interface SettingsContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly printError: (text: string) => void;
}

/** Options of a command line, by name in camel case. */
type Values = Readonly<Record<string, unknown>>;

/** Who makes or reads a bucket signs nothing: where no secret is given, any will do. */
export const NO_SECRET: SettingSource = {
  values: new Map([["secret", ["0".repeat(64)]]]),
  label: envOf,
  problems: [],
};

/** Reads settings from the command's flags and the environment; refused ones are told. */
export function withSettings(
  command: Command,
  others: readonly SettingSource[],
  context: SettingsContext,
  action: (settings: Settings | undefined) => Promise<void>,
): void {
  addSettings(command);
  command.action((values: Values) => action(settingsOf(values, command.args, others, context)));
}

/** Lets a command line name every setting that has a flag. */
export function addSettings(command: Command): void {
  command
    // Left to us, so that every problem is named at once, with what was meant.
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText("after", ENVIRONMENT_HELP);
  for (const name of FLAG_NAMES) command.addOption(optionOf(name));
}

/** @param left what the command line holds besides. @returns undefined: problems were told. */
function settingsOf(
  values: Values,
  left: readonly string[],
  others: readonly SettingSource[],
  { env, cwd, printError }: SettingsContext,
): Settings | undefined {
  const flags = fromFlags(flagValues(values), left);
  const result = readSettings([flags, fromEnv(env), ...others], cwd);
  if (result.ok) return result.settings;
  for (const problem of result.problems) printError(`firn: ${problem}\n`);
  printError("See: firn serve --help\n");
  return undefined;
}

/** The words of a line before the first flag that nobody knows, and what is left from there on. */
export function wordsOf(
  args: readonly string[],
  most: number,
): { readonly words: readonly string[]; readonly left: readonly string[] } {
  const flag = args.findIndex((word) => word.startsWith("-"));
  const end = Math.min(most, flag < 0 ? args.length : flag);
  return { words: args.slice(0, end), left: args.slice(end) };
}

/** The directory whose server a command asks: `--dir`, else that of the environment. */
export function dirOf(flag: string | undefined, { env, cwd }: SettingsContext): string {
  return resolve(cwd, flag ?? (env[envOf("dir")] || ".firn"));
}

/**
 * Where a shard is: at a server's URL, for which `--dir` names its token; or in what the settings
 * name, of which a line may give the directory without a flag.
 *
 * @param left what the command line holds besides.
 * @returns undefined: problems were told.
 */
export function placeOf(
  named: string | undefined,
  left: readonly string[],
  values: Values,
  context: SettingsContext,
): ServerAt | Settings | undefined {
  if (named !== undefined && /^https?:/.test(named)) {
    const flags = flagValues(values);
    const [dir] = flags.get("dir") ?? [];
    if (left.length === 0 && flags.size === (dir === undefined ? 0 : 1)) {
      return { server: named, dir: dirOf(dir, context) };
    }
    context.printError(
      "firn: a running server has its own settings: beside its URL give only --dir, which " +
        "holds its token\n",
    );
    return undefined;
  }
  if (named !== undefined && (values["dir"] !== undefined || values["profile"] !== undefined)) {
    context.printError("firn: a directory is named: give it no --dir and no --profile beside\n");
    return undefined;
  }
  const directory = named === undefined ? {} : { dir: named, profile: "local" };
  return settingsOf({ ...values, ...directory }, left, [NO_SECRET], context);
}

const ENVIRONMENT_HELP = `
Every flag has an environment variable, which it overrides; repeatable ones hold commas there.
Unknown flags and unknown FIRN_ variables refuse the start.

Without a flag, as others can see a command line:
${SETTING_NAMES.filter((name) => SETTINGS[name].secret)
  .map((name) => `  ${envOf(name)}  ${SETTINGS[name].doc}`)
  .join("\n")}`;

function optionOf(name: SettingName): Option {
  const { placeholder, doc, fallbackText, repeatable } = SETTINGS[name];
  const facts = [
    fallbackText === "" || placeholder === "" ? "" : `default ${fallbackText}`,
    repeatable ? "repeatable" : "",
    envOf(name),
  ].filter((fact) => fact !== "");
  const flags = placeholder === "" ? flagOf(name) : `${flagOf(name)} ${placeholder}`;
  const option = new Option(flags, `${doc} [${facts.join("; ")}]`);
  // A switch has no text to parse: it is there, or it is not.
  if (placeholder === "") return option;
  return option.argParser((value: string, earlier: readonly string[] | undefined) =>
    repeatable ? [...(earlier ?? []), value] : [value],
  );
}

function flagValues(
  values: Readonly<Record<string, unknown>>,
): ReadonlyMap<SettingName, readonly string[]> {
  const flags = new Map<SettingName, readonly string[]>();
  for (const name of FLAG_NAMES) {
    const value = values[name];
    if (value !== undefined) flags.set(name, Array.isArray(value) ? value : [String(value)]);
  }
  return flags;
}
