import type { SettingName } from "./settings.ts";

/** `allowLocation` → `--allow-location`. */
export function flagOf(name: SettingName): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `allowLocation` → `FIRN_ALLOW_LOCATION`. */
export function envOf(name: SettingName): string {
  return `FIRN_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
