import type { SettingName } from "./settings.ts";

/** `allowLocation` → `--allow-location`. */
export function flagOf(name: SettingName): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `allowLocation` → `FIRN_ALLOW_LOCATION`. */
export function envOf(name: SettingName): string {
  return `FIRN_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Variables of commands that ask a server: no settings, so every command accepts them. */
export const CLIENT_VARIABLES: ReadonlySet<string> = new Set([
  "FIRN_URL",
  "FIRN_TOKEN",
  "FIRN_CONTEXT",
  "FIRN_PAGER",
]);
