import { envOf, flagOf } from "./setting-names.ts";
import { SETTING_NAMES, SETTINGS, type Settings } from "./settings.ts";

/** A setting as administrators see it. */
export interface ShownSetting {
  /** Its flag; of a secret, which has none, its variable. */
  readonly name: string;
  /** Of a secret: whether there is one. */
  readonly value: string;
  /** It was chosen, be it what it is by default. */
  readonly given: boolean;
  readonly doc: string;
}

/** Every setting of a node. No secret is in it. */
export function shownSettings(settings: Settings): readonly ShownSetting[] {
  return SETTING_NAMES.map((name) => {
    const { secret, doc } = SETTINGS[name];
    const value = settings[name];
    return {
      name: secret ? envOf(name) : flagOf(name),
      value: secret ? (value === undefined ? "" : "(set)") : valueText(value),
      given: settings.given.includes(name),
      doc,
    };
  });
}

function valueText(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
