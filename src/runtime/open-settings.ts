import { nearest } from "./nearest.ts";
import {
  fromFields,
  readSettings,
  type SettingSource,
  type SettingsResult,
} from "./read-settings.ts";
import { SETTING_NAMES } from "./settings.ts";

/** Settings that stand in `listen`, as without it no socket is opened. */
const LISTEN_FIELDS: readonly string[] = ["host", "port", "pgPort"];
const FIELDS: readonly string[] = [
  "listen",
  ...SETTING_NAMES.filter((name) => !LISTEN_FIELDS.includes(name)),
];

/** Reads the options of `Firn.open`: settings under their field names, and `listen`. */
export function readOptions(options: object, cwd: string): SettingsResult {
  const { listen, ...fields } = options as Readonly<Record<string, unknown>>;
  const problems = [...fieldProblems(fields), ...listenProblems(listen)];
  const known = Object.fromEntries(
    Object.entries(fields).filter(([name]) => FIELDS.includes(name) && name !== "listen"),
  );
  const source = fromFields({ ...known, ...(isObject(listen) ? pick(listen) : {}) });
  return readSettings([withProblems(source, problems)], cwd);
}

function withProblems(source: SettingSource, problems: readonly string[]): SettingSource {
  const label: SettingSource["label"] = (name) =>
    LISTEN_FIELDS.includes(name) ? `listen.${name}` : name;
  return { ...source, label, problems: [...source.problems, ...problems] };
}

function pick(listen: object): object {
  return Object.fromEntries(
    Object.entries(listen).filter(([name]) => LISTEN_FIELDS.includes(name)),
  );
}

function fieldProblems(fields: object): readonly string[] {
  return Object.keys(fields).flatMap((name) => {
    if (FIELDS.includes(name)) return [];
    if (LISTEN_FIELDS.includes(name)) {
      return [`${name}: belongs in listen, as in { listen: { ${name}: … } }`];
    }
    return [`unknown option ${name}${meant(nearest(name, FIELDS))}`];
  });
}

function listenProblems(listen: unknown): readonly string[] {
  if (listen === undefined) return [];
  if (!isObject(listen)) return ["listen: must be an object, as in { listen: { port: 8181 } }"];
  return Object.keys(listen).flatMap((name) => {
    if (LISTEN_FIELDS.includes(name)) return [];
    if (FIELDS.includes(name)) return [`listen.${name}: belongs beside listen, not in it`];
    return [`unknown option listen.${name}${meant(nearest(name, LISTEN_FIELDS))}`];
  });
}

function meant(near: string | undefined): string {
  return near === undefined ? "" : `: did you mean ${near}?`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
