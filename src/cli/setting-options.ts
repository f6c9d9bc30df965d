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

/** The sources of settings other than the command line, and the printer of problems. */
export interface SettingsContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly printError: (text: string) => void;
}

/** Options of a command line, by name in camel case. */
type Values = Readonly<Record<string, unknown>>;

/** For commands that sign nothing: any secret satisfies the check. */
export const NO_SECRET: SettingSource = {
  values: new Map([["secret", ["0".repeat(64)]]]),
  label: envOf,
  problems: [],
};

/** What says where a shard is stored. */
export const STORE_FLAGS: readonly SettingName[] = [
  "profile",
  "dir",
  "warehouse",
  "s3Bucket",
  "s3Prefix",
  "s3PathStyle",
  "s3KmsKey",
];
/** What a command that becomes the owner of a shard also uses. */
export const RESTORE_FLAGS: readonly SettingName[] = [...STORE_FLAGS, "standby", "takeover"];
export const FSCK_FLAGS: readonly SettingName[] = [...RESTORE_FLAGS, "dynamodbTable"];
export const GC_FLAGS: readonly SettingName[] = [...FSCK_FLAGS, "historyRetention", "gcGrace"];
export const COMPACT_FLAGS: readonly SettingName[] = [
  ...RESTORE_FLAGS,
  "engineMemoryMib",
  "engineCompactionStyle",
  "engineMergeThreads",
  "logRetention",
  "logRetentionMib",
];
/** What a command that opens the catalog of a store uses. */
export const HOUSEKEEPING_FLAGS: readonly SettingName[] = [...STORE_FLAGS, "dynamodbTable"];
export const INIT_FLAGS: readonly SettingName[] = [...STORE_FLAGS, "dynamodbTable"];

/** Reads settings from the command's flags and the environment, and prints every problem. */
export function withSettings(
  command: Command,
  shown: readonly SettingName[],
  others: readonly SettingSource[],
  context: SettingsContext,
  action: (settings: Settings | undefined) => Promise<void>,
): void {
  addSettings(command, shown);
  command.action((values: Values) => action(settingsOf(values, command.args, others, context)));
}

/**
 * Lets a command line name every setting that has a flag.
 *
 * @param shown those that help lists: what the command uses. Not those whose flag is an option of
 *   the command already: see `withoutOptions`.
 */
export function addSettings(command: Command, shown: readonly SettingName[]): void {
  const own = new Set(command.options.map(({ long }) => long));
  command
    // `readSettings` reports them: all problems at once, each with the nearest name.
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText("after", shown === FLAG_NAMES ? ENVIRONMENT_HELP + SECRET_HELP : ENVIRONMENT_HELP);
  for (const name of FLAG_NAMES) {
    if (own.has(flagOf(name))) continue;
    const option = optionOf(name);
    command.addOption(shown.includes(name) ? option : option.hideHelp());
  }
}

/** The values of settings alone, where options of the command have their names. */
export function withoutOptions(values: Values, own: readonly SettingName[]): Values {
  return { ...values, ...Object.fromEntries(own.map((name) => [name, undefined])) };
}

/** @param left unparsed words. @returns undefined after printing problems. */
export function settingsOf(
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

/** The words before the first unknown flag, and the rest from there on. */
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
 * Where a shard is: behind a server's URL, with the token in `--dir`; or in a store that the
 * settings name. The directory may be given without a flag.
 *
 * @param left unparsed words.
 * @returns undefined after printing problems.
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
      "firn: with the URL of a server give only --dir, which stores its token; the server " +
        "has its own settings\n",
    );
    return undefined;
  }
  if (named !== undefined && (values["dir"] !== undefined || values["profile"] !== undefined)) {
    context.printError("firn: with a directory give neither --dir nor --profile\n");
    return undefined;
  }
  const directory = named === undefined ? {} : { dir: named, profile: "local" };
  return settingsOf({ ...values, ...directory }, left, [NO_SECRET], context);
}

/**
 * The catalog that a line asks: of a server, or in a store that the settings name.
 *
 * @param server its URL or its directory, made absolute.
 * @param most words that the line may have.
 * @param others sources of settings behind flags and environment.
 * @returns undefined after printing problems.
 */
export function settingsAt(
  server: string | undefined,
  most: number,
  args: readonly string[],
  values: Values,
  context: SettingsContext,
  others: readonly SettingSource[] = [NO_SECRET],
): { readonly at: ServerAt | Settings; readonly words: readonly string[] } | undefined {
  const { words, left } = wordsOf(args, most);
  if (server === undefined) {
    const settings = settingsOf(values, left, others, context);
    return settings && { at: settings, words };
  }
  const flags = flagValues(values);
  const [dir] = flags.get("dir") ?? [];
  if (left.length === 0 && flags.size === (dir === undefined ? 0 : 1)) {
    return { at: { server, dir: dirOf(dir, context) }, words };
  }
  context.printError(
    "firn: with --server give only --dir, which stores its token; the server has its own " +
      "settings\n",
  );
  return undefined;
}

const ENVIRONMENT_HELP = `
Every flag has an environment variable. A flag overrides its variable. In a variable, commas
separate repeated values. Unknown flags and unknown FIRN_ variables are errors.`;

const SECRET_HELP = `

Set by variable only, because other users can see a command line:
${SETTING_NAMES.filter((name) => SETTINGS[name].secret)
  .map((name) => `  ${envOf(name)}  ${SETTINGS[name].doc}`)
  .join("\n")}`;

/** A setting as an option of a command line. */
export function optionOf(name: SettingName): Option {
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
