import { invalid } from "../base/error.ts";
import { contradictions } from "./contradictions.ts";
import { nearest } from "./nearest.ts";
import { CLIENT_VARIABLES, envOf, flagOf } from "./setting-names.ts";
import {
  FLAG_NAMES,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type Settings,
  type SettingValues,
} from "./settings.ts";

/** What one source (flags, environment, fields) says, under its own names for settings. */
export interface SettingSource {
  readonly values: ReadonlyMap<SettingName, readonly string[]>;
  /** How this source calls a setting, for problems. */
  readonly label: (name: SettingName) => string;
  /** Refusals of the source itself, unknown names above all. */
  readonly problems: readonly string[];
}

export type SettingsResult =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The settings of an environment. An empty value counts as absent; repeatable ones hold commas. */
export function fromEnv(env: Readonly<Record<string, string | undefined>>): SettingSource {
  const known = new Map(SETTING_NAMES.map((name) => [envOf(name), name]));
  const values = new Map<SettingName, readonly string[]>();
  const problems: string[] = [];
  for (const [key, value] of Object.entries(env)) {
    if (!key.startsWith("FIRN_") || CLIENT_VARIABLES.has(key)) continue;
    const name = known.get(key);
    if (name === undefined) problems.push(unknownName("environment variable", key, known.keys()));
    else if (value !== undefined && value !== "") {
      values.set(name, SETTINGS[name].repeatable ? splitList(value) : [value]);
    }
  }
  return { values, label: envOf, problems };
}

/** The settings of a command line: values by name, and what it did not know. */
export function fromFlags(
  values: ReadonlyMap<SettingName, readonly string[]>,
  unknown: readonly string[],
): SettingSource {
  const known = [...FLAG_NAMES.map(flagOf), "--help", "--version"];
  const problems: string[] = [];
  unknown.forEach((argument, i) => {
    const flag = argument.startsWith("-");
    // What follows an unknown flag is most likely its value, and no second mistake.
    if (!flag && unknown[i - 1]?.startsWith("-")) return;
    const name = argument.split("=", 1)[0] ?? argument;
    const secret = SETTING_NAMES.find((each) => SETTINGS[each].secret && flagOf(each) === name);
    if (secret !== undefined) problems.push(noFlag(secret));
    else problems.push(flag ? unknownName("flag", name, known) : `unexpected argument ${argument}`);
  });
  return { values, label: flagOf, problems };
}

/** The settings of an object, as an embedding program gives them. */
export function fromFields(fields: object): SettingSource {
  const values = new Map<SettingName, readonly string[]>();
  const problems: string[] = [];
  for (const [key, value] of Object.entries(fields) as [string, unknown][]) {
    const name = SETTING_NAMES.find((candidate) => candidate === key);
    if (name === undefined) problems.push(unknownName("option", key, SETTING_NAMES));
    else if (value !== undefined) {
      const texts = textsOf(value);
      if (texts === undefined) problems.push(`${key}: must be plain text, number or boolean`);
      else values.set(name, texts);
    }
  }
  return { values, label: (name) => name, problems };
}

/**
 * Reads the settings, the first source that names one winning, and names every problem at once.
 * Relative paths start at `cwd`.
 */
export function readSettings(sources: readonly SettingSource[], cwd: string): SettingsResult {
  const problems = sources.flatMap((source) => source.problems);
  const settings: Partial<Record<SettingName, unknown>> = {};
  const attempt = (name: SettingName, label: string, read: () => unknown) => {
    try {
      settings[name] = read();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.push(`${label}: ${error.message}`);
    }
  };
  const given: SettingName[] = [];
  const absent: SettingName[] = [];
  for (const name of SETTING_NAMES) {
    const source = sources.find((candidate) => candidate.values.has(name));
    const texts = source?.values.get(name);
    (texts === undefined ? absent : given).push(name);
    if (texts === undefined) continue;
    attempt(name, source?.label(name) ?? name, () => SETTINGS[name].parse(texts, cwd));
  }
  // Defaults rest on what was given, wherever that stands in the table.
  for (const name of absent) {
    attempt(name, name, () => SETTINGS[name].fallback(settings as Partial<SettingValues>, cwd));
  }
  const whole: Settings = { ...(settings as unknown as SettingValues), given };
  problems.push(...contradictions(whole));
  return problems.length === 0 ? { ok: true, settings: whole } : { ok: false, problems };
}

/** @throws FirnError `Invalid`, code `SETTINGS_INVALID`, naming every problem. */
export function requireSettings(result: SettingsResult): Settings {
  if (result.ok) return result.settings;
  throw invalid("SETTINGS_INVALID", `invalid settings: ${result.problems.join("; ")}`, {
    problems: result.problems.length,
  });
}

function noFlag(name: SettingName): string {
  return `${flagOf(name)} is not a flag, as others see command lines: set ${envOf(name)}`;
}

function unknownName(kind: string, name: string, known: Iterable<string>): string {
  const near = nearest(name, known);
  return `unknown ${kind} ${name}${near === undefined ? "" : `: did you mean ${near}?`}`;
}

function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function textsOf(value: unknown): readonly string[] | undefined {
  if (Array.isArray(value)) {
    const texts = value.map(textOf);
    return texts.every((text) => text !== undefined) ? texts : undefined;
  }
  const text = textOf(value);
  return text === undefined ? undefined : [text];
}

function textOf(value: unknown): string | undefined {
  const plain =
    typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return plain ? String(value) : undefined;
}
